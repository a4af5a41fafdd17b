package app_test

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/chat/conversation"
	"countersign/internal/problem"
	"countersign/modules/automation"
	"countersign/modules/modelcheck/suite/suitetest"
	"countersign/workflows"
)

var record = flag.Bool("record", false, "write the histories in workflows/testdata anew")

// scenario brings workflows of one shape about and names them.
type scenario struct {
	env  map[string]string
	play func(t *testing.T, p *apptest.Product) map[string]string
}

// turnOf is the history of one turn under this name.
func turnOf(name string, turn *apptest.Turn) map[string]string {
	return map[string]string{name: "turn/" + turn.Metadata.TurnID.String()}
}

// perform is a scenario of one scripted turn.
func perform(name, script string) scenario {
	return scenario{play: func(t *testing.T, p *apptest.Product) map[string]string {
		return turnOf(name, p.Admin.Conversation(t, nil).Perform(t, script))
	}}
}

func scenarios() []scenario {
	return []scenario{
		{play: automated},
		perform("turn-answer", "text=hi"),
		perform("turn-question", `tool=catalog.listSystems tool=ai.askOperator input={"question":"Which?","options":[{"label":"A"}]} text=hi`),
		{play: offTopic},
		{play: erased},
		{play: unsaid},
		perform("turn-one-tool", "tool=ai.listDocs text=hi"),
		perform("turn-reads-side-by-side", `tool=ai.listDocs calls=4 text=hi`),
		perform("turn-three-rounds", `rounds=3 tool=ai.searchDocs input={"query":"round {round}"} text=hi`),
		perform("turn-reads-and-cards", `tool=ai.listDocs calls=2 tool=catalog.createSystem input={"name":"A"} text=hi`),
		perform("turn-retried", "fault=429 retry_after=50ms text=hi"),
		perform("turn-retried-in-vain", "fault=500@1x* text=hi"),
		perform("turn-refused", "fault=invalid_key"),
		perform("turn-failed-after-tools", "tool=ai.listDocs fault=context_length@2"),
		{env: map[string]string{"COUNTERSIGN_MAX_STEPS": "3"}, play: perform("turn-last-step", "tool=ai.listDocs never_ends text=hi").play},
		{play: stopped},
		{play: stoppedWhileWaiting},
		{play: automatic},
		{play: decided},
		{play: decidedOutsideOfChats},
		{play: decidedPlans},
		{play: failedInAChat},
		{env: map[string]string{"COUNTERSIGN_PROPOSAL_TTL": "1s"}, play: expired},
		{env: map[string]string{"COUNTERSIGN_EXEC_SLOTS": "1"}, play: testedScripts},
		{play: lostScript},
		{play: calledTools},
		{play: swept},
		{play: checkedModel},
		{play: escalated},
	}
}

func offTopic(t *testing.T, p *apptest.Product) map[string]string {
	return turnOf("turn-off-topic", p.Admin.Conversation(t, nil).Say(t, "Write a poem about the sea and the moon"))
}

// unsaid is a turn whose API does not say that it is to be prepared: the worker decides, and writes it down.
func unsaid(t *testing.T, _ *apptest.Product) map[string]string {
	api := apptest.Start(t, apptest.Options{Roles: app.Roles{API: true}})
	stream := api.Admin.Conversation(t, nil).Send(t, apptest.Scripted("text=hi"))
	id := uuid.MustParse(api.Column(t, `SELECT id::text FROM ai_turns`)[0])
	api.StartAgain(t, workflows.TurnID(id), workflows.TurnInput{TurnID: id, MaxSteps: 16})
	apptest.Start(t, apptest.Options{Beside: api, Roles: app.Roles{Worker: true}})
	turn := stream.Rest(t)
	require.Equal(t, "done", turn.Metadata.Status)
	return turnOf("turn-unsaid", turn)
}

