package activities_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool"
	"countersign/tool/disposition"
)

// setting are policies that are read along with the reservation of a call.
type setting struct{ exceptions map[string]disposition.Policy }

func (s *setting) Exceptions(context.Context) (map[string]disposition.Policy, error) {
	return s.exceptions, nil
}

func (s *setting) Question() *store.BatchedQuery[map[string]disposition.Policy] {
	return store.NewBatchedQuery(s, func(b *store.Batch) func() map[string]disposition.Policy {
		b.Queue(`SELECT 1`)
		return func() map[string]disposition.Policy { return s.exceptions }
	})
}

// A read that is switched off while the model writes its call is refused and on record, and refused for the same when its step is
// repeated.
func TestAReadThatIsSwitchedOffMeanwhileIsRefused(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	policies := &setting{}
	p.Policies = policies
	id := p.begin(t, "Hello")
	p.answers(callsOf("shelf_getBox", "a")...)
	p.call(t, id, 1)
	policies.exceptions = map[string]disposition.Policy{"shelf.getBox": {Enabled: false}}
	refused := func(p *process) {
		t.Helper()
		p.use(t, id, 1, 1)
		result := p.result(t, id, 1, 1)
		require.Equal(t, problem.Forbidden, result.Error.Code)
		require.Contains(t, result.Error.Message, "switched this tool off")
		require.Equal(t, []string{"shelf.getBox refused forbidden"},
			p.texts(t, `SELECT concat_ws(' ', tool_name, status, error_code) FROM ai_tool_calls WHERE turn_id = $1`, id))
		require.Zero(t, p.shelf.looks.Load())
	}
	refused(p)
	p.exec(t, `DELETE FROM turn_steps WHERE turn_id = $1 AND call = 1`, id)
	again := p.beside(t)
	again.Policies = policies
	refused(again)
}

// The request of a read is made by whom the reservation has found, and not by whom the turn began with.
func TestAReadIsMadeByWhoActsByNow(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	var asked []uuid.UUID
	p.Requery = func(who principal.Principal) *store.BatchedQuery[principal.Principal] {
		return store.NewBatchedQuery(who.SessionID, func(b *store.Batch) func() principal.Principal {
			b.Queue(`SELECT 1`)
			asked = append(asked, who.SessionID)
			who.Rules = []string{"by.now"}
			return func() principal.Principal { return who }
		})
	}
	var seen []string
	p.shelf.onLook(func(ctx context.Context, _ boxInput) (any, error) {
		s := asked[len(asked)-1]
		// On a busy machine the moment in which it counts may be over.
		if who, ok := tool.TakeRecentPrincipal(ctx, principal.User, s); ok {
			seen = who.Rules
		}
		return map[string]bool{"ok": true}, nil
	})
	for attempts := 0; seen == nil && attempts < 200; attempts++ {
		id := p.begin(t, "Hello")
		p.answers(callsOf("shelf_getBox", "a")...)
		p.call(t, id, 1)
		p.use(t, id, 1, 1)
		require.NotEmpty(t, asked)
	}
	require.Equal(t, []string{"by.now"}, seen)
}
