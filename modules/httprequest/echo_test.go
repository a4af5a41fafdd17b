package httprequest_test

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/httprequest"
)

func reversed(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

// A server that echoes the value, in any form that masking knows, tells nothing.
func TestAValueThatIsEchoedIsTakenOut(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	const plain = "Zq8-longEnough_7vX/and+more"
	a.vault["API_TOKEN"] = plain
	nonce := a.mint(t, "API_TOKEN")
	for name, echo := range map[string]string{
		"plain": plain, "base64": base64.StdEncoding.EncodeToString([]byte(plain)), "base64 of more": base64.URLEncoding.EncodeToString([]byte("user:" + plain + ":x")),
		"hex": hex.EncodeToString([]byte(plain)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(plain))), "query": url.QueryEscape(plain), "path": url.PathEscape(plain),
		"html": html.EscapeString(plain), "reversed": reversed(plain), "upper": strings.ToUpper(plain), "JSON": `{"a":"` + strings.ReplaceAll(plain, "/", `\/`) + `"}`,
		"broken": plain[:9] + "\n" + plain[9:], "percent": "%5A%71%38" + plain[3:],
	} {
		a.target.answers(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Echo", strings.ReplaceAll(echo, "\n", ""))
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, "before "+echo+" after")
		})
		answer := apitest.Decode[httprequest.Answer](
			t,
			a.send(t, "ada", object{"method": "GET", "url": a.target.URL + "/", "headers": object{"Authorization": nonce}}),
		)
		for _, text := range []string{answer.Body, answer.Headers["x-echo"], answer.URL} {
			require.NotContains(t, text, echo, name)
			require.NotContains(t, text, plain, name)
		}
		require.Contains(t, answer.Body, "****", name)
		require.Contains(t, answer.Body, "after", name)
	}
	// An answer that breaks off within the value keeps no half of it.
	a.target.answers(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", 1<<20-12)+plain+strings.Repeat("y", 100))
	})
	cut := apitest.Decode[httprequest.Answer](
		t,
		a.send(t, "ada", object{"method": "GET", "url": a.target.URL + "/", "headers": object{"Authorization": nonce}}),
	)
	require.True(t, cut.BodyTruncated)
	require.NotContains(t, cut.Body, plain[:8])
	// What cannot be read as text is not shown.
	a.target.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "rot13")
		_, _ = io.WriteString(w, plain)
	})
	encoded := apitest.Decode[httprequest.Answer](
		t,
		a.send(t, "ada", object{"method": "GET", "url": a.target.URL + "/", "headers": object{"Authorization": nonce}}),
	)
	require.NotContains(t, encoded.Body, plain)

	// Errors do not tell it either.
	a.target.answers(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+plain[:3]+".example.com/"+url.PathEscape(plain), http.StatusFound)
	})
	refused := a.send(t, "ada", object{"method": "GET", "url": a.target.URL + "/?" + nonce})
	refused.Refused(t, problem.Invalid)
	require.NotContains(t, refused.Body, plain)
	a.target.Close()
	gone := a.send(t, "ada", object{"method": "GET", "url": a.target.URL + "/?" + nonce})
	gone.Refused(t, problem.Invalid)
	require.NotContains(t, gone.Body, "longEnough")
	require.NotContains(t, a.Log.String(), "longEnough")
}

