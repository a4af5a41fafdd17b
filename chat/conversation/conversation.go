// Package conversation keeps a person's conversations with the assistant. Every call is made in the name of the owner:
// for other users, the conversation does not exist.
package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/chat/conversation/conversationdb"
	"countersign/chat/stream"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/secret/scrub"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/tool/disposition"
)

const (
	maxTitle = 200
	maxModel = 200
	maxList  = 200
)

// Conversation is a chat without its messages.
type Conversation struct {
	ID             uuid.UUID        `json:"id"`
	Title          *string          `json:"title" doc:"Null until it is named"`
	ConnectionID   *uuid.UUID       `json:"connectionId" nullable:"true"`
	Model          *string          `json:"model"`
	PermissionMode disposition.Mode `json:"permissionMode" enum:"approve,auto"`
	ActiveTurnID   *uuid.UUID       `json:"activeTurnId" nullable:"true" doc:"The turn that runs now"`
	ClientID       *string          `json:"clientId,omitempty" doc:"What the client that started it calls it: the id of an AI SDK chat"`
	CreatedAt      time.Time        `json:"createdAt"`
	UpdatedAt      time.Time        `json:"updatedAt"`
	ArchivedAt     *time.Time       `json:"archivedAt,omitempty"`

	// started is set for the request that created the conversation for its message.
	started bool
}

// Message is one message in the shape of the AI SDK's UIMessage.
type Message struct {
	ID       string          `json:"id"`
	Role     string          `json:"role" enum:"user,assistant"`
	Parts    json.RawMessage `json:"parts"`
	Metadata json.RawMessage `json:"metadata"`
}

// Settings are a person's choices for a conversation; nil leaves a choice unchanged.
type Settings struct {
	Title          *string
	ConnectionID   *uuid.UUID
	Model          *string
	PermissionMode *disposition.Mode
}

// Connections resolves the connection and model of a conversation.
type Connections interface {
	// Settle returns an existing, enabled connection, the default one for nil, and a model that it allows.
	Settle(ctx context.Context, connection *uuid.UUID, model string) (id uuid.UUID, settled string, err error)
}

// Service keeps conversations.
type Service struct {
	db          *store.DB
	connections Connections
	removed     access.OnRemoved
	// MaxOwned bounds the conversations of a person, archived ones included; unlimited when zero.
	MaxOwned int
}

// New makes a service; removed is called for deleted conversations.
func New(db *store.DB, connections Connections, removed access.OnRemoved) *Service {
	return &Service{db: db, connections: connections, removed: removed}
}

// Create starts a conversation of p.
func (s *Service) Create(ctx context.Context, p principal.Principal, set Settings) (Conversation, error) {
	set, err := s.check(ctx, set, nil)
	if err != nil {
		return Conversation{}, err
	}
	mode := disposition.Approve
	if set.PermissionMode != nil {
		mode = *set.PermissionMode
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Conversation, error) {
		if err := s.room(ctx, p); err != nil {
			return Conversation{}, err
		}
		row, err := s.queries(ctx).CreateConversation(ctx, conversationdb.CreateConversationParams{
			ID: store.NewID(), OwnerID: p.ID, Title: set.Title, ConnectionID: set.ConnectionID, Model: set.Model, PermissionMode: string(mode),
		})
		if err != nil {
			return Conversation{}, fmt.Errorf("create conversation: %w", err)
		}
		var fields audit.Fields
		fields.Compare("permissionMode", string(disposition.Approve), row.PermissionMode)
		return of(row, nil), s.record(ctx, p, audit.Created, row.ID, "Conversation started", fields)
	})
}

// retryCreate is the Retry-After of a refusal for too many conversations, of which the owner has to delete some.
const retryCreate = time.Minute

