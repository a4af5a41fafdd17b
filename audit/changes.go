package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/audit/auditdb"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Item is an object as an entry names it.
type Item struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Name string `json:"name" doc:"Its name at that time; empty when it has none, or was that of a person who was erased"`
}

// ChangeEntry is one change, sign-in or refusal.
type ChangeEntry struct {
	Entry   int64     `json:"entry" doc:"Its number in the log"`
	At      time.Time `json:"at"`
	Action  Action    `json:"action" enum:"created,changed,deleted,added,removed,granted,withdrawn,archived,restored,erased,ran,signed-in,sign-in-failed,signed-out,token-refused,name-refused,decided,refused"`
	Object  Item      `json:"object"`
	Subject *Item     `json:"subject,omitempty" doc:"What the object got or lost: a member, an owner, the holder of a grant"`
	Summary string    `json:"summary"`
	Fields  []Field   `json:"fields" nullable:"false" doc:"What changed; values only of fields whose values are harmless"`
	// Actor made the request. AppliedBy decided, for a proposal.
	Actor     Actor  `json:"actor"`
	AppliedBy *Actor `json:"appliedBy,omitempty" doc:"Who decided, when it was proposed before"`
	// The following members are for readers of the audit log and for the actor.
	Transport  string     `json:"transport,omitempty" enum:"page,api,application,chat,mcp,automation,system"`
	Operation  string     `json:"operation,omitempty" doc:"The operation of the REST API"`
	ProposalID *uuid.UUID `json:"proposalId,omitempty" doc:"The proposal that this carries out; also the id of its tool call"`
	TurnID     *uuid.UUID `json:"turnId,omitempty"`
	SessionID  *uuid.UUID `json:"sessionId,omitempty" doc:"The session, the API token or the run"`
	Address    string     `json:"address,omitempty" doc:"The network address of a sign-in"`
	Seq        *int64     `json:"seq,omitempty" doc:"Its place in the chain; absent in the first second"`
}

// ChangeFilter narrows the list of changes; zero values mean everything.
type ChangeFilter struct {
	From, To             time.Time
	ObjectType, ObjectID string
	Action               Action
	// PrincipalID matches the requester or the decider.
	PrincipalID uuid.UUID
	ProposalID  uuid.UUID
	Transport   string
	// Program matches the whole id of the program of the request or decision.
	Program string
	// Text matches parts of names and summaries, and whole ids.
	Text string
	// Mine keeps only changes by the caller.
	Mine bool
}

// Changes lists changes and sign-ins, newest first, and the cursor of the next page, if any. Callers without Read get
// their own only.
func (l *Log) Changes(ctx context.Context, p principal.Principal, f ChangeFilter, cursor string, limit int) ([]ChangeEntry, string, error) {
	params, err := changeParams(p, f)
	if err != nil {
		return nil, "", err
	}
	before, err := parseCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	list, next, err := l.changePage(ctx, p, params, before, limit)
	for i := range list {
		list[i] = list[i].redactFor(p)
	}
	return list, next, err
}

// redactFor restricts the session and the network address to readers of the audit log and to the actor: for a proposal,
// the decider.
func (e ChangeEntry) redactFor(p principal.Principal) ChangeEntry {
	by := e.Actor
	if e.AppliedBy != nil {
		by = *e.AppliedBy
	}
	if !p.Has(Read) && by.ID != p.ID {
		e.SessionID, e.Address = nil, ""
	}
	return e
}

