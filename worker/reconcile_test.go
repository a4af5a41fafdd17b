package worker_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"countersign/activities"
	"countersign/app/apptest"
	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/tool/proposal"
	"countersign/worker"
	"countersign/workflows"
)

// desk is a reconciler with a clock of its own, on a task queue that nobody works on unless the test does.
type desk struct {
	*worker.Reconciler
	db     *store.DB
	client client.Client
	queue  string
	told   *told

	mu  sync.Mutex
	now time.Time
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	c := dial(t)
	t.Cleanup(c.Close)
	db, log := storetest.New(t), slog.New(slog.DiscardHandler)
	hub := stream.NewHub(db)
	events := stream.NewLog(stream.LogOptions{DB: db, Hub: hub, Log: log, Interval: time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { events.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	d := &desk{db: db, client: c, queue: uuid.NewString(), told: &told{}, now: time.Now()}
	engine := worker.NewEngine(worker.EngineOptions{Client: c, Queue: d.queue})
	d.told.Driver = worker.ProposalDriver{Engine: engine}
	d.Reconciler = &worker.Reconciler{
		Log:       log,
		Engine:    engine,
		Driver:    worker.NewTurnDriver(engine, 16, ""),
		Turns:     turn.NewStore(db),
		Sessions:  turn.NewSessions[activities.Memo](turn.SessionsOptions{DB: db, Events: events, Hub: hub, Log: log}),
		Proposals: proposal.NewService(proposal.Options{DB: db, Log: log, Driver: d.told, TTL: time.Hour}, proposal.NewWatch()),
		Clock:     d.clock,
	}
	return d
}

func (d *desk) clock() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

// later lets time go by.
func (d *desk) later(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(by)
}

// do does a chore once.
func (d *desk) do(t *testing.T, name string) error {
	t.Helper()
	for _, c := range d.Chores() {
		if c.Name == name {
			return c.Do(t.Context())
		}
	}
	t.Fatalf("no chore is called %q", name)
	return nil
}

// told is a driver that notes which decisions it is told of.
type told struct {
	proposal.Driver

	mu      sync.Mutex
	heard   []uuid.UUID
	refuses func(id uuid.UUID) error
}

func (d *told) hear(id uuid.UUID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.heard = append(d.heard, id)
	if d.refuses != nil {
		return d.refuses(id)
	}
	return nil
}

// Decided implements proposal.Driver.
func (d *told) Decided(ctx context.Context, id uuid.UUID, ttl time.Duration) error {
	if err := d.hear(id); err != nil {
		return err
	}
	return d.Driver.Decided(ctx, id, ttl)
}

// DecidedPlan implements proposal.Driver.
func (d *told) DecidedPlan(ctx context.Context, id uuid.UUID) error {
	if err := d.hear(id); err != nil {
		return err
	}
	return d.Driver.DecidedPlan(ctx, id)
}

func (d *told) all() []uuid.UUID {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.heard)
}

func (d *desk) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := d.db.Conn(t.Context()).Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// turn accepts a message a while ago.
func (d *desk) turn(t *testing.T) turn.Turn {
	t.Helper()
	id := uuid.New()
	d.exec(t, `INSERT INTO ai_conversations (id, owner_id) VALUES ($1, $1)`, id)
	accepted, created, err := d.Turns.AcceptMessage(t.Context(), turn.Settings{
		ConversationID: id, ConnectionID: uuid.New(), Model: "model", PermissionMode: "approve",
		Principal: principal.Principal{Kind: principal.User, ID: id, SessionID: uuid.New()},
	}, turn.Message{ID: "m1", Text: "Hello"})
	require.NoError(t, err)
	require.True(t, created)
	d.exec(t, `UPDATE ai_turns SET created_at = now() - interval '1 hour' WHERE id = $1`, accepted.ID)
	return accepted
}

// proposal stores one, of a turn unless that is nil, that was decided so long ago.
func (d *desk) proposal(t *testing.T, of *turn.Turn, status string, ago time.Duration) uuid.UUID {
	t.Helper()
	id := uuid.New()
	d.exec(t, `INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status)
		VALUES ($1, 'user', $1, 'chat', 'shelf.putBox', 'mutate', '', 'proposed')`, id)
	d.exec(
		t,
		`INSERT INTO ai_proposals (id, principal_kind, principal_id, principal_name, tool_name, effect, summary, payload, nonce_salt, status,
			created_at, expires_at, decided_by_kind, decided_by_id, decided_by_name, decided_session_id, decided_at, finished_at)
		VALUES ($1, 'user', $1, 'Ada', 'shelf.putBox', 'mutate', 'Put a box', '{}', '', $2::text, now() - interval '2 hours',
			now() + interval '2 hours',
			'user', $1, 'Ada', $1, now() - $3::interval, CASE WHEN $2::text IN ('applied', 'failed', 'declined') THEN now() - $3::interval END)`,
		id,
		status,
		store.Interval(ago),
	)
	if of != nil {
		d.exec(t, `UPDATE ai_proposals SET turn_id = $2, conversation_id = $3 WHERE id = $1`, id, of.ID, of.ConversationID)
	}
	return id
}

const (
	drives = "drive open proposals"
	starts = "start pending turns"
	checks = "check running turns"
)

// One person can make as many cards as they like: they hide no decision.
func TestOpenCardsHideNoDecision(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.exec(t, `WITH c AS (
			INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status)
			SELECT gen_random_uuid(), 'user', gen_random_uuid(), 'chat', 'shelf.putBox', 'mutate', '',
				'proposed' FROM generate_series(1, $1::int) RETURNING id)
		INSERT INTO ai_proposals (id, principal_kind, principal_id, principal_name, tool_name, effect, summary, payload,
			nonce_salt, created_at, expires_at)
		SELECT id, 'user', id, 'Ada', 'shelf.putBox', 'mutate', 'Put a box', '{}', '', now() - interval '1 day', now() + interval '1 day' FROM c`, proposal.DuePage+50)
	decided := d.proposal(t, nil, "applying", time.Minute)
	fresh := d.proposal(t, nil, "applying", -time.Hour)
	require.NoError(t, d.do(t, drives))
	require.Equal(t, []uuid.UUID{decided}, d.told.all())
	d.exec(t, `UPDATE ai_proposals SET decided_at = now() - interval '1 minute' WHERE id = $1`, fresh)
	require.NoError(t, d.do(t, drives))
	require.Equal(t, []uuid.UUID{decided, fresh}, d.told.all())
}

// More than a page of decisions that fail hide none that does not, and each is tried less and less often.
func TestAFailureHidesNoOtherRow(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	broken := d.proposal(t, nil, "applying", time.Hour)
	sound := d.proposal(t, nil, "applying", time.Minute)
	d.told.refuses = func(id uuid.UUID) error {
		if id == broken {
			return errors.New("this one cannot be driven")
		}
		return nil
	}
	require.ErrorContains(t, d.do(t, drives), "cannot be driven")
	require.Equal(t, []uuid.UUID{broken, sound}, d.told.all(), "what comes after an error is done all the same")
	require.NoError(t, d.do(t, drives))
	require.Len(t, d.told.all(), 2, "it is left alone for a while")
	tries := func(within time.Duration) int {
		before := len(d.told.all())
		for range 10 {
			d.later(within / 10)
			_ = d.do(t, drives)
		}
		return len(d.told.all()) - before
	}
	require.Positive(t, tries(10*time.Second))
	require.LessOrEqual(t, tries(10*time.Minute), 8)
	require.LessOrEqual(t, tries(20*time.Minute), 4, "once in five minutes at most")
}

// A workflow that runs has been told once; it is not signalled for as long as it needs. One that is gone is started.
func TestADecisionIsToldOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.proposal(t, nil, "applying", time.Minute)
	for range 10 {
		require.NoError(t, d.do(t, drives))
		d.later(time.Hour)
	}
	require.Equal(t, []uuid.UUID{id}, d.told.all())
	signals := 0
	history := d.client.GetWorkflowHistory(t.Context(), workflows.ProposalID(id), "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		require.NoError(t, err)
		if event.GetEventType() == enums.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED {
			signals++
		}
	}
	require.Equal(t, 1, signals)

	terminate(t, d.client, workflows.ProposalID(id))
	d.later(time.Hour)
	require.NoError(t, d.do(t, drives))
	require.Equal(t, []uuid.UUID{id, id}, d.told.all())
	terminate(t, d.client, workflows.ProposalID(id))
}

// A process that dies between a decision and the signal takes the signal along; the model acknowledges the decision all the
// same, and not only when the time of the card is over.
func TestADecisionWithoutAFollowUpIsDriven(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	of := func() *turn.Turn {
		made := d.turn(t)
		d.exec(t, `UPDATE ai_turns SET status = 'done', finished_at = now() WHERE id = $1`, made.ID)
		return &made
	}
	declined := d.proposal(t, of(), "declined", time.Minute)
	planned := of()
	d.exec(t, `UPDATE ai_proposals SET planned = true WHERE id = $1`, d.proposal(t, planned, "declined", time.Minute))
	d.exec(t, `UPDATE ai_proposals SET planned = true WHERE id = $1`, d.proposal(t, planned, "declined", time.Minute))

	followed := of()
	answered := d.proposal(t, followed, "declined", time.Minute)
	d.exec(
		t,
		`INSERT INTO ai_turns (id, conversation_id, kind, proposal_id, decision, assistant_message_id, principal_kind, principal_id, session_id, connection_id, model, permission_mode)
		VALUES (gen_random_uuid(), $1, 'decision', $2, 'decline', 'a', 'user', $1, $1, $1, 'model', 'approve')`,
		followed.ConversationID,
		answered,
	)
	d.exec(t, `UPDATE ai_proposals SET automatic = true WHERE id = $1`, d.proposal(t, of(), "applied", time.Minute))
	d.proposal(t, nil, "declined", time.Minute)
	gone := of()
	d.proposal(t, gone, "declined", time.Minute)
	d.exec(t, `DELETE FROM ai_conversations WHERE id = $1`, gone.ConversationID)
	d.proposal(t, of(), "declined", -time.Hour)

	require.NoError(t, d.do(t, drives))
	require.ElementsMatch(t, []uuid.UUID{declined, planned.ID}, d.told.all())
	for _, id := range []string{workflows.ProposalID(declined), workflows.PlanID(planned.ID)} {
		terminate(t, d.client, id)
	}
}

// A workflow that cannot go on, because no version that runs fits its history, would leave a decision undone for ever.
func TestADecisionWhoseWorkflowFailsGetsAnother(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	w := sdkworker.New(d.client, d.queue, sdkworker.Options{})
	w.RegisterWorkflowWithOptions(func(workflow.Context, workflows.ProposalInput) (workflows.ProposalOutput, error) {
		panic("this is broken")
	},
		workflow.RegisterOptions{Name: workflows.ProposalWorkflow.Name})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	id := d.proposal(t, nil, "applying", time.Minute)
	require.NoError(t, d.do(t, drives))
	first := runOf(t, d.client, workflows.ProposalID(id))
	apptest.Eventually(t, "it is tried again and again", func() bool {
		look, err := d.Engine.Describe(t.Context(), workflows.ProposalID(id))
		return err == nil && look.Attempt >= 3
	})
	d.later(10 * time.Second)
	require.NoError(t, d.do(t, drives))
	require.Equal(t, first, runOf(t, d.client, workflows.ProposalID(id)), "another version may be on its way")
	for range 10 {
		d.later(time.Minute)
		require.NoError(t, d.do(t, drives))
	}
	require.NotEqual(t, first, runOf(t, d.client, workflows.ProposalID(id)))
	terminate(t, d.client, workflows.ProposalID(id))
}

func TestRunningTurnsHideNoneThatWasNotStarted(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.exec(
		t,
		`WITH c AS (INSERT INTO ai_conversations (id, owner_id) SELECT gen_random_uuid(), gen_random_uuid() FROM generate_series(1, $1::int) RETURNING id)
		INSERT INTO ai_turns (id, conversation_id, kind, message_id, assistant_message_id, status, principal_kind,
			principal_id, session_id, connection_id, model, permission_mode, created_at)
		SELECT c.id, c.id, 'message', 'm', 'a', 'running', 'user', c.id, c.id, c.id, 'model', 'approve', now() - interval '1 day' FROM c`,
		turn.UnfinishedPage+50,
	)
	pending := d.turn(t)
	require.NoError(t, d.do(t, starts))
	state, err := d.Engine.Describe(t.Context(), workflows.TurnID(pending.ID))
	require.NoError(t, err)
	require.Equal(t, worker.Running, state.State)
	terminate(t, d.client, workflows.TurnID(pending.ID))
}

// work runs this code in the place of turns.
func (d *desk) work(t *testing.T, code func(workflow.Context, workflows.TurnInput) (workflows.TurnOutput, error)) {
	t.Helper()
	w := sdkworker.New(d.client, d.queue, sdkworker.Options{})
	w.RegisterWorkflowWithOptions(code, workflow.RegisterOptions{Name: workflows.TurnWorkflow.Name})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
}

// ended checks that a turn has ended so that its person sees it, and that its conversation is free.
func (d *desk) ended(t *testing.T, of turn.Turn, why string) {
	t.Helper()
	found, err := d.Turns.Find(t.Context(), of.ID)
	require.NoError(t, err)
	require.Equal(t, turn.Failed, found.Status)
	var said string
	require.NoError(
		t,
		d.db.Conn(
			t.Context(),
		).QueryRow(
			t.Context(),
			`SELECT content FROM ai_messages WHERE turn_id = $1 AND role = 'assistant'`,
			of.ID,
		).Scan(
			&said,
		),
	)
	require.Contains(t, said, why)
	_, busy, err := d.Turns.Active(t.Context(), of.ConversationID)
	require.NoError(t, err)
	require.False(t, busy)
	state, err := d.Engine.Describe(t.Context(), workflows.TurnID(of.ID))
	require.NoError(t, err)
	require.Equal(t, worker.Closed, state.State)
}

// running checks that a turn is left alone while time goes by in which it is looked at.
func (d *desk) running(t *testing.T, of turn.Turn, during time.Duration) {
	t.Helper()
	for begun := d.clock(); d.clock().Sub(begun) < during; d.later(20 * time.Second) {
		require.NoError(t, d.do(t, checks))
	}
	found, err := d.Turns.Find(t.Context(), of.ID)
	require.NoError(t, err)
	require.False(t, found.Status.Final(), "it was ended after %s", during)
}

// Code that panics is tried for ever. The person is told after a while, and can go on in the conversation.
func TestATurnWhoseWorkflowPanicsIsEnded(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.work(t, func(workflow.Context, workflows.TurnInput) (workflows.TurnOutput, error) { panic("this is broken") })
	made := d.turn(t)
	require.NoError(t, d.do(t, starts))
	apptest.Eventually(t, "it is tried again and again", func() bool {
		look, err := d.Engine.Describe(t.Context(), workflows.TurnID(made.ID))
		return err == nil && look.Attempt >= 3
	})
	d.running(t, made, worker.DefaultStallLimits().TaskFailing)
	require.NoError(t, d.do(t, checks))
	d.later(20 * time.Second)
	require.NoError(t, d.do(t, checks))
	d.ended(t, made, "could not go on with it")
}

// What comes of nothing is ended too, and later: it may be a tool that takes its time.
func TestATurnThatIsSilentIsEnded(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.work(t, func(ctx workflow.Context, _ workflows.TurnInput) (workflows.TurnOutput, error) {
		return workflows.TurnOutput{}, workflow.Sleep(ctx, 24*time.Hour)
	})
	made := d.turn(t)
	require.NoError(t, d.do(t, starts))
	apptest.Eventually(t, "it sleeps", func() bool {
		look, err := d.Engine.Describe(t.Context(), workflows.TurnID(made.ID))
		return err == nil && look.Attempt == 0
	})
	silent := worker.DefaultStallLimits().NoEvents
	d.running(t, made, silent-time.Minute)
	// A sign of life.
	d.exec(t, `INSERT INTO turn_events (turn_id, seq, step, chunk) VALUES ($1, 1, 1, '{}')`, made.ID)
	d.running(t, made, silent-time.Minute)
	// Whoever has not looked for a while knows nothing.
	d.later(time.Hour)
	d.running(t, made, silent-time.Minute)
	for range 6 {
		require.NoError(t, d.do(t, checks))
		d.later(20 * time.Second)
	}
	d.ended(t, made, "nothing has come of it for")
}

// A turn that says something again and again, and records nothing, is one that kills its processes.
func TestATurnThatRecordsNothingIsEnded(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.work(t, func(ctx workflow.Context, _ workflows.TurnInput) (workflows.TurnOutput, error) {
		return workflows.TurnOutput{}, workflow.Sleep(ctx, 24*time.Hour)
	})
	d.StallLimits = worker.StallLimits{TaskFailing: 2 * time.Minute, NoEvents: 2 * time.Minute, NoRecords: 10 * time.Minute}
	made := d.turn(t)
	require.NoError(t, d.do(t, starts))
	seq := 0
	for begun := d.clock(); d.clock().Sub(begun) < 9*time.Minute; d.later(20 * time.Second) {
		seq++
		d.exec(t, `INSERT INTO turn_events (turn_id, seq, step, chunk) VALUES ($1, $2, 1, '{}')`, made.ID, seq)
		require.NoError(t, d.do(t, checks))
	}
	d.running(t, made, 0)
	for range 6 {
		seq++
		d.exec(t, `INSERT INTO turn_events (turn_id, seq, step, chunk) VALUES ($1, $2, 1, '{}')`, made.ID, seq)
		require.NoError(t, d.do(t, checks))
		d.later(20 * time.Second)
	}
	d.ended(t, made, "no step of it has come to an end")
}

// Where no process works, nothing is wrong with a turn.
func TestATurnThatWaitsForAProcessIsLeftAlone(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	made := d.turn(t)
	require.NoError(t, d.do(t, starts))
	d.running(t, made, 2*time.Hour)
	terminate(t, d.client, workflows.TurnID(made.ID))
	require.NoError(t, d.do(t, checks))
	d.later(time.Minute)
	require.NoError(t, d.do(t, checks))
	d.ended(t, made, "broken off")
}

func dial(t testing.TB) client.Client {
	t.Helper()
	address := os.Getenv(apptest.EnvTemporal)
	if address == "" {
		t.Skipf("%s is not set: run `make test`, or `bin/devstack exec -- go test ./...`", apptest.EnvTemporal)
	}
	c, err := worker.Dial(t.Context(), worker.ClientOptions{Address: address, Namespace: "default", Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return c
}

func runOf(t *testing.T, c client.Client, id string) string {
	t.Helper()
	found, err := c.DescribeWorkflowExecution(t.Context(), id, "")
	require.NoError(t, err)
	return found.GetWorkflowExecutionInfo().GetExecution().GetRunId()
}