// room refuses a person at the limit of conversations. Concurrent callers are serialized.
func (s *Service) room(ctx context.Context, p principal.Principal) error {
	if s.MaxOwned <= 0 {
		return nil
	}
	if err := s.queries(ctx).LockDrafts(ctx, p.ID.String()); err != nil {
		return fmt.Errorf("lock conversations: %w", err)
	}
	owned, err := s.queries(ctx).CountConversations(ctx, p.ID)
	if err != nil {
		return fmt.Errorf("count conversations: %w", err)
	}
	if owned < int64(s.MaxOwned) {
		return nil
	}
	return problem.Errorf(
		problem.Throttled,
		"You keep %d conversations, and the limit for one person is %d. Each counts until it is deleted: archived ones "+
			"too, and those without a message. Go on in one of them, or ask an administrator to keep archived ones for a "+
			"shorter time, under Retention, or to raise COUNTERSIGN_MAX_CONVERSATIONS.",
		owned,
		s.MaxOwned,
	).
		After(
			retryCreate,
		)
}

// Draft is Create, unless p has an untitled conversation without messages: that one is reused, with these settings. It
// is idempotent: p has one empty draft.
func (s *Service) Draft(ctx context.Context, p principal.Principal, set Settings) (c Conversation, err error) {
	settled, err := s.check(ctx, set, nil)
	if err != nil {
		return c, err
	}
	mode := disposition.Approve
	if settled.PermissionMode != nil {
		mode = *settled.PermissionMode
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.queries(ctx).LockDrafts(ctx, p.ID.String()); err != nil {
			return fmt.Errorf("lock drafts: %w", err)
		}
		row, err := s.queries(ctx).ReuseDraft(ctx, conversationdb.ReuseDraftParams{
			OwnerID: p.ID, Title: settled.Title, ConnectionID: settled.ConnectionID, Model: settled.Model, PermissionMode: string(mode),
		})
		if store.NoRows(err) {
			c, err = s.Create(ctx, p, set)
			return err
		}
		if err != nil {
			return fmt.Errorf("reuse draft: %w", err)
		}
		c = of(row, nil)
		var fields audit.Fields
		fields.Mention("permissionMode", settled.PermissionMode != nil)
		fields.Mention("connection", settled.ConnectionID != nil)
		return s.record(ctx, p, audit.Changed, row.ID, "An empty conversation was used again", fields)
	})
	return c, err
}

// IDs lists all of p's conversations, archived ones included, the oldest first.
func (s *Service) IDs(ctx context.Context, p principal.Principal) ([]uuid.UUID, error) {
	ids, err := s.queries(ctx).ConversationIDsByOwner(ctx, p.ID)
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", err)
	}
	return ids, nil
}

// Get returns p's conversation, archived ones included.
func (s *Service) Get(ctx context.Context, p principal.Principal, id uuid.UUID) (Conversation, error) {
	row, err := s.queries(ctx).ConversationByOwner(ctx, conversationdb.ConversationByOwnerParams{ID: id, OwnerID: p.ID})
	if store.NoRows(err) {
		return Conversation{}, notFound(id)
	}
	if err != nil {
		return Conversation{}, fmt.Errorf("load conversation: %w", err)
	}
	return of(row.AiConversation, row.ActiveTurnID), nil
}

// Messages returns the finished messages of a conversation that Get has returned, in order.
func (s *Service) Messages(ctx context.Context, id uuid.UUID) ([]Message, error) {
	rows, err := s.queries(ctx).MessagesByConversation(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("list messages: %w", err)
	}
	messages := make([]Message, len(rows))
	for i, row := range rows {
		messages[i] = Message{ID: row.ID, Role: row.Role, Parts: row.Parts, Metadata: row.Metadata}
	}
	return messages, nil
}

