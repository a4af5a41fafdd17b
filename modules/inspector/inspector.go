// Package inspector reports turns step by step: the timing of each model and tool call, its usage and cost, and
// retries. It reads existing data: the ledger of model calls, the audit rows of tool calls and the step records.
//
// Readers of a turn's conversation see the full report. Holders of the rule Read alone see no texts: no arguments,
// error messages, names of custom tools, nor which conversation it was. They do see the person's feedback (package
// feedback), which is written for them.
package inspector

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/inspector/inspectordb"
	"countersign/tool/spend"
)

// Access rules. Read opens the turns of all users; ChatRead, of the conversations, a person's own.
const (
	Read     = "ai.turn.read"
	ChatRead = "ai.chat.read"
)

// Rules returns its access rules.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{
			ID: Read,
			Description: "See how turns of everybody went: steps, timings, tokens, models and costs, without what was said, " +
				"the feedback that people gave, and what everybody has spent",
		},
	}
}

// Names resolves the names of people and applications.
type Names interface {
	Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Conversations checks who may read a conversation; problem.NotFound for others.
type Conversations interface {
	Readable(ctx context.Context, p principal.Principal, id uuid.UUID) error
}

// Options are the dependencies of a Module.
type Options struct {
	DB            *store.DB
	Conversations Conversations
	Names         Names
	// Spend is the ledger of model calls; Teams and Connections resolve its keys.
	Spend       *spend.Ledger
	Teams       Teams
	Connections Connections
	// Known reports whether a tool is one of the product's own, whose name is no user text.
	Known func(tool string) bool
}

// Module reports turns. It is safe for concurrent use.
type Module struct{ Options }

// New makes a Module.
func New(o Options) *Module { return &Module{o} }

func (m *Module) queries(ctx context.Context) *inspectordb.Queries {
	return inspectordb.New(m.DB.Conn(ctx))
}

// Filter narrows the list of turns; empty fields match all.
type Filter struct {
	Status      string
	Principal   *uuid.UUID
	Connection  *uuid.UUID
	Model       string
	SlowSeconds int
	// Feedback is the person's verdict, or "comment" for feedback with a comment.
	Feedback string
}

// statuses returns the stored statuses of a filter: running includes pending.
func (f Filter) statuses() []string {
	switch f.Status {
	case "":
		return []string{}
	case "running":
		return []string{"pending", "running"}
	default:
		return []string{f.Status}
	}
}

// maxScanned limits the turns that a page scans for filters without an index. The next page continues there.
const maxScanned = 10_000

// List lists the turns of all users, newest first. A page can be short or empty without being the last.
func (m *Module) List(ctx context.Context, f Filter, page rest.Page) ([]Turn, rest.Next, error) {
	after, err := page.AfterMoment()
	if err != nil {
		return nil, rest.Next{}, err
	}
	params := inspectordb.TurnsParams{
		Statuses: f.statuses(), PrincipalID: f.Principal, ConnectionID: f.Connection, Model: f.Model, SlowSeconds: int32(f.SlowSeconds),
		Feedback: f.Feedback, MaxRows: page.Rows(), Depth: maxScanned,
	}
	if f.Status == "done" {
		params.Statuses, params.Done = []string{}, true
	}
	if after != nil {
		params.AfterID, params.AfterAt = &after.ID, after.At
	}
	rows, err := inspectordb.New(m.DB.CustomPlans(ctx)).Turns(ctx, params)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list turns: %w", err)
	}
	turns := make([]Turn, len(rows))
	for i, r := range rows {
		turns[i] = turnOf(r)
	}
	turns, next := rest.Cut(page, turns, Turn.place)
	if next.NextCursor == "" {
		if next, err = m.scanCursor(ctx, params); err != nil {
			return nil, rest.Next{}, err
		}
	}
	people := make([]*Person, len(turns))
	for i := range turns {
		people[i] = &turns[i].Person
	}
	return turns, next, m.resolveNames(ctx, people...)
}

// scanCursor returns the cursor behind the scanned turns.
func (m *Module) scanCursor(ctx context.Context, p inspectordb.TurnsParams) (rest.Next, error) {
	last, err := inspectordb.New(m.DB.CustomPlans(ctx)).LastLookedAt(ctx, inspectordb.LastLookedAtParams{
		Statuses: p.Statuses, PrincipalID: p.PrincipalID, AfterID: p.AfterID, AfterAt: p.AfterAt, Skipped: p.Depth - 1,
	})
	if store.NoRows(err) {
		return rest.Next{}, nil
	}
	if err != nil {
		return rest.Next{}, fmt.Errorf("look for further turns: %w", err)
	}
	return rest.NextAfter(rest.Moment{At: last.CreatedAt, ID: last.ID}.String()), nil
}

// resolveNames resolves the names of people and applications.
func (m *Module) resolveNames(ctx context.Context, people ...*Person) error {
	if m.Names == nil || len(people) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(people))
	for i, p := range people {
		ids[i] = p.ID
	}
	names, err := m.Names.Names(ctx, ids)
	if err != nil {
		return fmt.Errorf("find names of principals: %w", err)
	}
	for _, p := range people {
		p.Name = names[p.ID]
	}
	return nil
}

// turnMissing is the error for a turn that does not exist or that the caller may not see.
func turnMissing(id uuid.UUID) error {
	return problem.Errorf(problem.NotFound, "No turn has the id %s. It may have been deleted with its conversation.", id)
}

// Report returns one turn, for its requester and for holders of the rule Read.
func (m *Module) Report(ctx context.Context, id uuid.UUID) (Report, error) {
	p := principal.FromContext(ctx)
	row, err := m.queries(ctx).Turn(ctx, id)
	if store.NoRows(err) {
		return Report{}, turnMissing(id)
	}
	if err != nil {
		return Report{}, fmt.Errorf("find turn: %w", err)
	}
	err = m.Conversations.Readable(ctx, p, row.ConversationID)
	readable := err == nil
	if err != nil && !problem.Is(err, problem.NotFound) {
		return Report{}, fmt.Errorf("look at the conversation of a turn: %w", err)
	}
	if !readable && !p.Has(Read) {
		return Report{}, turnMissing(id)
	}
	report := reportOf(row, readable)
	if err := m.addCalls(ctx, &report, row); err != nil {
		return Report{}, err
	}
	if readable {
		if err := m.addArguments(ctx, &report); err != nil {
			return Report{}, err
		}
	} else {
		report.withoutWords(m.Known)
	}
	return report, m.resolveNames(ctx, &report.Person)
}
