package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/api/mcp/calls"
	"countersign/app/apptest"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool"
	"countersign/tool/kit"
)

// queue is a module whose tools wait until their caller wants no answer any more, or all may go.
type queue struct {
	// waiting has the context of each call that waits, in the process that serves it.
	waiting chan context.Context
	open    chan struct{}
}

type turnIn struct {
	Number int `json:"number"`
}

const queueRule = "queue.turn.take"

func (*queue) Rules() []principal.Rule {
	return []principal.Rule{{ID: queueRule, Description: "Wait in the queue", Default: true}}
}

func (*queue) Routes(api huma.API) {
	huma.Register(api, rest.Op("take-turn", http.MethodPut, "/api/queue", "Take a turn", rest.Rules(queueRule)),
		func(_ context.Context, in *struct{ Body turnIn }) (*struct{ Body turnIn }, error) { return in, nil })
}

func (q *queue) wait(ctx context.Context) error {
	q.waiting <- ctx
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-q.open:
		return nil
	}
}

func (q *queue) Tools() []tool.Tool {
	rules := []string{queueRule}
	return []tool.Tool{
		kit.NewRead(
			tool.Definition{Name: "queue.look", Description: "Waits and looks.", Effect: tool.Read, Rules: rules, Timeout: tool.MaxTimeout},
			func(ctx context.Context, _ tool.Caller, in turnIn) (turnIn, error) { return in, q.wait(ctx) },
		),
		kit.NewWrite(
			tool.Definition{Name: "queue.take", Description: "Waits and takes a turn.", Effect: tool.Mutate, Rules: rules, Timeout: tool.MaxTimeout},
			func(ctx context.Context, _ tool.Caller, in turnIn) (kit.Preview[turnIn], error) {
				return kit.Preview[turnIn]{Summary: "Take a turn", Payload: in}, q.wait(ctx)
			},
			func(in turnIn) tool.Request { return kit.Put("/api/queue", in) },
			func(answer turnIn) turnIn { return answer },
		),
	}
}

// older is a client of an older revision that keeps its connections open, whatever it wants no answer to.
type older struct {
	token, revision, session string
}

// begin lets a client of a revision begin; its header names that from then on, as far as the revision has it.
func begin(t *testing.T, p *apptest.Product, c *apptest.Client, revision string) older {
	t.Helper()
	answer := post(t, p, c.Token(), map[string]any{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": map[string]any{
		"protocolVersion": revision, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "older", "version": "1"},
	}})
	var begun struct {
		Revision string `json:"protocolVersion"`
	}
	require.NoError(t, json.Unmarshal(rpc(t, answer).Result, &begun))
	require.Equal(t, revision, begun.Revision)
	session := answer.Header.Get("Mcp-Session-Id")
	require.NotEmpty(t, session)
	return older{token: c.Token(), revision: revision, session: session}
}

func (o older) headers() (headers []apptest.Header) {
	// The header came with this revision.
	if o.revision >= "2025-06-18" {
		headers = append(headers, apptest.Header{Name: "Mcp-Protocol-Version", Value: o.revision})
	}
	if o.session != "" {
		headers = append(headers, apptest.Header{Name: "Mcp-Session-Id", Value: o.session})
	}
	return headers
}

// call begins a call and returns its context in the tool, and what waits for its answer.
func (o older) call(
	t *testing.T,
	p *apptest.Product,
	q *queue,
	id any,
	name string,
	meta map[string]any,
) (running context.Context, answered func() apptest.Answer) {
	t.Helper()
	params := map[string]any{"name": name, "arguments": map[string]any{"number": 1}}
	if meta != nil {
		params["_meta"] = meta
	}
	var answer apptest.Answer
	wait := background(t, func(context.Context) {
		answer = post(t, p, o.token, map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}, o.headers()...)
	})
	return <-q.waiting, func() apptest.Answer {
		wait()
		return answer
	}
}

func (o older) cancel(t *testing.T, p *apptest.Product, id any) {
	t.Helper()
	answer := post(
		t,
		p,
		o.token,
		map[string]any{
			"jsonrpc": "2.0",
			"method":  "notifications/cancelled",
			"params":  map[string]any{"requestId": id, "reason": "No longer needed"},
		},
		o.headers()...)
	require.Equal(t, http.StatusAccepted, answer.Status, "%s", answer.Body)
	require.Empty(t, answer.Body)
}

