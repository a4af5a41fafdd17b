// Package spend bounds how many tokens a principal may use on a model connection in a while, and keeps one row for each
// model call.
//
// A call is reserved at an estimate before its request is sent: one transaction, in which the calls of one principal on
// one connection take turns, sums the rows of the rolling window and writes the call's row if the estimate fits. So
// parallel calls on any number of processes cannot pass the cap together. Afterwards the row is settled with the use
// that the provider reports, for a call of a turn in the group commit of its step record. Unknown use counts
// against the principal: a call whose process died, or whose provider reports nothing, stays at its estimate until the
// window has passed.
//
// Without a cap nothing is reserved, and calls are settled all the same: a cap that is set later counts what was before.
package spend

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool/spend/spenddb"
)

// Cap is a token limit in each rolling Window. The zero Cap is no limit.
type Cap struct {
	Tokens int64
	Window time.Duration
	// Unattended is the cap of unattended calls, which are then counted separately; nil when this cap covers all calls.
	Unattended *Cap
}

// Counts selects the calls that count against a cap.
type Counts string

// All calls count together unless unattended ones have a cap of their own.
const (
	All        Counts = ""
	Attended   Counts = "attended"
	Unattended Counts = "unattended"
)

// IsZero reports whether there is no limit.
func (c Cap) IsZero() bool { return c.none() && (c.Unattended == nil || c.Unattended.none()) }

func (c Cap) none() bool { return c.Tokens <= 0 || c.Window <= 0 }

// For returns the cap of attended or unattended calls, and the calls that count against it.
func (c Cap) For(unattended bool) (Cap, Counts) {
	own := Cap{Tokens: c.Tokens, Window: c.Window}
	switch {
	case c.Unattended == nil:
		return own, All
	case unattended:
		return Cap{Tokens: c.Unattended.Tokens, Window: c.Unattended.Window}, Unattended
	default:
		return own, Attended
	}
}

// unattended returns the query parameter: nil to count all calls.
func (c Counts) unattended() *bool {
	if c == All {
		return nil
	}
	return new(c == Unattended)
}

// Purpose is the purpose of a model call.
type Purpose string

// The purposes of model calls.
const (
	Answer     Purpose = "answer"
	Title      Purpose = "title"
	Classifier Purpose = "classifier"
	Summary    Purpose = "summary"
	// Check is a call of a model check.
	Check Purpose = "check"
	// Task is a side request of a chat program, such as a title of its chat.
	Task Purpose = "task"
)

// Call is one logical model call.
type Call struct {
	// ID is the same for retries after a crash; CallID derives it.
	ID         uuid.UUID
	Connection uuid.UUID
	Principal  principal.Principal
	// Unattended marks calls without a waiting person, such as those of automations and applications.
	Unattended bool
	// Turn, Step and Attempt place a call of a turn; Turn is nil elsewhere.
	Turn          *uuid.UUID
	Step, Attempt int
	Purpose       Purpose
	// Estimate is the tokens of the prompt and of the longest allowed reply.
	Estimate int
	// Model is the called model, Price the configured price of the connection; nil without one.
	Model string
	Price *Price
	// Timing is set once the call has ended.
	Timing Timing
}

// Usage is the usage that a provider reported. Without a report the call counts at its estimate.
type Usage struct {
	InputTokens, OutputTokens int
	// CachedTokens is the part of InputTokens from the provider's cache. It counts like the rest.
	CachedTokens int
	Reported     bool
}

// callSpace is the UUID namespace of model calls.
var callSpace = uuid.MustParse("6f1d9c1e-2f0b-4b63-9d5c-0f6f6a3d7c11")

// CallID derives the id of a model call of a turn or conversation.
func CallID(owner uuid.UUID, step, attempt int, purpose Purpose) uuid.UUID {
	return uuid.NewSHA1(callSpace, fmt.Appendf(owner[:], "/%d/%d/%s", step, attempt, purpose))
}

// TurnCallID is CallID for a turn under a claim, counted from 1. A process that claims an orphaned turn may repeat a
// call that another process made and paid for, with the same attempt number: the repeat gets a reservation of its own.
func TurnCallID(turn uuid.UUID, claim, step, attempt int, purpose Purpose) uuid.UUID {
	const apart = 1 << 10
	return CallID(turn, step, attempt+(claim-1)*apart, purpose)
}

