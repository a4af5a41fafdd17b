package oncall_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"countersign/api/apitest"
	"countersign/event"
	"countersign/internal/notice"
	"countersign/modules/oncall"
)

// start is when the incidents of these tests open, a Friday.
var start = time.Date(2026, 3, 27, 10, 0, 0, 0, time.UTC)

// incident opens one on a system.
func (a *app) incident(t testing.TB, severity string) oncall.Incident {
	t.Helper()
	i := a.incidents.put(oncall.Incident{ID: uuid.New(), Title: "Down", Severity: severity, Systems: []uuid.UUID{uuid.New()}, Open: true})
	a.Exec(
		t,
		`INSERT INTO oncall_escalations (incident_id, workflow_id, state, began_at, last_at) VALUES ($1, 'w', 'waiting', $2, $2)`,
		i.ID,
		start,
	)
	return i
}

func newSuite() *testsuite.WorkflowTestSuite {
	suite := &testsuite.WorkflowTestSuite{}
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	return suite
}

// escalation runs the workflow of an incident in skipped time. at are changes at times after the start; each signals it.
func (a *app) escalation(t testing.TB, i oncall.Incident, at map[time.Duration]func()) {
	t.Helper()
	env := newSuite().NewTestWorkflowEnvironment()
	env.SetStartTime(start)
	env.SetTestTimeout(time.Minute)
	r := a.module.Workflows()[0]
	env.RegisterWorkflowWithOptions(r.Workflow.Code, workflow.RegisterOptions{Name: r.Workflow.Name})
	for _, s := range r.Steps {
		env.RegisterActivityWithOptions(s.Code, activity.RegisterOptions{Name: s.Name})
	}
	a.clock.follow(env.Now)
	defer a.clock.follow(nil)
	for after, change := range at {
		env.RegisterDelayedCallback(func() {
			change()
			env.SignalWorkflow("escalation-changed", nil)
		}, after)
	}
	env.ExecuteWorkflow(r.Workflow.Name, map[string]any{"IncidentID": i.ID, "Opening": 1})
	require.True(t, env.IsWorkflowCompleted())
	require.NoError(t, env.GetWorkflowError())
}

// taken are the steps that were taken about an incident: minutes after the start, step and people.
func (a *app) taken(t testing.TB, id uuid.UUID) []string {
	t.Helper()
	rows, err := a.DB.Conn(t.Context()).Query(t.Context(),
		`SELECT round, step, due_at, people FROM oncall_calls WHERE incident_id = $1 ORDER BY run, round, step`, id)
	require.NoError(t, err)
	defer rows.Close()
	lines := []string{}
	for rows.Next() {
		var round, step int
		var due time.Time
		var people []uuid.UUID
		require.NoError(t, rows.Scan(&round, &step, &due, &people))
		names, err := a.people.Names(t.Context(), people)
		require.NoError(t, err)
		line := fmt.Sprintf("%v %d.%d", due.Sub(start), round+1, step+1)
		for _, id := range people {
			line += " " + names[id]
		}
		lines = append(lines, line)
	}
	require.NoError(t, rows.Err())
	return lines
}

// state is that of an escalation, and its reason.
func (a *app) state(t testing.TB, id uuid.UUID) string {
	t.Helper()
	var state, reason string
	err := a.DB.Conn(t.Context()).QueryRow(t.Context(),
		`SELECT state, reason FROM oncall_escalations WHERE incident_id = $1`, id).Scan(&state, &reason)
	require.NoError(t, err)
	return state + " " + reason
}

// notices counts the calls that were told about an incident.
func (a *app) notices(t testing.TB, id uuid.UUID) int {
	t.Helper()
	return a.Count(t, `SELECT count(*) FROM notifications WHERE about_id = $1`, id)
}

// acknowledge takes an incident on.
func (a *app) acknowledge(id uuid.UUID, name string) func() {
	return func() {
		by, at := a.Principal(name).ID, start.Add(time.Hour)
		a.incidents.change(id, func(i *oncall.Incident) { i.AcknowledgedAt, i.AcknowledgedBy = &at, &by })
	}
}

