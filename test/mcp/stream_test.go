package mcp_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/api/mcp/endpoint"
	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/internal/store/storetest"
)

const (
	toolsChanged   = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	promptsChanged = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`
)

// Clients of earlier revisions hear of no changes, and are not told that they would.
func earlierClientsHearOfNoChanges(t *testing.T, p *apptest.Product) {
	c := p.Application(t, p.Role(t, everyRule(t, p)...))
	for _, revision := range []string{"2025-06-18", "2025-03-26", "2024-11-05"} {
		can := connect(t, p, c, revision, nil).InitializeResult().Capabilities
		require.False(t, can.Tools.ListChanged || can.Prompts.ListChanged || can.Resources.ListChanged, revision)
		require.Equal(t, http.StatusMethodNotAllowed, openStream(t, p, begin(t, p, c, revision), "").StatusCode, revision)
	}
}

// openAs connects a stock client that opens its stream.
func openAs(t *testing.T, p *apptest.Product, transport http.RoundTripper, options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	session, err := sdk.NewClient(
		&sdk.Implementation{Name: "test", Version: "1"},
		options,
	).Connect(
		t.Context(),
		&sdk.StreamableClientTransport{
			Endpoint: p.URL + endpoint.Path, HTTPClient: &http.Client{Transport: transport},
		},
		&sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"},
	)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// cutting is a network that ends each stream after a moment.
type cutting struct {
	withToken

	mu    sync.Mutex
	asked []string
}

func (c *cutting) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.withToken.RoundTrip(r)
	if err != nil || r.Method != http.MethodGet {
		return response, err
	}
	c.mu.Lock()
	c.asked = append(c.asked, r.Header.Get("Last-Event-ID"))
	c.mu.Unlock()
	response.Body = &cut{ReadCloser: response.Body}
	return response, nil
}

// cut is a body that ends after its first words.
type cut struct {
	io.ReadCloser

	read bool
}

func (c *cut) Read(into []byte) (int, error) {
	if c.read {
		return 0, io.EOF
	}
	n, err := c.ReadCloser.Read(into)
	c.read = n > 0
	return n, err
}

func (c *cutting) streams() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.asked)
}

// A stock client whose streams end again and again stays, comes back each time by the last that it was told, and hears
// of what has changed between two of them.
func aStreamMayEndOften(t *testing.T, p *apptest.Product) {
	c := p.Application(t, p.Role(t, everyRule(t, p)...))
	network := &cutting{withToken: withToken{c.Token()}}
	tools := make(chan struct{}, 100)
	session := openAs(
		t,
		p,
		network,
		&sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { tools <- struct{}{} }},
	)
	for n, enabled := range []bool{false, true} {
		require.Eventually(t, func() bool { return len(network.streams()) > 8*(n+1) }, time.Minute, 10*time.Millisecond)
		p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.deleteGroup", map[string]any{"enabled": enabled}, nil))
		<-tools
	}
	require.Empty(t, network.streams()[0])
	for _, last := range network.streams()[1:] {
		require.NotEmpty(t, last)
	}
	require.NotEmpty(t, listed(t, session), "the session is there")
}

// Who comes back hears of what has changed meanwhile, and nothing when nothing has; a stream ends with its token.
func aStreamGoesOnWhereItEnded(t *testing.T, p *apptest.Product) {
	c := p.Application(t, p.Role(t, everyRule(t, p)...))
	client := begin(t, p, c, "2025-11-25")
	first := listenTo(t, p, client, "")
	primed := first.next(t)
	require.NotEmpty(t, primed.id)
	require.Empty(t, primed.data)
	first.leave()

	again := listenTo(t, p, client, primed.id)
	unchanged := again.next(t)
	require.Empty(t, unchanged.data)
	require.NotEqual(t, primed.id, unchanged.id, "a client takes a stream that brings no new id for one that is out of order")
	p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.deleteGroup", map[string]any{"enabled": false}, nil))
	changed := again.next(t)
	require.JSONEq(t, toolsChanged, changed.data)
	again.leave()

	c.Post(
		t,
		"/api/ai/skills",
		map[string]any{"name": "Meanwhile", "description": "New", "targets": []string{"chat"}, "systemPrompt": "Be new."},
		nil,
	)
	back := listenTo(t, p, client, changed.id)
	require.JSONEq(t, promptsChanged, back.next(t).data)
	back.leave()
	// An id of nobody's is that of one who knows nothing.
	for _, id := range []string{"what-ever", "x", strings.Repeat("a-", 1000)} {
		stranger := listenTo(t, p, client, id)
		require.JSONEq(t, toolsChanged, stranger.next(t).data)
		require.JSONEq(t, promptsChanged, stranger.next(t).data)
		stranger.leave()
	}

	last := listenTo(t, p, client, "")
	last.next(t)
	p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.deleteGroup", map[string]any{"enabled": true}, nil))
	require.JSONEq(t, toolsChanged, last.next(t).data)
	require.Less(t, p.Admin.Call(t, http.MethodDelete, "/api/applications/"+c.ID.String(), nil).Status, 300)
	_, err := io.Copy(io.Discard, last.in)
	require.NoError(t, err, "it has ended")
	require.Eventually(t, func() bool { return held(t, p, openStreams, c) == 0 }, time.Minute, 10*time.Millisecond)
}

// Who has as many streams as there may be goes on without another, as clients do by the status alone. One that had a
// stream and comes back is not turned away for good: it hears nothing, keeps what it knew, and comes back once more.
func TestAClientWithoutAStream(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_MAX_OPEN_STREAMS": "1"}})
	c := p.Application(t, p.Role(t, "ai.chat.read"))
	client := begin(t, p, c, "2025-11-25")
	first := listenTo(t, p, client, "")
	told := first.next(t)
	response := openStream(t, p, client, "")
	require.Equal(t, http.StatusMethodNotAllowed, response.StatusCode)
	require.Equal(t, http.MethodPost, response.Header.Get("Allow"))
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Contains(t, string(body), string(problem.Throttled))
	require.NotEmpty(t, listed(t, openAs(t, p, withToken{c.Token()}, nil)), "a stock client goes on")

	returned := listenTo(t, p, client, told.id)
	rest, err := io.ReadAll(returned.in)
	require.NoError(t, err, "it ends by itself")
	require.Contains(t, string(rest), "retry: ")
	id, _, _ := strings.Cut(told.id[strings.Index(told.id, "-")+1:], "-")
	require.Contains(t, string(rest), id, "what it knew")
	require.NotContains(t, string(rest), "list_changed")
	first.leave()

	nobody := client
	nobody.token = "csa_nobody"
	for _, last := range []string{"", told.id} {
		require.Equal(t, http.StatusUnauthorized, openStream(t, p, nobody, last).StatusCode, "the name of a client opens nothing")
	}
}

// A stock client whose process is started anew stays, and hears of what has changed meanwhile.
func TestAClientOutlastsARestart(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_STREAM_HEARTBEAT": "1s"}})
	c := p.Application(t, p.Role(t, everyRule(t, p)...))
	tools := make(chan struct{}, 100)
	session := openAs(
		t,
		p,
		withToken{c.Token()},
		&sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { tools <- struct{}{} }},
	)
	require.Eventually(t, func() bool { return held(t, p, openStreams, c) == 1 }, time.Minute, 10*time.Millisecond)
	p.Restart(t)
	p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.deleteGroup", map[string]any{"enabled": false}, nil))
	<-tools
	require.NotContains(t, namesOf(listed(t, session)), "catalog_deleteGroup")
}

// While the database is away a stream stays, and whoever comes back is told to come once more.
func TestAStreamOutlastsTheDatabase(t *testing.T) {
	t.Parallel()
	first := apptest.Start(t, apptest.Options{})
	relay := storetest.NewRelay(t, first.DatabaseHost(t))
	p := apptest.Start(t, apptest.Options{Beside: first, Env: map[string]string{
		"DATABASE_URL": first.DatabaseThrough(
			t,
			relay.Address,
		),
		"COUNTERSIGN_DATABASE_STATEMENT_TIMEOUT": "2s",
		"COUNTERSIGN_DATABASE_ACQUIRE_TIMEOUT":   "2s",
		"COUNTERSIGN_STREAM_HEARTBEAT":           "50ms",
	}})
	c := first.Application(t, first.Role(t, everyRule(t, first)...))
	client := begin(t, p, c, "2025-11-25")
	stream := listenTo(t, p, client, "")
	told := stream.next(t)
	relay.Away()
	for _, last := range []string{told.id, ""} {
		rest, err := io.ReadAll(listenTo(t, p, client, last).in)
		require.NoError(t, err)
		require.Contains(t, string(rest), "retry: ")
		require.NotContains(t, string(rest), "list_changed")
	}
	relay.Back()
	first.Countersign(t, first.Admin.Patch(t, "/api/ai/policies/catalog.deleteGroup", map[string]any{"enabled": false}, nil))
	require.JSONEq(t, toolsChanged, stream.next(t).data)
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