func TestAProposalShowsWhereARequestGoes(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	nonce := a.mint(t, "API_TOKEN")
	input := object{
		"method":  "POST",
		"url":     a.target.URL + "/v1?key=" + nonce,
		"headers": object{"Authorization": "Bearer " + nonce},
		"body":    `{"a":1}`,
	}
	proposed, err := a.Propose(t, "ada", "http.request", input)
	require.NoError(t, err)
	require.Equal(t, "Send a POST request to "+a.target.URL+"/v1?key=‹API_TOKEN› with API_TOKEN", proposed.Summary)
	require.Equal(t, "the secret API_TOKEN of the agent Billing", proposed.Labels[nonce])
	require.Contains(t, proposed.Effects[1], "is put into the URL and the header Authorization. Its value is not shown.")
	require.Contains(t, string(proposed.Payload), nonce)
	require.Empty(t, a.target.requests(), "a proposal sends nothing")
	for _, bad := range []object{{"method": "GET", "url": "http://10.0.0.1/"}, {"method": "GET", "url": "https://api.example.com/" + nonce}, {"method": "GET", "url": a.target.URL, "headers": object{"Host": "x"}}} {
		_, err := a.Propose(t, "ada", "http.request", bad)
		require.True(t, problem.Is(err, problem.Invalid), "%v", bad)
	}
	result, err := a.Apply(t, "ada", "http.request", proposed)
	require.NoError(t, err)
	require.Contains(t, result, `"status":200`)
	require.Len(t, a.target.requests(), 1, "applied twice, sent once")
	a.hides(t, result, proposed.Summary)
	_, err = a.Propose(t, "bob", "http.request", input)
	require.True(t, problem.Is(err, problem.Conflict))
}

func FuzzARequestNeverHoldsAValueWhereItWasNotPut(f *testing.F) {
	f.Add("/a?b=", "X-A", `{"a":"`, `"}`, "application/json")
	f.Add("/%2e/", "Cookie", "a=", "", "text/plain")
	f.Add(`/"`, "X-A", "", "", "text/plain")
	f.Add("/", "X-A", `{"a":"`, `"}`, "text/json")
	f.Add(`/[%2f#/`, "X-A", "", "", "text/plain")
	f.Fuzz(func(t *testing.T, path, header, before, after, media string) {
		httprequest.Filled(t, path, header, before, after, media)
	})
}

// A server that echoes the value and knows ranges would hand it out in parts that masking does not know.
func TestAnAnswerInPartsTellsNothing(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	const plain = "Zq8-longEnough_7vX/and+more"
	a.vault["API_TOKEN"] = plain
	nonce := a.mint(t, "API_TOKEN")
	a.target.answers(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "echo.txt", time.Time{}, strings.NewReader(r.Header.Get("Authorization")))
	})
	for _, name := range []string{"Range", "range", "If-Range", "Request-Range", "A-IM", "Want-Digest", "Want-Repr-Digest", "Accept-Charset"} {
		asked := a.send(
			t,
			"ada",
			object{"method": "GET", "url": a.target.URL + "/", "headers": object{"Authorization": nonce, name: "bytes=0-6"}},
		)
		asked.Refused(t, problem.Invalid)
		_, err := a.Propose(
			t,
			"ada",
			"http.request",
			object{"method": "GET", "url": a.target.URL + "/?" + nonce, "headers": object{name: "bytes=0-6"}},
		)
		require.True(t, problem.Is(err, problem.Invalid), name)
	}
	require.Empty(t, a.target.requests())
	part := apitest.Decode[httprequest.Answer](
		t,
		a.send(
			t,
			"ada",
			object{"method": "GET", "url": a.target.URL + "/", "headers": object{"Authorization": "not a secret", "Range": "bytes=0-2"}},
		),
	)
	require.Equal(t, "not", part.Body, "without secrets parts are what they are")

	// It answers with a part unasked, or does so where it redirects to.
	for name, answer := range map[string]http.HandlerFunc{
		"206":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusPartialContent) },
		"226":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusIMUsed) },
		"range": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Range", "bytes 0-6/27") },
		"ranges": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "Multipart/ByteRanges; x")
		},
		"further": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusPartialContent) },
	} {
		a.target.answers(func(w http.ResponseWriter, r *http.Request) {
			if name == "further" && r.URL.Path != "/further" {
				http.Redirect(w, r, "/further", http.StatusFound)
				return
			}
			answer(w, r)
			_, _ = io.WriteString(w, plain[:7])
		})
		answer := apitest.Decode[httprequest.Answer](
			t,
			a.send(t, "ada", object{"method": "GET", "url": a.target.URL + "/", "headers": object{"Authorization": nonce}}),
		)
		require.NotContains(t, answer.Body, plain[:7], name)
		require.Contains(t, answer.Body, "part", name)
	}
}
