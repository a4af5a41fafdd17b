package turn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/chat/assistant"
	"countersign/chat/stream"
	"countersign/chat/turn/turndb"
	"countersign/internal/crash"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/model"
	"countersign/tool"
	"countersign/tool/disposition"
	"countersign/tool/spend"
)

// ErrStopped is the cause of a step's context when the person stopped the turn.
var ErrStopped = errors.New("the turn was stopped")

// ErrFinal means that the turn has already ended.
var ErrFinal = errors.New("the turn is over")

// Session is a turn that this process runs. Its methods are safe for concurrent use.
type Session struct {
	ID             uuid.UUID
	ConversationID uuid.UUID
	ConnectionID   uuid.UUID
	Model          string
	PermissionMode disposition.Mode
	TimeZone       string
	// SkillID is the person's active skill; "" for none.
	SkillID string
	// Proposal and Decision are set for the follow-up turn of a decision.
	Proposal *uuid.UUID
	Decision Decision
	// Principal is the one the turn acts for, with its session; its rules are loaded when needed.
	Principal principal.Principal
	// LastSeen is the time of the conversation's previous message; zero for the first.
	LastSeen time.Time
	// ClientHistory is the client's own, untrusted history before the turn's message.
	ClientHistory assistant.ClientHistory

	turn     Turn
	log      *stream.Log
	db       *store.DB
	claim    int
	takeover bool

	mu           sync.Mutex
	rows         []Row
	summary      string
	isClipped    bool
	count        uint32
	steps        map[int]*Step
	taints       []disposition.Taint
	enteredSteps map[[2]int]chan struct{}
	stopped      chan struct{}
	stopOnce     sync.Once
	lastUse      time.Time
	// claimSeenAt is when the row was last seen to hold the claim.
	claimSeenAt time.Time
}

// open claims the turn for this process and loads it. ErrFinal means that it could not be claimed.
func open(ctx context.Context, db *store.DB, log *stream.Log, id uuid.UUID, mode turndb.ClaimMode) (*Session, error) {
	crash.Point("turn.before-claim", id)
	asked := time.Now()
	o, err := turndb.Open(ctx, db.Conn(ctx), id, mode)
	crash.Point("turn.after-claim", id)
	if store.NoRows(err) {
		return nil, ErrFinal
	}
	if err != nil {
		return nil, fmt.Errorf("open turn: %w", err)
	}
	row := o.Turn
	s := &Session{
		ID: row.ID, ConversationID: row.ConversationID, ConnectionID: row.ConnectionID, Model: row.Model,
		PermissionMode: disposition.Mode(row.PermissionMode), Proposal: row.ProposalID,
		Principal: principal.Principal{Kind: principal.Kind(row.PrincipalKind), ID: row.PrincipalID, SessionID: row.SessionID},
		turn:      turnOf(row), log: log, db: db, claim: int(row.Claim), takeover: row.Claim > 1,
		steps: map[int]*Step{}, enteredSteps: map[[2]int]chan struct{}{}, stopped: make(chan struct{}),
		lastUse: time.Now(), claimSeenAt: asked,
	}
	if row.TimeZone != nil {
		s.TimeZone = *row.TimeZone
	}
	if row.Decision != nil {
		s.Decision = Decision(*row.Decision)
	}
	if row.StopRequestedAt != nil {
		s.Stop()
	}
	if row.SkillID != nil {
		s.SkillID = *row.SkillID
	}
	s.summary, s.isClipped = o.Summary, o.IsClipped
	if len(o.Told) > 0 {
		if err := json.Unmarshal(o.Told, &s.ClientHistory.Messages); err != nil {
			return nil, fmt.Errorf("read history of a client: %w", err)
		}
	}
	s.ClientHistory.LeftOut = o.LeftOut
	for _, t := range o.Taints {
		s.taints = append(s.taints, taintOf(t))
	}
	s.rows, s.LastSeen = rowsOf(o.History, row.ID)
	for _, r := range o.Steps {
		if err := s.restore(int(r.Step), int(r.Call), r.Result); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Session) restore(step, call int, raw json.RawMessage) error {
	st := s.stepLocked(step)
	if call == 0 {
		st.Model = &ModelResult{}
		if err := json.Unmarshal(raw, st.Model); err != nil {
			return fmt.Errorf("read record of step %d: %w", step, err)
		}
		return nil
	}
	result := &ToolResult{}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("read record of step %d, call %d: %w", step, call, err)
	}
	for len(st.Tools) < call {
		st.Tools = append(st.Tools, nil)
	}
	st.Tools[call-1] = result
	return nil
}

