package httprequest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/httprequest"
)

func TestAPlaceholderBecomesTheValueOnTheWireAndNowhereElse(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.vault["API_TOKEN"] = `s3cr3t/"va lue"+&=\#?%`
	nonce := a.mint(t, "API_TOKEN")
	a.target.answers(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, r.URL.RawQuery+" "+r.URL.Query().Get("key"))
	})
	answer := apitest.Decode[httprequest.Answer](t, a.send(t, "ada", object{
		"method": "POST",
		"url":    a.target.URL + "/v1/" + nonce + "/x?key=" + nonce + "&more=1",
		"headers": object{
			"Authorization": "Bearer " + nonce,
			"Content-Type":  "application/json",
		},
		"body": `{"token":"` + nonce + `","n":[1,"a ` + nonce + `"]}`,
	}))
	require.Equal(t, http.StatusOK, answer.Status)
	got := a.target.requests()[0]
	u, err := url.ParseRequestURI(got.uri)
	require.NoError(t, err)
	require.Equal(t, "/v1/"+a.vault["API_TOKEN"]+"/x", u.Path, "it has stayed within its segment")
	require.Equal(t, url.Values{"key": {a.vault["API_TOKEN"]}, "more": {"1"}}, u.Query())
	require.Equal(t, "Bearer "+a.vault["API_TOKEN"], got.header.Get("Authorization"))
	var body struct {
		Token string
		N     []any
	}
	require.NoError(t, json.Unmarshal([]byte(got.body), &body))
	require.Equal(t, a.vault["API_TOKEN"], body.Token)
	require.Equal(t, "a "+a.vault["API_TOKEN"], body.N[1])

	require.Contains(t, answer.Headers["x-echo"], "****")
	require.Contains(t, answer.URL, "****")
	require.NotContains(t, answer.Body, "lue")
	shown, err := json.Marshal(answer)
	require.NoError(t, err)
	a.hides(t, string(shown))
}

func TestARequestWithoutSecretsIsTheOneThatWasWritten(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	answer := apitest.Decode[httprequest.Answer](
		t,
		a.send(t, "ada", object{"method": "PUT", "url": a.target.URL + "/a?b=c", "headers": object{"x-a": "1"}, "body": "plain"}),
	)
	require.Equal(t, `{"ok":true}`, answer.Body)
	got := a.target.requests()[0]
	require.Equal(t, "PUT", got.method)
	require.Equal(t, "/a?b=c", got.uri)
	require.Equal(t, "plain", got.body)
	require.Equal(t, "1", got.header.Get("X-A"))
	require.Empty(t, got.header.Get("Cookie"))
}

// The attacks that a placeholder invites.
func TestAPlaceholderIsWorthNothingInOtherHands(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	nonce := a.mint(t, "API_TOKEN")
	to := func(nonce string) object {
		return object{"method": "GET", "url": a.target.URL + "/", "headers": object{"Authorization": nonce}}
	}
	worthless := func(answer apitest.Answer) {
		t.Helper()
		require.Contains(t, answer.Refused(t, problem.Conflict).Detail, "worth nothing")
	}
	worthless(a.send(t, "bob", to(nonce)))
	worthless(a.send(t, "ada", to("nonce_"+strings.Repeat("0", 32))))
	a.send(t, "eve", to(nonce)).Refused(t, problem.Forbidden)

	live := a.live
	a.live = a.id // another revision was promoted
	worthless(a.send(t, "ada", to(nonce)))
	a.live = live
	a.closed[a.Principal("ada").ID] = true // the agent is not shared any more
	worthless(a.send(t, "ada", to(nonce)))
	delete(a.closed, a.Principal("ada").ID)

	other := a.mint(t, "OTHER")
	delete(a.pins, "OTHER")
	worthless(a.send(t, "ada", to(other)))

	_, err := a.DB.Conn(t.Context()).Exec(t.Context(), "UPDATE secret_placeholders SET expires_at = now()")
	require.NoError(t, err)
	worthless(a.send(t, "ada", to(nonce)))
	require.Empty(t, a.target.requests(), "nothing was sent")
	_, err = a.DB.Conn(t.Context()).Exec(t.Context(), "UPDATE secret_placeholders SET expires_at = now() - interval '2 hours'")
	require.NoError(t, err)
	require.NoError(t, a.Prune(t.Context()))
	var left int
	require.NoError(t, a.DB.Conn(t.Context()).QueryRow(t.Context(), "SELECT count(*) FROM secret_placeholders").Scan(&left))
	require.Zero(t, left)
}

