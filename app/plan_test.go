package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// planOf lets the model propose several changes in one answer and returns their plan.
func planOf(t *testing.T, p *apptest.Product, chat *apptest.Conversation, directives string) proposal.Plan {
	t.Helper()
	turn := chat.Perform(t, directives)
	return readPlan(t, p.Admin, turn.Metadata.TurnID)
}

func readPlan(t *testing.T, c *apptest.Client, id uuid.UUID) proposal.Plan {
	t.Helper()
	var plan proposal.Plan
	c.Get(t, "/api/ai/plans/"+id.String(), &plan)
	return plan
}

func tokensOf(plan proposal.Plan) []string {
	tokens := []string{}
	for _, c := range plan.Proposals {
		if c.Token != "" {
			tokens = append(tokens, c.Token)
		}
	}
	return tokens
}

func statusesOf(plan proposal.Plan) []proposal.Status {
	var statuses []proposal.Status
	for _, c := range plan.Proposals {
		statuses = append(statuses, c.Status)
	}
	return statuses
}

func applyPlan(t *testing.T, c *apptest.Client, plan proposal.Plan) proposal.Plan {
	t.Helper()
	var outcome proposal.Plan
	c.Post(t, "/api/ai/plans/"+plan.PlanID.String()+"/apply", map[string]any{"tokens": tokensOf(plan)}, &outcome)
	return outcome
}

// creates is a script of an answer that proposes these systems.
func creates(names ...string) string {
	var script strings.Builder
	for _, name := range names {
		fmt.Fprintf(&script, `tool=catalog.createSystem input={"name":%q} `, name)
	}
	return script.String()
}

func TestAPlanIsAppliedInTheOrderOfItsCalls(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	plan := planOf(t, p, chat, creates("C", "A", "B"))
	require.Equal(t, proposal.Proposed, plan.Status)
	require.Equal(t, chat.ID, plan.ConversationID)
	require.Len(t, tokensOf(plan), 3)
	for i, c := range plan.Proposals {
		require.Equal(t, i+1, c.PlanPosition)
		require.Equal(t, plan.PlanID, *c.PlanID)
		require.Equal(t, plan.PlanID, *p.Admin.Proposal(t, c.ProposalID).PlanID)
	}

	applied := applyPlan(t, p.Admin, plan)
	require.Equal(t, proposal.Applied, applied.Status)
	require.Equal(t, []string{"C", "A", "B"}, p.Column(t, `SELECT name FROM catalog_systems ORDER BY created_at`))
	require.Equal(t, "Administrator", applied.Proposals[0].DecidedBy.Name)

	// The model acknowledges the whole outcome once, whoever asks for it.
	apptest.Eventually(t, "the model acknowledges the plan", func() bool { return len(chat.Messages(t)) == 3 })
	chat.DecidePlan(t, plan.PlanID, "apply")
	for _, c := range plan.Proposals {
		p.AwaitWorkflow(t, "proposal/"+c.ProposalID.String())
	}
	p.AwaitWorkflow(t, "plan/"+plan.PlanID.String())
	require.Len(t, chat.Messages(t), 3)
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_turns WHERE kind = 'decision'`))
	require.Equal(t, 3, p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE status = 'applied' AND applied_by_id = $1`, p.Admin.ID))
	require.Zero(
		t,
		p.Count(t, `SELECT count(*) FROM ai_messages WHERE content LIKE '%[decision]%' OR model_messages::text LIKE '%[decision]%'`),
		"the note is not stored",
	)
}