// Newest returns a page of what Messages returns, in its order: the newest ones, and by the page's cursor those before them.
func (s *Service) Newest(ctx context.Context, id uuid.UUID, page rest.Page) ([]Message, rest.Next, error) {
	before := int64(math.MaxInt64)
	key, err := page.After()
	if err == nil && key != "" {
		if before, err = strconv.ParseInt(key, 10, 64); err != nil {
			err = problem.UnknownCursor()
		}
	}
	if err != nil {
		return nil, rest.Next{}, err
	}
	rows, err := s.queries(
		ctx,
	).MessagesBefore(
		ctx,
		conversationdb.MessagesBeforeParams{ConversationID: id, Before: before, MaxRows: page.Rows()},
	)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list messages: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(row conversationdb.MessagesBeforeRow) string { return strconv.FormatInt(*row.Position, 10) })
	messages := make([]Message, len(rows))
	for i, row := range rows {
		messages[len(rows)-1-i] = Message{ID: row.ID, Role: row.Role, Parts: row.Parts, Metadata: row.Metadata}
	}
	return messages, next, nil
}

// pageOfMessages is the page size of EachPage.
const pageOfMessages = 50

// Dated is a message with the time at which it was stored.
type Dated struct {
	Message

	At time.Time
}

// EachPage calls do with pages of what Messages returns, until do returns an error.
func (s *Service) EachPage(ctx context.Context, id uuid.UUID, do func([]Dated) error) error {
	for after := int64(0); ; {
		rows, err := s.queries(
			ctx,
		).MessagesAfter(
			ctx,
			conversationdb.MessagesAfterParams{ConversationID: id, After: after, MaxRows: pageOfMessages},
		)
		if err != nil {
			return fmt.Errorf("list messages: %w", err)
		}
		page := make([]Dated, len(rows))
		for i, row := range rows {
			page[i] = Dated{Message{ID: row.ID, Role: row.Role, Parts: row.Parts, Metadata: row.Metadata}, row.CreatedAt}
			after = *row.Position
		}
		if err := do(page); err != nil {
			return err
		}
		if len(rows) < pageOfMessages {
			return nil
		}
	}
}

// Message returns one message of a conversation that Get has returned.
func (s *Service) Message(ctx context.Context, conversation uuid.UUID, id string) (stream.Message, error) {
	row, err := s.queries(ctx).MessageByID(ctx, conversationdb.MessageByIDParams{ConversationID: conversation, ID: id})
	if err != nil {
		return stream.Message{}, fmt.Errorf("load message: %w", err)
	}
	m := stream.Message{ID: row.ID, Role: row.Role, Metadata: row.Metadata}
	if err := json.Unmarshal(row.Parts, &m.Parts); err != nil {
		return m, fmt.Errorf("read message: %w", err)
	}
	return m, nil
}

// Update changes settings of p's conversation.
func (s *Service) Update(ctx context.Context, p principal.Principal, id uuid.UUID, set Settings) (Conversation, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Conversation, error) {
		current, err := s.Get(ctx, p, id)
		if err != nil {
			return Conversation{}, err
		}
		if set, err = s.check(ctx, set, &current); err != nil {
			return Conversation{}, err
		}
		n, err := s.queries(ctx).UpdateConversation(ctx, conversationdb.UpdateConversationParams{
			ID: id, OwnerID: p.ID, Title: set.Title, ConnectionID: set.ConnectionID, Model: set.Model, PermissionMode: (*string)(set.PermissionMode),
		})
		if err != nil {
			return Conversation{}, fmt.Errorf("update conversation: %w", err)
		}
		if n == 0 {
			return Conversation{}, problem.Errorf(problem.Conflict, "This conversation is archived and cannot be changed.")
		}
		changed, err := s.Get(ctx, p, id)
		if err != nil {
			return Conversation{}, err
		}
		return changed, s.record(ctx, p, audit.Changed, id, "Settings of a conversation were changed", changedFields(current, changed))
	})
}

