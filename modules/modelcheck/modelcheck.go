// Package modelcheck evaluates models: it replays the cases of its suite with a model of a connection, scores the result, and
// stores the outcomes for comparison with earlier checks.
//
// A check that was started over the API is a workflow with a step for each situation, so it goes on after a restart. One
// that a command on the server plays dies with the command. A check without a running process counts as interrupted.
package modelcheck

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/chat/assistant"
	"countersign/internal/durable"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/internal/text"
	"countersign/model"
	"countersign/modules/modelcheck/modelcheckdb"
	"countersign/modules/modelcheck/suite"
	"countersign/tool"
	"countersign/tool/spend"
)

// Manage is the access rule of everything here. The connections declare it.
const Manage = "ai.connection.manage"

const (
	defaultParallel = 4
	// silence is the time without progress after which a check counts as interrupted: longer than any situation takes.
	silence = suite.MostTime + suite.MaxTime
	// kept bounds the stored checks of one connection.
	kept = 50
)

// Engine starts and cancels the workflows of checks. Each call may be repeated.
type Engine interface {
	Start(ctx context.Context, e durable.Execution) error
	Cancel(ctx context.Context, id string) error
}

// Connections finds what to check; also a connection that is switched off, as one checks before one trusts.
type Connections interface {
	Checked(ctx context.Context, id uuid.UUID) (Connection, error)
}

// Connection is the part of a connection that a check needs. Resolve returns the model for a name, the default for "", Known
// what is known of a model and how many tools a request may offer to it, and Learn stores what calls have shown of it; nil is
// nothing.
type Connection struct {
	ID      uuid.UUID
	Name    string
	Family  string
	Cap     spend.Cap
	Client  suite.Client
	Resolve func(model string) string
	Known   func(model string) (known assistant.Measures, maxTools int)
	Learn   func(ctx context.Context, model string, seen model.Figures) error
}

func (c Connection) known(name string) (assistant.Measures, int) {
	if c.Known == nil {
		return assistant.Measures{}, 0
	}
	return c.Known(name)
}

