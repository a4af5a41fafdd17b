package store

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// What is waited for at most, unless Options say otherwise.
const (
	standardAcquire  = 15 * time.Second
	standardAnswer   = 30 * time.Second
	standardLock     = 15 * time.Second
	longestStatement = 5 * time.Minute
	connecting       = 5 * time.Second
	pinging          = 5 * time.Second
)

// unanswered is how long what was sent to the server may lie in the network without being confirmed, and about how long a
// connection on which nothing is said may be dead before the kernel notices.
const unanswered = 20 * time.Second

// dialer makes connections that end when the machine at the other side has gone without a word.
func dialer(timeout time.Duration) *net.Dialer {
	return &net.Dialer{
		Timeout: timeout, Control: boundUnanswered,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: unanswered / 2, Interval: unanswered / 8, Count: 4},
	}
}

// bounds end what takes too long: waiting for a connection of the pool, and for the answer to a statement. pgx works under the
// context that its tracer returns, so that they hold for everything that goes through the pool, transactions included. A
// statement that is given up is canceled on the server, if that can be reached.
type bounds struct {
	acquire, answer time.Duration
	// refused is when the pool could not open a connection the last time, in nanoseconds since 1970.
	refused *atomic.Int64
	// answered is when the database answered a statement the last time, in nanoseconds since 1970.
	answered *atomic.Int64
	// slow gives statements that take long a span; nil gives none.
	slow *slowQueries
}

var (
	_ pgx.QueryTracer       = bounds{}
	_ pgx.BatchTracer       = bounds{}
	_ pgx.CopyFromTracer    = bounds{}
	_ pgxpool.AcquireTracer = bounds{}
)

type (
	endKey      struct{}
	patienceKey struct{}
)

// Patient lets each statement under ctx take as long as it says instead of the usual bound: for chores and commands, for which nobody
// waits. Zero sets none. The database ends a statement after five minutes all the same, unless it is one of a migration.
func Patient(ctx context.Context, most time.Duration) context.Context {
	return context.WithValue(ctx, patienceKey{}, most)
}

// patience is how long a statement under ctx may take; zero is for ever.
func (b bounds) patience(ctx context.Context) time.Duration {
	if most, ok := ctx.Value(patienceKey{}).(time.Duration); ok {
		return most
	}
	return b.answer
}

// begin is ctx with a bound, which end takes back.
func begin(ctx context.Context, most time.Duration) context.Context {
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if most > 0 {
		bounded, cancel = context.WithTimeout(ctx, most)
	}
	return context.WithValue(bounded, endKey{}, cancel)
}

func end(ctx context.Context) {
	if cancel, ok := ctx.Value(endKey{}).(context.CancelFunc); ok {
		cancel()
	}
}

// TraceAcquireStart implements pgxpool.AcquireTracer.
func (b bounds) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	return begin(ctx, b.acquire)
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (b bounds) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, d pgxpool.TraceAcquireEndData) {
	if d.Err != nil && ctx.Err() == nil {
		b.refused.Store(time.Now().UnixNano())
	}
	end(ctx)
}

// refusedLately reports whether the pool could not open a connection lately. To wait for one that is busy is no refusal.
func (b bounds) refusedLately(lately time.Duration) bool {
	return time.Since(time.Unix(0, b.refused.Load())) < lately
}

// answeredSince reports whether the database has answered a statement since then.
func (b bounds) answeredSince(at time.Time) bool {
	return b.answered.Load() > at.UnixNano()
}

// TraceQueryStart implements pgx.QueryTracer.
func (b bounds) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	ctx = begin(ctx, b.patience(ctx))
	if b.slow != nil {
		ctx = b.slow.TraceQueryStart(ctx, conn, data)
	}
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (b bounds) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryEndData) {
	if b.slow != nil {
		b.slow.TraceQueryEnd(ctx, conn, data)
	}
	if data.Err == nil {
		b.answered.Store(time.Now().UnixNano())
	}
	end(ctx)
}

// TraceBatchStart implements pgx.BatchTracer.
func (b bounds) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return begin(ctx, b.patience(ctx))
}

// TraceBatchQuery implements pgx.BatchTracer.
func (bounds) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (bounds) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchEndData) { end(ctx) }

// TraceCopyFromStart implements pgx.CopyFromTracer.
func (b bounds) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceCopyFromStartData) context.Context {
	return begin(ctx, b.patience(ctx))
}

// TraceCopyFromEnd implements pgx.CopyFromTracer.
func (bounds) TraceCopyFromEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceCopyFromEndData) {
	end(ctx)
}

// settings are the bounds that the database keeps for a session, in a statement: it ends what a process forgot, or lost the network
// to, also where nobody can cancel it. They are set after connecting, because proxies refuse connections that begin with
// parameters that they do not know.
func settings(idle, lock, statement time.Duration) string {
	return fmt.Sprintf("SET idle_in_transaction_session_timeout = %d; SET lock_timeout = %d; SET statement_timeout = %d",
		idle.Milliseconds(), lock.Milliseconds(), statement.Milliseconds())
}
