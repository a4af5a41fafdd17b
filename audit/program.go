package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/audit/auditdb"
	"countersign/internal/principal"
	"countersign/internal/secret/scrub"
	"countersign/internal/store"
	"countersign/internal/text"
)

// The program of an action has an entry of its own, beside that of the call or the change: processes of earlier
// versions verify and link the forms of those, which stay unchanged. Such an entry has the form of a change, with the
// call or the entry as its object and the program as its subject; lists of changes leave it out. The name of the
// program is personal data, because its creator chose it, and can be erased; its id stays.

// Program is the client that a person acted through, or an application that acted by itself.
type Program struct {
	ID string `json:"id" doc:"Its id as an OAuth client, that of a chat token, or that of an API application"`
	// Name is unverified text.
	Name string `json:"name" doc:"What it called itself at that time. Nobody has checked it; empty when it is not known any more"`
}

// Part is the role of a principal in a call or a change.
type Part string

// One principal requests a call, and another or the same one applies it.
const (
	Asked   Part = "asked"
	Applied Part = "applied"
)

var partSummaries = map[Part]string{
	Asked:   "A program asked for this on behalf of a user",
	Applied: "A program applied this on behalf of a user",
}

const (
	maxProgramID   = 500
	maxProgramName = 100
)

// programName cleans the name of a program for storage and display.
func programName(name string) string {
	return clip(text.Shown(scrub.Text(name), maxProgramName), maxName)
}

// noteOf makes the entry about the program of p, which must have one.
func noteOf(p principal.Principal, part Part, transport string) auditdb.NoteProgramParams {
	note := auditdb.NoteProgramParams{
		Part: string(part), ProgramID: clip(p.Client.ID, maxProgramID), Summary: partSummaries[part],
		PrincipalKind: string(p.Kind), PrincipalID: p.ID, SessionID: p.SessionID, Transport: transport,
	}
	if name := programName(p.Client.Name); name != "" {
		// A text can always be encoded.
		said, _ := json.Marshal(personal{Subject: name})
		note.PersonID, note.Personal = given(p.ID), new(string(said))
	}
	return note
}

// Through returns NoteProgram as a query for the transaction that reserves a call; nil when p acts through no program.
func Through(p principal.Principal, transport string, call uuid.UUID) store.BatchableQuery {
	if p.Client == nil {
		return nil
	}
	type noted struct{ call uuid.UUID }
	return store.NewBatchedQuery(noted{call}, func(b *store.Batch) func() bool {
		note := noteOf(p, Asked, transport)
		note.CallIds = []uuid.UUID{call}
		auditdb.QueueNoteProgram(b, note)
		return func() bool { return true }
	})
}

// NoteProgram records the program through which p took part in these calls, in the transaction of ctx; it does nothing
// when p acts through none.
func NoteProgram(ctx context.Context, db *store.DB, p principal.Principal, part Part, transport string, calls ...uuid.UUID) error {
	if p.Client == nil || len(calls) == 0 {
		return nil
	}
	if !db.InTransaction(ctx) {
		return fmt.Errorf("note program of a call: %w", errNoTransaction)
	}
	note := noteOf(p, part, transport)
	note.CallIds = calls
	if err := auditdb.New(db.Conn(ctx)).NoteProgram(ctx, note); err != nil {
		return fmt.Errorf("note program of a call: %w", err)
	}
	return nil
}

// NoteDecision is NoteProgram for the decider of the proposals of these calls.
func NoteDecision(ctx context.Context, db *store.DB, p principal.Principal, calls []uuid.UUID) error {
	return NoteProgram(ctx, db, p, Applied, originOf(ctx).transport(p), calls...)
}

// noteOfEntry is NoteProgram for an entry about a change.
func noteOfEntry(ctx context.Context, q *auditdb.Queries, p principal.Principal, transport string, entry int64) error {
	note := noteOf(p, Asked, transport)
	return q.NoteProgramOfEntry(ctx, auditdb.NoteProgramOfEntryParams{
		Part: note.Part, Entry: strconv.FormatInt(entry, 10), ProgramID: note.ProgramID, Summary: note.Summary, PrincipalKind: note.PrincipalKind,
		PrincipalID: note.PrincipalID, SessionID: note.SessionID, Transport: note.Transport, PersonID: note.PersonID, Personal: note.Personal,
	})
}

// programs are the programs of calls and changes, by part.
type programs struct {
	calls   map[uuid.UUID]map[Part]*Program
	entries map[int64]*Program
}

