package activities_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

// workshop has one tool that people have made, and counts how often it is looked for. A closed one is for nobody.
type workshop struct {
	made   tool.Tool
	closed bool
	looks  atomic.Int32
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	anything, err := kit.ParseSchema(json.RawMessage(`{"type":"object"}`))
	require.NoError(t, err)
	made, err := kit.NewMade(kit.Making{
		Definition: tool.Definition{Name: "agent.billing.refund", Description: "Refunds.", Effect: tool.Mutate}, Input: anything,
		Run: func(_ context.Context, _ tool.Caller, input json.RawMessage) (any, error) { return input, nil },
		Preview: func(context.Context, tool.Caller, json.RawMessage) (kit.Preview[json.RawMessage], error) {
			return kit.Preview[json.RawMessage]{Summary: "Refund"}, nil
		},
	})
	require.NoError(t, err)
	return &workshop{made: made}
}

func (w *workshop) Offered(context.Context, principal.Principal) ([]tool.Tool, error) {
	if w.closed {
		return nil, nil
	}
	return []tool.Tool{w.made}, nil
}

func (w *workshop) Known(_ context.Context, name string) (tool.Tool, bool, error) {
	w.looks.Add(1)
	return w.made, name == w.made.Name || name == w.made.WireName(), nil
}

func (w *workshop) Usable(ctx context.Context, _ principal.Principal, name string) (tool.Tool, bool, error) {
	t, ok, err := w.Known(ctx, name)
	return t, ok && !w.closed, err
}

// A tool that people have made is read from the database each time that it is looked for.
func TestATurnLooksForAToolOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	w := newWorkshop(t)
	require.NoError(t, p.Registry.AddSource(w))
	id := p.begin(t, "Hello")
	p.answers(callsOf("agent_billing_refund", "a")...)
	p.call(t, id, 1)
	before := w.looks.Load()
	p.use(t, id, 1, 1)
	require.NotNil(t, p.result(t, id, 1, 1).Card)
	require.EqualValues(t, 1, w.looks.Load()-before)
	require.Equal(
		t,
		[]string{"agent.billing.refund mutate proposed"},
		p.texts(t, `SELECT concat_ws(' ', tool_name, effect, status) FROM ai_tool_calls WHERE turn_id = $1`, id),
	)
}

// The audit log names the tool that somebody was refused, and its effect.
func TestARefusedCallIsOnRecordAsWhatItWasOf(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	w := newWorkshop(t)
	w.closed = true
	require.NoError(t, p.Registry.AddSource(w))
	id := p.begin(t, "Hello")
	p.answers(callsOf("agent_billing_refund", "a")...)
	p.call(t, id, 1)
	p.use(t, id, 1, 1)
	require.Equal(t, problem.NotFound, p.result(t, id, 1, 1).Error.Code)
	require.Equal(t, []string{"agent.billing.refund mutate refused not_found"},
		p.texts(t, `SELECT concat_ws(' ', tool_name, effect, status, error_code) FROM ai_tool_calls WHERE turn_id = $1`, id))
}