func TestASecretDoesNotLeaveItsHosts(t *testing.T) {
	t.Parallel()
	a, elsewhere := newApp(t), newTarget(t)
	nonce := a.mint(t, "API_TOKEN")
	port := strings.TrimPrefix(a.target.URL, "http://127.0.0.1:")
	for _, address := range []string{
		elsewhere.URL + "/", "http://localhost:" + port + "/", "https://127.0.0.1:" + port + "/", "http://127.0.0.1.nip.io:" + port + "/",
		a.target.URL + "@" + strings.TrimPrefix(elsewhere.URL, "http://") + "/", "http://user:" + nonce + "@127.0.0.1:" + port + "/", "http://" + nonce + ".example.com/",
		"http://127.0.0.1:" + port + "\\@" + strings.TrimPrefix(elsewhere.URL, "http://"), "http://127.0.0.1:" + nonce + "/", "https://api.example.com/",
	} {
		refused := a.send(t, "ada", object{"method": "GET", "url": address, "headers": object{"Authorization": nonce}})
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status, "%s: %s", address, refused.Body)
		require.NotContains(t, refused.Body, "s3cr3t")
	}
	require.Empty(t, elsewhere.requests())
	require.Empty(t, a.target.requests())

	// A redirect off the host fails, whatever method and place.
	for _, status := range []int{301, 302, 303, 307, 308} {
		a.target.answers(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL+"/take", status) })
		for _, request := range []object{
			{"method": "POST", "url": a.target.URL + "/", "headers": object{"Authorization": nonce, "Content-Type": "application/json"}, "body": `["` + nonce + `"]`},
			{"method": "GET", "url": a.target.URL + "/?" + nonce},
		} {
			require.Contains(t, a.send(t, "ada", request).Refused(t, problem.Invalid).Detail, "another host")
		}
	}
	require.Empty(t, elsewhere.requests(), "nothing was sent to it")
	// On the host it is followed, with what was sent.
	a.target.answers(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/next", http.StatusTemporaryRedirect)
		}
	})
	answer := apitest.Decode[httprequest.Answer](
		t,
		a.send(t, "ada", object{"method": "POST", "url": a.target.URL + "/", "headers": object{"Authorization": nonce}, "body": "x"}),
	)
	require.Equal(t, 1, answer.Redirects)
	requests := a.target.requests()
	require.Equal(t, value, requests[len(requests)-1].header.Get("Authorization"))
	require.Equal(t, "x", requests[len(requests)-1].body)
	a.target.answers(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) })
	require.Contains(t, a.send(t, "ada", object{"method": "GET", "url": a.target.URL + "/"}).Refused(t, problem.Invalid).Detail, "too often")
	a.hides(t)
}

func TestNothingElseIsTakenAlongToAnotherHost(t *testing.T) {
	t.Parallel()
	a, elsewhere := newApp(t), newTarget(t)
	a.target.answers(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+"/take", http.StatusTemporaryRedirect)
	})
	answer := apitest.Decode[httprequest.Answer](
		t,
		a.send(t, "ada", object{"method": "GET", "url": a.target.URL + "/", "headers": object{"Cookie": "a=b", "X-Kept": "1"}}),
	)
	require.Equal(t, elsewhere.URL+"/take", answer.URL)
	require.Empty(t, elsewhere.requests()[0].header.Get("Cookie"))
	require.Equal(t, "1", elsewhere.requests()[0].header.Get("X-Kept"))
	a.target.answers(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
	})
	refused := a.send(t, "ada", object{"method": "GET", "url": a.target.URL + "/"})
	require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
	for _, address := range []string{"http://10.0.0.1/", "http://169.254.169.254/", "http://[::ffff:10.0.0.1]/", "ftp://example.com/", "file:///etc/passwd"} {
		require.Equal(t, http.StatusUnprocessableEntity, a.send(t, "ada", object{"method": "GET", "url": address}).Status, address)
	}
}