// Archive hides p's conversation from lists and keeps it; it reports whether this call did it.
func (s *Service) Archive(ctx context.Context, p principal.Principal, id uuid.UUID) (bool, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (bool, error) {
		if _, err := s.Get(ctx, p, id); err != nil {
			return false, err
		}
		n, err := s.queries(ctx).ArchiveConversation(ctx, conversationdb.ArchiveConversationParams{ID: id, OwnerID: p.ID})
		if err != nil {
			return false, fmt.Errorf("archive conversation: %w", err)
		}
		if n == 0 {
			return false, nil
		}
		return true, s.record(ctx, p, audit.Archived, id, "Conversation archived", nil)
	})
}

// Restore takes p's conversation out of the archive; it reports whether this call did it.
func (s *Service) Restore(ctx context.Context, p principal.Principal, id uuid.UUID) (bool, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (bool, error) {
		if _, err := s.Get(ctx, p, id); err != nil {
			return false, err
		}
		n, err := s.queries(ctx).RestoreConversation(ctx, conversationdb.RestoreConversationParams{ID: id, OwnerID: p.ID})
		if err != nil {
			return false, fmt.Errorf("restore conversation: %w", err)
		}
		if n == 0 {
			return false, nil
		}
		return true, s.record(ctx, p, audit.Restored, id, "Conversation taken out of the archive", nil)
	})
}

// SendWithheld lets the next message of p's conversation send again what models have refused to read; it reports how many parts
// this call has released.
func (s *Service) SendWithheld(ctx context.Context, p principal.Principal, id uuid.UUID) (int64, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (int64, error) {
		if _, err := s.Get(ctx, p, id); err != nil {
			return 0, err
		}
		n, err := s.queries(ctx).SendWithheldContent(ctx, conversationdb.SendWithheldContentParams{ID: id, OwnerID: p.ID})
		if err != nil {
			return 0, fmt.Errorf("release withheld content: %w", err)
		}
		if n == 0 {
			return 0, nil
		}
		return n, s.record(ctx, p, audit.Changed, id, "Content that a model had refused goes to models again", nil)
	})
}

// check validates settings and resolves the model: an id that the connection does not allow becomes its default.
func (s *Service) check(ctx context.Context, set Settings, current *Conversation) (Settings, error) {
	var issues problem.Issues
	if set.Title != nil {
		title := text.Required(&issues, "title", text.Line(&issues, "title", scrub.Text(strings.TrimSpace(*set.Title)), maxTitle))
		set.Title = &title
	}
	if m := set.PermissionMode; m != nil && *m != disposition.Approve && *m != disposition.Auto {
		issues.Report("permissionMode", `must be "approve" or "auto"`)
	}
	if err := issues.Err(); err != nil {
		return set, err
	}
	if set.ConnectionID == nil && set.Model == nil {
		return set, nil
	}
	if set.ConnectionID == nil && current != nil {
		set.ConnectionID = current.ConnectionID
	}
	model := ""
	if set.Model != nil {
		// A connection without a list allows any model, even an unreadable one.
		var issues problem.Issues
		model = text.Line(&issues, "model", *set.Model, maxModel)
		if err := issues.Err(); err != nil {
			return set, err
		}
	}
	id, settled, err := s.connections.Settle(ctx, set.ConnectionID, model)
	if err != nil {
		return set, err
	}
	set.ConnectionID, set.Model = &id, &settled
	return set, nil
}

func (s *Service) queries(ctx context.Context) *conversationdb.Queries {
	return conversationdb.New(s.db.Conn(ctx))
}

func of(row conversationdb.AiConversation, active *uuid.UUID) Conversation {
	return Conversation{
		ID: row.ID, Title: row.Title, ConnectionID: row.ConnectionID, Model: row.Model, PermissionMode: disposition.Mode(row.PermissionMode),
		ActiveTurnID: active, ClientID: row.ClientID, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt, ArchivedAt: row.ArchivedAt,
	}
}

func notFound(id uuid.UUID) error {
	return problem.Errorf(problem.NotFound, "You have no conversation with the id %s. GET /api/ai/conversations lists yours.", id)
}
