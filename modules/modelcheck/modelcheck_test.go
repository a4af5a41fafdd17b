package modelcheck_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/durable"
	"countersign/internal/problem"
	"countersign/model"
	"countersign/modules/modelcheck"
	"countersign/modules/modelcheck/suite"
	"countersign/modules/modelcheck/suite/suitetest"
	"countersign/tool"
	"countersign/tool/spend"
)

// engine starts nothing.
type engine struct{ failed error }

func (e *engine) Start(context.Context, durable.Execution) error       { return e.failed }
func (e *engine) Cancel(context.Context, string) error                 { return nil }
func (e *engine) State(context.Context, string) (durable.State, error) { return durable.Running, nil }

// connections has one.
type connections struct {
	modelcheck.Connection
	// failed is why the database cannot be asked for it.
	failed *error
}

func (c connections) Checked(_ context.Context, id uuid.UUID) (modelcheck.Connection, error) {
	if *c.failed != nil {
		return modelcheck.Connection{}, *c.failed
	}
	if id != c.ID {
		return modelcheck.Connection{}, problem.Errorf(problem.NotFound, "There is no such connection.")
	}
	return c.Connection, nil
}

type app struct {
	*modelcheck.Module
	*apitest.Server
	engine     *engine
	connection uuid.UUID
	// away is why the connection cannot be found for now.
	away error
}

func newApp(t *testing.T, conduct suitetest.Conduct) *app {
	t.Helper()
	registry, err := tool.NewRegistry()
	require.NoError(t, err)
	a := &app{Server: apitest.New(t), engine: &engine{}, connection: uuid.New()}
	a.Module = modelcheck.New(modelcheck.Options{
		DB: a.DB, Log: slog.New(slog.DiscardHandler), Engine: a.engine, Ledger: spend.New(a.DB), Tools: registry,
		Connections: connections{modelcheck.Connection{
			ID: a.connection, Name: "Provider", Client: model.New(model.Options{BaseURL: suitetest.Serve(t, conduct), APIKey: "k"}),
			Resolve: func(string) string { return "m" }, Cap: spend.Cap{Tokens: 1_000_000, Window: time.Hour},
		}, &a.away},
	})
	a.Mount(t, a.Module)
	a.Person("manager", modelcheck.Manage)
	a.Person("reader", "ai.connection.read")
	return a
}

func (a *app) start(t *testing.T) modelcheck.Check {
	t.Helper()
	check, err := a.Begin(t.Context(), modelcheck.NewCheck{ConnectionID: a.connection, Kinds: []string{"topic"}})
	require.NoError(t, err)
	return check
}

func (a *app) status(t *testing.T, id uuid.UUID) modelcheck.Status {
	t.Helper()
	r, err := a.Report(t.Context(), id)
	require.NoError(t, err)
	return r.Status
}

func TestWhatWasPlayedIsNotPlayedAgain(t *testing.T) {
	t.Parallel()
	played := 0
	a := newApp(t, func(s suite.Situation, step int) (suite.Act, bool) {
		played++
		return suitetest.Perfect(s, step)
	})
	check := a.start(t)
	for range 2 {
		over, err := a.Play(t.Context(), check.ID, 0, 1)
		require.NoError(t, err)
		require.False(t, over)
	}
	require.Equal(t, 1, played)
	require.NoError(t, a.Finish(t.Context(), check.ID))
	require.Equal(t, modelcheck.Interrupted, a.status(t, check.ID), "it is not whole")
	over, err := a.Play(t.Context(), check.ID, 1, 1)
	require.NoError(t, err)
	require.True(t, over, "nothing comes after the end")
	require.Equal(t, 1, played)
}

func TestACheckThatNobodyWorksOnIsInterrupted(t *testing.T) {
	t.Parallel()
	a := newApp(t, suitetest.Perfect)
	check := a.start(t)
	require.NoError(t, a.Interrupt(t.Context()))
	require.Equal(t, modelcheck.Running, a.status(t, check.ID))
	a.Exec(t, `UPDATE ai_model_checks SET alive_at = alive_at - interval '20 minutes'`)
	require.NoError(t, a.Interrupt(t.Context()))
	require.Equal(t, modelcheck.Interrupted, a.status(t, check.ID))
	a.start(t) // its place is free
}