func TestHeadersCannotBeMadeUp(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.vault["API_TOKEN"] = "s3cr3t\r\nX-Injected: yes"
	nonce := a.mint(t, "API_TOKEN")
	for name, content := range map[string]string{
		"X-A": nonce, "X-B": "a\r\nX-Injected: yes", "X-C": "a\x00b", "Host": "other.example.com", "host": "other", "Content-Length": "1", "Transfer-Encoding": "chunked",
		"X D": "a", "X-E\r\nX-Injected": "yes", "": "a", "Proxy-Authorization": "a", "Connection": "x", nonce: "a",
	} {
		refused := a.send(t, "ada", object{"method": "GET", "url": a.target.URL + "/", "headers": object{name: content}})
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status, "%q: %s", name, refused.Body)
	}
	require.Equal(
		t,
		http.StatusUnprocessableEntity,
		a.send(t, "ada", object{"method": "GET", "url": a.target.URL + "/", "headers": object{"x-a": "1", "X-A": "2"}}).Status,
	)
	require.Equal(t, http.StatusUnprocessableEntity, a.send(t, "ada", object{"method": "CONNECT", "url": a.target.URL + "/"}).Status)
	require.Equal(
		t,
		http.StatusUnprocessableEntity,
		a.send(
			t,
			"ada",
			object{"method": "POST", "url": a.target.URL + "/", "headers": object{"Content-Type": "application/json"}, "body": "{" + nonce + "}"},
		).Status,
	)
	require.Empty(t, a.target.requests())
	// In a body it is data.
	a.send(t, "ada", object{"method": "POST", "url": a.target.URL + "/", "body": `{"a":"` + nonce + `"}`})
	require.JSONEq(t, `{"a":"s3cr3t\r\nX-Injected: yes"}`, a.target.requests()[0].body)
	a.hides(t)
}

func TestARequestWithAKeyIsSentOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	arrived, release := make(chan struct{}, 1), make(chan struct{})
	a.target.answers(func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-release
		_, _ = io.WriteString(w, "once")
	})
	request := object{"method": "POST", "url": a.target.URL + "/"}
	answers := make(chan apitest.Answer, 2)
	go func() { answers <- a.send(t, "ada", request, "Idempotency-Key", "k1") }()
	<-arrived
	go func() { answers <- a.send(t, "ada", request, "Idempotency-Key", "k1") }()
	close(release)
	for range 2 {
		require.Equal(t, "once", apitest.Decode[httprequest.Answer](t, <-answers).Body)
	}
	require.Len(t, a.target.requests(), 1)
	a.send(t, "ada", object{"method": "POST", "url": a.target.URL + "/other"}, "Idempotency-Key", "k1").Refused(t, problem.KeyReused)

	// Nobody knows what became of a request whose process has died.
	_, err := a.DB.Conn(t.Context()).Exec(t.Context(), "UPDATE http_requests SET answer = NULL, lost_at = now() - interval '1 second'")
	require.NoError(t, err)
	require.Contains(t, a.send(t, "ada", request, "Idempotency-Key", "k1").Refused(t, problem.Unknown).Detail, "not known")
	require.Len(t, a.target.requests(), 1, "it was not sent again")
	_, err = a.DB.Conn(t.Context()).Exec(t.Context(), "UPDATE http_requests SET answer = '{}'")
	require.NoError(t, err)
	a.send(t, "ada", request, "Idempotency-Key", "k1").Refused(t, problem.Internal)
	refused := object{"method": "GET", "url": "http://10.0.0.1/"}
	for range 2 {
		require.Equal(t, http.StatusUnprocessableEntity, a.send(t, "ada", refused, "Idempotency-Key", "k2").Status)
	}
}

func TestAnAnswerHasLimits(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.target.answers(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "session=1")
		switch r.URL.Path {
		case "/large":
			_, _ = io.WriteString(w, strings.Repeat("é", 1<<20))
		case "/binary":
			_, _ = w.Write([]byte{0, 1, 2})
		case "/slow":
			<-r.Context().Done()
		}
	})
	get := func(path string, more ...any) apitest.Answer {
		request := object{"method": "GET", "url": a.target.URL + path}
		if len(more) > 0 {
			request["timeout_ms"] = more[0]
		}
		return a.send(t, "ada", request)
	}
	large := apitest.Decode[httprequest.Answer](t, get("/large"))
	require.True(t, large.BodyTruncated)
	require.LessOrEqual(t, len(large.Body), 1<<20)
	require.NotContains(t, large.Headers, "set-cookie")
	require.Contains(t, apitest.Decode[httprequest.Answer](t, get("/binary")).Body, "Not UTF-8 text")
	begun := time.Now()
	require.Contains(t, get("/slow", 200).Refused(t, problem.Invalid).Detail, "took too long")
	require.Less(t, time.Since(begun), httprequest.DefaultTimeout, "its own time is meant")
	require.Equal(t, http.StatusUnprocessableEntity, get("/", 61_000).Status)
	require.Equal(
		t,
		http.StatusUnprocessableEntity,
		a.send(t, "ada", object{"method": "POST", "url": a.target.URL, "body": strings.Repeat("x", 200<<10)}).Status,
	)
}