// A worker of this version prepares a turn whatever the version is of the API that has started it.
func TestATurnIsPreparedForEveryKindOfStarter(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	id := unsaid(t, p)["turn-unsaid"]
	var markers []string
	for _, e := range ended(t, p, id).GetEvents() {
		if m := e.GetMarkerRecordedEventAttributes(); m != nil {
			markers = append(markers, m.GetMarkerName())
		}
	}
	require.Equal(t, []string{"Version", "LocalActivity", "LocalActivity", "LocalActivity", "Version"}, markers,
		"it is prepared, answered and finished, and says how it ended")
}

// checkedModel are a check that was played to its end and one that was stopped.
func checkedModel(t *testing.T, p *apptest.Product) map[string]string {
	done := startCheck(
		t,
		p,
		map[string]any{"connectionId": checkable(t, p, suitetest.Perfect), "kinds": []string{"topic", "title"}, "parallel": 2},
	)
	checkEnded(t, p, done.ID)
	release := make(chan struct{})
	stopped := startCheck(t, p, map[string]any{"connectionId": checkable(t, p, silent(release)), "kinds": []string{"topic"}, "parallel": 2})
	// Before its provider waits for the end of its answers.
	t.Cleanup(func() { close(release) })
	apptest.Eventually(
		t,
		"situations are played",
		func() bool { return len(p.History(t, "model-check/"+stopped.ID.String()).GetEvents()) > 5 },
	)
	p.Admin.Post(t, checksPath+"/"+stopped.ID.String()+"/stop", nil, nil)
	return map[string]string{
		"model-check-done":    "model-check/" + done.ID.String(),
		"model-check-stopped": "model-check/" + stopped.ID.String(),
	}
}

func erased(t *testing.T, p *apptest.Product) map[string]string {
	person := p.Person(t)
	chat := person.Conversation(t, nil)
	chat.Perform(t, "text=hi")
	running := chat.Send(t, apptest.Scripted("tokens=10000 delay_token=10ms"))
	running.UntilType(t, "text-delta")
	var erasure conversation.Erasure
	p.Admin.Post(t, "/api/ai/privacy/erasures", map[string]any{"personId": person.ID, "email": person.Email}, &erasure)
	return map[string]string{"erasure": "erasure/" + erasure.ID.String()}
}

func stopped(t *testing.T, p *apptest.Product) map[string]string {
	chat := p.Admin.Conversation(t, nil)
	stream := chat.Send(t, apptest.Scripted("tokens=10000 delay_token=10ms"))
	stream.UntilType(t, "text-delta")
	chat.Stop(t)
	return turnOf("turn-stopped", stream.Rest(t))
}

func stoppedWhileWaiting(t *testing.T, p *apptest.Product) map[string]string {
	chat := p.Admin.Conversation(t, nil)
	stream := chat.Send(t, apptest.Scripted("fault=429 retry_after=59s"))
	stream.UntilType(t, "data-notice")
	chat.Stop(t)
	return turnOf("turn-stopped-while-waiting", stream.Rest(t))
}

func automatic(t *testing.T, p *apptest.Product) map[string]string {
	turn := p.Admin.Conversation(t, apptest.Settings{"permissionMode": "auto"}).Perform(t, createSystem+"text=hi")
	recorded := turnOf("turn-automatic", turn)
	recorded["proposal-automatic"] = "proposal/" + turn.Card(t, "applied").ProposalID.String()
	return recorded
}

func decided(t *testing.T, p *apptest.Product) map[string]string {
	recorded := map[string]string{}
	for _, decision := range []string{"apply", "decline"} {
		chat := p.Admin.Conversation(t, nil)
		turn := chat.Perform(t, `tool=catalog.createSystem input={"name":"To `+decision+`"}`)
		card := turn.Card(t, "proposal")
		if decision == "apply" {
			p.Admin.Apply(t, card.ProposalID)
		} else {
			p.Admin.Post(t, "/api/ai/proposals/"+card.ProposalID.String()+"/decline", nil, nil)
		}
		followUp := chat.Decide(t, card.ProposalID, decision)
		recorded["turn-card-"+decision] = "turn/" + turn.Metadata.TurnID.String()
		recorded["turn-decision-"+decision] = "turn/" + followUp.Metadata.TurnID.String()
		recorded["proposal-"+decision] = "proposal/" + card.ProposalID.String()
	}
	return recorded
}

