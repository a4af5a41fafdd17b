// Package share gives colleagues read access to a conversation of its owner.
//
// A transcript repeats tool results. So a reader sees it up to the first answer that used a tool which they could not
// use, or that names a record which they do not see, at the time of reading. Later messages may repeat that answer
// and are withheld, too. See decision 061.
package share

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/store/throttle"
	"countersign/modules/share/sharedb"
	"countersign/tool"
)

// ChatRead is the access rule of chats, which the conversations declare.
const ChatRead = "ai.chat.read"

const (
	// MaxPeople limits the readers of one conversation.
	MaxPeople = 20
	// maxMessages limits the shown messages of a conversation, from its beginning.
	maxMessages = 1000
	// messageBatch is the batch size of reading messages.
	messageBatch = 50
)

// addressRate is the rate limit on testing e-mail addresses of colleagues (enumeration guard).
var addressRate = throttle.Rule{
	Name:         "share/address",
	FreeFailures: 30,
	FirstWait:    2 * time.Second,
	MaxWait:      time.Minute,
	Window:       10 * time.Minute,
}

// Tools are the product's own tools, without custom ones.
type Tools interface {
	Fixed(name string) (tool.Tool, bool)
}

// Proposals reports which proposals a reader sees.
type Proposals interface {
	Visible(ctx context.Context, p principal.Principal, ids []uuid.UUID) (map[uuid.UUID]bool, error)
}

// Options are the dependencies of a Module.
type Options struct {
	DB        *store.DB
	Tools     Tools
	Proposals Proposals
	// Kinds returns the object types with their visibility, and Rules all access rules; both are read on each
	// request.
	Kinds func() []audit.Kind
	Rules func() []principal.Rule
	// Named are types whose name and status more people see than the rest, which needs its tools' rules. They
	// override Kinds.
	Named []audit.Kind
}

// Module shares conversations. It is safe for concurrent use.
type Module struct {
	Options

	throttle *throttle.Throttle
}

// New makes a Module.
func New(o Options) *Module { return &Module{o, throttle.New(o.DB)} }

func (m *Module) queries(ctx context.Context) *sharedb.Queries { return sharedb.New(m.DB.Conn(ctx)) }

// Reader is a person with whom a conversation is shared.
type Reader struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name"`
	Email    string    `json:"email"`
	SharedAt time.Time `json:"sharedAt"`
}

// Owner is the person who shares.
type Owner struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// Chat is a conversation shared with the reader.
type Chat struct {
	ID        uuid.UUID `json:"id"`
	Title     string    `json:"title" doc:"Empty until it is named"`
	Owner     Owner     `json:"owner"`
	SharedAt  time.Time `json:"sharedAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// acts returns the person of ctx, who must act in person: programs and turns neither share nor read shared
// conversations.
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

// lockOwn locks a conversation of the person of ctx for the rest of the transaction.
func (m *Module) lockOwn(ctx context.Context, p principal.Principal, id uuid.UUID) (archived bool, err error) {
	archived, err = m.queries(ctx).LockOwned(ctx, sharedb.LockOwnedParams{ID: id, OwnerID: p.ID})
	if store.NoRows(err) {
		return false, notOwned(id)
	}
	if err != nil {
		return false, fmt.Errorf("find conversation: %w", err)
	}
	return archived, nil
}

// colleague finds another enabled user with this address.
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

// Share gives the person with this address read access to a conversation of the caller. It reports whether this call
// did it. Too many calls are problem.Throttled, as each reveals whether an address belongs to a user.
func (m *Module) Share(ctx context.Context, id uuid.UUID, address string) (Reader, bool, error) {
	p, err := acts(ctx)
	if err != nil {
		return Reader{}, false, err
	}
	if err := m.throttle.Attempt(
		ctx,
		"You have shared chats many times in a short while. Wait %s and try again.",
		addressRate.Bucket(p.Key()),
	); err != nil {
		return Reader{}, false, err
	}
	did := false
	reader, err := store.InTx(ctx, m.DB, func(ctx context.Context) (Reader, error) {
		archived, err := m.lockOwn(ctx, p, id)
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
				"A chat is shared with %d people at most. Remove a reader first.",
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

// TakeBack removes a person's read access. It reports whether this call did it.
func (m *Module) TakeBack(ctx context.Context, id, person uuid.UUID) (bool, error) {
	p, err := acts(ctx)
	if err != nil {
		return false, err
	}
	return store.InTx(ctx, m.DB, func(ctx context.Context) (bool, error) {
		if _, err := m.lockOwn(ctx, p, id); err != nil {
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

// Readers lists the readers of a conversation of the caller, by name.
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

// With lists a page of the conversations shared with the caller, last shared first.
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

// record writes an audit event about a change, in its transaction.
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

// Count counts the conversations shared with a person. A person's own shares are deleted with the conversations.
func (m *Module) Count(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := m.queries(ctx).CountWith(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("count shares: %w", err)
	}
	return n, nil
}

// Erase removes a person's read access to shared conversations. It joins the transaction of ctx.
func (m *Module) Erase(ctx context.Context, person uuid.UUID) (int64, error) {
	n, err := m.queries(ctx).EraseWith(ctx, person)
	if err != nil {
		return 0, fmt.Errorf("erase shares: %w", err)
	}
	return n, nil
}
