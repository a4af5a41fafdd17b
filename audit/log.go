package audit

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/audit/auditdb"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Actor is the principal who requested or decided.
type Actor struct {
	Kind string    `json:"kind" enum:"user,application,service"`
	ID   uuid.UUID `json:"id"`
	// Name is empty for a deleted principal.
	Name string `json:"name"`
	// Program is visible to readers of the audit log and to the actor.
	Program *Program `json:"program,omitempty" doc:"The program that acted: one that a person has connected or made a token for, or the application itself"`
}

// Call is the row of one tool call, with the hash of its arguments in their place.
type Call struct {
	ID         uuid.UUID  `json:"id"`
	Principal  Actor      `json:"principal"`
	Transport  string     `json:"transport" enum:"chat,mcp,automation,api"`
	ToolName   string     `json:"toolName"`
	Effect     string     `json:"effect" enum:"read,mutate,destructive"`
	ArgsHash   string     `json:"argsHash" doc:"SHA-256 of the canonical JSON of the arguments, in hex"`
	Status     string     `json:"status" enum:"running,executed,failed,refused,proposed,applying,applied,declined,expired,skipped"`
	ErrorCode  string     `json:"errorCode,omitempty"`
	AppliedBy  *Actor     `json:"appliedBy,omitempty" doc:"Who decided that a proposal is applied"`
	TurnID     *uuid.UUID `json:"turnId,omitempty"`
	Step       *int16     `json:"step,omitempty"`
	Call       *int16     `json:"call,omitempty"`
	CreatedAt  time.Time  `json:"createdAt"`
	FinishedAt *time.Time `json:"finishedAt,omitempty"`
	More       *Repeats   `json:"more,omitempty" doc:"Calls that were refused after this one for the same reason, and have no row of their own"`

	record int64
}

// Detail is a call with its history and its proposal.
type Detail struct {
	Call
	// ConversationID and ProposalID are set for readers with access to them.
	ConversationID *uuid.UUID `json:"conversationId,omitempty"`
	ProposalID     *uuid.UUID `json:"proposalId,omitempty"`
	History        []Change   `json:"history" nullable:"false"`
}

// Change is one entry of a call's history.
type Change struct {
	Entry     int64     `json:"entry"`
	At        time.Time `json:"at"`
	CallID    uuid.UUID `json:"callId" doc:"The call's id at that time; a released call gets another"`
	Status    string    `json:"status" enum:"running,executed,failed,refused,proposed,applying,applied,declined,expired,skipped"`
	ErrorCode string    `json:"errorCode,omitempty"`
	// Seq and Hash are the place in the chain; absent in the first second.
	Seq  *int64 `json:"seq,omitempty"`
	Hash string `json:"hash,omitempty"`
}

// Filter narrows the log; zero values mean everything.
type Filter struct {
	From, To    time.Time
	PrincipalID uuid.UUID
	Transport   string
	ToolName    string
	Effect      string
	Status      string
	// Program matches the whole id of the program of the request or decision.
	Program string
	// Text matches parts of tool names, error codes and names of principals, and whole ids and hashes.
	Text string
	// Mine keeps only the caller's own calls.
	Mine bool
}

// Status is the state of the chain: its head, the last verification, checkpoints and removed entries.
type Status struct {
	Entries    int64      `json:"entries" doc:"How many entries have their place in the chain"`
	Head       string     `json:"head,omitempty" doc:"The end of the chain, seq:hash; keep it elsewhere"`
	Waiting    float64    `json:"waitingSeconds" doc:"How long the oldest entry has waited for its place; 0 when none waits"`
	Verified   int64      `json:"verifiedEntries" doc:"How many entries the last verification has covered"`
	VerifiedAt *time.Time `json:"verifiedAt,omitempty"`
	WholeAt    *time.Time `json:"wholeVerifiedAt,omitempty" doc:"When everything was last verified from the beginning"`
	RecentAt   *time.Time `json:"recentVerifiedAt,omitempty" doc:"When what came after the newest checkpoint was last verified with its calls"`
	Checkpoint *Sealed    `json:"checkpoint,omitempty" doc:"The newest checkpoint, which such a verification relies on"`
	Archived   int64      `json:"archivedEntries,omitempty" doc:"Up to which entry older ones were removed; 0 when all are there"`
	BrokenAt   *int64     `json:"brokenAt,omitempty" doc:"Where the chain is broken; 0 when something outside of it is wrong"`
	Problem    string     `json:"problem,omitempty"`
}

