package automation_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/automation/definition"
	"countersign/event"
	"countersign/internal/durable"
	"countersign/internal/problem"
	"countersign/modules/automation"
	"countersign/modules/automation/run"
)

// workflows are those of Temporal, in its place.
type workflows struct {
	engine

	mu      sync.Mutex
	states  map[string]durable.State
	started []string
	away    bool
}

func (w *workflows) Start(_ context.Context, e durable.Execution) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.away {
		return problem.Errorf(problem.Unavailable, "Temporal does not answer.")
	}
	w.started = append(w.started, e.ID)
	return nil
}

func (w *workflows) State(_ context.Context, id string) (durable.State, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.states[id], nil
}

func (w *workflows) startsOf(r automation.Run) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range w.started {
		if id == r.WorkflowID {
			n++
		}
	}
	return n
}

type state struct {
	N int `json:"n"`
}

// stateEvents begin and end a state of a thing.
func stateEvents() []event.Type {
	define := func(id string, opposites ...string) event.Type {
		return event.Define[state](event.Type{
			ID: id, Name: id, Description: "Happens.", Rule: automation.Read, Subject: "thing", See: event.SeeAll, Opposites: opposites,
		})
	}
	return []event.Type{define("thing.ill", "thing.well"), define("thing.well", "thing.ill")}
}

// happens hands an event over to the module, as its consumer does.
func (f fixture) happens(t *testing.T, of, about string, id int64, at time.Time, cause ...event.Cause) {
	t.Helper()
	e := event.Event{ID: id, Type: of, Subject: about, Payload: fmt.Appendf(nil, `{"n":%d}`, id), CreatedAt: at}
	ctx := t.Context()
	if len(cause) > 0 {
		e.Cause = &cause[0]
		ctx = event.WithCause(ctx, cause[0])
	}
	require.NoError(t, f.DB.InTx(ctx, func(ctx context.Context) error { return f.module.Consumers()[0].Handle(ctx, e) }))
}

// keepsTime lets the loops of n processes run until the end of the test.
func (f fixture) keepsTime(t *testing.T, n int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); running.Wait() })
	for range n {
		for _, l := range f.module.Loops() {
			running.Go(func() { l.Run(ctx) })
		}
	}
}

func (f fixture) saves(t *testing.T, source string) automation.Automation {
	t.Helper()
	return decode[automation.Automation](
		t,
		f.Do(t, "root", http.MethodPost, "/api/automations", map[string]any{"text": source, "runAs": f.account}),
	)
}

func (f fixture) changes(t *testing.T, a automation.Automation, change map[string]any) {
	t.Helper()
	decode[automation.Automation](t, f.Do(t, "root", http.MethodPatch, "/api/automations/"+a.ID.String(), change))
}

// runs are those of an automation in the order of their triggers.
func (f fixture) runs(t *testing.T, a automation.Automation) (list []automation.Run) {
	t.Helper()
	page := decode[struct{ Runs []automation.Run }](
		t,
		f.Do(t, "root", http.MethodGet, "/api/automation-runs?limit=100&automationId="+a.ID.String(), nil),
	)
	for _, r := range page.Runs {
		list = append([]automation.Run{r}, list...)
	}
	return list
}

func statuses(runs []automation.Run) string {
	var all []string
	for _, r := range runs {
		all = append(all, r.Status)
	}
	return strings.Join(all, " ")
}

// begins and ends play the first and the last step of the workflow of a run.
func (f fixture) begins(t *testing.T, r automation.Run) run.LoadOutput {
	t.Helper()
	loaded, is := f.step(t, run.Load.Name, run.LoadInput{RunID: r.ID}).(run.LoadOutput)
	require.True(t, is)
	return loaded
}

func (f fixture) ends(t *testing.T, r automation.Run, status run.Status) {
	f.step(t, run.Finish.Name, run.FinishInput{RunID: r.ID, Status: status})
}

