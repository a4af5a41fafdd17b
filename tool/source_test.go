package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

// workshop is a source whose tools can be used with the rule workshop.use.
type workshop struct {
	tools   []tool.Tool
	failure error
	asked   int
}

func (w *workshop) Offered(_ context.Context, p principal.Principal) ([]tool.Tool, error) {
	w.asked++
	if w.failure != nil || !p.Has("workshop.use") {
		return nil, w.failure
	}
	return w.tools, nil
}

func (w *workshop) Known(_ context.Context, name string) (tool.Tool, bool, error) {
	w.asked++
	if w.failure != nil {
		return tool.Tool{}, false, w.failure
	}
	for _, t := range w.tools {
		if t.Name == name || t.WireName() == name {
			return t, true, nil
		}
	}
	return tool.Tool{}, false, nil
}

func (w *workshop) Usable(ctx context.Context, p principal.Principal, name string) (tool.Tool, bool, error) {
	if !p.Has("workshop.use") {
		return tool.Tool{}, false, w.failure
	}
	return w.Known(ctx, name)
}

func (w *workshop) Shared() []tool.Operation {
	return []tool.Operation{{Method: "POST", Path: "/api/agents/{agent}/tools/{id}/call"}}
}

func (w *workshop) Governing(ctx context.Context, _ tool.Operation, parameters []string) (tool.Tool, bool, error) {
	return w.Known(ctx, "agent."+parameters[0]+"."+parameters[1])
}

func made(t *testing.T, name string, effect tool.Effect) tool.Tool {
	t.Helper()
	run := func(_ context.Context, _ tool.Caller, input json.RawMessage) (any, error) { return input, nil }
	m, err := kit.NewMade(kit.Making{
		Definition: tool.Definition{
			Name:        name,
			Description: "Does it.",
			Effect:      effect,
			Result:      tool.Result{Untrusted: true},
			Identity:    tool.Identity{Version: `"v1"`},
		},
		Input: written(t, `{"properties":{"n":{"type":"integer"}},"additionalProperties":false}`),
		Run:   run,
		Preview: func(_ context.Context, _ tool.Caller, input json.RawMessage) (kit.Preview[json.RawMessage], error) {
			return kit.Preview[json.RawMessage]{Summary: "Do it with " + string(input), Revision: `"v1"`}, nil
		},
	})
	require.NoError(t, err)
	return m
}

func TestWhatPeopleMadeIsOfferedAfterTheToolsOfTheProduct(t *testing.T) {
	t.Parallel()
	r := registry(t, readTool("note.list", "note.read"))
	w := &workshop{tools: []tool.Tool{made(t, "agent.billing.refund", tool.Mutate), made(t, "agent.billing.see", tool.Read)}}
	require.NoError(t, r.AddSource(w))
	user := person("note.read", "workshop.use")
	require.Equal(t, []string{"note.list", "agent.billing.refund", "agent.billing.see"}, names(offered(t, r, user)))
	require.Equal(t, []string{"note.list"}, names(offered(t, r, person("note.read"))))
	for _, name := range []string{"agent.billing.see", "agent_billing_see"} {
		found, err := r.Find(t.Context(), user, name)
		require.NoError(t, err)
		require.Equal(t, "agent.billing.see", found.Name)
		_, err = r.Find(t.Context(), person("note.read"), name)
		require.True(t, problem.Is(err, problem.NotFound), "who may not use it is told of nothing")
		require.NotContains(t, problem.As(err).Detail, "refund")
		found, ok, err := r.Lookup(t.Context(), name)
		require.NoError(t, err)
		require.True(t, ok, "whoever may use it")
		require.True(t, found.Made())
	}
	_, err := r.Decidable(t.Context(), user, "agent.billing.refund")
	require.NoError(t, err)
	require.Len(t, r.All(), 1)

	before := w.asked
	_, err = r.Find(t.Context(), user, "note_list")
	require.NoError(t, err)
	require.Equal(t, before, w.asked, "a tool of the product is found without asking anybody")

	w.failure = errors.New("the database is away")
	_, err = r.Find(t.Context(), user, "agent.billing.see")
	require.Error(t, err)
	require.False(t, problem.Is(err, problem.NotFound), "what cannot be read now is not gone")
	_, err = r.Resolve(t.Context(), user)
	require.Error(t, err)
}

func TestNobodyTakesTheNameOfAToolOfTheProduct(t *testing.T) {
	t.Parallel()
	r := registry(t, readTool("agent.list", "note.read"))
	require.NoError(t, r.AddSource(&workshop{tools: []tool.Tool{made(t, "agent.list", tool.Read)}}))
	user := person("note.read", "workshop.use")
	require.Equal(t, []string{"agent.list"}, names(offered(t, r, user)))
	found, err := r.Find(t.Context(), user, "agent.list")
	require.NoError(t, err)
	require.False(t, found.Made())
}

func TestAToolOfASourceIsCalledByArgumentsThatFit(t *testing.T) {
	t.Parallel()
	see := made(t, "agent.billing.see", tool.Read)
	output, err := see.Run(t.Context(), tool.Caller{}, json.RawMessage(`{"n":1}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"n":1}`, string(output.(json.RawMessage)))
	_, err = see.Run(t.Context(), tool.Caller{}, json.RawMessage(`{"n":"x"}`))
	require.Equal(t, "n", problem.As(err).Issues[0].Path)
	_, err = see.DryRun(t.Context(), tool.Caller{}, json.RawMessage(`{}`))
	require.ErrorContains(t, err, "only reads")

	refund := made(t, "agent.billing.refund", tool.Mutate)
	proposed, err := refund.DryRun(t.Context(), tool.Caller{}, json.RawMessage(`{"n": 2}`))
	require.NoError(t, err)
	require.Equal(t, `"v1"`, proposed.Revision)
	require.Equal(t, `{"n":2}`, string(proposed.Payload))
	_, err = refund.Run(t.Context(), tool.Caller{Client: &tool.Client{IfMatch: `"v1"`}}, proposed.Payload)
	require.NoError(t, err)
	_, err = refund.Run(t.Context(), tool.Caller{Client: &tool.Client{IfMatch: `"v0"`}}, proposed.Payload)
	require.True(t, problem.Is(err, problem.Precondition), "it is another tool than the one that was decided about")
	for _, name := range []string{"agent", "Agent.a.b", "agent.a.b.c", "agent.a b.c", "agent..c", "agent._a.b"} {
		_, err := kit.NewMade(kit.Making{Definition: tool.Definition{Name: name}})
		require.Error(t, err, name)
	}
}

func TestAnOperationThatToolsShareIsGovernedByTheOneThatIsCalled(t *testing.T) {
	t.Parallel()
	r := registry(t, writeTool("note.remove", tool.Destructive, "note.manage"))
	w := &workshop{tools: []tool.Tool{made(t, "agent.billing.refund", tool.Mutate)}}
	require.NoError(t, r.AddSource(w))
	call := tool.Operation{Method: "POST", Path: "/api/agents/{x}/tools/{y}/call"}
	governing, own, ok, err := r.Governs(t.Context(), call, []string{"billing", "refund"})
	require.NoError(t, err)
	require.True(t, own && ok)
	require.Equal(t, "agent.billing.refund", governing.Name)
	_, _, ok, err = r.Governs(t.Context(), call, []string{"billing", "none"})
	require.NoError(t, err)
	require.False(t, ok)
	_, own, shared, ok := r.Governed(call)
	require.True(t, own && shared && ok)
	require.Error(t, r.AddSource(w), "an operation has one source")
}