// decidedPlans are plans that were applied, declined, and stopped at a failure, with one of their proposals each.
func decidedPlans(t *testing.T, p *apptest.Product) map[string]string {
	recorded := map[string]string{}
	for _, outcome := range []string{"apply", "decline", "failed"} {
		chat := p.Admin.Conversation(t, nil)
		plan := planOf(t, p, chat, creates(outcome+" A", outcome+" B", outcome+" C"))
		switch outcome {
		case "failed":
			newSystem(t, p.Admin, outcome+" B")
			applyPlan(t, p.Admin, plan)
		case "apply":
			applyPlan(t, p.Admin, plan)
		case "decline":
			p.Admin.Post(t, "/api/ai/plans/"+plan.PlanID.String()+"/decline", nil, nil)
		}
		recorded["plan-"+outcome] = "plan/" + plan.PlanID.String()
		recorded["proposal-in-plan-"+outcome] = "proposal/" + plan.Proposals[1].ProposalID.String()
	}
	return recorded
}

func failedInAChat(t *testing.T, p *apptest.Product) map[string]string {
	card := p.Admin.Conversation(t, nil).Perform(t, createSystem).Card(t, "proposal")
	newSystem(t, p.Admin, "Payments API")
	p.Admin.Refused(
		t,
		problem.Conflict,
		http.MethodPost,
		"/api/ai/proposals/apply",
		map[string]any{"token": p.Admin.Proposal(t, card.ProposalID).Token},
	)
	return map[string]string{"proposal-failed-in-chat": "proposal/" + card.ProposalID.String()}
}