// Sealed is a checkpoint in a Status.
type Sealed struct {
	Number int64     `json:"number"`
	Seq    int64     `json:"seq" doc:"The last entry that it covers"`
	At     time.Time `json:"at"`
}

// Log is the read side of the audit log.
type Log struct {
	db        *store.DB
	proposals Proposals
	// chat is the rule that every principal with calls of its own holds.
	chat  string
	kinds map[string]Kind
}

// Proposals checks who may see which proposals.
type Proposals interface {
	Sees(ctx context.Context, p principal.Principal, id uuid.UUID) (bool, error)
}

// NewLog makes the log of a database; chat is the rule for using the assistant.
func NewLog(db *store.DB, proposals Proposals, chat string) *Log {
	return &Log{db: db, proposals: proposals, chat: chat}
}

// forever is later than every stored time.
var forever = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// position is the cursor of a call in the list, newest first.
type position struct {
	at     time.Time
	record int64
}

func (p position) cursor() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %d", p.at.UnixMicro(), p.record))
}

func parseCursor(text string) (position, error) {
	if text == "" {
		return position{at: forever}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	at, record, found := strings.Cut(string(raw), " ")
	micro, atErr := strconv.ParseInt(at, 10, 64)
	n, recordErr := strconv.ParseInt(record, 10, 64)
	if err != nil || !found || atErr != nil || recordErr != nil || micro < 0 || micro > forever.UnixMicro() {
		return position{}, problem.UnknownCursor()
	}
	return position{at: time.UnixMicro(micro).UTC(), record: n}, nil
}

// Calls lists calls that the principal may see, newest first, and the cursor of the next page, if any.
func (l *Log) Calls(ctx context.Context, p principal.Principal, f Filter, cursor string, limit int) ([]Call, string, error) {
	params, err := l.params(p, f)
	if err != nil {
		return nil, "", err
	}
	before, err := parseCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	calls, err := l.page(ctx, p, params, before, limit+1)
	if err != nil || len(calls) <= limit {
		return calls, "", err
	}
	calls = calls[:limit]
	last := calls[limit-1]
	return calls, position{last.CreatedAt, last.record}.cursor(), nil
}

// params restricts a filter to the calls that the principal may see.
func (l *Log) params(p principal.Principal, f Filter) (auditdb.CallsParams, error) {
	own := f.Mine || f.PrincipalID == p.ID
	switch {
	case !p.Has(Read) && !own:
		return auditdb.CallsParams{}, problem.MissingRule("see the tool calls of others; ask for your own with mine=true", Read)
	case !p.Has(Read) && !p.Has(l.chat):
		return auditdb.CallsParams{}, problem.MissingRule("see your tool calls", l.chat)
	}
	params := auditdb.CallsParams{
		From:      f.From,
		To:        f.To,
		Transport: f.Transport,
		ToolName:  f.ToolName,
		Effect:    f.Effect,
		Status:    f.Status,
		Program:   clip(f.Program, maxProgramID),
		Search:    strings.ToLower(strings.TrimSpace(strings.ReplaceAll(f.Text, "\x00", ""))),
	}
	params.Search = strings.ToValidUTF8(params.Search, "")
	params.ToolName = strings.ToValidUTF8(strings.ReplaceAll(params.ToolName, "\x00", ""), "")
	if params.To.IsZero() || params.To.After(forever) {
		params.To = forever
	}
	switch {
	case f.Mine:
		params.PrincipalID = &p.ID
	case f.PrincipalID != uuid.Nil:
		params.PrincipalID = &f.PrincipalID
	}
	return params, nil
}

func (l *Log) page(ctx context.Context, p principal.Principal, params auditdb.CallsParams, before position, limit int) ([]Call, error) {
	params.BeforeAt, params.BeforeRecord, params.MaxRows = before.at, before.record, int32(limit)
	q := auditdb.New(l.db.CustomPlans(ctx))
	rows, err := q.Calls(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("list tool calls: %w", err)
	}
	if params.PrincipalID != nil {
		params.PrincipalID, params.AppliedByID = nil, params.PrincipalID
		decided, err := q.Calls(ctx, params)
		if err != nil {
			return nil, fmt.Errorf("list decided tool calls: %w", err)
		}
		rows = newest(append(rows, decided...), limit)
	}
	calls := make([]Call, len(rows))
	for i, r := range rows {
		calls[i] = callOf(r)
	}
	if err := withRepeats(ctx, q, calls); err != nil {
		return calls, err
	}
	return calls, l.nameProgramsOfCalls(ctx, p, calls)
}

// newest merges rows in list order, without duplicates, up to a limit.
func newest(rows []auditdb.CallsRow, limit int) []auditdb.CallsRow {
	slices.SortFunc(rows, func(a, b auditdb.CallsRow) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Record, a.Record))
	})
	rows = slices.CompactFunc(rows, func(a, b auditdb.CallsRow) bool { return a.Record == b.Record })
	return rows[:min(len(rows), limit)]
}