func changeParams(p principal.Principal, f ChangeFilter) (auditdb.ChangesParams, error) {
	if !p.Has(Read) && !f.Mine && f.PrincipalID != p.ID {
		return auditdb.ChangesParams{}, problem.MissingRule("see the changes of others; ask for your own with mine=true", Read)
	}
	if f.ObjectID != "" && f.ObjectType == "" {
		return auditdb.ChangesParams{}, problem.InvalidInput(
			"An object's id needs the object's type beside it.",
			problem.Issue{Path: "objectType", Message: "is missing"},
		)
	}
	params := auditdb.ChangesParams{
		From:       f.From,
		To:         f.To,
		ObjectType: optional(f.ObjectType, maxName),
		ObjectID:   optional(f.ObjectID, maxName),
		Action:     optional(string(f.Action), maxName),
		Transport: optional(
			f.Transport,
			maxName,
		),
		Program:     optional(f.Program, maxProgramID),
		PrincipalID: given(f.PrincipalID),
		ProposalID:  given(f.ProposalID),
		Search:      strings.ToLower(strings.TrimSpace(clip(f.Text, maxName))),
	}
	if params.To.IsZero() || params.To.After(forever) {
		params.To = forever
	}
	if f.Mine {
		params.PrincipalID = &p.ID
	}
	return params, nil
}

func optional(text string, most int) *string {
	if text == "" {
		return nil
	}
	return new(clip(text, most))
}

func (l *Log) changePage(
	ctx context.Context,
	p principal.Principal,
	params auditdb.ChangesParams,
	before position,
	limit int,
) ([]ChangeEntry, string, error) {
	params.BeforeAt, params.BeforeID, params.MaxRows = before.at, before.record, int32(limit+1)
	rows, err := auditdb.New(l.db.CustomPlans(ctx)).Changes(ctx, params)
	if err != nil {
		return nil, "", fmt.Errorf("list changes: %w", err)
	}
	next := ""
	if len(rows) > limit {
		rows = rows[:limit]
		next = position{rows[limit-1].At, rows[limit-1].ID}.cursor()
	}
	list := make([]ChangeEntry, len(rows))
	for i, row := range rows {
		if list[i], err = changeOf(row); err != nil {
			return nil, "", err
		}
	}
	return list, next, l.nameProgramsOfChanges(ctx, p, list)
}

func changeOf(r auditdb.ChangesRow) (ChangeEntry, error) {
	e := ChangeEntry{
		Entry:      r.ID,
		At:         r.At,
		Action:     Action(r.Action),
		Object:     Item{r.ObjectType, r.ObjectID, r.ObjectName},
		Summary:    r.Summary,
		Fields:     []Field{},
		Actor:      Actor{Kind: r.PrincipalKind, ID: r.PrincipalID, Name: r.PrincipalName},
		Transport:  r.Transport,
		Operation:  r.Operation,
		ProposalID: r.ProposalID,
		TurnID:     r.TurnID,
		SessionID:  r.SessionID,
		Seq:        r.Seq,
	}
	if r.SubjectType != nil {
		e.Subject = &Item{*r.SubjectType, store.Value(r.SubjectID), store.Value(r.SubjectName)}
	}
	if r.AppliedByID != nil {
		e.AppliedBy = &Actor{Kind: store.Value(r.AppliedByKind), ID: *r.AppliedByID, Name: r.AppliedByName}
	}
	if err := json.Unmarshal([]byte(r.Fields), &e.Fields); err != nil {
		return e, fmt.Errorf("decode fields of audit entry %d: %w", r.ID, err)
	}
	if r.Personal == nil {
		return e, nil
	}
	var about personal
	if err := json.Unmarshal([]byte(*r.Personal), &about); err != nil {
		return e, fmt.Errorf("decode what audit entry %d says about a person: %w", r.ID, err)
	}
	e.Address = about.Address
	if about.Object != "" {
		e.Object.Name = about.Object
	}
	if about.Subject != "" && e.Subject != nil {
		e.Subject.Name = about.Subject
	}
	return e, nil
}

// historyRounds bounds how many pages of entries one page of a history may leave out.
const historyRounds = 5

