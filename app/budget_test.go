package app_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/internal/problem"
)

// Five hundred calls at once over two processes: exactly as many run as the budget allows.
func TestTheToolBudgetHoldsOverTwoProcesses(t *testing.T) {
	t.Parallel()
	env := map[string]string{"COUNTERSIGN_TOOL_BUDGET_CALLS": "60", "COUNTERSIGN_TOOL_BUDGET_WINDOW": "1h"}
	p := apptest.Start(t, apptest.Options{Env: env})
	beside := apptest.Start(t, apptest.Options{Beside: p, Env: env, Roles: app.Roles{API: true}})
	clients := []*apptest.Client{p.Admin, p.Admin.At(beside)}
	const calls, atOnce = 500, 100
	statuses := make(chan int, calls)
	var calling sync.WaitGroup
	for i := range atOnce {
		calling.Go(func() {
			for range calls / atOnce {
				answer, err := clients[i%2].Send(
					t.Context(),
					http.MethodPost,
					"/api/ai/tools/ai.listDocs/call",
					map[string]any{"input": map[string]any{}},
				)
				if err != nil {
					answer.Status = 0
				}
				statuses <- answer.Status
			}
		})
	}
	calling.Wait()
	close(statuses)
	counts := map[int]int{}
	for s := range statuses {
		counts[s]++
	}
	require.Equal(t, map[int]int{http.StatusOK: 60, http.StatusTooManyRequests: calls - 60}, counts)
	require.Equal(t, 60, p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE status = 'executed'`))
	require.Equal(t, calls-60, p.Count(t, `SELECT (SELECT count(*) FROM ai_tool_calls WHERE status = 'refused' AND error_code = 'budget')
		+ (SELECT coalesce(sum(more), 0) FROM ai_audit_refusals)
		+ (SELECT coalesce(sum((fields::jsonb -> 0 ->> 'to')::bigint), 0) FROM ai_audit_entries WHERE action = 'refused')`), "each is on record, by itself or counted")

	e := p.Admin.Refused(t, problem.Budget, http.MethodPost, "/api/ai/tools/ai.listDocs/call", map[string]any{"input": map[string]any{}})
	require.Positive(t, e.RetryAfterSeconds())
	require.Contains(t, e.Detail, "Wait")
}

// In a chat the model is told, and tells the person.
func TestTheModelIsToldThatTheBudgetIsUsedUp(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_TOOL_BUDGET_CALLS": "3"}})
	chat := p.Admin.Conversation(t, nil)
	turn := chat.Perform(t, `tool=ai.listDocs calls=5 text="I could not see everything."`)
	finished(t, chat, turn)
	require.Equal(t, "done", turn.Metadata.Status)
	states := map[string]int{}
	for _, call := range turn.ToolCalls() {
		states[call.State]++
		if call.State == "output-error" {
			require.Contains(t, call.ErrorText, "budget")
		}
	}
	require.Equal(t, map[string]int{"output-available": 3, "output-error": 2}, states)

	// Programs of the same person share it, those of others do not.
	p.Admin.Refused(t, problem.Budget, http.MethodPost, "/api/ai/tools/ai.listDocs/call", map[string]any{"input": map[string]any{}})
	p.Person(t).Post(t, "/api/ai/tools/ai.listDocs/call", map[string]any{"input": map[string]any{}}, nil)
}

// One audit row for each call, whatever became of it, with a hash in place of what was asked.
func TestEveryToolCallIsOnRecord(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	person := p.Person(t, p.Role(t, "catalog.system.manage"))
	chat := person.Conversation(t, nil)
	turn := chat.Perform(t, `tool=ai.searchDocs input={"query":"a-secret-word"} tool=ai.getDoc input={"slug":"no/such/page"} `+
		`tool=catalog.createEnvironment input={"name":"a-secret-word"} tool=no.such input={"x":1} tool=catalog.createSystem input={"name":"a-secret-word"} fault=malformed_args@2`)
	card := turn.Card(t, "proposal")
	require.Equal(t, []string{
		"1 1 ai.searchDocs read executed", "1 2 ai.getDoc read failed not_found", "1 3 catalog.createEnvironment mutate refused forbidden",
		"1 4 no_such read refused not_found", "1 5 catalog.createSystem mutate proposed",
	}, p.Column(t, `SELECT concat_ws(' ', step, call, tool_name, effect, status, error_code) FROM ai_tool_calls WHERE turn_id = $1 ORDER BY step, call`, turn.Metadata.TurnID))
	person.Apply(t, card.ProposalID)
	require.Equal(t, []string{"applied " + person.ID.String()},
		p.Column(t, `SELECT concat_ws(' ', status, applied_by_id) FROM ai_tool_calls WHERE id = $1`, card.ProposalID))

	for _, row := range p.Column(t, `SELECT c::text FROM ai_tool_calls c`) {
		require.NotContains(t, row, "a-secret-word")
		require.Contains(t, row, person.ID.String())
	}
	require.Empty(t, p.Column(t, `SELECT id::text FROM ai_tool_calls WHERE args_hash !~ '^[0-9a-f]{64}$' OR transport <> 'chat'`))
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE finished_at IS NULL`))
	require.NotContains(t, strings.ToLower(p.Log.String()), "a-secret-word", "nor is it in the log")
}