func TestStepsAreTakenUntilAPersonAcknowledges(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.policy(t, "All", object{"default": true, "repeats": 1, "betweenSeconds": 600},
		step(0, a.person("ada"), a.person("bob"), a.person("cleo")), step(300, a.person("bob")), step(300, a.person("cleo")))
	// One step with three people is one entry.
	i := a.incident(t, "major")
	a.escalation(t, i, nil)
	require.Equal(t, []string{
		"0s 1.1 ada bob cleo", "5m0s 1.2 bob", "10m0s 1.3 cleo", "20m0s 2.1 ada bob cleo", "25m0s 2.2 bob", "30m0s 2.3 cleo",
	}, a.taken(t, i.ID))
	require.Equal(t, "exhausted All steps were taken and nobody has acknowledged.", a.state(t, i.ID))
	require.Equal(t, 6, a.notices(t, i.ID))
	require.Equal(t, 6, a.Count(t, `SELECT count(*) FROM events WHERE type = 'oncall.escalated'`))

	i = a.incident(t, "major")
	a.escalation(t, i, map[time.Duration]func(){6 * time.Minute: a.acknowledge(i.ID, "bob")})
	require.Equal(t, []string{"0s 1.1 ada bob cleo", "5m0s 1.2 bob"}, a.taken(t, i.ID))
	require.Equal(t, "acknowledged Acknowledged by bob.", a.state(t, i.ID))

	i = a.incident(t, "major")
	a.escalation(t, i, map[time.Duration]func(){
		time.Minute: func() { a.incidents.change(i.ID, func(i *oncall.Incident) { i.Open = false }) },
	})
	require.Equal(t, []string{"0s 1.1 ada bob cleo"}, a.taken(t, i.ID))
	require.Equal(t, "resolved The incident was resolved.", a.state(t, i.ID))
}

// Messages to receivers who may not see the incident are suppressed, so a step of only such ones has reached nobody.
func TestAStepThatNobodyMaySeeIsPassedAtOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.mail(t, "ada", "bob", "cleo")
	team := a.team("cleo")
	a.Exec(t, `INSERT INTO notify_channels (id, owner_kind, owner_id, kind, name, lane, target, config_sealed)
		VALUES (gen_random_uuid(), 'team', $1, 'slack', 'Chat', 'chat', 'chat', 'x')`, team)
	chat := object{"kind": "team", "id": team}
	a.policy(t, "All", object{"default": true, "repeats": 1, "betweenSeconds": 600},
		step(0, chat), step(300, a.person("bob"), chat), step(300, a.person("ada")))
	for _, id := range []uuid.UUID{team, a.Principal("bob").ID} {
		a.incidents.blind[id] = true
	}
	i := a.incident(t, "major")
	said := sentences(a.explained(t, "incidentId="+i.ID.String()))
	require.Contains(t, said, "reaches nobody, as none of those whom it names may see the incident. The next step follows at once.")
	require.Contains(t, said, "notSeen| bob may not see the incident")
	// Bob may see it in the second round, which has its pause all the same.
	a.escalation(t, i, map[time.Duration]func(){5 * time.Minute: func() {
		a.incidents.mu.Lock()
		defer a.incidents.mu.Unlock()
		delete(a.incidents.blind, a.Principal("bob").ID)
	}})
	require.Equal(t, []string{
		"0s 1.1", "0s 1.2 bob", "0s 1.3 ada", "10m0s 2.1", "10m0s 2.2 bob", "15m0s 2.3 ada",
	}, a.taken(t, i.ID))
	shown := apitest.Decode[oncall.Escalation](t, a.Do(t, "bob", http.MethodGet, "/api/oncall/escalations/"+i.ID.String(), nil))
	hidden, messages := []bool{}, []int{}
	for _, c := range shown.Calls {
		hidden, messages = append(hidden, c.Hidden), append(messages, c.Messages)
	}
	require.Equal(t, []bool{false, false, true, false, true, true}, hidden, "the last one first")
	require.Equal(t, []int{1, 2, 0, 1, 0, 0}, messages)
	said = sentences(a.explained(t, "incidentId="+i.ID.String()))
	require.Contains(t, said, "Step 1 was taken at")
	require.Contains(t, said, "reaches nobody")
}

func TestAStepWaitsForItsHours(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	hours := step(300, a.person("bob"))
	hours["hours"] = "mon-fri 12:00-12:30"
	a.policy(t, "All", object{"default": true, "zone": "Europe/Berlin"}, step(9000, a.person("ada")), hours)
	i := a.incident(t, "minor")
	a.escalation(t, i, nil)
	// 13:30 in Berlin on Friday; 12:00 on Monday is after the change of clocks.
	require.Equal(t, []string{"2h30m0s 1.1 ada", "72h0m0s 1.2 bob"}, a.taken(t, i.ID))
}