// Ledger stores the usage of model calls.
type Ledger struct{ db *store.DB }

// New makes a ledger.
func New(db *store.DB) *Ledger { return &Ledger{db: db} }

// Check refuses a turn when its cap is used up. It reserves nothing: each call of the turn reserves for itself.
func (l *Ledger) Check(ctx context.Context, p principal.Principal, connection uuid.UUID, limit Cap) error {
	s, err := l.State(ctx, p, connection, limit)
	if err != nil || s.FreesAt == nil {
		return err
	}
	own, _ := limit.For(isUnattended(p))
	return refusal(own, s.Used, 1, time.Until(*s.FreesAt))
}

// Reserve admits a call at its estimate, or returns a problem.Spend error with the time when the call would fit. After
// any error the call must not be made. Without a cap it does nothing. A call of a run is always reserved, and has to fit
// into the cap of the run too.
func (l *Ledger) Reserve(ctx context.Context, c Call, limit Cap) error {
	limit, counts := limit.For(c.unattended())
	if c.Principal.Run != nil {
		return l.reserveInRun(ctx, c, limit, counts)
	}
	if limit.none() {
		return nil
	}
	return l.reserve(ctx, c, limit, counts)
}

func (l *Ledger) reserve(ctx context.Context, c Call, limit Cap, counts Counts) error {
	p := spenddb.ReserveCallParams{
		ID:            c.ID,
		ConnectionID:  c.Connection,
		PrincipalKind: string(c.Principal.Kind),
		PrincipalID:   c.Principal.ID,
		Unattended:    c.unattended(),
		Purpose: string(
			c.Purpose,
		),
		Estimate:         c.estimate(),
		Cap:              limit.Tokens,
		WindowSeconds:    limit.Window.Seconds(),
		CountsUnattended: counts.unattended(),
	}
	p.TurnID, p.Step, p.Attempt = c.position()
	if run := c.Principal.Run; run != nil {
		p.RunID = &run.ID
	}
	spender := c.Connection.String() + c.Principal.ID.String()
	leave, err := l.db.LockLocally(ctx, "spend/"+spender)
	if err != nil {
		return fmt.Errorf("wait for other model calls: %w", err)
	}
	row, err := spenddb.Reserve(ctx, l.db.Conn(ctx), spender, p)
	leave()
	if err != nil {
		return fmt.Errorf("reserve tokens: %w", err)
	}
	if row.Admitted {
		return nil
	}
	return refusal(limit, row.Used, p.Estimate, seconds(row.FreeInSeconds))
}

// refusal reports the usage and when the call would fit; a call that is larger than the cap never does.
func refusal(limit Cap, used, estimate int64, wait time.Duration) *problem.Error {
	if estimate > limit.Tokens {
		return problem.Errorf(
			problem.Spend,
			"This call needs about %d tokens, and the spend cap of this connection allows no more than %d in %s. Start a new "+
				"chat, choose another connection, or ask an administrator to raise the cap.",
			estimate,
			limit.Tokens,
			span(limit.Window),
		)
	}
	text := fmt.Sprintf("The spend cap of this connection is reached: %d of %d tokens are used in %s", used, limit.Tokens, span(limit.Window))
	if estimate > 1 {
		text += fmt.Sprintf(", and this call needs about %d", estimate)
	}
	wait = max(wait, time.Second)
	at := time.Now().Add(wait).UTC()
	return problem.Errorf(problem.Spend, "%s. It is possible again in %s, at %s UTC.", text, span(wait), at.Format("15:04 on January 2")).
		After(wait).With("freesAt", at.Truncate(time.Second))
}

// span formats a duration in its largest sufficient unit.
func span(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return plural(d, 24*time.Hour, "day")
	case d >= 2*time.Hour:
		return plural(d, time.Hour, "hour")
	case d >= 2*time.Minute:
		return plural(d, time.Minute, "minute")
	default:
		return plural(d, time.Second, "second")
	}
}

func plural(d, unit time.Duration, name string) string {
	n := int64((d + unit - 1) / unit)
	if n != 1 {
		name += "s"
	}
	return fmt.Sprintf("%d %s", n, name)
}

