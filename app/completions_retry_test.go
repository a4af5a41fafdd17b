package app_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
)

func retried(n string) apptest.Header {
	return apptest.Header{Name: "X-Stainless-Retry-Count", Value: n}
}

func keyed(key string) apptest.Header { return apptest.Header{Name: "Idempotency-Key", Value: key} }

// However a client repeats a request, there is one turn, one proposal and one answer, over two processes.
func TestARetryJoinsTheTurnOfTheFirstAttempt(t *testing.T) {
	t.Parallel()
	env := apptest.NewProvider(t).Env()
	p := apptest.Start(t, apptest.Options{Env: env})
	// Links are the same in every process, as people reach all of them at one address.
	env["COUNTERSIGN_URL"] = "http://localhost" + p.URL[strings.LastIndex(p.URL, ":"):]
	beside := apptest.Start(t, apptest.Options{Env: env, Beside: p, Roles: app.Roles{API: true}})
	ada := p.Person(t, p.Role(t, "catalog.system.read", "catalog.system.manage"))
	token := newChatToken(t, ada).Token
	for i, c := range []struct {
		path          string
		body          map[string]any
		first, second apptest.Header
	}{
		{"/v1/chat/completions", streamed("script: " + createSystem + " id=1"), retried("0"), retried("1")},
		{"/v1/chat/completions", streamed("script: " + createSystem + " id=2"), keyed("k2"), keyed("k2")},
		{"/v1/responses", map[string]any{"model": "countersign", "input": "script: " + createSystem + " id=3"}, retried("0"), retried("1")},
	} {
		for _, stream := range []bool{false, true} {
			c.body["stream"] = stream
			first, second := c.first, c.second
			if stream && first.Name == "Idempotency-Key" {
				first.Value, second.Value = first.Value+"s", second.Value+"s"
			}
			var turns, proposals int
			turns, proposals = p.Count(t, `SELECT count(*) FROM ai_turns`), p.Count(t, `SELECT count(*) FROM ai_proposals`)
			answers := make([]apptest.Answer, 4)
			answers[0] = p.Bearer(ada.ID, token).Post(t, c.path, c.body, nil, first)
			var wg sync.WaitGroup
			for k := range answers[1:] {
				wg.Go(func() {
					at := []*apptest.Product{p, beside}[k%2]
					answers[k+1], _ = at.Bearer(ada.ID, token).Send(t.Context(), http.MethodPost, c.path, c.body, second)
				})
			}
			wg.Wait()
			require.Equal(t, turns+1, p.Count(t, `SELECT count(*) FROM ai_turns`), "case %d", i)
			require.Equal(t, proposals+1, p.Count(t, `SELECT count(*) FROM ai_proposals`), "case %d", i)
			for _, answer := range answers {
				require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
				require.Equal(t, answers[0].Header.Get("Countersign-Conversation"), answer.Header.Get("Countersign-Conversation"))
				require.Contains(t, string(answer.Body), "Payments API")
				if !stream && c.path != "/v1/responses" {
					require.JSONEq(t, string(answers[0].Body), string(answer.Body))
				}
			}
		}
	}

	t.Log("a key is that of one request, of one client, and the same body without a retry is another request")
	wrong := p.Bearer(ada.ID, token).Call(t, http.MethodPost, "/v1/chat/completions", streamed("Something else"), keyed("k2"))
	require.Equal(t, http.StatusUnprocessableEntity, wrong.Status)
	require.Contains(t, string(wrong.Body), "key_reused")
	bob := p.Person(t)
	his := p.Bearer(bob.ID, newChatToken(t, bob).Token).Post(t, "/v1/chat/completions", streamed(`script: text="Mine."`), nil, keyed("k2"))
	require.Contains(t, string(his.Body), "Mine.")
	turns := p.Count(t, `SELECT count(*) FROM ai_turns`)
	for range 2 {
		p.Bearer(ada.ID, token).Post(t, "/v1/chat/completions", streamed(`script: text="Again."`), nil, retried("0"))
	}
	require.Equal(t, turns+2, p.Count(t, `SELECT count(*) FROM ai_turns`))

	t.Log("a message that was refused can be sent again with its key")
	p.Bearer(ada.ID, token).Call(t, http.MethodPost, "/v1/chat/completions",
		map[string]any{"model": "none", "messages": streamed("x")["messages"]}, keyed("k9"))
	require.Equal(t, http.StatusOK, p.Bearer(ada.ID, token).Call(t, http.MethodPost, "/v1/chat/completions",
		streamed(`script: text="Now."`), keyed("k9")).Status)
}

func TestARetryOfAFailedOrRunningRequestJoinsIt(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	ada := p.Person(t)
	program := p.Bearer(ada.ID, newChatToken(t, ada).Token)
	plain := func(text string) map[string]any {
		body := streamed(text)
		body["stream"] = false
		return body
	}
	failed := program.Call(t, http.MethodPost, "/v1/chat/completions", plain("script: fault=invalid_key@1x*"), retried("0"))
	require.Equal(t, http.StatusBadGateway, failed.Status, "%s", failed.Body)
	require.Equal(t, "false", failed.Header.Get("X-Should-Retry"))
	again := program.Call(t, http.MethodPost, "/v1/chat/completions", plain("script: fault=invalid_key@1x*"), retried("1"))
	require.Equal(t, http.StatusBadGateway, again.Status)
	require.JSONEq(t, string(failed.Body), string(again.Body))
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_turns`))

	t.Log("the client has given up waiting: its retry gets the answer of the same turn, which is not stopped meanwhile")
	pause := provider.Pause(apptest.Text("In short, "))
	ctx, leave := contextOf(t)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = program.Send(ctx, http.MethodPost, "/v1/chat/completions", plain("Tell me"), retried("0"))
	}()
	apptest.Eventually(t, "the model is called", func() bool { return strings.Contains(encode(t, provider.Requests()), "Tell me") })
	leave()
	<-gone
	got := make(chan apptest.Answer, 1)
	go func() {
		answer, _ := program.Send(t.Context(), http.MethodPost, "/v1/chat/completions", plain("Tell me"), retried("1"))
		got <- answer
	}()
	apptest.Eventually(t, "the retry has joined", func() bool {
		return p.Count(t, `SELECT count(*) FROM ai_client_requests
			WHERE attempts = 2 AND turn_id IS NOT NULL AND at > now() - interval '1 minute'`) == 2
	})
	pause.Resume(apptest.Text("here it is."))
	answer := <-got
	require.Equal(t, http.StatusOK, answer.Status)
	require.Contains(t, string(answer.Body), "In short, here it is.")
	require.Equal(t, 2, p.Count(t, `SELECT count(*) FROM ai_turns`))

	t.Log("without a retry it is stopped after a while")
	provider.Pause(apptest.Text("In short, "))
	ctx, leave = contextOf(t)
	gone = make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = program.Send(ctx, http.MethodPost, "/v1/chat/completions", plain("Tell me more"), retried("0"))
	}()
	apptest.Eventually(t, "the model is called", func() bool { return strings.Contains(encode(t, provider.Requests()), "Tell me more") })
	leave()
	<-gone
	apptest.Eventually(t, "the turn is stopped", func() bool {
		return p.Count(t,
			`SELECT count(*) FROM ai_turns WHERE status = 'stopped'`) == 1
	})
}
