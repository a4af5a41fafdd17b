package invoke_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/disposition"
	"countersign/tool/kit"
)

// asked are policies that are read along with the reservation of a call.
type asked struct{ exceptions map[string]disposition.Policy }

func (a *asked) Exceptions(context.Context) (map[string]disposition.Policy, error) {
	return a.exceptions, nil
}

func (a *asked) Question() *store.BatchedQuery[map[string]disposition.Policy] {
	return store.NewBatchedQuery(a, func(b *store.Batch) func() map[string]disposition.Policy {
		b.Queue(`SELECT 1`)
		return func() map[string]disposition.Policy { return a.exceptions }
	})
}

func TestAReadThatIsSwitchedOffIsRefusedAndOnRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	policies := &asked{map[string]disposition.Policy{"shelf.getBox": {Enabled: false}}}
	w.Policies = policies
	_, err := w.read(t, "shelf.getBox", `{"name":"A"}`)
	require.Contains(t, refused(t, err, problem.Forbidden).Detail, "switched this tool off")
	policies.exceptions = nil
	_, err = w.read(t, "shelf.getBox", `{"name":"A"}`)
	require.NoError(t, err)
	_, err = w.read(t, "shelf.getBox", `{"name":"A"}`)
	refused(t, err, problem.Budget)
	require.Equal(
		t,
		[]string{"shelf.getBox read refused forbidden", "shelf.getBox read executed", "shelf.getBox read refused budget"},
		w.audit(t),
		"a refusal uses up budget like any other call",
	)
}

// What a call was told of its principal along with its reservation is for its own request.
func TestACallCarriesWhoMakesItByNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1_000)
	now := w.p
	now.Rules = []string{readRule}
	var carried []principal.Principal
	look := kit.NewRead(tool.Definition{Name: "shelf.look", Description: "Looks.", Effect: tool.Read, Rules: []string{readRule}},
		func(ctx context.Context, c tool.Caller, _ struct{}) (map[string]string, error) {
			// On a busy machine the moment may be over.
			if p, seen := tool.TakeRecentPrincipal(ctx, c.Principal.Kind, c.Principal.SessionID); seen {
				carried = append(carried, p)
			}
			return map[string]string{}, nil
		})
	require.NoError(t, w.Registry.Add(look))
	w.Policies = &asked{}
	reads := 0
	w.Requery = func(p principal.Principal) *store.BatchedQuery[principal.Principal] {
		return store.NewBatchedQuery(p.SessionID, func(b *store.Batch) func() principal.Principal {
			b.Queue(`SELECT 1`)
			reads++
			return func() principal.Principal { return now }
		})
	}
	for len(carried) == 0 && t.Context().Err() == nil && reads < 500 {
		_, err := w.Read(t.Context(), w.p, budget.API, "shelf.look", json.RawMessage(`{}`))
		require.NoError(t, err)
	}
	require.Equal(t, []principal.Principal{now}, carried)

	// Somebody else, or nobody, is not carried.
	now = principal.Principal{}
	_, err := w.Read(t.Context(), w.p, budget.API, "shelf.look", json.RawMessage(`{}`))
	require.NoError(t, err)
	require.Len(t, carried, 1)
}
