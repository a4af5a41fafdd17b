package httprequest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/automation/action"
	"countersign/internal/problem"
	"countersign/modules/httprequest"
)

func TestAutomationsSendRequests(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.ConformActions(t, a.Actions(), map[string]func() apitest.Acting{
		"http.request": func() apitest.Acting {
			return apitest.Acting{
				Config:  object{"method": "POST", "url": a.target.URL + "/orders", "body": `{"a":1}`},
				Effects: func() int { return len(a.target.requests()) },
			}
		},
	})
	act := func(key string, config object, rules ...string) (action.Result, error) {
		return a.Act(t.Context(), t, a.Actions()[0], key, config, append(rules, httprequest.Send)...)
	}
	result, err := act("json", object{"method": "GET", "url": a.target.URL + "/"})
	require.NoError(t, err)
	require.Contains(t, string(result.Artifacts["http_response"]), `"json":{"ok":true}`)
	require.Empty(t, a.target.requests()[1].header.Get("Idempotency-Key"))
	require.NotEmpty(t, a.target.requests()[0].header.Get("Idempotency-Key"))

	secrets := object{
		"method": "POST", "url": a.target.URL + "/", "headers": object{"Authorization": "Bearer ${{ secrets.API_TOKEN }}"},
		"secretHosts": []string{a.target.URL},
	}
	a.vault["API_TOKEN"] = "s3cr3t-token-value"
	_, err = act("s1", secrets)
	require.Equal(t, []string{"vault.secret.read"}, problem.As(err).MissingRules)
	a.target.answers(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Header.Get("Authorization")) })
	result, err = act("s2", secrets, "vault.secret.read")
	require.NoError(t, err)
	require.Equal(t, "Bearer s3cr3t-token-value", a.target.requests()[2].header.Get("Authorization"))
	require.Contains(t, string(result.Output), "Bearer ****")
	a.hides(t, string(result.Output), result.Summary)
	secrets["secretHosts"] = []string{"api.example.com"}
	_, err = act("s3", secrets, "vault.secret.read")
	require.ErrorContains(t, err, "The secret API_TOKEN is not pinned to")
	delete(secrets, "secretHosts")
	_, err = act("s4", secrets, "vault.secret.read")
	require.ErrorContains(t, err, "secretHosts")
	_, err = act("s5", object{"method": "GET", "url": a.target.URL + "/?t=" + a.mint(t, "API_TOKEN")})
	require.ErrorContains(t, err, "worth nothing")
	_, err = act("guard", object{"method": "GET", "url": "http://10.0.0.1/"})
	require.True(t, problem.Is(err, problem.Invalid), "%v", err)
	require.Len(t, a.target.requests(), 3)

	a.target.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "closed")
	})
	_, err = act("503", object{"method": "GET", "url": a.target.URL + "/"})
	require.ErrorContains(t, err, "status 503 Service Unavailable. closed")
	result, err = act("503b", object{"method": "GET", "url": a.target.URL + "/", "ignoreStatus": true})
	require.NoError(t, err)
	require.Contains(t, string(result.Output), `"status":503`)
	a.target.answers(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("x", 200<<10)) })
	result, err = act("long", object{"method": "GET", "url": a.target.URL + "/"})
	require.NoError(t, err)
	require.Less(t, len(result.Output), action.MaxOutput)
	require.Contains(t, string(result.Output), `"truncated":true`)
}

// A server that breaks off after it has the request may have done what was asked for.
func TestARequestWithoutAnAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.target.answers(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	act := func(key, method, url string) error {
		_, err := a.Act(t.Context(), t, a.Actions()[0], key, object{"method": method, "url": url}, httprequest.Send)
		return err
	}
	for range 2 {
		require.True(t, problem.Is(act("post", http.MethodPost, a.target.URL), problem.Unknown))
	}
	require.Len(t, a.target.requests(), 1, "it is not sent again")
	require.True(t, problem.Is(act("get", http.MethodGet, a.target.URL), problem.Invalid), "a read has no effect")
	require.True(t, problem.Is(act("closed", http.MethodPost, "http://127.0.0.1:1/"), problem.Invalid), "nobody was there")
}

func TestHostsOfSecretsArePartOfTheDefinition(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	validate := func(config string, templated ...string) error {
		return a.Actions()[0].Validate(json.RawMessage(config), templated)
	}
	require.NoError(t, validate(`{"method":"GET"}`, "url", "headers.X-Title"))
	require.ErrorContains(t, validate(`{"method":"GET"}`, "secretHosts[0]"), "secretHosts[0]")
	require.ErrorContains(t, validate(`{"headers":{"A":"${{ secrets.A }}"}}`), "secretHosts")
	require.ErrorContains(t, validate(`{"headers":{"A":"${{ secret.A }}"}}`), "headers.A")
	require.ErrorContains(t, validate(`{"secretHosts":["https://a/b"]}`), "secretHosts[0]")
}
