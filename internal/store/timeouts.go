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

// Default timeouts of a DB; Options override them.
const (
	defaultAcquireTimeout   = 15 * time.Second
	defaultStatementTimeout = 30 * time.Second
	defaultLockTimeout      = 15 * time.Second
	maxStatementTime        = 5 * time.Minute
	connectTimeout          = 5 * time.Second
	pingTimeout             = 5 * time.Second
)

// unacknowledgedTimeout is how long sent data may stay unacknowledged (TCP_USER_TIMEOUT), and about how long TCP keepalive
// takes to detect a dead idle connection.
const unacknowledgedTimeout = 20 * time.Second

// dialer makes connections that end when the peer has vanished without closing them.
func dialer(timeout time.Duration) *net.Dialer {
	return &net.Dialer{
		Timeout: timeout, Control: setUserTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: unacknowledgedTimeout / 2, Interval: unacknowledgedTimeout / 8, Count: 4},
	}
}

// timeouts bound waiting for a connection of the pool and for the answer to a statement. pgx runs under the context that its
// tracer returns, so that they apply to everything that goes through the pool, transactions included. A statement that times
// out is canceled on the server if that can be reached.
type timeouts struct {
	acquireTimeout, defaultTimeout time.Duration
	// refusedAt is when the pool last failed to open a connection, in Unix nanoseconds.
	refusedAt *atomic.Int64
	// answeredAt is when the database last answered a statement, in Unix nanoseconds.
	answeredAt *atomic.Int64
	// slow records spans of slow statements; nil records none.
	slow *slowQueries
}

var (
	_ pgx.QueryTracer       = timeouts{}
	_ pgx.BatchTracer       = timeouts{}
	_ pgx.CopyFromTracer    = timeouts{}
	_ pgxpool.AcquireTracer = timeouts{}
)

type (
	cancelKey           struct{}
	statementTimeoutKey struct{}
)

// WithStatementTimeout sets the timeout of each statement under ctx, for periodic jobs and commands that may run long. Zero
// sets none; the statement_timeout of the session still ends a statement after five minutes, except in migrations.
func WithStatementTimeout(ctx context.Context, timeout time.Duration) context.Context {
	return context.WithValue(ctx, statementTimeoutKey{}, timeout)
}

// statementTimeout is the timeout of a statement under ctx; zero is none.
func (b timeouts) statementTimeout(ctx context.Context) time.Duration {
	if most, ok := ctx.Value(statementTimeoutKey{}).(time.Duration); ok {
		return most
	}
	return b.defaultTimeout
}

// withTimeout is ctx with a timeout, which cancelTimeout releases.
func withTimeout(ctx context.Context, timeout time.Duration) context.Context {
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if timeout > 0 {
		bounded, cancel = context.WithTimeout(ctx, timeout)
	}
	return context.WithValue(bounded, cancelKey{}, cancel)
}

func cancelTimeout(ctx context.Context) {
	if cancel, ok := ctx.Value(cancelKey{}).(context.CancelFunc); ok {
		cancel()
	}
}

// TraceAcquireStart implements pgxpool.AcquireTracer.
func (b timeouts) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	return withTimeout(ctx, b.acquireTimeout)
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (b timeouts) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, d pgxpool.TraceAcquireEndData) {
	if d.Err != nil && ctx.Err() == nil {
		b.refusedAt.Store(time.Now().UnixNano())
	}
	cancelTimeout(ctx)
}

// refusedLately reports whether the pool has failed to open a connection lately. Waiting for a busy connection does not count.
func (b timeouts) refusedLately(lately time.Duration) bool {
	return time.Since(time.Unix(0, b.refusedAt.Load())) < lately
}

// answeredSince reports whether the database has answered a statement since a time.
func (b timeouts) answeredSince(at time.Time) bool {
	return b.answeredAt.Load() > at.UnixNano()
}

// TraceQueryStart implements pgx.QueryTracer.
func (b timeouts) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	ctx = withTimeout(ctx, b.statementTimeout(ctx))
	if b.slow != nil {
		ctx = b.slow.TraceQueryStart(ctx, conn, data)
	}
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (b timeouts) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryEndData) {
	if b.slow != nil {
		b.slow.TraceQueryEnd(ctx, conn, data)
	}
	if data.Err == nil {
		b.answeredAt.Store(time.Now().UnixNano())
	}
	cancelTimeout(ctx)
}

// TraceBatchStart implements pgx.BatchTracer.
func (b timeouts) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return withTimeout(ctx, b.statementTimeout(ctx))
}

// TraceBatchQuery implements pgx.BatchTracer.
func (timeouts) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (timeouts) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchEndData) {
	cancelTimeout(ctx)
}

// TraceCopyFromStart implements pgx.CopyFromTracer.
func (b timeouts) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceCopyFromStartData) context.Context {
	return withTimeout(ctx, b.statementTimeout(ctx))
}

// TraceCopyFromEnd implements pgx.CopyFromTracer.
func (timeouts) TraceCopyFromEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceCopyFromEndData) {
	cancelTimeout(ctx)
}

// sessionTimeouts is a statement that sets the timeouts of a session in PostgreSQL, which ends the statements and transactions
// of a client that hangs or has lost the network. It runs after connecting, because proxies refuse unknown start-up parameters.
func sessionTimeouts(idle, lock, statement time.Duration) string {
	return fmt.Sprintf("SET idle_in_transaction_session_timeout = %d; SET lock_timeout = %d; SET statement_timeout = %d",
		idle.Milliseconds(), lock.Milliseconds(), statement.Milliseconds())
}
