package tool_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

func written(t *testing.T, text string) tool.Schema {
	t.Helper()
	s, err := kit.ParseSchema(json.RawMessage(text))
	require.NoError(t, err, text)
	return s
}

// Whoever runs a tool has decided about it as it is: its run can tell whether it is still that.
func TestARunKnowsByWhichVersionItWasDecidedAbout(t *testing.T) {
	t.Parallel()
	var seen context.Context
	of := func(effect tool.Effect, version string) tool.Tool {
		m, err := kit.NewMade(kit.Making{
			Definition: tool.Definition{
				Name:     "agent.billing.see",
				Effect:   effect,
				Identity: tool.Identity{Version: version},
			},
			Input: written(t, `{"type":"object"}`),
			Run: func(ctx context.Context, _ tool.Caller, _ json.RawMessage) (any, error) {
				seen = ctx //nolint:fatcontext // it is looked at, and nothing is put into it
				return nil, nil
			},
			Preview: func(context.Context, tool.Caller, json.RawMessage) (kit.Preview[json.RawMessage], error) {
				return kit.Preview[json.RawMessage]{}, nil
			},
		})
		require.NoError(t, err)
		return m
	}
	run := func(ctx context.Context, m tool.Tool, revision string) error {
		_, err := m.Run(ctx, tool.Caller{Client: &tool.Client{IfMatch: revision}}, json.RawMessage(`{}`))
		return err
	}
	require.NoError(t, run(t.Context(), of(tool.Read, `"v1"`), ""))
	require.NoError(t, tool.CheckDecidedVersion(seen, "agent.billing.see", `"v1"`))
	require.NoError(t, tool.CheckDecidedVersion(seen, "agent.billing.list", `"v2"`), "that is another tool")
	err := tool.CheckDecidedVersion(seen, "agent.billing.see", `"v2"`)
	require.True(t, problem.Is(err, problem.Precondition), "%v", err)
	require.Contains(t, err.Error(), "Ask for it again")

	require.NoError(t, run(t.Context(), of(tool.Read, ""), ""))
	require.NoError(t, tool.CheckDecidedVersion(seen, "agent.billing.see", `"v2"`), "one that cannot change is what it was")
	require.NoError(t, tool.CheckDecidedVersion(t.Context(), "agent.billing.see", `"v2"`), "nothing was decided")

	// A proposal is applied as what was proposed. One without a revision was proposed as a read.
	applying := tool.Carry(t.Context(), "agent.billing.see")
	require.NoError(t, run(applying, of(tool.Mutate, `"v1"`), `"v1"`))
	require.NoError(t, run(applying, of(tool.Read, `"v1"`), ""))
	require.NoError(t, run(t.Context(), of(tool.Mutate, `"v1"`), ""), "no proposal is applied")
	for _, effect := range []tool.Effect{tool.Read, tool.Mutate} {
		require.True(t, problem.Is(run(applying, of(effect, `"v2"`), `"v1"`), problem.Precondition), effect)
	}
	require.True(t, problem.Is(run(applying, of(tool.Mutate, `"v1"`), ""), problem.Precondition))
}
