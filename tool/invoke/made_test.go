package invoke_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

// workshop has one tool that people have made, for who holds the rule of reading, and counts how often it is looked for.
type workshop struct {
	made  tool.Tool
	looks int
}

func (w *workshop) Offered(context.Context, principal.Principal) ([]tool.Tool, error) {
	return nil, nil
}

func (w *workshop) Known(_ context.Context, name string) (tool.Tool, bool, error) {
	w.looks++
	return w.made, name == w.made.Name || name == w.made.WireName(), nil
}

func (w *workshop) Usable(ctx context.Context, p principal.Principal, name string) (tool.Tool, bool, error) {
	t, ok, err := w.Known(ctx, name)
	return t, ok && p.Has(readRule), err
}

// A tool that people have made is read from the database each time that it is looked for. One that the caller may not use is
// in the audit log all the same, as what it is.
func TestACallLooksForItsToolOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100)
	anything, err := kit.ParseSchema(json.RawMessage(`{"type":"object"}`))
	require.NoError(t, err)
	made, err := kit.NewMade(kit.Making{
		Definition: tool.Definition{Name: "agent.billing.see", Description: "Looks.", Effect: tool.Read}, Input: anything,
		Run: func(_ context.Context, _ tool.Caller, input json.RawMessage) (any, error) { return input, nil },
	})
	require.NoError(t, err)
	source := &workshop{made: made}
	require.NoError(t, w.Registry.AddSource(source))
	for calls, name := range []string{"agent.billing.see", "agent_billing_see"} {
		_, err = w.read(t, name, `{}`)
		require.NoError(t, err)
		require.Equal(t, calls+1, source.looks)
	}

	w.p.Rules = nil
	_, err = w.read(t, "agent_billing_see", `{}`)
	refused(t, err, problem.NotFound)
	require.Equal(t, []string{
		"agent.billing.see read executed", "agent.billing.see read executed", "agent.billing.see read refused not_found",
	}, w.audit(t))
}