// Only the word that it is over has not arrived.
func TestASilentCheckWithAllOutcomesIsDone(t *testing.T) {
	t.Parallel()
	a := newApp(t, suitetest.Perfect)
	check := a.start(t)
	for n := range check.Total {
		_, err := a.Play(t.Context(), check.ID, n, 1)
		require.NoError(t, err)
	}
	a.Exec(t, `UPDATE ai_model_checks SET alive_at = alive_at - interval '20 minutes'`)
	require.NoError(t, a.Interrupt(t.Context()))
	require.Equal(t, modelcheck.Done, a.status(t, check.ID))
}

// A database that is away for a moment is nothing that a model has done: the situation is played later.
func TestAFailureOfTheHostIsNoOutcome(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]func(*app, *testing.T) (mend func()){
		"the connection cannot be read": func(a *app, _ *testing.T) func() {
			a.away = errors.New("the database is away")
			return func() { a.away = nil }
		},
		"the ledger cannot be written": func(a *app, t *testing.T) func() {
			a.Exec(t, `ALTER TABLE ai_spend ADD CONSTRAINT broken CHECK (false) NOT VALID`)
			return func() { a.Exec(t, `ALTER TABLE ai_spend DROP CONSTRAINT broken`) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, suitetest.Perfect)
			check := a.start(t)
			mend := broken(a, t)
			_, err := a.Play(t.Context(), check.ID, 0, 1)
			require.Error(t, err)
			mend()
			_, err = a.Play(t.Context(), check.ID, 0, 2)
			require.NoError(t, err)
			r, err := a.Report(t.Context(), check.ID)
			require.NoError(t, err)
			require.Len(t, r.Outcomes, 1)
			require.Equal(t, suite.Passed, r.Outcomes[0].Verdict)
		})
	}
}

func TestACheckThatDoesNotStartIsNotRunning(t *testing.T) {
	t.Parallel()
	a := newApp(t, suitetest.Perfect)
	a.engine.failed = context.DeadlineExceeded
	body := map[string]any{"connectionId": a.connection}
	a.Do(t, "manager", http.MethodPost, "/api/ai/model-checks", body).Refused(t, problem.Unavailable)
	a.Do(t, "reader", http.MethodPost, "/api/ai/model-checks", body).Refused(t, problem.Forbidden)
	a.engine.failed = nil
	require.Equal(t, http.StatusAccepted, a.Do(t, "manager", http.MethodPost, "/api/ai/model-checks", body).Status)
	a.Do(
		t,
		"manager",
		http.MethodPost,
		"/api/ai/model-checks",
		map[string]any{"connectionId": a.connection, "kinds": []string{"nonsense"}},
	).Refused(
		t,
		problem.Invalid,
	)
	a.Do(
		t,
		"manager",
		http.MethodPost,
		"/api/ai/model-checks",
		map[string]any{"connectionId": a.connection, "model": "a\x00b"},
	).Refused(
		t,
		problem.Invalid,
	)
}

func TestTheOldestChecksAreForgotten(t *testing.T) {
	t.Parallel()
	a := newApp(t, suitetest.Perfect)
	first := a.start(t)
	require.NoError(t, a.Abort(t.Context(), first.ID))
	a.Exec(t, `INSERT INTO ai_model_checks (id, connection_id, connection_name, model, status, situations, repeats, parallel, ended_at)
		SELECT gen_random_uuid(), $1, 'Provider', 'm', 'done', '{poem}', 1, 1, now() FROM generate_series(1, 50)`, a.connection)
	require.NoError(t, a.Prune(t.Context()))
	_, err := a.Report(t.Context(), first.ID)
	require.True(t, problem.Is(err, problem.NotFound))
}
