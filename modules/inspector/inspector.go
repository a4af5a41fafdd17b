// Package inspector shows how turns went, step by step: when each model call and each tool call began and ended, what it used
// and cost, and which were made again. All of it is read from what turns leave anyway: the ledger of model calls, the audit
// rows of tool calls, the records of steps.
//
// Who may read the conversation of a turn sees its whole report. Who has only the rule Read sees no text of anybody in it: no
// arguments, no messages of errors, no names of tools that people or models have made up, and not which conversation it was. What the
// person said about the answer (package feedback) they do see: it was written for them.
package inspector

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/modules/inspector/inspectordb"
	"countersign/principal"
	"countersign/problem"
	"countersign/rest"
	"countersign/store"
	"countersign/tool/spend"
)

// Access rules. Read opens the turns of everybody; ChatRead, which the conversations declare, one's own.
const (
	Read     = "ai.turn.read"
	ChatRead = "ai.chat.read"
)

// Rules are the access rules of the inspector.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{
			ID:          Read,
			Description: "See how turns of everybody went: steps, timings, tokens, models and costs, without what was said, the feedback that people gave, and what everybody has spent",
		},
	}
}

// Names finds the names of people and applications.
type Names interface {
	Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Conversations says who may read one. It is the answer that reading it gives: not found for everybody else.
type Conversations interface {
	Readable(ctx context.Context, p principal.Principal, id uuid.UUID) error
}

// Options are what a Module is made of.
type Options struct {
	DB            *store.DB
	Conversations Conversations
	Names         Names
	// Spend is the ledger of model calls; Teams and Connections say what its keys are called.
	Spend       *spend.Ledger
	Teams       Teams
	Connections Connections
	// Known reports whether a tool is one of the product's own, whose name says nothing about anybody.
	Known func(tool string) bool
}

// Module shows turns. It is safe for concurrent use.
type Module struct{ Options }

// New makes the module.
func New(o Options) *Module { return &Module{o} }

func (m *Module) queries(ctx context.Context) *inspectordb.Queries {
	return inspectordb.New(m.DB.Conn(ctx))
}

// Filter narrows the list of turns; empty fields do not.
type Filter struct {
	Status      string
	Principal   *uuid.UUID
	Connection  *uuid.UUID
	Model       string
	SlowSeconds int
	// Feedback is the verdict of the person, or "comment" for those that say more.
	Feedback string
}

// statuses are those that a status of the filter stands for: who looks for running turns means pending ones too.
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

// mostLooked is how many turns a page looks through for those that fit filters without an index. The next page goes on there.
const mostLooked = 10_000

// List shows the turns of everybody, the newest first. A page can have fewer than were asked for, or none, and not be the last.
func (m *Module) List(ctx context.Context, f Filter, page rest.Page) ([]Turn, rest.Next, error) {
	after, err := page.AfterMoment()
	if err != nil {
		return nil, rest.Next{}, err
	}
	params := inspectordb.TurnsParams{
		Statuses: f.statuses(), PrincipalID: f.Principal, ConnectionID: f.Connection, Model: f.Model, SlowSeconds: int32(f.SlowSeconds),
		Feedback: f.Feedback, MaxRows: page.Rows(), Depth: mostLooked,
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
		if next, err = m.goesOn(ctx, params); err != nil {
			return nil, rest.Next{}, err
		}
	}
	people := make([]*Person, len(turns))
	for i := range turns {
		people[i] = &turns[i].Person
	}
	return turns, next, m.name(ctx, people...)
}

// goesOn is the cursor of what a page has not looked at.
func (m *Module) goesOn(ctx context.Context, p inspectordb.TurnsParams) (rest.Next, error) {
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

// name fills in what people and applications are called.
func (m *Module) name(ctx context.Context, people ...*Person) error {
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

// missing is the answer for a turn that does not exist and for one that is none of the caller's business.
func missing(id uuid.UUID) error {
	return problem.Errorf(problem.NotFound, "No turn has the id %s. It may have been deleted with its conversation.", id)
}

// Report shows one turn. Whoever asked, and whoever may see the turns of everybody, may look.
func (m *Module) Report(ctx context.Context, id uuid.UUID) (Report, error) {
	p := principal.FromContext(ctx)
	row, err := m.queries(ctx).Turn(ctx, id)
	if store.NoRows(err) {
		return Report{}, missing(id)
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
		return Report{}, missing(id)
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
	return report, m.name(ctx, &report.Person)
}
