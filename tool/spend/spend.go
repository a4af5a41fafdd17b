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

	"countersign/principal"
	"countersign/problem"
	"countersign/store"
	"countersign/tool/spend/spenddb"
)

// Cap is a number of tokens in each rolling Window. The zero Cap is none.
type Cap struct {
	Tokens int64
	Window time.Duration
	// Unattended is the cap of unattended calls, which are counted apart then; nil when this cap is for all calls.
	Unattended *Cap
}

// Counts says which calls of a principal are counted.
type Counts string

// All calls are counted together unless unattended ones have a cap of their own.
const (
	All        Counts = ""
	Attended   Counts = "attended"
	Unattended Counts = "unattended"
)

// IsZero reports whether there is no cap at all.
func (c Cap) IsZero() bool { return c.none() && (c.Unattended == nil || c.Unattended.none()) }

func (c Cap) none() bool { return c.Tokens <= 0 || c.Window <= 0 }

// For is the cap of attended or unattended calls, and which calls count against it.
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

// unattended is what a query compares with: nil to count all calls.
func (c Counts) unattended() *bool {
	if c == All {
		return nil
	}
	return new(c == Unattended)
}

// Purpose is what a model call is for.
type Purpose string

// The purposes of model calls.
const (
	Answer     Purpose = "answer"
	Title      Purpose = "title"
	Classifier Purpose = "classifier"
	Summary    Purpose = "summary"
	// Check is for a call of a model check.
	Check Purpose = "check"
	// Task is for what a chat program asks for its own sake, such as a title of its chat.
	Task Purpose = "task"
)

// Call is one logical model call.
type Call struct {
	// ID is the same whenever the call is repeated after a crash; CallID makes one.
	ID         uuid.UUID
	Connection uuid.UUID
	Principal  principal.Principal
	// Unattended is set when nobody waits for the answer, as with an automation. The calls of applications always are.
	Unattended bool
	// Turn, Step and Attempt place a call of a turn; Turn is nil elsewhere.
	Turn          *uuid.UUID
	Step, Attempt int
	Purpose       Purpose
	// Estimate is in tokens: the prompt and the reply that is allowed.
	Estimate int
	// Model is what is called, Price what the connection's administrator has said of its cost; nil for nothing.
	Model string
	Price *Price
	// Timing is known once the call has ended.
	Timing Timing
}

// Usage is what a provider has reported. Without a report the call counts at its estimate.
type Usage struct {
	InputTokens, OutputTokens int
	// CachedTokens is the part of InputTokens that the provider had in its cache. It counts like the rest.
	CachedTokens int
	Reported     bool
}

// callSpace is the name space of the ids of model calls.
var callSpace = uuid.MustParse("6f1d9c1e-2f0b-4b63-9d5c-0f6f6a3d7c11")

// CallID is the id of a model call of this owner, a turn or a conversation.
func CallID(owner uuid.UUID, step, attempt int, purpose Purpose) uuid.UUID {
	return uuid.NewSHA1(callSpace, fmt.Appendf(owner[:], "/%d/%d/%s", step, attempt, purpose))
}

// TurnCallID is the CallID of a call that a turn makes under its claim with this number, from 1. A process that claims
// an orphaned turn repeats a call that another process may have made and paid for, and may count attempts from 1: its
// reservation is a call of its own.
func TurnCallID(turn uuid.UUID, claim, step, attempt int, purpose Purpose) uuid.UUID {
	const apart = 1 << 10
	return CallID(turn, step, attempt+(claim-1)*apart, purpose)
}

// Ledger keeps the rows in the database.
type Ledger struct{ db *store.DB }

// New makes a ledger.
func New(db *store.DB) *Ledger { return &Ledger{db: db} }

// Check refuses a turn before it is accepted when the cap has no room left for a single token. It reserves nothing:
// each call of the turn is reserved for itself.
func (l *Ledger) Check(ctx context.Context, p principal.Principal, connection uuid.UUID, limit Cap) error {
	s, err := l.State(ctx, p, connection, limit)
	if err != nil || s.FreesAt == nil {
		return err
	}
	own, _ := limit.For(isUnattended(p))
	return refusal(own, s.Used, 1, time.Until(*s.FreesAt))
}

// Reserve admits a call at its estimate, or is a problem.Spend error that says when the call would fit. Any error means
// that the call must not be made. Without a cap it does nothing.
func (l *Ledger) Reserve(ctx context.Context, c Call, limit Cap) error {
	limit, counts := limit.For(c.unattended())
	if limit.none() {
		return nil
	}
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

// refusal tells what is used and when the call would fit; a call that is larger than the cap never does.
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

// span is a duration in words of the largest unit that says enough.
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

// Settle keeps what a call has used, once; also that of a call without a reservation. Calls of a turn that have a step
// record settle with it, see Settlement.
func (l *Ledger) Settle(ctx context.Context, c Call, u Usage) error {
	r := c.Settlement(u)
	p := spenddb.SettleCallParams{
		ID: r.ID, ConnectionID: r.Connection, PrincipalKind: r.PrincipalKind, PrincipalID: r.PrincipalID, Unattended: r.Unattended,
		Purpose: r.Purpose, Estimate: r.Estimate,
	}
	p.TurnID, p.Step, p.Attempt = c.position()
	p.Model, p.TookMs, p.FirstMs, p.Failure = r.seen()
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

// Settlement is what a model call has used, to be stored with the call's step record.
type Settlement struct {
	ID, Connection uuid.UUID
	PrincipalKind  string
	PrincipalID    uuid.UUID
	Unattended     bool
	Attempt        int
	Purpose        string
	// Estimate counts when no use was Reported.
	Estimate                  int64
	Reported                  bool
	InputTokens, OutputTokens int64
	CachedTokens              int64
	// Model and Failure may be empty, FirstMS and CostMicros Unknown.
	Model, Failure  string
	TookMS, FirstMS int32
	CostMicros      int64
}

// Settlement is Settle for a call that has a step record: it becomes durable together with that.
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

// Release cancels the reservation of a call, if there was one: the provider has refused it, or was not reached. The
// row stays and counts as zero.
func (l *Ledger) Release(ctx context.Context, c Call) error {
	r := c.Settlement(Usage{})
	p := spenddb.ReleaseCallParams{
		ID: r.ID, ConnectionID: r.Connection, PrincipalKind: r.PrincipalKind, PrincipalID: r.PrincipalID, Unattended: r.Unattended,
		Purpose: r.Purpose, Estimate: r.Estimate,
	}
	p.TurnID, p.Step, p.Attempt = c.position()
	p.Model, p.TookMs, p.FirstMs, p.Failure = r.seen()
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

// isUnattended reports whether nobody waits for what p asks for.
func isUnattended(p principal.Principal) bool { return p.Kind != principal.User }

// estimate is at least one token, so that no call passes a cap that is used up.
func (c Call) estimate() int64 { return max(clip(c.Estimate), 1) }

// clip makes a number countable that a provider has made up.
func clip(n int) int64 {
	const most = 1_000_000_000
	return int64(min(max(n, 0), most))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
