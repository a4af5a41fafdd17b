// Package share lets the owner of a conversation show it to colleagues, who read it and do nothing else in it.
//
// A transcript repeats what tools have told its owner. So a colleague reads it up to the first answer for which a tool was used that they
// could not use themselves, or that tells of a record which they do not see, at the moment in which they look. What stands behind that
// answer may repeat it, and is withheld with it. See decision 061.
package share

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/modules/share/sharedb"
	"countersign/principal"
	"countersign/problem"
	"countersign/rest"
	"countersign/store"
	"countersign/store/throttle"
	"countersign/tool"
	"countersign/tool/audit"
)

// ChatRead is the access rule of chats, which the conversations declare.
const ChatRead = "ai.chat.read"

const (
	// MaxPeople is with how many people one conversation is shared at most.
	MaxPeople = 20
	// maxMessages is how many messages of a conversation are shown, from its beginning.
	maxMessages = 1000
	// messagesAtOnce is how many of them are read at a time.
	messagesAtOnce = 50
)

// addresses bounds how often somebody tries whether an address is that of a colleague.
var addresses = throttle.Rule{Name: "share/address", FreeFailures: 30, FirstWait: 2 * time.Second, MaxWait: time.Minute, Window: 10 * time.Minute}

// Tools are those of the product; others are made by people and in none of these.
type Tools interface {
	Fixed(name string) (tool.Tool, bool)
}

// Proposals says which proposals exist for a reader.
type Proposals interface {
	Seen(ctx context.Context, p principal.Principal, ids []uuid.UUID) (map[uuid.UUID]bool, error)
}

// Options are what a Module is made of.
type Options struct {
	DB        *store.DB
	Tools     Tools
	Proposals Proposals
	// Kinds are the types of objects with who sees one, and Rules all access rules; they are asked for with each look.
	Kinds func() []audit.Kind
	Rules func() []principal.Rule
	// Named are types of which more people see name and status than the rest, and who sees these; the rest is told by tools that ask for
	// the rule of it. They take the place of what Kinds says of their types.
	Named []audit.Kind
}

// Module shares conversations. It is safe for concurrent use.
type Module struct {
	Options

	tried *throttle.Throttle
}

// New makes the module.
func New(o Options) *Module { return &Module{o, throttle.New(o.DB)} }

func (m *Module) queries(ctx context.Context) *sharedb.Queries { return sharedb.New(m.DB.Conn(ctx)) }

// Reader is somebody with whom a conversation is shared.
type Reader struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name"`
	Email    string    `json:"email"`
	SharedAt time.Time `json:"sharedAt"`
}

