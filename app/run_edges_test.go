package app_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/memory"
	"countersign/tool/disposition"
	"countersign/tool/proposal"
	"countersign/tool/proposal/proposaldb"
	"countersign/workflows"
)

// Changes that a run has applied by itself are in no list of its application, and not in those of the application's chats.
func TestWhatARunAppliedIsItsOwn(t *testing.T) {
	t.Parallel()
	p := startRunning(t, apptest.Options{})
	r := p.open(t, disposition.RunPolicy{Apply: []string{"catalog.createSystem"}}, 0, systemRead, systemManage, chatRead)
	done := r.perform(t, `tool=catalog.createSystem input={"name":"Applied"} rounds=1 text=Done.`)
	id, line := r.call(t, done.id)
	require.Equal(t, "applied automation application", line)
	r.application.Refused(t, problem.NotFound, http.MethodGet, "/api/ai/proposals/"+id.String(), nil)
	require.Empty(t, listed(t, r.application))
	require.Equal(t, "applied", string(p.Admin.Proposal(t, id).Status))
}

// A run that is revoked between the model's answer and its calls proposes nothing.
func TestARevokedRunProposesNothing(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := startRunning(t, apptest.Options{Env: provider.Env()})
	r := p.open(t, disposition.RunPolicy{Propose: true}, 0, systemRead, systemManage)
	calls := apptest.Events("tool_calls", apptest.ToolCall("one", "catalog_createSystem", `{"name":"Evil"}`))
	var revoked error
	provider.Answer(func(w http.ResponseWriter, request *http.Request) {
		_, revoked = p.services.Runs.RevokeRevision(t.Context(), r.definition.ID, r.definition.Revision)
		calls(w, request)
	})
	done := r.perform(t, "text=unreachable")
	require.NoError(t, revoked)
	require.Equal(t, "failed", done.status)
	require.Equal(t, string(problem.Unauthorized), done.code)
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals`))
}

// The text of a step can hold content that an earlier step has read, so an address that the model chose there leaves nothing
// without a decision.
func TestPrivateDataOfARunDoesNotLeaveByALaterStep(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	env := provider.Env()
	env["COUNTERSIGN_EGRESS_ALLOW"] = "127.0.0.0/8"
	p := startRunning(t, apptest.Options{Env: env})
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Payments"}, nil)
	address := page(t, "ok")
	for _, c := range []struct {
		policy disposition.RunPolicy
		want   string
	}{
		{disposition.RunPolicy{}, "failed forbidden automation application"},
		{disposition.RunPolicy{Propose: true}, "proposed automation application"},
	} {
		r := p.open(t, c.policy, 0, systemRead, chatRead)
		provider.Answer(apptest.Events("tool_calls", apptest.ToolCall("one", "catalog_listSystems", `{}`)))
		provider.Answer(apptest.Events("stop", apptest.Text("Payments")))
		require.Equal(t, "done", r.perform(t, "text=unreachable").status)
		provider.Answer(apptest.Events("tool_calls", apptest.ToolCall("two", "ai_probeUrl", `{"url":"`+address+`?q=Payments"}`)))
		if !c.policy.Propose { // a turn ends with its proposal
			provider.Answer(apptest.Events("stop", apptest.Text("Done")))
		}
		done := r.perform(t, "text=unreachable")
		_, line := r.call(t, done.id)
		require.Equal(t, c.want, line)
	}
}

// A decided proposal of a run has no turn that acknowledges it, so nothing is due once it is decided.
func TestDecidedProposalsOfRunsAreNotDue(t *testing.T) {
	t.Parallel()
	p := startRunning(t, apptest.Options{})
	r := p.open(t, disposition.RunPolicy{Propose: true}, 0, systemRead, systemManage)
	done := r.perform(t, `tool=catalog.createSystem input={"name":"Made"} rounds=1 text=Done.`)
	id, _ := r.call(t, done.id)
	p.Admin.Apply(t, id)
	p.AwaitWorkflow(t, workflows.ProposalID(id))
	due, err := proposaldb.New(p.DB.Conn(t.Context())).DueProposals(t.Context(), proposaldb.DueProposalsParams{
		OlderThan: store.Interval(-time.Hour), AfterID: uuid.Nil, MaxRows: 10,
	})
	require.NoError(t, err)
	require.Empty(t, due)
}

// The memories of an application are those of its chats: its runs neither find them by a search nor have them in prompts.
func TestRunsReadNoMemoriesOfTheirApplication(t *testing.T) {
	t.Parallel()
	p := startRunning(t, apptest.Options{})
	r := p.open(t, disposition.RunPolicy{}, 0, chatRead, memory.Read, memory.Manage)
	r.application.Post(t, "/api/ai/memories", map[string]any{"scope": "user", "recallHint": "zanzibar island", "content": "A secret."}, nil)
	var own struct{ Memories []memory.Memory }
	r.application.Get(t, "/api/ai/memories?query=zanzibar", &own)
	require.Len(t, own.Memories, 1)
	done := r.perform(t, `tool=ai.searchMemory input={"query":"zanzibar"} rounds=1 text=Done.`)
	_, line := r.call(t, done.id)
	require.Equal(t, "executed automation application", line)
	require.NotContains(t, p.Column(t, `SELECT result::text FROM turn_steps WHERE turn_id = $1 AND call = 1`, done.id)[0], "secret")
}

// The author of a definition is no second person for what its runs propose, as is the person who made the token.
func TestTheAuthorOfADefinitionIsNoSecondPerson(t *testing.T) {
	t.Parallel()
	p := startRunning(t, apptest.Options{})
	setPolicy(t, p.Product, "catalog.createSystem", map[string]any{"twoPerson": true})
	author, _ := member(t, p.Product)
	second, _ := member(t, p.Product)
	r := p.open(t, disposition.RunPolicy{Propose: true}, 0, systemRead, systemManage, chatRead)
	p.Exec(t, `UPDATE runs SET author_id = $2 WHERE id = $1`, r.id, author.ID)
	done := r.perform(t, `tool=catalog.createSystem input={"name":"Made"} rounds=1 text=Done.`)
	id, _ := r.call(t, done.id)
	card := author.Proposal(t, id)
	require.Empty(t, card.Token)
	require.Contains(t, card.Blocked, "you have written what proposed it")
	require.Contains(t, p.Admin.Proposal(t, id).Blocked, "whose token you have made")
	theirs := second.Proposal(t, id)
	e := author.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": theirs.Token})
	require.Contains(t, e.Detail, "you have written what proposed it")
	require.Equal(t, proposal.Applied, second.Apply(t, id).Status)

	// A proposal whose author was altered is not applied, and one without an author has no second person.
	unknown := p.openAs(t, r.application, disposition.RunPolicy{Propose: true}, 0)
	altered, _ := r.call(t, r.perform(t, `tool=catalog.createSystem input={"name":"Altered"} rounds=1 text=Done.`).id)
	p.Exec(t, `UPDATE ai_proposals SET author_id = gen_random_uuid() WHERE id = $1`, altered)
	require.Empty(t, second.Proposal(t, altered).Token)
	p.Exec(t, `UPDATE runs SET author_id = NULL WHERE id = $1`, unknown.id)
	id, _ = unknown.call(t, unknown.perform(t, `tool=catalog.createSystem input={"name":"Unknown"} rounds=1 text=Done.`).id)
	require.Contains(t, second.Proposal(t, id).Blocked, "nobody knows who wrote")
	require.Equal(t, []string{"Made"}, names(t, p.Admin))
}