func callOf(r auditdb.CallsRow) Call {
	c := Call{
		ID:         r.ID,
		Principal:  Actor{Kind: r.PrincipalKind, ID: r.PrincipalID, Name: r.PrincipalName},
		Transport:  r.Transport,
		ToolName:   r.ToolName,
		Effect:     r.Effect,
		ArgsHash:   r.ArgsHash,
		Status:     r.Status,
		ErrorCode:  store.Value(r.ErrorCode),
		TurnID:     r.TurnID,
		Step:       r.Step,
		Call:       r.Call,
		CreatedAt:  r.CreatedAt,
		FinishedAt: r.FinishedAt,
		record:     r.Record,
	}
	if r.AppliedByID != nil {
		c.AppliedBy = &Actor{Kind: store.Value(r.AppliedByKind), ID: *r.AppliedByID, Name: r.AppliedByName}
	}
	return c
}

// each calls do for every call of a filter that p may see, newest first, page by page.
func (l *Log) each(ctx context.Context, p principal.Principal, params auditdb.CallsParams, do func(Call) error) error {
	const size = 1000
	at := position{at: forever}
	for {
		calls, err := l.page(ctx, p, params, at, size)
		if err != nil {
			return err
		}
		for _, c := range calls {
			if err := do(c); err != nil {
				return err
			}
		}
		if len(calls) < size {
			return nil
		}
		at = position{calls[size-1].CreatedAt, calls[size-1].record}
	}
}