func (f fixture) step(t *testing.T, name string, in any) (out any) {
	t.Helper()
	for _, s := range f.module.Workflows()[0].Steps {
		if s.Name != name {
			continue
		}
		var err error
		switch do := s.Code.(type) {
		case func(context.Context, run.LoadInput) (run.LoadOutput, error):
			out, err = do(t.Context(), in.(run.LoadInput))
		case func(context.Context, run.FinishInput) (run.FinishOutput, error):
			out, err = do(t.Context(), in.(run.FinishInput))
		default:
			t.Fatalf("%T", s.Code)
		}
		require.NoError(t, err)
		return out
	}
	t.Fatal("no step " + name)
	return nil
}

// reconciles does the chore that compares runs with Temporal.
func (f fixture) reconciles(t *testing.T) {
	t.Helper()
	for _, c := range f.module.Chores() {
		if strings.HasPrefix(c.Name, "check runs") {
			require.NoError(t, c.Do(t.Context()))
		}
	}
}

func (f fixture) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := f.DB.Conn(t.Context()).Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func (f fixture) count(t *testing.T, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, f.DB.Conn(t.Context()).QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

func reacting(name, more string) string {
	return "name: " + name + "\n" + more + "\nactions:\n  - action: test.nap\n    config: {}\n"
}

const lasting = "triggers:\n  - {id: ill, event: thing.ill, for: 30m%s}"

func thing() string { return "thing:" + uuid.NewString() }

// A state that has to last keeps its time over saves and restarts, and ends with the opposite event or its trigger.
func TestALastingStateKeepsItsTime(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, other, begun := f.saves(t, reacting("Ill", fmt.Sprintf(lasting, ""))), thing(), time.Now().Add(-10*time.Minute)
	about := thing()
	f.happens(t, "thing.ill", about, 1, begun)
	f.happens(t, "thing.ill", about, 2, begun.Add(time.Minute))
	f.happens(t, "thing.ill", other, 3, begun)
	due := func() string {
		return f.text(t, `SELECT due_at::text FROM automation_fors WHERE context_key = $1`, about)
	}
	before := due()
	require.NotEmpty(t, before)
	f.saves(t, reacting("Another", fmt.Sprintf(lasting, "")))
	f.changes(t, a, map[string]any{"text": "# said\n" + reacting("Ill", fmt.Sprintf(lasting, ""))})
	require.Equal(t, before, due(), "the first event counts, whatever is saved")
	f.happens(t, "thing.well", other, 4, begun.Add(2*time.Minute))
	require.Equal(t, 1, f.count(t, `SELECT count(*) FROM automation_fors WHERE automation_id = $1`, a.ID))

	// The time is over: one of the processes fires it.
	f.exec(t, `UPDATE automation_fors SET due_at = now() WHERE automation_id = $1`, a.ID)
	f.keepsTime(t, 2)
	require.Eventually(t, func() bool { return len(f.runs(t, a)) == 1 }, time.Minute, 10*time.Millisecond)
	require.Contains(t, string(f.runs(t, a)[0].Trigger), `"n":1`)

	f.happens(t, "thing.ill", about, 5, begun)
	f.changes(t, a, map[string]any{"text": reacting("Ill", fmt.Sprintf(lasting, `, filter: "trigger.payload.n > 0"`))})
	require.Zero(t, f.count(t, `SELECT count(*) FROM automation_fors WHERE automation_id = $1`, a.ID), "it is another trigger")
	require.Len(t, f.runs(t, a), 1)
}

// A state that had lasted when it ended fires, though no process ran at that moment; a shorter one does not.
func TestAStateThatHadLastedFiresLate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, begun := f.saves(t, reacting("Ill", fmt.Sprintf(lasting, ""))), time.Now().Add(-time.Hour)
	long, short := thing(), thing()
	f.happens(t, "thing.ill", long, 1, begun)
	f.happens(t, "thing.ill", short, 2, begun)
	f.happens(t, "thing.well", short, 3, begun.Add(29*time.Minute))
	f.happens(t, "thing.well", long, 4, begun.Add(31*time.Minute))
	require.Equal(t, []string{long}, contexts(f.runs(t, a)))
	require.Zero(t, f.count(t, `SELECT count(*) FROM automation_fors`))
}

