// Package turn stores the turns of conversations: a person's message, or a decision about a proposal, and the steps by
// which the assistant answers it.
//
// A Store accepts turns: the message and its turn are committed together, idempotently by message id, one running turn
// in a conversation. A process that runs a turn opens a Session: it claims the turn by raising the fencing token, which
// fences off the process that had it before, loads the records, and then records each step before the next one starts.
// A retry after a crash finds the record, and at most the call in flight is made again.
package turn

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"

	"countersign/chat/stream"
	"countersign/chat/turn/turndb"
	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool/disposition"
)

// Status is the status of a turn.
type Status string

// The states of a turn; the last three are final.
const (
	Pending Status = "pending"
	Running Status = "running"
	Done    Status = "done"
	Failed  Status = "failed"
	Stopped Status = "stopped"
)

// Final reports whether the turn has ended.
func (s Status) Final() bool { return s == Done || s == Failed || s == Stopped }

// Decision is what a person decided about a proposal.
type Decision string

// The decisions; they are named as in the API.
const (
	Apply   Decision = "apply"
	Decline Decision = "decline"
)

// Turn is one turn as the rest of the product sees it.
type Turn struct {
	ID                 uuid.UUID
	ConversationID     uuid.UUID
	Status             Status
	AssistantMessageID string
	Model              string
	CreatedAt          time.Time
	// OwnerID is the person the turn acts for, SessionID the sign-in that requested it.
	OwnerID, SessionID uuid.UUID
	// Abandoned says that the client closed the last stream of the turn.
	Abandoned bool
}

// MessageMetadata is the metadata of an assistant's message. A message of a person has only createdAt and turnId.
type MessageMetadata struct {
	CreatedAt string   `json:"createdAt,omitempty" format:"date-time"`
	Error     *Failure `json:"error,omitempty" doc:"Why the turn failed"`
	Model     string   `json:"model,omitempty"`
	// Status is never Pending: there is no message then.
	Status Status `json:"status,omitempty" enum:"running,done,failed,stopped"`
	// Truncated says that the last answer of the model ended at its length limit.
	Truncated bool       `json:"truncated,omitempty" doc:"The answer was cut at the length limit of the model's reply"`
	TurnID    *uuid.UUID `json:"turnId,omitempty" format:"uuid"`
	Usage     *Usage     `json:"usage,omitempty"`
}

// Usage counts the tokens of all model calls of a turn.
type Usage struct {
	InputTokens  int `json:"inputTokens"`
	OutputTokens int `json:"outputTokens"`
	CachedTokens int `json:"cachedTokens,omitempty" doc:"The part of the input that the provider had in its cache"`
}