// Call returns one call with its history; NotFound for a call that the principal may not see.
func (l *Log) Call(ctx context.Context, p principal.Principal, id uuid.UUID) (Detail, error) {
	q := auditdb.New(l.db.Conn(ctx))
	row, err := q.CallByID(ctx, auditdb.CallByIDParams{ID: id, Reader: p.ID})
	if err != nil && !store.NoRows(err) {
		return Detail{}, fmt.Errorf("read tool call: %w", err)
	}
	own := p.Has(l.chat) && (row.PrincipalID == p.ID || row.AppliedByID != nil && *row.AppliedByID == p.ID)
	if err != nil || !own && !p.Has(Read) {
		return Detail{}, problem.Errorf(problem.NotFound, "There is no such tool call, or it is not one of yours.")
	}
	calls := []Call{callOf(auditdb.CallsRow{
		ID: row.ID, Record: row.Record, PrincipalKind: row.PrincipalKind, PrincipalID: row.PrincipalID, Transport: row.Transport,
		ToolName: row.ToolName, Effect: row.Effect, ArgsHash: row.ArgsHash, Status: row.Status, ErrorCode: row.ErrorCode, TurnID: row.TurnID,
		Step: row.Step, Call: row.Call, AppliedByKind: row.AppliedByKind, AppliedByID: row.AppliedByID, CreatedAt: row.CreatedAt,
		FinishedAt: row.FinishedAt, PrincipalName: row.PrincipalName, AppliedByName: row.AppliedByName,
	})}
	if err := withRepeats(ctx, q, calls); err != nil {
		return Detail{}, err
	}
	if err := l.nameProgramsOfCalls(ctx, p, calls); err != nil {
		return Detail{}, err
	}
	d := Detail{Call: calls[0]}
	if row.OwnConversation && p.Kind == principal.User {
		d.ConversationID = row.ConversationID
	}
	if row.HasProposal {
		sees, err := l.proposals.Sees(ctx, p, row.ID)
		if err != nil {
			return Detail{}, fmt.Errorf("look at proposal: %w", err)
		}
		if sees {
			d.ProposalID = &row.ID
		}
	}
	history, err := q.History(ctx, row.Record)
	if err != nil {
		return Detail{}, fmt.Errorf("read history of tool call: %w", err)
	}
	d.History = make([]Change, len(history))
	for i, h := range history {
		d.History[i] = Change{
			Entry:     h.ID,
			At:        h.At,
			CallID:    h.CallID,
			Status:    h.Status,
			ErrorCode: store.Value(h.ErrorCode),
			Seq:       h.Seq,
			Hash:      hex.EncodeToString(h.Hash),
		}
	}
	return d, nil
}

// Status returns the state of the chain as of the last verification.
func (l *Log) Status(ctx context.Context) (Status, error) {
	q := auditdb.New(l.db.Conn(ctx))
	state, err := q.State(ctx)
	if err != nil {
		return Status{}, fmt.Errorf("read audit state: %w", err)
	}
	s := Status{
		Verified: state.VerifiedSeq, VerifiedAt: state.VerifiedAt, WholeAt: state.WholeAt, RecentAt: state.RecentAt, BrokenAt: state.BrokenSeq,
		Problem: store.Value(state.Problem),
	}
	if err := checkpointed(ctx, q, &s); err != nil {
		return Status{}, err
	}
	link, err := q.LastLink(ctx)
	switch {
	case err == nil:
		s.Entries, s.Head = link.Seq, Head{Seq: link.Seq, Hash: link.Hash}.String()
	case !store.NoRows(err):
		return Status{}, fmt.Errorf("read head of audit chain: %w", err)
	}
	if s.Waiting, err = q.OldestUnlinked(ctx); err != nil {
		return Status{}, fmt.Errorf("look for waiting audit entries: %w", err)
	}
	return s, nil
}

// checkpointed adds checkpoints and removed entries to a status. The verification checks their seals.
func checkpointed(ctx context.Context, q *auditdb.Queries, s *Status) error {
	newest, err := q.NewestCheckpoint(ctx)
	if err == nil {
		s.Checkpoint = &Sealed{Number: newest.Number, Seq: newest.Seq, At: newest.At}
	}
	if absent(err) != nil {
		return fmt.Errorf("read newest checkpoint: %w", err)
	}
	start, err := q.Begin(ctx)
	if absent(err) != nil {
		return fmt.Errorf("read where the audit chain begins: %w", err)
	}
	s.Archived = start.Seq
	return nil
}

// ToolNames lists the tools that were called recently, for a filter.
func (l *Log) ToolNames(ctx context.Context) ([]string, error) {
	names, err := auditdb.New(l.db.Conn(ctx)).ToolNames(ctx)
	if err != nil {
		return nil, fmt.Errorf("list tools of the audit log: %w", err)
	}
	return names, nil
}