func (s *Session) stepLocked(step int) *Step {
	st, ok := s.steps[step]
	if !ok {
		st = &Step{Number: step}
		s.steps[step] = st
	}
	return st
}

// Step is a copy of the records of step n.
func (s *Session) Step(n int) Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.steps[n]
	if !ok {
		return Step{Number: n}
	}
	c := *st
	c.Tools = append([]*ToolResult(nil), st.Tools...)
	return c
}

// Steps returns all steps that have a model record, in order.
func (s *Session) Steps() []Step {
	var steps []Step
	for n := 1; ; n++ {
		step := s.Step(n)
		if step.Model == nil {
			return steps
		}
		steps = append(steps, step)
	}
}

// Messages returns the steps of this turn as messages for the model.
func (s *Session) Messages() []model.Message {
	var messages []model.Message
	for _, step := range s.Steps() {
		messages = append(messages, step.messages()...)
	}
	return messages
}

// TextBefore is the text of the answer before a call, without reasoning and tool results.
func (s *Session) TextBefore(step, call int) string {
	var said []string
	for _, earlier := range s.Steps() {
		text := earlier.Model.Text()
		if earlier.Number == step {
			text = earlier.Model.textBefore(call)
		}
		if earlier.Number <= step && strings.TrimSpace(text) != "" {
			said = append(said, strings.TrimSpace(text))
		}
	}
	return strings.Join(said, "\n\n")
}

// Proposed reports whether another call of this turn has made a proposal with the same tool and arguments, by their
// hash. A failed call does not count.
func (s *Session) Proposed(name, hash string, step, call int) bool {
	for _, earlier := range s.Steps() {
		for i, result := range earlier.Tools {
			if result == nil || result.Card == nil || (earlier.Number == step && i+1 == call) {
				continue
			}
			c := earlier.Model.Calls[i]
			if c.Tool == name && tool.Hash(json.RawMessage(c.Arguments)) == hash {
				return true
			}
		}
	}
	return false
}

// Repetitions counts the earlier steps that made this call with the same result as the newest of them; told reports
// that one of them was refused for that. A change in between may have changed what a call finds, so the count begins again after one.
func (s *Session) Repetitions(call Call, step int) (same int, told bool) {
	key, last, counted := call.key(), "", 0
	for _, earlier := range s.Steps() {
		if earlier.Number >= step {
			break
		}
		for i, result := range earlier.Tools {
			switch {
			case result == nil:
			case result.Card != nil:
				same, told, last = 0, false, ""
			case earlier.Model.Calls[i].key() != key:
			case result.Repeated:
				told = true
			case string(result.document()) != last:
				same, told, last, counted = 1, false, string(result.document()), earlier.Number
			case counted != earlier.Number:
				same, counted = same+1, earlier.Number
			}
		}
	}
	return same, told
}

// IsTakeover reports whether another process had this turn before.
func (s *Session) IsTakeover() bool { return s.takeover }

// Claim is the fencing token of this session, from 1.
func (s *Session) Claim() int { return s.claim }

// Stop ends every running and later step of the turn.
func (s *Session) Stop() { s.stopOnce.Do(func() { close(s.stopped) }) }