// Names finds the names of people and applications.
type Names interface {
	Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Options configure a Module.
type Options struct {
	DB          *store.DB
	Log         *slog.Logger
	Engine      Engine
	Connections Connections
	Ledger      *spend.Ledger
	Tools       *tool.Registry
	// Search is the search for tools, as in conversations.
	Search suite.Search
	// Names resolves display names; it may be nil.
	Names Names
}

// Module checks models. It is safe for concurrent use.
type Module struct{ Options }

// New makes the module. The registry may be filled later.
func New(o Options) *Module { return &Module{o} }

func (m *Module) queries(ctx context.Context) *modelcheckdb.Queries {
	return modelcheckdb.New(m.DB.Conn(ctx))
}

// Start begins a check in the background.
func (m *Module) Start(ctx context.Context, in NewCheck) (Check, error) {
	begun, err := m.Begin(ctx, in)
	if err != nil {
		return Check{}, err
	}
	if err := m.start(ctx, begun); err != nil {
		if _, endErr := m.queries(
			context.WithoutCancel(ctx),
		).EndCheck(
			context.WithoutCancel(ctx),
			modelcheckdb.EndCheckParams{ID: begun.ID, Status: string(Interrupted)},
		); endErr != nil {
			m.Log.Warn("Check of a model that was not started stays as running for a while", "check", begun.ID, "error", endErr)
		}
		return Check{}, problem.Errorf(problem.Unavailable, "The check could not be started. Try again in a moment.").WithCause(err)
	}
	return begun, nil
}

// Begin stores a check that is about to run. There is at most one per connection.
func (m *Module) Begin(ctx context.Context, in NewCheck) (Check, error) {
	var issues problem.Issues
	const longest = 200
	in.Model = text.Line(&issues, "model", in.Model, longest)
	if err := issues.Err(); err != nil {
		return Check{}, err
	}
	c, err := m.Connections.Checked(ctx, in.ConnectionID)
	if err != nil {
		return Check{}, err
	}
	p := principal.FromContext(ctx)
	params := modelcheckdb.InsertCheckParams{
		ID: store.NewID(), ConnectionID: c.ID, ConnectionName: c.Name, Model: c.Resolve(in.Model), Situations: suite.Load().Names(in.Kinds...),
		Repeats: int32(max(in.Repeats, 1)), Parallel: int32(in.Parallel), InputPrice: in.InputPrice, OutputPrice: in.OutputPrice,
	}
	if params.Parallel < 1 {
		params.Parallel = defaultParallel
	}
	if !p.IsZero() {
		params.StartedByKind, params.StartedBy = new(string(p.Kind)), &p.ID
	}
	return store.InTx(ctx, m.DB, func(ctx context.Context) (Check, error) {
		row, err := m.queries(ctx).InsertCheck(ctx, params)
		if store.NoRows(err) {
			return Check{}, problem.Errorf(problem.Conflict, "A check of this connection is running. Wait for its end, or stop it.")
		}
		if err != nil {
			return Check{}, fmt.Errorf("insert check: %w", err)
		}
		return fromRow(row), m.record(ctx, audit.Ran, row, "A check of a model was started")
	})
}

// Stop ends a check. A running case ends by itself, and its outcome is dropped. A check that has ended stays unchanged.
func (m *Module) Stop(ctx context.Context, id uuid.UUID) (Check, error) {
	row, err := m.row(ctx, id)
	if err != nil {
		return Check{}, err
	}
	err = m.DB.InTx(ctx, func(ctx context.Context) error {
		ended, err := m.queries(ctx).EndCheck(ctx, modelcheckdb.EndCheckParams{ID: id, Status: string(Stopped)})
		if err != nil || ended == 0 {
			return err
		}
		return m.record(ctx, audit.Changed, row, "A check of a model was stopped")
	})
	if err != nil {
		return Check{}, fmt.Errorf("stop check: %w", err)
	}
	if err := m.Engine.Cancel(ctx, executionID(id)); err != nil {
		m.Log.Warn("Workflow of a stopped check not canceled; it ends with the next situation", "check", id, "error", err)
	}
	report, err := m.Report(ctx, id)
	return report.Check, err
}

func (m *Module) row(ctx context.Context, id uuid.UUID) (modelcheckdb.AiModelCheck, error) {
	row, err := m.queries(ctx).Check(ctx, id)
	if store.NoRows(err) {
		return row, problem.Errorf(problem.NotFound, "There is no such check; only the newest of each connection are kept.")
	}
	if err != nil {
		return row, fmt.Errorf("find check: %w", err)
	}
	return row, nil
}

// Report is a check with its outcomes.
func (m *Module) Report(ctx context.Context, id uuid.UUID) (Report, error) {
	row, err := m.row(ctx, id)
	if err != nil {
		return Report{}, err
	}
	rows, err := m.queries(ctx).Outcomes(ctx, id)
	if err != nil {
		return Report{}, fmt.Errorf("list outcomes: %w", err)
	}
	r := Report{Check: fromRow(row), Outcomes: []Outcome{}}
	for _, row := range rows {
		r.Outcomes = append(r.Outcomes, outcomeOf(row))
	}
	r.Tally, r.Kinds = tally(r.Outcomes)
	r.Cost = r.cost(r.InputTokens, r.OutputTokens)
	checks := []Check{r.Check}
	err = m.name(ctx, checks)
	r.Check = checks[0]
	return r, err
}

// List are the newest checks first; of one connection unless it is nil.
func (m *Module) List(ctx context.Context, connection *uuid.UUID, page rest.Page) ([]Check, rest.Next, error) {
	after, err := page.AfterID()
	if err != nil {
		return nil, rest.Next{}, err
	}
	rows, err := m.queries(ctx).Checks(ctx, modelcheckdb.ChecksParams{ConnectionID: connection, AfterID: after, MaxRows: page.Rows()})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list checks: %w", err)
	}
	checks := make([]Check, len(rows))
	for i, r := range rows {
		checks[i] = fromRow(modelcheckdb.AiModelCheck{
			ID: r.ID, ConnectionID: r.ConnectionID, ConnectionName: r.ConnectionName, Model: r.Model, Status: r.Status, Situations: r.Situations,
			Repeats: r.Repeats, Parallel: r.Parallel, StartedByKind: r.StartedByKind, StartedBy: r.StartedBy, InputPrice: r.InputPrice,
			OutputPrice: r.OutputPrice, CreatedAt: r.CreatedAt, AliveAt: r.AliveAt, EndedAt: r.EndedAt,
		})
		checks[i].Tally = Tally{
			Played: int(
				r.Played,
			),
			Passed:       int(r.Passed),
			Failed:       int(r.Failed),
			Errors:       int(r.Errors),
			InputTokens:  r.InputTokens,
			OutputTokens: r.OutputTokens,
		}
		checks[i].Cost = checks[i].cost(r.InputTokens, r.OutputTokens)
	}
	checks, next := rest.Cut(page, checks, func(c Check) string { return c.ID.String() })
	return checks, next, m.name(ctx, checks)
}

