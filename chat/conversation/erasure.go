package conversation

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/chat/conversation/conversationdb"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
)

// Eraser deletes a person's data in another part of the product.
type Eraser interface {
	// Name is the plural noun under which the part is counted, such as "memories".
	Name() string
	Count(ctx context.Context, person uuid.UUID) (int64, error)
	// Erase joins the transaction of ctx and returns the number of deleted rows.
	Erase(ctx context.Context, person uuid.UUID) (int64, error)
}

// People finds existing accounts.
type People interface {
	People(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]Person, error)
	// Holds refuses by for an operation on an account with more rights than by has.
	Holds(ctx context.Context, by principal.Principal, person uuid.UUID, action string) error
}

// Person is an account.
type Person struct {
	Name  string
	Email string
}

// Driver starts the workflow of an erasure, idempotently.
type Driver interface {
	StartErasure(ctx context.Context, id uuid.UUID) error
}

// Content counts the stored data of a person.
type Content struct {
	Deleted
	Other map[string]int64 `json:"other" doc:"What other parts of the product keep, such as memories"`
}

// Erasure is the record of a deletion of a person's content. Its stored form holds no names and no content.
type Erasure struct {
	ID              uuid.UUID  `json:"id"`
	PersonID        uuid.UUID  `json:"personId"`
	PersonName      string     `json:"personName" doc:"Of the account as it is now; empty when it is gone"`
	RequestedByKind string     `json:"requestedByKind" enum:"user,application,service"`
	RequestedByID   uuid.UUID  `json:"requestedById"`
	RequestedByName string     `json:"requestedByName" doc:"Of the account as it is now; empty when it is gone"`
	RequestedAt     time.Time  `json:"requestedAt"`
	FinishedAt      *time.Time `json:"finishedAt" doc:"Null while it runs"`
	// Deleted counts what was deleted so far.
	Deleted Content `json:"deleted"`
}

// Owner is a person with stored data.
type Owner struct {
	ID            uuid.UUID `json:"id"`
	Name          string    `json:"name" doc:"Empty when the account is gone"`
	Email         string    `json:"email" doc:"Empty when the account is gone, or is that of an application"`
	Conversations int64     `json:"conversations"`
}

// Erasures deletes the data of a person on request (right to erasure).
type Erasures struct {
	db      *store.DB
	people  People
	driver  Driver
	erasers func() []Eraser
	removed access.OnRemoved
}

// ErasuresOptions configure Erasures.
type ErasuresOptions struct {
	DB     *store.DB
	People People
	Driver Driver
	// Erasers lists the other parts that store data of a person. It is called at each use.
	Erasers func() []Eraser
	// Removed is called for deleted conversations.
	Removed access.OnRemoved
}

// NewErasures makes the service.
func NewErasures(o ErasuresOptions) *Erasures {
	return &Erasures{db: o.DB, people: o.People, driver: o.Driver, erasers: o.Erasers, removed: o.Removed}
}

// Owners lists the people with stored data, deleted accounts included, by their ids.
func (s *Erasures) Owners(ctx context.Context, page rest.Page) ([]Owner, rest.Next, error) {
	after, err := page.AfterID()
	if err != nil {
		return nil, rest.Next{}, err
	}
	rows, err := s.queries(
		ctx,
	).ConversationOwners(
		ctx,
		conversationdb.ConversationOwnersParams{After: *cmp.Or(after, &uuid.Nil), MaxRows: page.Rows()},
	)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list owners: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(row conversationdb.ConversationOwnersRow) string { return row.ID.String() })
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	people, err := s.people.People(ctx, ids)
	if err != nil {
		return nil, rest.Next{}, err
	}
	owners := make([]Owner, len(rows))
	for i, row := range rows {
		who := people[row.ID]
		owners[i] = Owner{ID: row.ID, Name: who.Name, Email: who.Email, Conversations: row.Conversations}
	}
	return owners, next, nil
}

// Preview counts what an erasure would delete.
func (s *Erasures) Preview(ctx context.Context, person uuid.UUID) (Content, error) {
	row, err := s.queries(ctx).ErasureCounts(ctx, person)
	if err != nil {
		return Content{}, fmt.Errorf("count content: %w", err)
	}
	content := Content{Deleted: Deleted(row), Other: map[string]int64{}}
	for _, e := range s.erasers() {
		if content.Other[e.Name()], err = e.Count(ctx, person); err != nil {
			return Content{}, fmt.Errorf("count %s: %w", e.Name(), err)
		}
	}
	return content, nil
}