func contexts(runs []automation.Run) (all []string) {
	for _, r := range runs {
		all = append(all, r.ContextKey)
	}
	return all
}

func (f fixture) text(t *testing.T, sql string, args ...any) (s string) {
	t.Helper()
	require.NoError(t, f.DB.Conn(t.Context()).QueryRow(t.Context(), sql, args...).Scan(&s))
	return s
}

// Ten triggers at once on two processes: the newest run goes on, the nine others are cancelled.
func TestModeRestartKeepsTheNewest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.saves(t, reacting("Restarts", "mode: restart\ntriggers: [{event: thing.ill}]"))
	var all sync.WaitGroup
	for n := range 10 {
		all.Go(func() { f.happens(t, "thing.ill", thing(), int64(n+1), time.Now()) })
	}
	all.Wait()
	runs := f.runs(t, a)
	require.Len(t, runs, 10)
	for _, r := range runs {
		f.begins(t, r)
		require.NotNil(t, r.WorkflowID)
	}
	require.Equal(t, 9, f.count(t, `SELECT count(*) FROM automation_runs WHERE cancel_at IS NOT NULL AND cancel_reason LIKE 'Superseded%'`))
	require.Equal(t, 1, f.count(t, `SELECT count(*) FROM automation_runs WHERE cancel_at IS NULL
		AND id = (SELECT id FROM automation_runs ORDER BY id DESC LIMIT 1)`))
}

// Single counts by context, and what is skipped is on record with its payload.
func TestModesCountByContext(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.saves(t, reacting("By context", "mode: single\nconcurrency_scope: context\ntriggers: [{event: thing.ill}]"))
	one, two := thing(), thing()
	for n, about := range []string{one, two, one} {
		f.happens(t, "thing.ill", about, int64(n+1), time.Now())
	}
	runs := f.runs(t, a)
	require.Equal(t, "pending pending skipped", statuses(runs))
	require.Contains(t, runs[2].Reason, runs[0].ID.String())
	require.Contains(t, string(runs[2].Trigger), `"n":3`)
}

// A queue is bounded, keeps its order, and rests while its automation is disabled.
func TestTheQueueKeepsItsOrder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.saves(t, reacting("Queued", "mode: queued\nmax_runs: 5\ntriggers: [{event: thing.ill}]"))
	for n := range 8 {
		f.happens(t, "thing.ill", thing(), int64(n+1), time.Now())
	}
	runs := f.runs(t, a)
	require.Equal(t, "pending queued queued queued queued skipped skipped skipped", statuses(runs))
	require.Contains(t, runs[7].Reason, "maximum")
	require.Contains(t, string(runs[7].Trigger), `"n":8`)
	again := decode[automation.Started](t, f.Do(t, "root", http.MethodPost, "/api/automation-runs/"+runs[7].ID.String()+"/again", nil))
	require.False(t, again.Started, "the queue is still full")

	f.begins(t, runs[0])
	f.ends(t, runs[0], run.Success)
	require.Equal(t, "success pending queued queued queued", statuses(f.runs(t, a)[:5]))
	f.changes(t, a, map[string]any{"status": "disabled"})
	f.begins(t, runs[1])
	f.ends(t, runs[1], run.Failed)
	require.Equal(t, "success failed queued queued queued", statuses(f.runs(t, a)[:5]), "off is off")
	f.changes(t, a, map[string]any{"status": "enabled"})
	require.Equal(t, "success failed pending queued queued", statuses(f.runs(t, a)[:5]))
	decode[automation.Cancellation](t, f.Do(t, "root", http.MethodPost, "/api/automation-runs/"+runs[3].ID.String()+"/cancel", nil))
	f.begins(t, runs[2])
	f.ends(t, runs[2], run.Success)
	require.Equal(t, "success failed success cancelled pending", statuses(f.runs(t, a)[:5]))
}