func TestAPlanStopsAtItsFirstFailure(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	plan := planOf(t, p, chat, creates("A", "B", "C"))
	newSystem(t, p.Admin, "B")

	outcome := applyPlan(t, p.Admin, plan)
	require.Equal(t, proposal.Failed, outcome.Status)
	require.Equal(t, []proposal.Status{proposal.Applied, proposal.Failed, proposal.Skipped}, statusesOf(outcome))
	require.Equal(t, problem.Conflict, outcome.Proposals[1].Error.Code)
	require.ElementsMatch(t, []string{"A", "B"}, names(t, p.Admin))
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE status = 'skipped' AND finished_at IS NOT NULL`))

	apptest.Eventually(t, "the model acknowledges the plan", func() bool { return len(chat.Messages(t)) == 3 })
	requests := provider.Requests()
	said := requests[len(requests)-1].Messages
	note := said[len(said)-1].Content
	require.Contains(t, note, "1. (catalog.createSystem) applied, the change is live.\n<data>\nCreate the system A\n</data>")
	require.Contains(t, note, "2. (catalog.createSystem) failed, nothing was changed.\n<data>\nCreate the system B\nIt failed: ")
	require.Contains(t, note, "3. (catalog.createSystem) not applied, because an earlier one failed.\n<data>\nCreate the system C\n</data>")
	p.Admin.Refused(
		t,
		problem.Conflict,
		http.MethodPost,
		"/api/ai/plans/"+plan.PlanID.String()+"/apply",
		map[string]any{"tokens": tokensOf(plan)},
	)
}

func TestAPlanHasToBeWhatThePersonSaw(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	plan := planOf(t, p, chat, creates("A", "B", "C"))
	path := "/api/ai/plans/" + plan.PlanID.String()
	refuse := func(code problem.Code, tokens ...string) problem.Error {
		tokens = append([]string{}, tokens...)
		return p.Admin.Refused(t, code, http.MethodPost, path+"/apply", map[string]any{"tokens": tokens})
	}
	tokens := tokensOf(plan)
	e := refuse(problem.Conflict, tokens[0], tokens[2])
	require.Contains(t, e.Detail, `"Create the system B" is open`)
	require.Contains(t, encode(t, e.Extra["changed"]), plan.Proposals[1].ProposalID.String())

	p.Admin.Post(t, "/api/ai/proposals/"+plan.Proposals[1].ProposalID.String()+"/decline", nil, nil)
	e = refuse(problem.Conflict, tokens...)
	require.Contains(t, e.Detail, `"Create the system B" is declined`)
	require.Empty(t, names(t, p.Admin), "a refused plan changes nothing")

	other := planOf(t, p, p.Admin.Conversation(t, nil), creates("D", "E"))
	refuse(problem.NotFound, tokens[0], tokensOf(other)[0])
	refuse(problem.NotFound, tokens[0], "nonsense")
	refuse(problem.Invalid)
	p.Admin.Refused(t, problem.NotFound, http.MethodPost, "/api/ai/plans/"+uuid.NewString()+"/apply", map[string]any{"tokens": tokens})
	p.Person(t).Refused(t, problem.NotFound, http.MethodGet, path, nil)

	// What is left open can still be applied together.
	chat.Idle(t)
	outcome := applyPlan(t, p.Admin, readPlan(t, p.Admin, plan.PlanID))
	require.Equal(t, []proposal.Status{proposal.Applied, proposal.Declined, proposal.Applied}, statusesOf(outcome))
	require.Equal(t, proposal.Mixed, outcome.Status)
}

func TestADeclinedPlanChangesNothing(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	plan := planOf(t, p, chat, creates("A", "B"))
	path := "/api/ai/plans/" + plan.PlanID.String()
	var declined proposal.Plan
	p.Admin.Post(t, path+"/decline", nil, &declined)
	require.Equal(t, []proposal.Status{proposal.Declined, proposal.Declined}, statusesOf(declined))
	p.Admin.Refused(t, problem.Conflict, http.MethodPost, path+"/decline", nil)
	p.Admin.Refused(t, problem.Conflict, http.MethodPost, path+"/apply", map[string]any{"tokens": tokensOf(plan)})
	p.AwaitWorkflow(t, "plan/"+plan.PlanID.String())
	apptest.Eventually(t, "the model acknowledges the plan", func() bool { return len(chat.Messages(t)) == 3 })
	require.Empty(t, names(t, p.Admin))
}

func TestAPlanIsAcknowledgedAsItWasDecided(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	plan := planOf(t, p, chat, creates("A", "B"))
	decide := func(code problem.Code, decision map[string]any) {
		p.Admin.Refused(t, code, http.MethodPost, "/api/ai/chat", map[string]any{"conversationId": chat.ID, "decision": decision})
	}
	decide(problem.Conflict, map[string]any{"planId": plan.PlanID, "kind": "apply"})
	decide(problem.Conflict, map[string]any{"planId": plan.PlanID, "kind": "decline"})
	decide(problem.Invalid, map[string]any{"planId": plan.PlanID, "kind": "postpone"})
	decide(problem.NotFound, map[string]any{"planId": uuid.New(), "kind": "apply"})
	applyPlan(t, p.Admin, plan)
	decide(problem.Conflict, map[string]any{"planId": plan.PlanID, "kind": "decline"})
	decide(problem.Conflict, map[string]any{"proposalId": plan.Proposals[0].ProposalID, "kind": "apply"})
	other := p.Admin.Conversation(t, nil)
	p.Admin.Refused(t, problem.Conflict, http.MethodPost, "/api/ai/chat", map[string]any{
		"conversationId": other.ID, "decision": map[string]any{"planId": plan.PlanID, "kind": "apply"},
	})
}

// A plan that changes one thing twice does what was shown, or says why not.
func TestAPlanMayChangeOneThingTwice(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	id := newSystem(t, p.Admin, "Payments API")
	update := func(field, value string) string {
		return fmt.Sprintf(`tool=catalog.updateSystem input={"id":%q,%q:%q} `, id, field, value)
	}
	plan := planOf(t, p, p.Admin.Conversation(t, nil), update("description", "Takes payments")+update("name", "Payments"))
	outcome := applyPlan(t, p.Admin, plan)
	require.Equal(t, []proposal.Status{proposal.Applied, proposal.Applied}, statusesOf(outcome))
	require.Equal(t, "Payments", systems(t, p.Admin)[0].Name)
	require.Equal(t, "Takes payments", systems(t, p.Admin)[0].Description)

	plan = planOf(t, p, p.Admin.Conversation(t, nil), update("description", "Takes cards")+update("description", "Takes cash"))
	outcome = applyPlan(t, p.Admin, plan)
	require.Equal(t, []proposal.Status{proposal.Applied, proposal.Failed}, statusesOf(outcome))
	require.Equal(t, problem.Drift, outcome.Proposals[1].Error.Code)
	require.Contains(t, outcome.Proposals[1].Error.Message, "by an earlier change of this plan")
	require.Equal(t, "Takes cards", systems(t, p.Admin)[0].Description)

	// What somebody else has changed meanwhile is never overwritten, also not by the first change of a plan.
	plan = planOf(t, p, p.Admin.Conversation(t, nil), update("description", "Takes gold")+update("name", "Gold"))
	p.Admin.Patch(t, "/api/catalog/systems/"+id.String(), map[string]any{"tags": []string{"hot"}}, nil)
	require.Equal(t, []proposal.Status{proposal.Failed, proposal.Skipped}, statusesOf(applyPlan(t, p.Admin, plan)))
}

// Two hundred people press at the same time, on the plan and on one of its changes: one of them wins.
func TestOneOfTwoHundredDecisionsAboutAPlanWins(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	plan := planOf(t, p, p.Admin.Conversation(t, nil), creates("A", "B", "C"))
	tokens := tokensOf(plan)
	const presses = 200
	results := make(chan string, presses)
	var pressing sync.WaitGroup
	for i := range presses {
		pressing.Go(func() {
			kind, path, body := "plan", "/api/ai/plans/"+plan.PlanID.String()+"/apply", map[string]any{"tokens": tokens}
			if i%4 == 1 {
				kind, path, body = "single", "/api/ai/proposals/apply", map[string]any{"token": tokens[1]}
			}
			answer, err := p.Admin.Send(t.Context(), http.MethodPost, path, body)
			if err != nil || answer.Status >= http.StatusInternalServerError {
				results <- fmt.Sprint("broken ", answer.Status, err)
				return
			}
			if answer.Status == http.StatusConflict {
				kind = "lost"
			}
			results <- kind
		})
	}
	pressing.Wait()
	close(results)
	counts := map[string]int{}
	for r := range results {
		counts[r]++
	}
	require.Equal(t, presses-1, counts["lost"], "%v", counts)
	require.Equal(t, 1, counts["plan"]+counts["single"], "%v", counts)
	made := 3
	if counts["single"] == 1 {
		made = 1
	}
	// The winner may have been told that it is on its way.
	apptest.Eventually(t, "what was decided is carried out", func() bool {
		return p.Count(t, `SELECT count(*) FROM ai_proposals WHERE status = 'applying'`) == 0
	})
	require.Len(t, systems(t, p.Admin), made)
	require.Equal(t, made, p.Count(t, `SELECT count(*) FROM ai_proposals WHERE status = 'applied'`))
}

func TestARepeatedPlanApplyIsToldTheFirstOutcome(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	plan := planOf(t, p, p.Admin.Conversation(t, nil), creates("A", "B"))
	path, body := "/api/ai/plans/"+plan.PlanID.String()+"/apply", map[string]any{"tokens": tokensOf(plan)}
	for range 2 {
		var outcome proposal.Plan
		p.Admin.Post(t, path, body, &outcome, apptest.Header{Name: "Idempotency-Key", Value: "once"})
		require.Equal(t, proposal.Applied, outcome.Status)
	}
	p.Admin.Refused(t, problem.Conflict, http.MethodPost, path, body, apptest.Header{Name: "Idempotency-Key", Value: "twice"})
	require.Len(t, systems(t, p.Admin), 2)
}

// The reconciler carries on with decisions whose workflow never started. One that nobody has taken through the product, but
// somebody has written into the database, ends visibly and does nothing.
func TestADecisionThatWasWrittenIntoTheDatabaseIsNotCarriedOut(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	plan := planOf(t, p, p.Admin.Conversation(t, nil), creates("A", "B"))
	p.Count(t, `WITH begun AS (
		UPDATE ai_proposals SET status = 'applying', planned = true, decided_by_kind = 'user', decided_by_id = $1,
			decided_by_name = 'Ada', decided_at = now(),
			decided_session_id = (SELECT session_id FROM ai_turns WHERE id = $2), created_at = now() - interval '1 minute'
		WHERE turn_id = $2 RETURNING id
	), audited AS (UPDATE ai_tool_calls c SET status = 'applying' FROM begun b WHERE b.id = c.id) SELECT count(*) FROM begun`, p.Admin.ID, plan.PlanID)
	apptest.Eventually(t, "the plan has ended", func() bool { return readPlan(t, p.Admin, plan.PlanID).Status == proposal.Failed })
	require.Empty(t, names(t, p.Admin))
	cards := readPlan(t, p.Admin, plan.PlanID).Proposals
	require.Contains(t, cards[0].Error.Message, "the database may have been altered")
	require.Equal(t, proposal.Skipped, cards[1].Status)
}

// The conversation goes on after a change that failed.
func TestAFailedApplyIsAcknowledged(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	card := chat.Perform(t, createSystem).Card(t, "proposal")
	newSystem(t, p.Admin, "Payments API")
	p.Admin.Refused(
		t,
		problem.Conflict,
		http.MethodPost,
		"/api/ai/proposals/apply",
		map[string]any{"token": p.Admin.Proposal(t, card.ProposalID).Token},
	)
	apptest.Eventually(t, "the model acknowledges the failure", func() bool { return len(chat.Messages(t)) == 3 })
	requests := provider.Requests()
	said := requests[len(requests)-1].Messages
	require.Contains(t, said[len(said)-1].Content, "it failed and nothing was changed")
	chat.Decide(t, card.ProposalID, "apply")
	require.Len(t, chat.Messages(t), 3)
	p.Admin.Refused(t, problem.Conflict, http.MethodPost, "/api/ai/chat", map[string]any{
		"conversationId": chat.ID, "decision": map[string]any{"proposalId": card.ProposalID, "kind": "decline"},
	})
}