// Context is ctx until the person stops the turn, with the cause ErrStopped.
func (s *Session) Context(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-s.stopped:
			cancel(ErrStopped)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// IsStopped reports whether the person stopped the turn.
func (s *Session) IsStopped() bool {
	select {
	case <-s.stopped:
		return true
	default:
		return false
	}
}

// Enter serializes a step within this process: a second caller waits for the first, and then finds its record. leave
// must be called.
func (s *Session) Enter(ctx context.Context, step, call int) (leave func(), err error) {
	key := [2]int{step, call}
	for {
		s.mu.Lock()
		busy, taken := s.enteredSteps[key]
		if !taken {
			mine := make(chan struct{})
			s.enteredSteps[key] = mine
			s.mu.Unlock()
			return func() {
				s.mu.Lock()
				delete(s.enteredSteps, key)
				s.mu.Unlock()
				close(mine)
			}, nil
		}
		s.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Emit appends chunks of a step to the turn's stream.
func (s *Session) Emit(step int, urgent bool, chunks ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.Append(s.ID, urgent, s.eventsLocked(step, chunks)...)
}

func (s *Session) eventsLocked(step int, chunks []string) []stream.Event {
	events := make([]stream.Event, len(chunks))
	for i, c := range chunks {
		s.count++
		events[i] = stream.Event{Seq: stream.Seq(s.claim, s.count), Step: step, Chunk: c}
	}
	return events
}

// RecordModel stores a model call's result, with its usage, nil if the call sent nothing, and the chunks that end it.
func (s *Session) RecordModel(ctx context.Context, step int, r ModelResult, used *spend.Settlement, chunks ...string) error {
	return s.record(ctx, stream.Record{Step: step, Spend: used}, r, chunks)
}

// RecordTool stores the result of tool call number call (from 1), with its chunks and its audit outcome.
func (s *Session) RecordTool(ctx context.Context, step, call int, r ToolResult, outcome *stream.Outcome, chunks ...string) error {
	return s.record(ctx, stream.Record{Step: step, Call: call, Outcome: outcome}, r, chunks)
}

func (s *Session) record(ctx context.Context, r stream.Record, result any, chunks []string) error {
	raw, err := encode(result)
	if err != nil {
		return fmt.Errorf("encode record: %w", err)
	}
	s.mu.Lock()
	submitted := time.Now()
	r.Turn, r.Claim, r.Result, r.Events = s.ID, s.claim, raw, s.eventsLocked(r.Step, chunks)
	wait := s.log.Submit(r)
	s.mu.Unlock()
	err = wait(ctx)
	if errors.Is(err, stream.ErrFenced) {
		return s.afterFence(ctx, r.Step, r.Call)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claimSeenAt = submitted
	return s.restore(r.Step, r.Call, raw)
}

// holdsClaim reports whether the session still has the claim, from the cached claim within trust or from the row.
// ErrFinal means that the turn has ended.
func (s *Session) holdsClaim(ctx context.Context, trust time.Duration) (bool, error) {
	asked := time.Now()
	s.mu.Lock()
	s.lastUse = asked
	trusted := asked.Sub(s.claimSeenAt) < trust
	s.mu.Unlock()
	if trusted {
		return true, nil
	}
	row, err := turndb.New(s.db.Conn(ctx)).ClaimOfTurn(ctx, s.ID)
	if store.NoRows(err) || err == nil && Status(row.Status).Final() {
		return false, ErrFinal
	}
	if err != nil {
		return false, fmt.Errorf("look at claim of turn: %w", err)
	}
	if int(row.Claim) != s.claim {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claimSeenAt = asked
	return true, nil
}

// encode does not escape <, > and &: the model reads the record, and escapes take six times the tokens.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// afterFence distinguishes a record that an attempt with a lost answer has written from a claim of another process.
func (s *Session) afterFence(ctx context.Context, step, call int) error {
	q := turndb.New(s.db.Conn(ctx))
	row, err := q.TurnByID(ctx, s.ID)
	if err != nil {
		return fmt.Errorf("look at fenced turn: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if int(row.Claim) != s.claim || Status(row.Status).Final() {
		return stream.ErrFenced
	}
	steps, err := q.TurnSteps(ctx, s.ID)
	if err != nil {
		return fmt.Errorf("read steps of fenced turn: %w", err)
	}
	for _, r := range steps {
		if int(r.Step) == step && int(r.Call) == call {
			return s.restore(step, call, r.Result)
		}
	}
	return stream.ErrFenced
}