// History lists the changes of one object, newest first, for principals who may see the object; for readers of the
// audit log also after its deletion. Other readers get no sessions, addresses, transports and proposals, and no entry
// with a participant that they cannot see, such as a group.
func (l *Log) History(ctx context.Context, p principal.Principal, object Ref, cursor string, limit int) ([]ChangeEntry, string, error) {
	kind, known := l.kinds[object.Type]
	if !known || kind.See == nil {
		return nil, "", problem.Errorf(problem.NotFound, "There are no objects of the type %s.", clip(object.Type, 100))
	}
	reader := p.Has(Read)
	if !reader {
		if err := kind.See(ctx, object.ID); err != nil {
			return nil, "", err
		}
	}
	before, err := parseCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	params := auditdb.ChangesParams{To: forever, ObjectType: &object.Type, ObjectID: new(clip(object.ID, maxName))}
	if reader {
		return l.changePage(ctx, p, params, before, limit)
	}
	sight := sight{kinds: l.kinds, reader: p, seen: map[Ref]bool{{Type: object.Type, ID: object.ID}: true}}
	list := []ChangeEntry{}
	for range historyRounds {
		page, next, err := l.changePage(ctx, p, params, before, limit-len(list))
		if err != nil {
			return nil, "", err
		}
		for _, e := range page {
			visible, err := sight.sees(ctx, e)
			if err != nil {
				return nil, "", err
			}
			if visible {
				list = append(list, sight.reduce(e))
			}
		}
		cursor = next
		if next == "" || len(list) == limit {
			break
		}
		if before, err = parseCursor(next); err != nil {
			return nil, "", err
		}
	}
	return list, cursor, nil
}

// sight is a reader's view of the entries of one object.
type sight struct {
	kinds  map[string]Kind
	reader principal.Principal
	seen   map[Ref]bool
}

// sees reports whether the reader may see every participant of an entry. People and teams are visible: a reader of an
// object sees its access list.
func (s sight) sees(ctx context.Context, e ChangeEntry) (bool, error) {
	for _, item := range []*Item{&e.Object, e.Subject} {
		if item == nil {
			continue
		}
		visible, err := s.item(ctx, *item)
		if err != nil || !visible {
			return false, err
		}
	}
	return true, nil
}

func (s sight) item(ctx context.Context, item Item) (bool, error) {
	ref := Ref{Type: item.Type, ID: item.ID}
	if visible, known := s.seen[ref]; known {
		return visible, nil
	}
	open := item.Type == PersonType || item.Type == "auth.team" || item.Type == "auth.application"
	kind, known := s.kinds[item.Type]
	if !open && known && kind.See != nil {
		err := kind.See(ctx, item.ID)
		if err != nil && !problem.Is(err, problem.NotFound) && !problem.Is(err, problem.Forbidden) {
			return false, err
		}
		open = err == nil
	}
	s.seen[ref] = open
	return open, nil
}

// reduce removes what only readers of the audit log may see. The proposer and the decider keep the data of their own
// part.
func (s sight) reduce(e ChangeEntry) ChangeEntry {
	if e.Actor.ID == s.reader.ID || e.AppliedBy != nil && e.AppliedBy.ID == s.reader.ID {
		return e.redactFor(s.reader)
	}
	e.Transport, e.Operation, e.Address = "", "", ""
	e.ProposalID, e.TurnID, e.SessionID, e.Seq = nil, nil, nil, nil
	return e
}

// Ruled is a kind whose objects are all opened by one rule. exists returns problem.NotFound for a missing object.
func Ruled(objectType *Type, rule string, exists func(ctx context.Context, id string) error) Kind {
	return Kind{Type: objectType, See: func(ctx context.Context, id string) error {
		if missing := principal.FromContext(ctx).Missing(rule); len(missing) > 0 {
			return problem.MissingRule("see what happened to this", missing...)
		}
		return exists(ctx, id)
	}}
}

// ByUUID parses the id for find; a text that is no UUID is not found.
func ByUUID[T any](find func(context.Context, uuid.UUID) (T, error)) func(context.Context, string) error {
	return func(ctx context.Context, id string) error {
		key, err := uuid.Parse(id)
		if err != nil || key.String() != id {
			return problem.Errorf(problem.NotFound, "There is no object with this id.")
		}
		_, err = find(ctx, key)
		return err
	}
}