// Request records that by requests the erasure of a person, and starts it. email has to match the person's account, if
// it still exists, against mistakes. A retry finds the running erasure.
func (s *Erasures) Request(ctx context.Context, by principal.Principal, person uuid.UUID, email string) (Erasure, error) {
	people, err := s.people.People(ctx, []uuid.UUID{person})
	if err != nil {
		return Erasure{}, err
	}
	if who, exists := people[person]; exists && !strings.EqualFold(strings.TrimSpace(email), who.Email) {
		return Erasure{}, problem.InvalidInput("The e-mail address is not the one of this person's account.",
			problem.Issue{Path: "email", Message: "must be the person's address"})
	} else if !exists {
		content, err := s.Preview(ctx, person)
		if err != nil {
			return Erasure{}, err
		}
		if content.Deleted == (Deleted{}) {
			return Erasure{}, problem.Errorf(problem.NotFound, "Nothing is kept of a person with the id %s.", person)
		}
	}
	if err := s.people.Holds(ctx, by, person, "erase what is kept of this account"); err != nil {
		return Erasure{}, err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		n, err := s.queries(ctx).CreateErasure(ctx, conversationdb.CreateErasureParams{
			ID: store.NewID(), PersonID: person, RequestedByKind: string(by.Kind), RequestedByID: by.ID,
		})
		if err != nil {
			return fmt.Errorf("request erasure: %w", err)
		}
		if n == 0 {
			return nil
		}
		return s.recordErasure(ctx, by, person, "Deletion of everything that is kept of the person was requested")
	})
	if err != nil {
		return Erasure{}, err
	}
	row, err := s.queries(ctx).RunningErasure(ctx, person)
	if err != nil {
		return Erasure{}, fmt.Errorf("load erasure: %w", err)
	}
	// The reconciler starts requested erasures that do not run.
	_ = s.driver.StartErasure(ctx, row.ID)
	return erasureOf(row), nil
}

// List lists erasures, newest first.
func (s *Erasures) List(ctx context.Context, page rest.Page) ([]Erasure, rest.Next, error) {
	before, err := page.AfterID()
	if err != nil {
		return nil, rest.Next{}, err
	}
	rows, err := s.queries(ctx).Erasures(ctx, conversationdb.ErasuresParams{Before: before, MaxRows: page.Rows()})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list erasures: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(row conversationdb.AiErasure) string { return row.ID.String() })
	list := make([]Erasure, len(rows))
	for i, row := range rows {
		list[i] = erasureOf(row)
	}
	return list, next, s.name(ctx, list)
}

// name fills in the names of accounts that still exist.
func (s *Erasures) name(ctx context.Context, list []Erasure) error {
	var ids []uuid.UUID
	for _, e := range list {
		ids = append(ids, e.PersonID, e.RequestedByID)
	}
	people, err := s.people.People(ctx, ids)
	if err != nil {
		return err
	}
	for i := range list {
		list[i].PersonName, list[i].RequestedByName = people[list[i].PersonID].Name, people[list[i].RequestedByID].Name
	}
	return nil
}

// Get returns an erasure.
func (s *Erasures) Get(ctx context.Context, id uuid.UUID) (Erasure, error) {
	row, err := s.queries(ctx).ErasureByID(ctx, id)
	if store.NoRows(err) {
		return Erasure{}, problem.Errorf(problem.NotFound, "There is no erasure with the id %s.", id)
	}
	if err != nil {
		return Erasure{}, fmt.Errorf("load erasure: %w", err)
	}
	list := []Erasure{erasureOf(row)}
	err = s.name(ctx, list)
	return list[0], err
}