// Owner is who shares.
type Owner struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// Chat is a conversation that somebody else shares with the reader.
type Chat struct {
	ID        uuid.UUID `json:"id"`
	Title     string    `json:"title" doc:"Empty until it is named"`
	Owner     Owner     `json:"owner"`
	SharedAt  time.Time `json:"sharedAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// acts is the person of ctx, who has to act themselves: neither a program nor a turn shares, or reads what was shared with a person.
func acts(ctx context.Context) (principal.Principal, error) {
	p := principal.FromContext(ctx)
	if !p.ByHand() {
		return p, problem.Errorf(problem.Forbidden, "Shared chats are for people who have signed in.")
	}
	return p, nil
}

func notOwned(id uuid.UUID) error {
	return problem.Errorf(problem.NotFound, "You have no conversation with the id %s. GET /api/ai/conversations lists yours.", id)
}

func notShared(id uuid.UUID) error {
	return problem.Errorf(problem.NotFound, "Nobody shares a conversation with the id %s with you.", id)
}

// own locks a conversation of the person of ctx for the rest of the transaction.
func (m *Module) own(ctx context.Context, p principal.Principal, id uuid.UUID) (archived bool, err error) {
	archived, err = m.queries(ctx).LockOwned(ctx, sharedb.LockOwnedParams{ID: id, OwnerID: p.ID})
	if store.NoRows(err) {
		return false, notOwned(id)
	}
	if err != nil {
		return false, fmt.Errorf("find conversation: %w", err)
	}
	return archived, nil
}

// colleague is somebody else than p with this address who can sign in.
func (m *Module) colleague(ctx context.Context, p principal.Principal, address string) (sharedb.PersonByAddressRow, error) {
	person, err := m.queries(ctx).PersonByAddress(ctx, strings.TrimSpace(address))
	var issues problem.Issues
	switch {
	case store.NoRows(err):
		issues.Report("email", "is the address of nobody who can sign in here")
	case err != nil:
		return person, fmt.Errorf("find person: %w", err)
	case person.ID == p.ID:
		issues.Report("email", "is your own address")
	}
	return person, issues.Err()
}

// Share lets the person with this address read a conversation of the caller's. It reports whether this call did it. Many calls in a
// short time are problem.Throttled: each tells whether an address is that of somebody.
func (m *Module) Share(ctx context.Context, id uuid.UUID, address string) (Reader, bool, error) {
	p, err := acts(ctx)
	if err != nil {
		return Reader{}, false, err
	}
	if err := m.tried.Attempt(
		ctx,
		"You have shared chats many times in a short while. Wait %s and try again.",
		addresses.Bucket(p.Key()),
	); err != nil {
		return Reader{}, false, err
	}
	did := false
	reader, err := store.InTx(ctx, m.DB, func(ctx context.Context) (Reader, error) {
		archived, err := m.own(ctx, p, id)
		if err != nil {
			return Reader{}, err
		}
		if archived {
			return Reader{}, problem.Errorf(problem.Conflict, "This conversation is archived. Restore it before you share it.")
		}
		person, err := m.colleague(ctx, p, address)
		if err != nil {
			return Reader{}, err
		}
		n, err := m.queries(ctx).AddShare(ctx, sharedb.AddShareParams{ConversationID: id, PersonID: person.ID})
		if err != nil {
			return Reader{}, fmt.Errorf("share: %w", err)
		}
		rows, err := m.queries(ctx).SharesOf(ctx, id)
		if err != nil {
			return Reader{}, fmt.Errorf("list shares: %w", err)
		}
		if len(rows) > MaxPeople {
			return Reader{}, problem.Errorf(
				problem.Conflict,
				"A chat is shared with %d people at most. Take it back from somebody first.",
				MaxPeople,
			)
		}
		if did = n > 0; did {
			if err := m.record(ctx, p, audit.Granted, id, person.ID, person.Name, "A conversation was shared, to read"); err != nil {
				return Reader{}, err
			}
		}
		for _, r := range rows {
			if r.PersonID == person.ID {
				return readerOf(r), nil
			}
		}
		return Reader{}, fmt.Errorf("share of %s with %s is not there", id, person.ID)
	})
	return reader, did, err
}

// TakeBack ends that a person may read a conversation of the caller's. It reports whether this call did it.
func (m *Module) TakeBack(ctx context.Context, id, person uuid.UUID) (bool, error) {
	p, err := acts(ctx)
	if err != nil {
		return false, err
	}
	return store.InTx(ctx, m.DB, func(ctx context.Context) (bool, error) {
		if _, err := m.own(ctx, p, id); err != nil {
			return false, err
		}
		n, err := m.queries(ctx).RemoveShare(ctx, sharedb.RemoveShareParams{ConversationID: id, PersonID: person})
		if err != nil {
			return false, fmt.Errorf("take a share back: %w", err)
		}
		if n == 0 {
			return false, nil
		}
		return true, m.record(ctx, p, audit.Withdrawn, id, person, "", "A conversation is no longer shared")
	})
}

// Readers are the people with whom the caller shares a conversation, by name.
func (m *Module) Readers(ctx context.Context, id uuid.UUID) ([]Reader, error) {
	p, err := acts(ctx)
	if err != nil {
		return nil, err
	}
	owns, err := m.queries(ctx).Owns(ctx, sharedb.OwnsParams{ID: id, OwnerID: p.ID})
	if err != nil {
		return nil, fmt.Errorf("find conversation: %w", err)
	}
	if !owns {
		return nil, notOwned(id)
	}
	rows, err := m.queries(ctx).SharesOf(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("list shares: %w", err)
	}
	readers := make([]Reader, len(rows))
	for i, r := range rows {
		readers[i] = readerOf(r)
	}
	return readers, nil
}

// With is a page of the conversations that others share with the caller, what was shared last first.
func (m *Module) With(ctx context.Context, page rest.Page) ([]Chat, rest.Next, error) {
	p, err := acts(ctx)
	if err != nil {
		return nil, rest.Next{}, err
	}
	after, err := page.AfterMoment()
	if err != nil {
		return nil, rest.Next{}, err
	}
	params := sharedb.SharedWithParams{PersonID: p.ID, MaxRows: page.Rows()}
	if after != nil {
		params.AfterID, params.AfterAt = &after.ID, after.At
	}
	rows, err := m.queries(ctx).SharedWith(ctx, params)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list shared conversations: %w", err)
	}
	chats := make([]Chat, len(rows))
	for i, r := range rows {
		chats[i] = Chat{ID: r.ID, Title: r.Title, Owner: Owner{r.OwnerID, r.OwnerName}, SharedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt}
	}
	chats, next := rest.Cut(page, chats, func(c Chat) string { return rest.Moment{At: c.SharedAt, ID: c.ID}.String() })
	return chats, next, nil
}

func readerOf(r sharedb.SharesOfRow) Reader {
	return Reader{ID: r.PersonID, Name: r.Name, Email: r.Email, SharedAt: r.CreatedAt}
}

// record adds a change to the audit log, in its transaction.
func (m *Module) record(
	ctx context.Context,
	p principal.Principal,
	action audit.Action,
	conversation, person uuid.UUID,
	name, summary string,
) error {
	return audit.Record(ctx, m.DB, audit.Event{
		Action:  action,
		Object:  audit.Object("ai.conversation", conversation, ""),
		Subject: audit.Object(audit.PersonType, person, name),
		Summary: summary,
		Actor:   p,
	})
}

// Name implements conversation.Eraser.
func (*Module) Name() string { return "sharedWithThem" }

// Count is how many conversations others share with a person. Those that the person shares go with the conversations.
func (m *Module) Count(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := m.queries(ctx).CountWith(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("count shares: %w", err)
	}
	return n, nil
}

// Erase ends that others share conversations with a person. It joins the transaction of ctx.
func (m *Module) Erase(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := m.queries(ctx).EraseWith(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("erase shares: %w", err)
	}
	return n, nil
}