// A chain of runs that trigger each other ends, at once where it is one automation.
func TestLoopsEnd(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.saves(t, reacting("Fed", "triggers: [{event: thing.ill}]\nmode: parallel"))
	f.happens(t, "thing.ill", thing(), 1, time.Now(), event.Cause{Depth: 8})
	f.happens(t, "thing.ill", thing(), 2, time.Now(), event.Cause{Depth: 9})
	first := f.runs(t, a)[0]
	f.happens(t, "thing.ill", thing(), 3, time.Now(), event.Cause{Depth: 1, Run: first.ID.String()})
	runs := f.runs(t, a)
	require.Equal(t, "pending skipped skipped", statuses(runs))
	require.Contains(t, runs[1].Reason, "Loop")
	require.Contains(t, runs[2].Reason, first.ID.String())
}

// Slots that fell into a time in which nothing ran are run as the trigger says: none, the last one, or all.
func TestSchedulesCatchUpAsTheySay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	schedule := func(choice string, on bool) string {
		return reacting(
			"Every ten, "+choice,
			fmt.Sprintf("mode: parallel\nmax_runs: 100\ntriggers: [{id: t, event: automation.cron, enabled: %v, catchUp: %s, "+
				"config: {cronPattern: '*/10 * * * *', timezone: Europe/Berlin}}]", on, choice),
		)
	}
	made := map[string]automation.Automation{}
	for _, choice := range []string{"none", "last", "all"} {
		made[choice] = f.saves(t, schedule(choice, true))
	}
	// After a stop, after a disabled automation, and after a disabled trigger.
	f.keepsTime(t, 2)
	for round, how := range []string{"stop", "automation", "trigger"} {
		for choice, a := range made {
			switch how {
			case "automation":
				f.changes(t, a, map[string]any{"status": "disabled"})
			case "trigger":
				f.changes(t, a, map[string]any{"text": schedule(choice, false)})
			}
		}
		first := time.Now().UTC().Truncate(10 * time.Minute).Add(-time.Duration(18+20*round) * 10 * time.Minute)
		f.exec(t, `DELETE FROM automation_runs`)
		f.exec(t, `UPDATE automation_schedules SET next_at = $1, held_at = NULL`, first)
		if how != "stop" {
			require.Eventually(t, func() bool {
				return f.count(t, `SELECT count(*) FROM automation_schedules WHERE held_at = $1`, first) == 3
			}, time.Minute, 10*time.Millisecond, "the schedules stand")
			require.Zero(t, f.count(t, `SELECT count(*) FROM automation_runs`))
			for choice, a := range made {
				if how == "trigger" {
					f.changes(t, a, map[string]any{"text": schedule(choice, true)})
				} else {
					f.changes(t, a, map[string]any{"status": "enabled"})
				}
			}
		}
		require.Eventually(t, func() bool {
			return f.count(t, `SELECT count(*) FROM automation_schedules WHERE next_at > now()`) == 3
		}, time.Minute, 10*time.Millisecond, how)
		// A slot of this very minute is in time, whatever the choice.
		missed := func(choice string) int {
			return f.count(
				t,
				`SELECT count(*) FROM automation_runs WHERE automation_id = $1 AND slot < created_at - interval '1 minute'`,
				made[choice].ID,
			)
		}
		require.Zero(t, missed("none"), how)
		require.LessOrEqual(t, missed("last"), 1, how)
		require.GreaterOrEqual(t, f.count(t, `SELECT count(*) FROM automation_runs WHERE automation_id = $1`, made["last"].ID), 1, how)
		require.GreaterOrEqual(t, missed("all"), 18+20*round, how)
		require.Zero(t, f.count(t, `SELECT count(*) - count(DISTINCT (automation_id, slot)) FROM automation_runs`))
	}
}