// Drive starts the workflows of unfinished erasures that may have lost theirs.
func (s *Erasures) Drive(ctx context.Context) error {
	ids, err := s.queries(ctx).UnfinishedErasures(ctx)
	if err != nil {
		return fmt.Errorf("list unfinished erasures: %w", err)
	}
	for _, id := range ids {
		if err := s.driver.StartErasure(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// Running lists the running work of a person.
type Running struct {
	// Turns have a stop request; Proposals and Plans have ended, and their workflows can be terminated.
	Turns     []uuid.UUID
	Proposals []uuid.UUID
	Plans     []uuid.UUID
}

// Quiet closes the person's conversations, requests stops of running turns and ends open proposals. It is idempotent.
func (s *Erasures) Quiet(ctx context.Context, id uuid.UUID) (Running, error) {
	var running Running
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		q := s.queries(ctx)
		e, err := q.ErasureByID(ctx, id)
		if err != nil {
			return fmt.Errorf("load erasure: %w", err)
		}
		if err := q.ArchiveForErasure(ctx, conversationdb.ArchiveForErasureParams{PersonID: e.PersonID, Until: e.RequestedAt}); err != nil {
			return fmt.Errorf("close conversations: %w", err)
		}
		turns, err := q.StopForErasure(ctx, conversationdb.StopForErasureParams{PersonID: e.PersonID, Until: e.RequestedAt})
		if err != nil {
			return fmt.Errorf("stop turns: %w", err)
		}
		for _, t := range turns {
			running.Turns = append(running.Turns, t.ID)
		}
		proposals, err := q.ExpireForErasure(ctx, conversationdb.ExpireForErasureParams{PersonID: e.PersonID, Until: e.RequestedAt})
		if err != nil {
			return fmt.Errorf("end proposals: %w", err)
		}
		for _, p := range proposals {
			running.Proposals = append(running.Proposals, p.ID)
		}
		if running.Plans, err = q.PlansForErasure(
			ctx,
			conversationdb.PlansForErasureParams{PersonID: e.PersonID, Until: e.RequestedAt},
		); err != nil {
			return fmt.Errorf("list plans: %w", err)
		}
		return nil
	})
	return running, err
}

// Progress is the remaining work after a call of Erase.
type Progress struct {
	Deleted Deleted
	// Busy counts conversations and proposals with running work, which wait for the next call.
	Busy int
	// Left is set while there are more conversations.
	Left bool
}

// Erase deletes up to limit conversations of the person, each in a transaction of its own, which also counts it. It is
// idempotent at any point.
func (s *Erasures) Erase(ctx context.Context, id uuid.UUID, limit int) (Progress, error) {
	var progress Progress
	e, err := s.queries(ctx).ErasureByID(ctx, id)
	if err != nil {
		return progress, fmt.Errorf("load erasure: %w", err)
	}
	ids, err := s.queries(ctx).ConversationsToErase(ctx, conversationdb.ConversationsToEraseParams{
		PersonID: e.PersonID, Until: e.RequestedAt, MaxRows: int32(limit),
	})
	if err != nil {
		return progress, fmt.Errorf("list conversations: %w", err)
	}
	for _, conversation := range ids {
		if err := s.eraseOne(ctx, id, conversation, &progress); err != nil {
			return progress, err
		}
	}
	progress.Left = len(ids) == limit
	return progress, nil
}

func (s *Erasures) eraseOne(ctx context.Context, erasure, id uuid.UUID, progress *Progress) error {
	var one Deleted
	var busy bool
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		q := s.queries(ctx)
		if _, err := q.LockConversation(ctx, id); store.NoRows(err) {
			return nil
		} else if err != nil {
			return fmt.Errorf("lock conversation: %w", err)
		}
		var err error
		if one, busy, err = deleteLocked(ctx, q, s.removed, id); err != nil || busy {
			return err
		}
		return q.AddErased(ctx, conversationdb.AddErasedParams{
			ID: erasure, Conversations: one.Conversations, Messages: one.Messages, Turns: one.Turns, Proposals: one.Proposals,
		})
	})
	if err != nil {
		return err
	}
	if busy {
		progress.Busy++
	}
	progress.Deleted.Add(one)
	return nil
}

// Finish deletes the remaining data and completes the record, in one transaction. It reports how many proposals are
// still being applied, in which case it does nothing.
func (s *Erasures) Finish(ctx context.Context, id uuid.UUID) (busy int, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		q := s.queries(ctx)
		e, err := q.LockErasure(ctx, id)
		if err != nil || e.FinishedAt != nil {
			return err
		}
		open, err := q.OpenProposalsOf(ctx, conversationdb.OpenProposalsOfParams{PersonID: e.PersonID, Until: e.RequestedAt})
		if busy = int(open); err != nil || busy > 0 {
			return err
		}
		loose, err := q.EraseLooseProposals(ctx, conversationdb.EraseLooseProposalsParams{PersonID: e.PersonID, Until: e.RequestedAt})
		if err != nil {
			return fmt.Errorf("delete proposals: %w", err)
		}
		other := map[string]int64{}
		for _, eraser := range s.erasers() {
			if other[eraser.Name()], err = eraser.Erase(ctx, e.PersonID); err != nil {
				return fmt.Errorf("erase %s: %w", eraser.Name(), err)
			}
		}
		summary := fmt.Sprintf("Everything that was kept of the person was deleted, with %d conversations", e.Conversations)
		if err := s.recordErasure(ctx, principal.Principal{Kind: principal.Service}, e.PersonID, summary); err != nil {
			return err
		}
		return q.FinishErasure(ctx, conversationdb.FinishErasureParams{ID: id, Other: other, Proposals: loose})
	})
	return busy, err
}

func (s *Erasures) queries(ctx context.Context) *conversationdb.Queries {
	return conversationdb.New(s.db.Conn(ctx))
}

func erasureOf(row conversationdb.AiErasure) Erasure {
	return Erasure{
		ID: row.ID, PersonID: row.PersonID, RequestedByKind: row.RequestedByKind, RequestedByID: row.RequestedByID,
		RequestedAt: row.RequestedAt, FinishedAt: row.FinishedAt,
		Deleted: Content{Deleted: Deleted{
			Conversations: row.Conversations, Messages: row.Messages, Turns: row.Turns, Proposals: row.Proposals,
		}, Other: row.Other},
	}
}
