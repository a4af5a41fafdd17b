package mcp_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/mcp/endpoint"
	"countersign/problem"
)

const (
	toolsChanged   = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	promptsChanged = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`
)

// A stock client of an older revision hears on the stream that it opens by itself that its lists have changed, and nothing of those of others.
func olderClientsHearOfChanges(t *testing.T, p *apptest.Product) {
	for _, revision := range []string{"2025-11-25", "2025-06-18", "2025-03-26"} {
		tools, prompts, blind := make(chan struct{}, 100), make(chan struct{}, 100), make(chan struct{}, 100)
		c, other := p.Application(t, p.Role(t, everyRule(t, p)...)), p.Application(t, p.Role(t, "ai.chat.read"))
		open := func(c *apptest.Client, options *sdk.ClientOptions) *sdk.ClientSession {
			session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options).Connect(t.Context(), &sdk.StreamableClientTransport{
				Endpoint: p.URL + endpoint.Path, HTTPClient: &http.Client{Transport: withToken{c.Token()}}, MaxRetries: -1,
			}, &sdk.ClientSessionOptions{ProtocolVersion: revision})
			require.NoError(t, err)
			t.Cleanup(func() { _ = session.Close() })
			require.Equal(t, revision, session.InitializeResult().ProtocolVersion)
			return session
		}
		open(other, &sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { blind <- struct{}{} }})
		session := open(c, &sdk.ClientOptions{
			ToolListChangedHandler:   func(context.Context, *sdk.ToolListChangedRequest) { tools <- struct{}{} },
			PromptListChangedHandler: func(context.Context, *sdk.PromptListChangedRequest) { prompts <- struct{}{} },
		})
		require.Eventually(t, func() bool { return listeners(t, p, c) == 1 && listeners(t, p, other) == 1 }, time.Minute, 10*time.Millisecond)

		p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.deleteGroup", map[string]any{"enabled": false}, nil))
		<-tools
		require.NotContains(t, namesOf(listed(t, session)), "catalog_deleteGroup")
		p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.deleteGroup", map[string]any{"enabled": true}, nil))
		<-tools
		c.Post(t, "/api/ai/skills", map[string]any{"name": "New in " + revision, "description": "New", "targets": []string{"chat"}, "systemPrompt": "Be new."}, nil)
		<-prompts
		require.Empty(t, blind, "somebody else's list")
	}
}

// Who comes back hears of what has changed meanwhile, and nothing when nothing has; a stream ends with its token.
func aStreamGoesOnWhereItEnded(t *testing.T, p *apptest.Product) {
	c := p.Application(t, p.Role(t, everyRule(t, p)...))
	newest := begin(t, p, c, "2025-11-25")
	first := listenTo(t, p, newest, "")
	primed := first.next(t)
	require.NotEmpty(t, primed.id)
	require.Empty(t, primed.data)
	first.leave()

	again := listenTo(t, p, newest, primed.id)
	require.Eventually(t, func() bool { return listeners(t, p, c) == 1 }, time.Minute, 10*time.Millisecond)
	p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.deleteGroup", map[string]any{"enabled": false}, nil))
	changed := again.next(t)
	require.JSONEq(t, toolsChanged, changed.data, "the first word, as nothing had changed before")
	require.NotEqual(t, primed.id, changed.id)
	again.leave()

	c.Post(t, "/api/ai/skills", map[string]any{"name": "Meanwhile", "description": "New", "targets": []string{"chat"}, "systemPrompt": "Be new."}, nil)
	back := listenTo(t, p, newest, changed.id)
	require.JSONEq(t, promptsChanged, back.next(t).data)
	back.leave()
	// An id of nobody's is that of one who knows nothing.
	stranger := listenTo(t, p, newest, "what-ever")
	require.JSONEq(t, toolsChanged, stranger.next(t).data)
	require.JSONEq(t, promptsChanged, stranger.next(t).data)
	stranger.leave()

	// Clients before that revision do not take an event that says nothing.
	older := listenTo(t, p, begin(t, p, c, "2025-06-18"), "")
	require.Eventually(t, func() bool { return listeners(t, p, c) == 1 }, time.Minute, 10*time.Millisecond)
	p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.deleteGroup", map[string]any{"enabled": true}, nil))
	require.JSONEq(t, toolsChanged, older.next(t).data)
	require.Less(t, p.Admin.Call(t, http.MethodDelete, "/api/applications/"+c.ID.String(), nil).Status, 300)
	_, err := io.Copy(io.Discard, older.in)
	require.NoError(t, err, "it has ended")
	require.Eventually(t, func() bool { return listeners(t, p, c) == 0 }, time.Minute, 10*time.Millisecond)
}

// Who has as many streams as there may be goes on without another, as clients do by this status alone.
func TestAClientWithoutAStream(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_MAX_OPEN_STREAMS": "1"}})
	c := p.Application(t, p.Role(t, "ai.chat.read"))
	client := begin(t, p, c, "2025-11-25")
	held := listenTo(t, p, client, "")
	response := openStream(t, p, client, "")
	require.Equal(t, http.StatusMethodNotAllowed, response.StatusCode)
	require.Equal(t, http.MethodPost, response.Header.Get("Allow"))
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Contains(t, string(body), string(problem.Throttled))
	held.leave()

	nobody := client
	nobody.token = "csa_nobody"
	require.Equal(t, http.StatusUnauthorized, openStream(t, p, nobody, "").StatusCode, "the name of a client opens nothing")
	session := connect(t, p, c, "2025-11-25", nil)
	require.NotEmpty(t, listed(t, session))
}

// listeners is how many streams a principal has.
func listeners(t *testing.T, p *apptest.Product, c *apptest.Client) int {
	t.Helper()
	return p.Count(t, `SELECT count(*) FROM held_places WHERE kind = 'mcp listener' AND principal LIKE '%' || $1::text`, c.ID.String())
}

// heard is an open stream of events.
type heard struct {
	in    *bufio.Reader
	leave func()
}

type event struct{ id, data string }

func listenTo(t *testing.T, p *apptest.Product, o older, last string) heard {
	t.Helper()
	response := openStream(t, p, o, last)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	return heard{bufio.NewReader(response.Body), func() { _ = response.Body.Close() }}
}

func openStream(t *testing.T, p *apptest.Product, o older, last string, headers ...apptest.Header) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+endpoint.Path, nil)
	require.NoError(t, err)
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Authorization", "Bearer "+o.token)
	for _, h := range append(o.headers(), headers...) {
		r.Header.Set(h.Name, h.Value)
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// next is the next event that has an id or says something.
func (h heard) next(t *testing.T) (e event) {
	t.Helper()
	for {
		line, err := h.in.ReadString('\n')
		require.NoError(t, err)
		name, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		switch {
		case name == "id":
			e.id = value
		case name == "data":
			e.data = value
		case line == "\n" && e != event{}:
			return e
		}
	}
}