// A run without its workflow does not hold up others: one that Temporal has terminated ends, one that it has lost starts again.
func TestARunWithoutItsWorkflowIsReconciled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.saves(t, reacting("Queued", "mode: queued\ntriggers: [{event: thing.ill}]"))
	for n := range 2 {
		f.happens(t, "thing.ill", thing(), int64(n+1), time.Now())
	}
	first := f.runs(t, a)[0]
	f.begins(t, first)
	f.temporal.states[first.WorkflowID] = durable.Closed
	f.reconciles(t)
	require.Equal(t, "running queued", statuses(f.runs(t, a)), "it has just begun")
	f.exec(t, `UPDATE automation_runs SET started_at = now() - interval '2 minutes' WHERE id = $1`, first.ID)
	f.reconciles(t)
	runs := f.runs(t, a)
	require.Equal(t, "failed pending", statuses(runs))
	require.Contains(t, runs[0].Reason, "terminated")

	f.exec(t, `UPDATE automation_runs SET created_at = now() - interval '2 minutes' WHERE id = $1`, runs[1].ID)
	f.reconciles(t)
	require.Equal(t, 1, f.temporal.startsOf(runs[1]))
	f.temporal.states[runs[1].WorkflowID] = durable.Running
	f.reconciles(t)
	require.Equal(t, 1, f.temporal.startsOf(runs[1]))
	require.Equal(t, "failed pending", statuses(f.runs(t, a)))
}

// A claim of a process whose Temporal was away ends, and the run starts once it is back.
func TestARunStartsWhenTemporalIsBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.temporal.away = true
	a := f.saves(t, reacting("Starts", "triggers: [{event: thing.ill}]"))
	f.happens(t, "thing.ill", thing(), 1, time.Now())
	r := f.runs(t, a)[0]
	f.keepsTime(t, 2)
	claimed := func() bool {
		return f.count(t, `SELECT count(*) FROM automation_runs WHERE status = 'pending' AND claimed_until > now()`) == 1
	}
	require.Eventually(t, claimed, time.Minute, 10*time.Millisecond)
	require.Zero(t, f.temporal.startsOf(r))
	f.temporal.mu.Lock()
	f.temporal.away = false
	f.temporal.mu.Unlock()
	f.exec(t, `UPDATE automation_runs SET claimed_until = now() - interval '1 second'`)
	require.Eventually(t, func() bool { return f.temporal.startsOf(r) == 1 }, time.Minute, 10*time.Millisecond)
	require.True(t, claimed())
}

// A run whose revision is gone ends with that reason.
func TestARunWithoutItsRevisionFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.saves(t, reacting("Lost", "triggers: [{event: thing.ill}]"))
	f.happens(t, "thing.ill", thing(), 1, time.Now())
	f.exec(t, `UPDATE automation_runs SET revision = 7`)
	f.begins(t, f.runs(t, a)[0])
	runs := f.runs(t, a)
	require.Equal(t, "failed", statuses(runs))
	require.Contains(t, runs[0].Reason, "no revision 7")
}

// An attempt may take as long as its action says, unless the step says otherwise.
func TestAnAttemptHasTheTimeOfItsAction(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.saves(t, "name: Naps\ntriggers: [{event: automation.manual}]\n"+
		"actions: [{action: test.nap, config: {}}, {action: test.nap, config: {}, timeout: 5s}]")
	started := decode[automation.Started](t, f.Do(t, "root", http.MethodPost, "/api/automations/"+a.ID.String()+"/run", map[string]any{}))
	steps := f.begins(t, started.Run).Definition.Actions
	require.Equal(t, []definition.Duration{definition.Duration(nap().Timeout), definition.Duration(5 * time.Second)},
		[]definition.Duration{steps[0].Timeout, steps[1].Timeout})
}