// All processes end before the hours of a step begin and come back after that: the step is taken at once then, and once.
func TestAStepComesAfterTheHoursBeganWithoutAProcess(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	hours := step(0, a.person("ada"))
	hours["hours"] = "mon-fri 09:00-17:00"
	a.policy(t, "All", object{"default": true, "zone": "Europe/Berlin"}, hours)
	i := a.incident(t, "major")
	opened := time.Date(2026, 3, 27, 5, 0, 0, 0, time.UTC) // six in Berlin
	a.Exec(t, `UPDATE oncall_escalations SET began_at = $2, last_at = $2 WHERE incident_id = $1`, i.ID, opened)
	process := func(from time.Time, ends time.Duration) {
		env := newSuite().NewTestWorkflowEnvironment()
		env.SetStartTime(from)
		r := a.module.Workflows()[0]
		env.RegisterWorkflowWithOptions(r.Workflow.Code, workflow.RegisterOptions{Name: r.Workflow.Name})
		for _, s := range r.Steps {
			env.RegisterActivityWithOptions(s.Code, activity.RegisterOptions{Name: s.Name})
		}
		a.clock.follow(env.Now)
		defer a.clock.follow(nil)
		if ends > 0 {
			env.RegisterDelayedCallback(env.CancelWorkflow, ends)
		}
		env.ExecuteWorkflow(r.Workflow.Name, map[string]any{"IncidentID": i.ID, "Opening": 1})
		require.True(t, env.IsWorkflowCompleted())
	}
	process(opened, 2*time.Hour+59*time.Minute+50*time.Second)
	require.Empty(t, a.taken(t, i.ID))
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM oncall_escalations WHERE state = 'waiting' AND due_at = $1`, opened.Add(3*time.Hour)))
	// The engine has kept the timer, which is over. A second workflow finds nothing to do.
	back := opened.Add(3*time.Hour + 5*time.Minute)
	process(back, 0)
	process(back, 0)
	require.Equal(t, []string{opened.Add(3*time.Hour).Sub(start).String() + " 1.1 ada"}, a.taken(t, i.ID), "the log says when it was due")
	require.Equal(t, 1, a.notices(t, i.ID))
	var at time.Time
	require.NoError(t, a.DB.Conn(t.Context()).QueryRow(t.Context(),
		`SELECT (payload->>'at')::timestamptz FROM events WHERE type = 'oncall.escalated'`).Scan(&at))
	require.WithinDuration(t, back, at, 5*time.Second)
}

func TestAnEscalationFollowsItsPolicyAndItsIncident(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	team := a.team("cleo")
	general := a.policy(t, "General", object{"default": true}, step(0, a.person("ada")), step(3600, a.person("bob")))
	// The severity is raised: a policy for it comes before the default one. Then a policy of the team is made.
	a.policy(t, "Critical", object{"severities": []string{"critical"}}, step(60, a.person("bob")), step(3600, a.person("bob")))
	i := a.incident(t, "minor")
	a.escalation(t, i, map[time.Duration]func(){
		10 * time.Minute: func() { a.incidents.change(i.ID, func(i *oncall.Incident) { i.Severity = "critical" }) },
		20 * time.Minute: func() {
			a.incidents.mu.Lock()
			a.incidents.owners[i.Systems[0]] = team
			a.incidents.mu.Unlock()
			a.policy(t, "Ours", object{"teamId": team}, step(0, object{"kind": "members", "id": team}))
		},
	})
	require.Equal(t, []string{"0s 1.1 ada", "11m0s 1.1 bob", "20m0s 1.1 cleo"}, a.taken(t, i.ID))

	// A step that waits follows an edited delay.
	i = a.incident(t, "minor")
	a.escalation(t, i, map[time.Duration]func(){
		10 * time.Minute: func() {
			answer := a.Do(t, "ada", "PATCH", policies+"/"+general.ID.String(),
				object{"steps": []object{step(0, a.person("ada")), step(1200, a.person("cleo"))}})
			require.Equal(t, 200, answer.Status)
		},
	})
	require.Equal(t, []string{"0s 1.1 ada", "20m0s 1.2 cleo"}, a.taken(t, i.ID))
}

// The policies of all teams that own a system of an incident run together: none silences another.
func TestPoliciesOfSeveralOwnersRunTogether(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	mine, other := a.team("ada"), a.team("cleo")
	a.policy(t, "Ours", object{"teamId": mine, "repeats": 2, "betweenSeconds": 600}, step(60, a.person("ada")), step(600, a.person("bob")))
	// It would come first by its severity and its name. It is late, and calls nobody of the other team.
	late := step(604800, object{"kind": "channels"})
	late["hours"] = "sat 00:00-00:01"
	second := func() oncall.Policy {
		return a.policy(t, "A", object{"teamId": other, "severities": []string{"critical"}}, late, step(300, a.person("cleo")), late)
	}
	theirs := second()
	shared := func() oncall.Incident {
		i := a.incident(t, "critical")
		a.incidents.change(i.ID, func(i *oncall.Incident) { i.Systems = append(i.Systems, uuid.New()) })
		a.incidents.mu.Lock()
		defer a.incidents.mu.Unlock()
		i = a.incidents.known[i.ID]
		a.incidents.owners[i.Systems[0]], a.incidents.owners[i.Systems[1]] = mine, other
		return i
	}
	i := shared()
	a.escalation(t, i, nil)
	require.Equal(t, []string{
		"1m0s 1.1 ada", "6m0s 1.2 bob cleo", "17m0s 1.3 ada", "27m0s 1.4 bob", "38m0s 1.5 ada", "48m0s 1.6 bob",
	}, a.taken(t, i.ID))

	// Nor does it when it goes and comes again.
	i = shared()
	require.Contains(t, a.explained(t, "incidentId="+i.ID.String()).Text, "Ours + A calls in 6 steps")
	a.escalation(t, i, map[time.Duration]func(){
		7 * time.Minute: func() {
			require.Equal(t, 204, a.Do(t, "ada", "DELETE", policies+"/"+theirs.ID.String(), nil).Status)
		},
		18 * time.Minute: func() { second() },
	})
	require.Equal(t, []string{
		"1m0s 1.1 ada", "6m0s 1.2 bob cleo", "27m0s 1.4 bob", "38m0s 1.5 ada", "48m0s 1.6 bob", "17m0s 2.1 ada",
	}, a.taken(t, i.ID))
}

func TestMutesAndSuppressionHoldAnEscalation(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.policy(t, "All", object{"default": true}, step(0, a.person("ada")))
	i := a.incident(t, "minor")
	a.incidents.mute(notice.Mute{System: i.Systems[0], Until: start.Add(time.Hour), Reason: "maintenance 1"})
	at := time.Duration(0)
	a.escalation(t, i, map[time.Duration]func(){
		30 * time.Minute: func() { require.Equal(t, "waiting Muted by maintenance 1.", a.state(t, i.ID)) },
		59 * time.Minute: func() { a.incidents.mute(); at = 59 * time.Minute },
	})
	require.Equal(t, 59*time.Minute, at)
	require.Len(t, a.taken(t, i.ID), 1, "it still burns when the mute ends")

	// Resolved in the mute, nobody is called.
	i = a.incident(t, "minor")
	a.incidents.mute(notice.Mute{System: i.Systems[0], Reason: "maintenance 1"})
	a.escalation(t, i, map[time.Duration]func(){
		30 * time.Minute: func() { a.incidents.change(i.ID, func(i *oncall.Incident) { i.Open = false }) },
	})
	require.Empty(t, a.taken(t, i.ID))
	require.Zero(t, a.notices(t, i.ID))

	a.incidents.mute()
	i = a.incident(t, "minor")
	a.incidents.change(i.ID, func(i *oncall.Incident) { i.Suppressed = true })
	a.escalation(t, i, map[time.Duration]func(){
		40 * time.Minute: func() { a.incidents.change(i.ID, func(i *oncall.Incident) { i.Suppressed = false }) },
	})
	require.Len(t, a.taken(t, i.ID), 1)
}

// Processes that advance one escalation at the same time take each step once.
// advance runs the activity of an escalation once.
func (a *app) advance(id uuid.UUID) error {
	env := newSuite().NewTestActivityEnvironment()
	for _, s := range a.module.Workflows()[0].Steps {
		env.RegisterActivityWithOptions(s.Code, activity.RegisterOptions{Name: s.Name})
	}
	_, err := env.ExecuteActivity("AdvanceEscalation", map[string]any{"IncidentID": id, "Opening": 1})
	return err
}

func TestAStepIsTakenOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.policy(t, "All", object{"default": true}, step(0, a.person("ada")), step(3600, a.person("bob")))
	i := a.incident(t, "minor")
	a.clock.follow(func() time.Time { return start })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := a.advance(i.ID); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Equal(t, []string{"0s 1.1 ada"}, a.taken(t, i.ID))
	require.Equal(t, 1, a.notices(t, i.ID))
}

// A deletion locks the incident and then its escalation. Whoever locks them the other way round ends in a deadlock with it.
func TestAnIncidentIsLockedBeforeItsEscalation(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.policy(t, "All", object{"default": true}, step(0, a.person("ada")))
	i := a.incident(t, "minor")
	a.clock.follow(func() time.Time { return start })
	held := 0
	a.incidents.held = func(id uuid.UUID) {
		held++
		_, err := a.DB.Conn(t.Context()).Exec(t.Context(), `SELECT 1 FROM oncall_escalations WHERE incident_id = $1 FOR UPDATE NOWAIT`, id)
		if err != nil {
			t.Errorf("the escalation is locked before its incident is: %v", err)
		}
	}
	require.NoError(t, a.advance(i.ID))
	consumer := a.module.Consumers()[0]
	require.NoError(t, a.DB.InTx(t.Context(), func(ctx context.Context) error {
		return consumer.Handle(ctx, event.Event{ID: 1, Type: "incident.acknowledged", Subject: "incident:" + i.ID.String()})
	}))
	require.Equal(t, 2, held)
}