func decidedOutsideOfChats(t *testing.T, p *apptest.Product) map[string]string {
	propose := func() (id, token string) {
		card := p.Admin.Propose(t, "catalog.createSystem", map[string]any{"name": "Payments API"})
		return card.ProposalID.String(), card.Token
	}
	first, token := propose()
	second, late := propose()
	p.Admin.Post(t, "/api/ai/proposals/apply", map[string]any{"token": token}, nil)
	p.Admin.Refused(t, problem.Conflict, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": late})
	return map[string]string{"proposal-without-chat": "proposal/" + first, "proposal-failed": "proposal/" + second}
}

func expired(t *testing.T, p *apptest.Product) map[string]string {
	card := p.Admin.Propose(t, "catalog.createSystem", map[string]any{"name": "Payments API"})
	return map[string]string{"proposal-expired": "proposal/" + card.ProposalID.String()}
}

// escalated is an incident whose policy has ended, and one that a person has acknowledged.
func escalated(t *testing.T, p *apptest.Product) map[string]string {
	who := p.Person(t)
	system := newSystem(t, p.Admin, "Shop")
	policy := func(name, severity string, last int) {
		p.Admin.Post(t, "/api/oncall/policies", map[string]any{
			"name": name, "severities": []string{severity}, "steps": []any{step(0, who.ID), step(last, who.ID)},
		}, nil)
	}
	policy("Short", "minor", 1)
	policy("Long", "critical", 3600)
	open := func(severity string) (id, workflow string) {
		var made struct{ ID uuid.UUID }
		p.Admin.Post(t, "/api/incidents", map[string]any{"title": "Down", "severity": severity, "systemIds": []uuid.UUID{system}}, &made)
		apptest.Eventually(t, "a step is taken", func() bool {
			return p.Count(t, `SELECT count(*) FROM oncall_calls WHERE incident_id = $1`, made.ID) > 0
		})
		return made.ID.String(), p.Column(t, `SELECT workflow_id FROM oncall_escalations WHERE incident_id = $1`, made.ID)[0]
	}
	_, short := open("minor")
	id, long := open("critical")
	p.Admin.Post(t, "/api/incidents/"+id+"/acknowledge", nil, nil)
	return map[string]string{"escalation-exhausted": short, "escalation-acknowledged": long}
}

// automated are runs of automations: one with steps of every kind, one that an event wakes, and one that is cancelled and undone.
func automated(t *testing.T, p *apptest.Product) map[string]string {
	a := automations{p, p.Application(t, p.Role(t, "catalog.system.read")).ID}
	begin := func(text string) automation.Run {
		var started automation.Started
		made := a.saves(t, "triggers: [{event: automation.manual}]\n"+text)
		p.Admin.Post(t, "/api/automations/"+made.ID.String()+"/run", map[string]any{}, &started)
		require.True(t, started.Started)
		return started.Run
	}
	waits := begin("name: Waits\nactions: [{wait_for_trigger: {event: automation.run_ended, timeout: 1h}}]")
	undone := begin(`
name: Undone
actions:
  - action: automation.log
    config: {message: done}
    undo: [{action: automation.log, config: {message: undone}}]
  - delay: 30d
`)
	apptest.Eventually(t, "both wait", func() bool {
		return p.Count(t, `SELECT count(*) FROM automation_steps WHERE status = 'waiting'`) == 2
	})
	steps := begin(`
name: Steps
actions:
  - repeat:
      count: 2
      sequence: [{variables: {n: "{{ repeat.index }}"}}]
  - choose:
      - when: var.n == 1
        sequence: [{action: automation.log, config: {message: chosen}}]
  - parallel:
      branches:
        - {action: automation.log, config: {message: left}}
        - {action: automation.log, config: {message: right}}
  - delay: 1
  - condition: var.n == 2
`)
	p.Admin.Post(t, "/api/automation-runs/"+undone.ID.String()+"/cancel", nil, nil)
	return map[string]string{
		"automation-run-steps": steps.WorkflowID, "automation-run-woken": waits.WorkflowID, "automation-run-undone": undone.WorkflowID,
	}
}

// generation names the folder of today's histories. Workflow code that takes another path for new workflows gets a new
// one: the histories of the released code stay, and must replay.
const generation = "4"

// TestRecordHistories writes the histories that workflows are replayed with: `go test ./app -run TestRecordHistories
// -record`.
func TestRecordHistories(t *testing.T) {
	t.Parallel()
	if !*record {
		t.Skip("without -record")
	}
	folder := filepath.Join("..", "workflows", "testdata", generation)
	require.NoError(t, os.MkdirAll(folder, 0o755))
	for _, s := range scenarios() {
		t.Run("scenario", func(t *testing.T) {
			t.Parallel()
			p := apptest.Start(t, apptest.Options{Env: s.env})
			for name, id := range s.play(t, p) {
				raw, err := protojson.MarshalOptions{Indent: "  "}.Marshal(ended(t, p, id))
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(folder, name+".json"), append(neutral(raw), '\n'), 0o644))
			}
		})
	}
}

// ended is the history of a workflow that has ended, in whatever way.
func ended(t *testing.T, p *apptest.Product, id string) (h *history.History) {
	t.Helper()
	apptest.Eventually(t, id+" has ended", func() bool {
		h = p.History(t, id)
		switch h.GetEvents()[len(h.GetEvents())-1].GetEventType() {
		case enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
			enums.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
			enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:
			return true
		}
		return false
	})
	return h
}

var (
	identity = regexp.MustCompile(`"(identity|binaryChecksum|buildId)": *"[^"]*"`)
	sticky   = regexp.MustCompile(`"name": *"[^":]+:[0-9a-f-]{36}"`)
	queue    = regexp.MustCompile(`[0-9a-f-]{36}-(countersign-)`)
	spaces   = regexp.MustCompile(`": +`)
)

// neutral leaves the machine out of a history.
func neutral(h []byte) []byte {
	h = identity.ReplaceAll(h, []byte(`"$1": "recorded"`))
	h = sticky.ReplaceAll(h, []byte(`"name": "sticky"`))
	h = queue.ReplaceAll(h, []byte(uuid.Nil.String()+"-$1"))
	// The encoder varies its spaces on purpose.
	return spaces.ReplaceAll(h, []byte(`": `))
}