// What a client of an older revision cancels ends, in whatever process it is served, and leaves nothing; what others cancel goes on.
func TestAnOlderClientCancelsACall(t *testing.T) {
	t.Parallel()
	q := &queue{waiting: make(chan context.Context), open: make(chan struct{})}
	here := apptest.Start(t, apptest.Options{Modules: []any{q}})
	there := apptest.Start(t, apptest.Options{Modules: []any{q}, Beside: here})
	role := here.Role(t, "ai.chat.read", queueRule)
	app := here.Application(t, role)
	progress := map[string]any{"progressToken": "p"}
	for what, one := range map[string]struct {
		revision, tool string
		id             any
		meta           map[string]any
		by             *apptest.Product
	}{
		"a read":                            {"2025-11-25", "queue_look", 3, nil, here},
		"a read at another process":         {"2025-11-25", "queue_look", 3, nil, there},
		"a read that tells how far it is":   {"2025-06-18", "queue_look", 3, progress, here},
		"the same at another process":       {"2025-06-18", "queue_look", "é\n3", progress, there},
		"a read of the oldest":              {"2024-11-05", "queue_look", 3, nil, there},
		"a proposal":                        {"2025-11-25", "queue_take", "x", nil, here},
		"a proposal at another process":     {"2025-03-26", "queue_take", "x", nil, there},
		"a proposal that tells how it goes": {"2025-11-25", "queue_take", -1, progress, there},
	} {
		client := begin(t, here, app, one.revision)
		running, answered := client.call(t, here, q, one.id, one.tool, one.meta)
		client.cancel(t, one.by, one.id)
		<-running.Done()
		require.ErrorIs(t, context.Cause(running), calls.ErrCancelled, what)
		answer := answered()
		require.Equal(t, http.StatusOK, answer.Status, what)
		require.Empty(t, answer.Body, "%s: who cancels wants no answer", what)
		// Afterwards the same is nothing.
		client.cancel(t, one.by, one.id)
	}
	require.Zero(t, here.Count(t, `SELECT count(*) FROM ai_proposals`))
	require.Equal(t, 8, here.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE transport = 'mcp' AND status = 'failed'`))
	require.Equal(t, 8, here.Count(t, `SELECT count(*) FROM ai_tool_calls`), "each call left one entry")

	client := begin(t, here, app, "2025-11-25")
	nobody := older{token: app.Token(), revision: "2025-11-25"}
	other := begin(t, here, here.Application(t, role), "2025-11-25")
	theirs := other
	theirs.session = client.session
	unknown := client
	unknown.session = "x"
	running, answered := client.call(t, here, q, 3, "queue_look", nil)
	unnamed, unheard := nobody.call(t, here, q, 3, "queue_look", nil)
	twice, second := client.call(t, here, q, "twice", "queue_look", nil)
	again, third := client.call(t, here, q, "twice", "queue_look", nil)
	for _, p := range []*apptest.Product{there, here} {
		begin(t, here, app, "2025-11-25").cancel(t, p, 3)
		for _, somebody := range []older{other, theirs, unknown, nobody} {
			somebody.cancel(t, p, 3)
		}
		client.cancel(t, p, "3")
		client.cancel(t, p, 4)
		client.cancel(t, p, "twice")
		// What is told comes in order: when this one has ended, all else has been heard.
		last, ended := client.call(t, here, q, 5, "queue_look", nil)
		client.cancel(t, p, 5)
		<-last.Done()
		ended()
		for _, goesOn := range []context.Context{running, unnamed, twice, again} {
			require.NotErrorIs(t, context.Cause(goesOn), calls.ErrCancelled)
		}
	}
	close(q.open)
	for _, answered := range []func() apptest.Answer{answered, unheard, second, third} {
		require.NotEmpty(t, answered().Body)
	}
}

// A client of the newest revision cancels a call by ending its request, and the tool hears of it.
func TestAClientOfTheNewestRevisionCancelsACall(t *testing.T) {
	t.Parallel()
	q := &queue{waiting: make(chan context.Context), open: make(chan struct{})}
	p := apptest.Start(t, apptest.Options{Modules: []any{q}})
	session := connect(t, p, p.Application(t, p.Role(t, "ai.chat.read", queueRule)), "", nil)
	for _, name := range []string{"queue_look", "queue_take"} {
		ctx, cancel := context.WithCancel(t.Context())
		var failure error
		wait := background(t, func(context.Context) {
			_, failure = session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: map[string]any{"number": 1}})
		})
		running := <-q.waiting
		require.NoError(t, running.Err())
		cancel()
		<-running.Done()
		wait()
		require.ErrorIs(t, failure, context.Canceled, name)
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals`))
	apptest.Eventually(t, "both calls are on record as failed", func() bool {
		return p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE status = 'failed'`) == 2
	})
}

// Who cancels in a loop is told to wait; others are not in its way.
func TestCancellingInALoopHasAnEnd(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_MCP_LISTS": "1"}})
	client, other := begin(t, p, manager(t, p), "2025-11-25"), begin(t, p, manager(t, p), "2025-11-25")
	send := func(o older) apptest.Answer {
		return post(
			t,
			p,
			o.token,
			map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": 1}},
			o.headers()...)
	}
	refused := send(client)
	require.Equal(t, http.StatusAccepted, refused.Status)
	for range 2_000 {
		if refused = send(client); refused.Status != http.StatusAccepted {
			break
		}
	}
	require.Equal(t, http.StatusTooManyRequests, refused.Status)
	require.NotEmpty(t, refused.Header.Get("Retry-After"))
	require.Equal(t, problem.Throttled, problemOf(t, refused).Code)
	other.cancel(t, p, 1)
}