// Settle stores the usage of a call, once, with or without a reservation. Calls of a turn with a step record settle
// with it, see Settlement.
func (l *Ledger) Settle(ctx context.Context, c Call, u Usage) error {
	r := c.Settlement(u)
	p := spenddb.SettleCallParams{
		ID: r.ID, ConnectionID: r.Connection, PrincipalKind: r.PrincipalKind, PrincipalID: r.PrincipalID, Unattended: r.Unattended,
		Purpose: r.Purpose, Estimate: r.Estimate,
	}
	p.TurnID, p.Step, p.Attempt = c.position()
	p.Model, p.TookMs, p.FirstMs, p.Failure = r.callColumns()
	if r.Reported {
		p.InputTokens, p.OutputTokens, p.CachedTokens = &r.InputTokens, &r.OutputTokens, &r.CachedTokens
	}
	if r.CostMicros != Unknown {
		p.CostMicros = &r.CostMicros
	}
	if err := spenddb.New(l.db.Conn(ctx)).SettleCall(ctx, p); err != nil {
		return fmt.Errorf("settle tokens: %w", err)
	}
	return nil
}

// Settlement is the usage of a model call, to be stored with its step record.
type Settlement struct {
	ID, Connection uuid.UUID
	PrincipalKind  string
	PrincipalID    uuid.UUID
	Unattended     bool
	Attempt        int
	Purpose        string
	// Estimate counts unless usage was Reported.
	Estimate                  int64
	Reported                  bool
	InputTokens, OutputTokens int64
	CachedTokens              int64
	// Model and Failure may be empty, FirstMS and CostMicros Unknown.
	Model, Failure  string
	TookMS, FirstMS int32
	CostMicros      int64
}

// Settlement is Settle for a call that has a step record: both become durable together.
func (c Call) Settlement(u Usage) *Settlement {
	s := &Settlement{
		ID: c.ID, Connection: c.Connection, PrincipalKind: string(c.Principal.Kind), PrincipalID: c.Principal.ID, Unattended: c.unattended(),
		Attempt: c.Attempt, Purpose: string(c.Purpose), Estimate: c.estimate(),
		Reported: u.Reported, InputTokens: clip(u.InputTokens), OutputTokens: clip(u.OutputTokens),
		CachedTokens: min(clip(u.CachedTokens), clip(u.InputTokens)),
		Model:        c.Model, TookMS: c.Timing.tookMS(), FirstMS: c.Timing.firstMS(), Failure: c.Timing.Failure, CostMicros: Unknown,
	}
	if s.Reported && c.Price != nil {
		s.CostMicros = c.Price.micros(s.InputTokens, s.CachedTokens, s.OutputTokens)
	}
	return s
}

// Release cancels the reservation of a call, if any, after a refusal or a connection failure. The row stays and counts
// as zero.
func (l *Ledger) Release(ctx context.Context, c Call) error {
	r := c.Settlement(Usage{})
	p := spenddb.ReleaseCallParams{
		ID: r.ID, ConnectionID: r.Connection, PrincipalKind: r.PrincipalKind, PrincipalID: r.PrincipalID, Unattended: r.Unattended,
		Purpose: r.Purpose, Estimate: r.Estimate,
	}
	p.TurnID, p.Step, p.Attempt = c.position()
	p.Model, p.TookMs, p.FirstMs, p.Failure = r.callColumns()
	if err := spenddb.New(l.db.Conn(ctx)).ReleaseCall(ctx, p); err != nil {
		return fmt.Errorf("release tokens: %w", err)
	}
	return nil
}

// Prune deletes rows that no cap can count any more.
func (l *Ledger) Prune(ctx context.Context) error {
	if _, err := spenddb.New(l.db.Conn(ctx)).PruneSpend(ctx); err != nil {
		return fmt.Errorf("prune spend: %w", err)
	}
	return nil
}

func (c Call) position() (turn *uuid.UUID, step, attempt *int16) {
	if c.Turn == nil {
		return nil, nil, nil
	}
	return c.Turn, new(int16(c.Step)), new(int16(c.Attempt))
}

func (c Call) unattended() bool { return c.Unattended || isUnattended(c.Principal) }

// isUnattended reports whether no person waits for p's calls.
func isUnattended(p principal.Principal) bool { return p.Kind != principal.User }

// estimate is at least one token, so that no call passes a used-up cap.
func (c Call) estimate() int64 { return max(clip(c.Estimate), 1) }

// clip bounds a token count from a provider.
func clip(n int) int64 {
	const most = 1_000_000_000
	return int64(min(max(n, 0), most))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