// programsOf reads the programs of calls and changes.
func (l *Log) programsOf(ctx context.Context, calls []uuid.UUID, entries []string) (found programs, err error) {
	found = programs{calls: map[uuid.UUID]map[Part]*Program{}, entries: map[int64]*Program{}}
	q := auditdb.New(l.db.Conn(ctx))
	if len(calls) > 0 {
		rows, err := q.ProgramsOfCalls(ctx, calls)
		if err != nil {
			return found, fmt.Errorf("find programs of calls: %w", err)
		}
		for _, r := range rows {
			if found.calls[r.CallID] == nil {
				found.calls[r.CallID] = map[Part]*Program{}
			}
			if found.calls[r.CallID][Part(r.Part)], err = programOf(r.ProgramID, r.Personal); err != nil {
				return found, err
			}
		}
	}
	if len(entries) > 0 {
		rows, err := q.ProgramsOfEntries(ctx, entries)
		if err != nil {
			return found, fmt.Errorf("find programs of changes: %w", err)
		}
		for _, r := range rows {
			if found.entries[r.Entry], err = programOf(r.ProgramID, r.Personal); err != nil {
				return found, err
			}
		}
	}
	return found, nil
}

func programOf(id string, said *string) (*Program, error) {
	p := &Program{ID: id}
	if said == nil {
		return p, nil
	}
	var about personal
	if err := json.Unmarshal([]byte(*said), &about); err != nil {
		return nil, fmt.Errorf("decode what a program called itself: %w", err)
	}
	p.Name = about.Subject
	return p, nil
}

// timedActor is an actor with the time of the action.
type timedActor struct {
	*Actor

	at time.Time
}

// nameApplications sets the names that applications, which are programs themselves, had at the time.
func (l *Log) nameApplications(ctx context.Context, all []timedActor) error {
	var p auditdb.ApplicationsAtParams
	for _, a := range all {
		if a.Actor != nil && a.Kind == string(principal.Application) {
			p.Ids, p.Ats = append(p.Ids, a.ID), append(p.Ats, a.at)
		}
	}
	if len(p.Ids) == 0 {
		return nil
	}
	rows, err := auditdb.New(l.db.Conn(ctx)).ApplicationsAt(ctx, p)
	if err != nil {
		return fmt.Errorf("find names of applications: %w", err)
	}
	type moment struct {
		id uuid.UUID
		at int64
	}
	names := make(map[moment]string, len(rows))
	for _, r := range rows {
		names[moment{r.ID, r.At.UnixMicro()}] = r.Name
	}
	for _, a := range all {
		if a.Actor == nil || a.Kind != string(principal.Application) {
			continue
		}
		name := names[moment{a.ID, a.at.UnixMicro()}]
		if name == "" {
			// The name is older than the entries about it.
			name = a.Name
		}
		a.Program = &Program{ID: a.ID.String(), Name: programName(name)}
	}
	return nil
}

// completeActors names applications, and keeps only programs that p may see.
func (l *Log) completeActors(ctx context.Context, p principal.Principal, all []timedActor) error {
	if err := l.nameApplications(ctx, all); err != nil {
		return err
	}
	for _, a := range all {
		a.redactFor(p)
	}
	return nil
}

// nameProgramsOfCalls adds the programs of calls that p may see.
func (l *Log) nameProgramsOfCalls(ctx context.Context, p principal.Principal, calls []Call) error {
	ids, all := make([]uuid.UUID, len(calls)), make([]timedActor, 0, 2*len(calls))
	for i := range calls {
		ids[i] = calls[i].ID
		all = append(all, timedActor{&calls[i].Principal, calls[i].CreatedAt}, timedActor{calls[i].AppliedBy, calls[i].CreatedAt})
	}
	found, err := l.programsOf(ctx, ids, nil)
	if err != nil {
		return err
	}
	for i := range calls {
		parts := found.calls[calls[i].ID]
		calls[i].Principal.Program = parts[Asked]
		if calls[i].AppliedBy != nil {
			calls[i].AppliedBy.Program = parts[Applied]
		}
	}
	return l.completeActors(ctx, p, all)
}

// nameProgramsOfChanges adds the programs of changes. The request and the decision of a proposal have the programs of
// its call.
func (l *Log) nameProgramsOfChanges(ctx context.Context, p principal.Principal, changes []ChangeEntry) error {
	var ids []uuid.UUID
	entries, all := make([]string, len(changes)), make([]timedActor, 0, 2*len(changes))
	for i := range changes {
		entries[i] = strconv.FormatInt(changes[i].Entry, 10)
		if id := changes[i].ProposalID; id != nil {
			ids = append(ids, *id)
		}
		all = append(all, timedActor{&changes[i].Actor, changes[i].At}, timedActor{changes[i].AppliedBy, changes[i].At})
	}
	found, err := l.programsOf(ctx, ids, entries)
	if err != nil {
		return err
	}
	for i := range changes {
		e := &changes[i]
		e.Actor.Program = found.entries[e.Entry]
		if e.ProposalID == nil || e.AppliedBy == nil {
			continue
		}
		parts := found.calls[*e.ProposalID]
		e.Actor.Program, e.AppliedBy.Program = parts[Asked], parts[Applied]
	}
	return l.completeActors(ctx, p, all)
}

// redactFor keeps the program for readers of the audit log and for its actor.
func (a timedActor) redactFor(p principal.Principal) {
	if a.Actor != nil && !p.Has(Read) && a.ID != p.ID {
		a.Program = nil
	}
}