func (m *Module) name(ctx context.Context, checks []Check) error {
	var ids []uuid.UUID
	for _, c := range checks {
		if c.StartedBy != nil {
			ids = append(ids, *c.StartedBy)
		}
	}
	if m.Names == nil || len(ids) == 0 {
		return nil
	}
	names, err := m.Names.Names(ctx, ids)
	if err != nil {
		return fmt.Errorf("find names of people: %w", err)
	}
	for i, c := range checks {
		if c.StartedBy != nil {
			checks[i].StartedByName = names[*c.StartedBy]
		}
	}
	return nil
}

func fromRow(r modelcheckdb.AiModelCheck) Check {
	return Check{
		ID: r.ID, ConnectionID: r.ConnectionID, ConnectionName: r.ConnectionName, Model: r.Model, Status: Status(r.Status),
		Repeats: int(r.Repeats), Parallel: int(r.Parallel), StartedBy: r.StartedBy, CreatedAt: r.CreatedAt, EndedAt: r.EndedAt,
		Total: len(r.Situations) * int(r.Repeats), Prices: Prices{r.InputPrice, r.OutputPrice},
	}
}

func outcomeOf(r modelcheckdb.AiModelCheckOutcome) Outcome {
	o := Outcome{
		Number: int(
			r.Number,
		),
		Situation:    r.Situation,
		Kind:         r.Kind,
		Verdict:      suite.Verdict(r.Verdict),
		Reasons:      r.Reasons,
		Shown:        r.Shown,
		Steps:        int(r.Steps),
		Calls:        int(r.Calls),
		InputTokens:  r.InputTokens,
		OutputTokens: r.OutputTokens,
		Estimated:    r.Estimated,
		TookMs:       r.TookMs,
	}
	if s, ok := suite.Load().Find(r.Situation); ok {
		o.About = s.About
	}
	return o
}

// Chores are the periodic jobs of the module.
func (m *Module) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "interrupt model checks", Every: time.Minute, Do: m.Interrupt},
		{Name: "prune model checks", Every: time.Hour, Do: m.Prune},
	}
}

// Interrupt ends the checks without recent progress: their process has died, or no worker serves the queue. A check
// with all its outcomes is done.
func (m *Module) Interrupt(ctx context.Context) error {
	if _, err := m.queries(ctx).EndSilentChecks(ctx, silence.Seconds()); err != nil {
		return fmt.Errorf("interrupt checks: %w", err)
	}
	return nil
}

// Prune deletes the oldest checks of each connection.
func (m *Module) Prune(ctx context.Context) error {
	if _, err := m.queries(ctx).PruneChecks(ctx, kept); err != nil {
		return fmt.Errorf("prune checks: %w", err)
	}
	return nil
}