// Metadata is the initial metadata of the turn's message, as a JSON object.
func (t Turn) Metadata() json.RawMessage {
	raw, err := json.Marshal(MessageMetadata{
		TurnID: &t.ID, Status: Running, Model: t.Model, CreatedAt: t.CreatedAt.UTC().Format(timeLayout),
	})
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

const timeLayout = "2006-01-02T15:04:05.000Z"

// Settings are the settings of a turn, fixed when it is accepted.
type Settings struct {
	ConversationID uuid.UUID
	Principal      principal.Principal
	ConnectionID   uuid.UUID
	Model          string
	PermissionMode disposition.Mode
	TimeZone       string
	// SkillID is the skill that the person has active; "" for none.
	SkillID string
	// Claimed accepts the turn with a claim of this process, which runs it at once and then calls RegisterAccepted.
	Claimed bool
}

// Message is a person's message. ID comes from the client and is the idempotency key of the turn.
type Message struct {
	ID   string
	Text string
	// Title names an unnamed conversation; "" leaves it.
	Title string
	// Program is the program that has sent content beside the person's words; "" for none.
	Program string
}

// Store accepts and finds turns.
type Store struct {
	db *store.DB
	// MaxRunning bounds the concurrent turns of a principal over all processes; unlimited when zero.
	MaxRunning int
	// Withdrawals withdraws the proposals of replaced turns; nil where nothing is proposed.
	Withdrawals Withdrawals
}

// retryRunning is the Retry-After of a refusal for too many running turns.
const retryRunning = 5 * time.Second

// NewStore makes a store.
func NewStore(db *store.DB) *Store { return &Store{db: db} }

// runningLock is the advisory lock under which the running turns of a principal are counted.
func runningLock(set Settings) string { return "turns/" + set.Principal.Key() }

func (s *Store) maxRunning() int64 {
	if s.MaxRunning <= 0 {
		return math.MaxInt64
	}
	return int64(s.MaxRunning)
}

// AcceptMessage commits the message and its turn. created is false for a message that was accepted before, whose turn
// it returns. Another text under the same id is problem.KeyReused, a running turn in the conversation problem.Busy, too
// many running turns of the principal problem.Throttled.
func (s *Store) AcceptMessage(ctx context.Context, set Settings, m Message) (t Turn, created bool, err error) {
	parts, err := json.Marshal([]stream.Part{{Type: "text", Text: &m.Text}})
	if err != nil {
		return t, false, fmt.Errorf("encode message: %w", err)
	}
	cause, err := event.Inherited(ctx)
	if err != nil {
		return t, false, err
	}
	hash := sha256.Sum256([]byte(m.Text))
	t = newTurn(set)
	createdAt, err := turndb.New(s.db.Locked(ctx, runningLock(set))).AcceptMessage(ctx, turndb.AcceptMessageParams{
		ID:                 t.ID,
		ConversationID:     set.ConversationID,
		MessageID:          m.ID,
		MostRunning:        s.maxRunning(),
		RequestHash:        hash[:],
		AssistantMessageID: t.AssistantMessageID,
		PrincipalKind:      string(set.Principal.Kind),
		PrincipalID:        set.Principal.ID,
		SessionID:          set.Principal.SessionID,
		ConnectionID:       set.ConnectionID,
		Model:              set.Model,
		PermissionMode:     string(set.PermissionMode),
		TimeZone:           store.TextOrNull(set.TimeZone),
		SkillID:            store.TextOrNull(set.SkillID),
		Content:            m.Text,
		Parts:              parts,
		Title:              m.Title,
		Program:            cmp.Or(programOf(set.Principal), m.Program),
		Claimed:            set.Claimed,
		Cause:              cause,
	})
	if err == nil {
		return set.accepted(t, createdAt), true, nil
	}
	if store.Violates(err, "ai_messages_pkey") {
		return t, false, problem.Errorf(problem.KeyReused, "The messageId %q is the id of an answer. Use a new id for each message.", m.ID)
	}
	if store.Violates(err, "ai_turns_conversation_id_fkey") {
		return t, false, problem.Errorf(problem.NotFound, "This conversation has just been deleted. Start a new one.")
	}
	if !store.NoRows(err) {
		return t, false, fmt.Errorf("accept message: %w", err)
	}
	row, err := s.queries(ctx).TurnByMessage(ctx, turndb.TurnByMessageParams{ConversationID: set.ConversationID, MessageID: &m.ID})
	if store.NoRows(err) {
		return t, false, s.refusal(ctx, set)
	}
	if err != nil {
		return t, false, fmt.Errorf("find turn of message: %w", err)
	}
	if string(row.RequestHash) != string(hash[:]) {
		return t, false, problem.Errorf(problem.KeyReused, "The messageId %q was used for another text. Use a new id for each message.", m.ID)
	}
	return turnOf(row), false, nil
}

// AcceptDecision commits the one follow-up turn of a decided proposal. created is false when it exists.
func (s *Store) AcceptDecision(ctx context.Context, set Settings, proposal uuid.UUID, d Decision) (t Turn, created bool, err error) {
	t = newTurn(set)
	createdAt, err := s.queries(ctx).AcceptDecision(ctx, turndb.AcceptDecisionParams{
		ID:                 t.ID,
		ConversationID:     set.ConversationID,
		ProposalID:         proposal,
		Decision:           store.TextOrNull(string(d)),
		AssistantMessageID: t.AssistantMessageID,
		PrincipalKind:      string(set.Principal.Kind),
		PrincipalID:        set.Principal.ID,
		SessionID:          set.Principal.SessionID,
		ConnectionID:       set.ConnectionID,
		Model:              set.Model,
		PermissionMode:     string(set.PermissionMode),
		TimeZone:           store.TextOrNull(set.TimeZone),
		SkillID:            store.TextOrNull(set.SkillID),
		Claimed:            set.Claimed,
	})
	if err == nil {
		return set.accepted(t, createdAt), true, nil
	}
	if !store.NoRows(err) {
		return t, false, fmt.Errorf("accept decision: %w", err)
	}
	row, err := s.queries(ctx).TurnByProposal(ctx, &proposal)
	if store.NoRows(err) {
		return t, false, s.busy(ctx, set.ConversationID)
	}
	if err != nil {
		return t, false, fmt.Errorf("find turn of decision: %w", err)
	}
	return turnOf(row), false, nil
}

// accepted is a turn that was just stored with these settings.
func (set Settings) accepted(t Turn, at time.Time) Turn {
	t.CreatedAt = at
	if set.Claimed {
		t.Status = Running
	}
	return t
}

// refusal is the reason why a message was not accepted: its conversation is busy, or the principal has too many running
// turns. When the running turn has ended since, the conversation was busy, and a retry succeeds.
func (s *Store) refusal(ctx context.Context, set Settings) error {
	if s.MaxRunning <= 0 {
		return s.busy(ctx, set.ConversationID)
	}
	if _, busy, err := s.Active(ctx, set.ConversationID); busy || err != nil {
		return s.busy(ctx, set.ConversationID)
	}
	if n, err := s.queries(ctx).CountRunning(ctx, set.Principal.ID); err != nil || n < s.maxRunning() {
		return s.busy(ctx, set.ConversationID)
	}
	return problem.Errorf(
		problem.Throttled,
		"The assistant is answering you in %d conversations already, and no more are possible at once. Wait for an answer "+
			"or stop one, or try again in %d seconds.",
		s.MaxRunning,
		int(retryRunning.Seconds()),
	).After(
		retryRunning,
	)
}

func (s *Store) busy(ctx context.Context, conversation uuid.UUID) error {
	e := problem.Errorf(problem.Busy, "The assistant is still answering in this conversation. Wait for the answer, or stop it first.")
	if row, err := s.queries(ctx).ActiveTurn(ctx, conversation); err == nil {
		e = e.With("turnId", row.ID)
	}
	return e
}

// Active is the running turn of the conversation; ok is false without one.
func (s *Store) Active(ctx context.Context, conversation uuid.UUID) (t Turn, ok bool, err error) {
	row, err := s.queries(ctx).ActiveTurn(ctx, conversation)
	if store.NoRows(err) {
		return t, false, nil
	}
	if err != nil {
		return t, false, fmt.Errorf("find active turn: %w", err)
	}
	return turnOf(row), true, nil
}

// OfMessage is the turn of an accepted message; ok is false without one.
func (s *Store) OfMessage(ctx context.Context, conversation uuid.UUID, message string) (t Turn, ok bool, err error) {
	row, err := s.queries(ctx).TurnByMessage(ctx, turndb.TurnByMessageParams{ConversationID: conversation, MessageID: &message})
	if store.NoRows(err) {
		return t, false, nil
	}
	if err != nil {
		return t, false, fmt.Errorf("find turn of message: %w", err)
	}
	return turnOf(row), true, nil
}

// Find returns the turn with this id.
func (s *Store) Find(ctx context.Context, id uuid.UUID) (Turn, error) {
	row, err := s.queries(ctx).TurnByID(ctx, id)
	if store.NoRows(err) {
		return Turn{}, problem.Errorf(problem.NotFound, "There is no such turn.")
	}
	if err != nil {
		return Turn{}, fmt.Errorf("find turn: %w", err)
	}
	return turnOf(row), nil
}

// Conversation is the conversation of a turn; false for an unknown turn.
func (s *Store) Conversation(ctx context.Context, id uuid.UUID) (uuid.UUID, bool, error) {
	found, err := s.Find(ctx, id)
	if problem.Is(err, problem.NotFound) {
		return uuid.Nil, false, nil
	}
	return found.ConversationID, err == nil, err
}

// SettingsOf returns the settings of an earlier turn, for the follow-up turn of its proposal. AcceptDecision restricts
// the mode to the conversation's current one.
func (s *Store) SettingsOf(ctx context.Context, id uuid.UUID) (Settings, error) {
	row, err := s.queries(ctx).TurnByID(ctx, id)
	if store.NoRows(err) {
		return Settings{}, problem.Errorf(problem.NotFound, "There is no such turn.")
	}
	if err != nil {
		return Settings{}, fmt.Errorf("find turn: %w", err)
	}
	set := Settings{
		ConversationID: row.ConversationID,
		ConnectionID:   row.ConnectionID,
		Model:          row.Model,
		PermissionMode: disposition.Mode(row.PermissionMode),
		Principal:      principal.Principal{Kind: principal.Kind(row.PrincipalKind), ID: row.PrincipalID, SessionID: row.SessionID},
	}
	if row.TimeZone != nil {
		set.TimeZone = *row.TimeZone
	}
	if row.SkillID != nil {
		set.SkillID = *row.SkillID
	}
	return set, nil
}

// RequestStop requests a stop of the conversation's running turn; ok is false without one.
func (s *Store) RequestStop(ctx context.Context, conversation uuid.UUID) (id uuid.UUID, ok bool, err error) {
	row, err := s.queries(ctx).RequestStop(ctx, conversation)
	if store.NoRows(err) {
		return uuid.Nil, false, nil
	}
	if err != nil {
		return uuid.Nil, false, fmt.Errorf("request stop: %w", err)
	}
	return row.ID, true, nil
}

// Request identifies the attempt by which a client has joined a turn: the key of its request, and the attempts so far.
// The zero Request is none.
type Request struct {
	Key      []byte
	Attempts int
}

// Stop requests a stop of a turn, unless a later attempt of the request has joined it. stopping is false then, and when
// the turn has ended.
func (s *Store) Stop(ctx context.Context, id uuid.UUID, by Request) (stopping bool, err error) {
	_, err = s.queries(ctx).StopTurn(ctx, turndb.StopTurnParams{ID: id, Request: by.Key, Attempts: int32(by.Attempts)})
	if store.NoRows(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("stop turn: %w", err)
	}
	return true, nil
}

// AttachStream counts an open stream of a turn. The stream of the request that stores a message is counted with its
// turn.
func (s *Store) AttachStream(ctx context.Context, id uuid.UUID) error {
	if err := s.queries(ctx).AttachStream(ctx, id); err != nil {
		return fmt.Errorf("count an open stream: %w", err)
	}
	return nil
}

// DetachStream counts a stream of a turn as ended, and marks the turn as left if its client closed the last one. It
// returns the number of open streams, 0 for a turn that has ended.
func (s *Store) DetachStream(ctx context.Context, id uuid.UUID, closed bool) (open int, err error) {
	rest, err := s.queries(ctx).DetachStream(ctx, turndb.DetachStreamParams{ID: id, Closed: closed})
	if err != nil && !store.NoRows(err) {
		return 0, fmt.Errorf("count an ended stream: %w", err)
	}
	return int(rest), nil
}

// UnfinishedPage is the page size of Unfinished.
const UnfinishedPage = 200

// Unfinished lists a page of the turns older than olderThan with one of these statuses, oldest first, by cursor
// pagination after a turn; the first page comes after the zero Turn. Only ID, Status and CreatedAt are set.
func (s *Store) Unfinished(ctx context.Context, olderThan time.Duration, after Turn, statuses ...Status) ([]Turn, error) {
	p := turndb.UnfinishedTurnsParams{
		OlderThan: store.Interval(olderThan),
		AfterAt:   after.CreatedAt,
		AfterID:   after.ID,
		MaxRows:   UnfinishedPage,
	}
	for _, status := range statuses {
		p.Statuses = append(p.Statuses, string(status))
	}
	rows, err := s.queries(ctx).UnfinishedTurns(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("list unfinished turns: %w", err)
	}
	turns := make([]Turn, len(rows))
	for i, row := range rows {
		turns[i] = Turn{ID: row.ID, Status: Status(row.Status), CreatedAt: row.CreatedAt}
	}
	return turns, nil
}

// Progress is the progress of a turn.
type Progress struct {
	// Records counts the records of its steps.
	Records int
	// LastEvent is the sequence number of the last chunk of its stream; each attempt at a step adds some.
	LastEvent int64
}

// Progress returns the progress of an unfinished turn.
func (s *Store) Progress(ctx context.Context, id uuid.UUID) (Progress, error) {
	row, err := s.queries(ctx).TurnProgress(ctx, id)
	if err != nil {
		return Progress{}, fmt.Errorf("look at progress of turn: %w", err)
	}
	return Progress{Records: int(row.Records), LastEvent: row.LastEvent}, nil
}

func (s *Store) queries(ctx context.Context) *turndb.Queries { return turndb.New(s.db.Conn(ctx)) }

func newTurn(set Settings) Turn {
	id := store.NewID()
	return Turn{
		ID: id, ConversationID: set.ConversationID, Status: Pending, Model: set.Model,
		AssistantMessageID: "msg_" + id.String(), OwnerID: set.Principal.ID, SessionID: set.Principal.SessionID,
	}
}

func turnOf(row turndb.AiTurn) Turn {
	return Turn{
		ID: row.ID, ConversationID: row.ConversationID, Status: Status(row.Status), Model: row.Model,
		AssistantMessageID: row.AssistantMessageID, CreatedAt: row.CreatedAt, OwnerID: row.PrincipalID,
		SessionID: row.SessionID, Abandoned: row.LeftAt != nil,
	}
}
