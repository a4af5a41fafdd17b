// Package store connects to PostgreSQL, the product's only durable store: connection pool, transactions and LISTEN/NOTIFY.
//
// A DB is a connection pool with transactions that travel in the context: a service calls InTx, every query it makes
// below goes through Conn(ctx) and so joins that transaction, and a caller that already has one (a request with an
// Idempotency-Key, say) makes the whole service call part of it. Listener receives notifications on a connection of its
// own; a notification is only a wake-up, and its subscriber re-reads the rows. Migrate brings a database to the schema
// of this binary; after it AssumeRole gives up the rights that only migrations need. Package storetest gives each test
// a database of its own.
package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Conn runs queries: the pool, or the transaction that the context carries.
type Conn interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error)
}

// Options tune a DB; zero values mean the defaults.
type Options struct {
	// MaxConns bounds the pool; 20 by default.
	MaxConns int32
	// SlowQueryThreshold is the duration from which a statement gets a span; zero records none.
	SlowQueryThreshold time.Duration
	// IdleInTransaction is idle_in_transaction_session_timeout; five minutes by default, which is more than any request takes.
	// It frees the locks of a client that hangs or has lost the network.
	IdleInTransaction time.Duration
	// AcquireTimeout bounds the wait for a connection of the pool (15 s by default), StatementTimeout the answer to a statement
	// (30 s, unless WithStatementTimeout sets another), and LockTimeout the wait for a lock, advisory ones included (15 s). An
	// exceeded timeout is an error that is Unavailable.
	AcquireTimeout, StatementTimeout, LockTimeout time.Duration
	// ApplicationName is shown in pg_stat_activity; "countersign" by default.
	ApplicationName string
}

// DB is a pool of connections to one database.
type DB struct {
	pool       *pgxpool.Pool
	timeouts   timeouts
	localLocks *keyedMutex
	// role is the role of the connections, nil for their login.
	role atomic.Pointer[string]
}

// Open connects to the database at url and checks that it answers.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The parse error may quote the URL, which holds a password.
		return nil, errors.New("parse database URL: it must look like postgres://user:password@host:port/database")
	}
	config.MaxConns = 20
	if o.MaxConns > 0 {
		config.MaxConns = o.MaxConns
	}
	config.MaxConnLifetime = time.Hour
	config.ConnConfig.RuntimeParams["application_name"] = "countersign"
	if o.ApplicationName != "" {
		config.ConnConfig.RuntimeParams["application_name"] = o.ApplicationName
	}
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	config.ConnConfig.ConnectTimeout = cmp.Or(config.ConnConfig.ConnectTimeout, connectTimeout)
	config.ConnConfig.DialFunc = dialer(config.ConnConfig.ConnectTimeout).DialContext
	config.PingTimeout = pingTimeout
	set := sessionTimeouts(cmp.Or(o.IdleInTransaction, 5*time.Minute), cmp.Or(o.LockTimeout, defaultLockTimeout), maxStatementTime)
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, set); err != nil {
			return fmt.Errorf("bound statements and transactions: %w", err)
		}
		registerUUIDs(conn.TypeMap())
		// Answers are in UTC whatever the zone of the process is.
		conn.TypeMap().RegisterType(&pgtype.Type{
			Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
		})
		return nil
	}
	db := &DB{
		timeouts: timeouts{
			acquireTimeout: cmp.Or(o.AcquireTimeout, defaultAcquireTimeout), defaultTimeout: cmp.Or(o.StatementTimeout, defaultStatementTimeout),
			refusedAt: &atomic.Int64{}, answeredAt: &atomic.Int64{},
		},
		localLocks: newKeyedMutex(cmp.Or(o.LockTimeout, defaultLockTimeout)),
	}
	if o.SlowQueryThreshold > 0 {
		db.timeouts.slow = &slowQueries{o.SlowQueryThreshold}
	}
	config.ConnConfig.Tracer = db.timeouts
	// Unlike the pool's hook of the same name, this one also runs for connections outside of the pool.
	config.ConnConfig.AfterConnect = db.setRole
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database pool: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connect to database: %w", err)
	}
	db.pool = pool
	return db, nil
}

// SeparatePool is the same database with a connection pool of its own, for work that must not wait for busy connections. It
// connects at first use; the caller closes it.
func (db *DB) SeparatePool(ctx context.Context, maxConns int32) (*DB, error) {
	return db.openPool(ctx, maxConns, "")
}

// StrictPool is SeparatePool for transactions whose locks block others: PostgreSQL ends one that is idle for too long, and a
// statement that exceeds its timeout.
func (db *DB) StrictPool(ctx context.Context, maxConns int32, idle, statement time.Duration) (*DB, error) {
	return db.openPool(
		ctx,
		maxConns,
		fmt.Sprintf("SET idle_in_transaction_session_timeout = %d; SET statement_timeout = %d", idle.Milliseconds(), statement.Milliseconds()),
	)
}

// openPool opens another pool on the same database, whose connections begin with initStatement unless it is "".
func (db *DB) openPool(ctx context.Context, maxConns int32, initStatement string) (*DB, error) {
	config := db.pool.Config()
	config.MaxConns = maxConns
	connected := config.AfterConnect
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		err := connected(ctx, conn)
		if err == nil && initStatement != "" {
			_, err = conn.Exec(ctx, initStatement)
		}
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database pool: %w", err)
	}
	return &DB{pool: pool, timeouts: db.timeouts, localLocks: newKeyedMutex(db.localLocks.timeout)}, nil
}

// Close waits for running queries and closes every connection.
func (db *DB) Close() { db.pool.Close() }

// Ping checks that the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.pool.Ping(ctx) }

// Stat is a snapshot of the pool's counters.
func (db *DB) Stat() *pgxpool.Stat { return db.pool.Stat() }

type txKey struct{ db *DB }

type txState struct {
	tx          pgx.Tx
	afterCommit []func()
}

// Conn is the transaction that ctx carries for this database, else the pool.
func (db *DB) Conn(ctx context.Context) Conn {
	if s, ok := ctx.Value(txKey{db}).(*txState); ok {
		return s.tx
	}
	return db.pool
}

// CustomPlans is Conn for queries whose best plan depends on their arguments, such as lists with optional filters. PostgreSQL
// makes a custom plan for each execution, where Conn may use a generic plan.
func (db *DB) CustomPlans(ctx context.Context) Conn { return customPlanConn{db.Conn(ctx)} }

type customPlanConn struct{ Conn }

// Query implements Conn.
func (p customPlanConn) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	// This mode describes a statement once and leaves it unnamed, so that each execution is planned.
	return p.Conn.Query(ctx, sql, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
}

// QueryRow implements Conn.
func (p customPlanConn) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return p.Conn.QueryRow(ctx, sql, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
}

// InTx runs fn in a transaction and commits when fn returns nil. Inside another InTx it joins that transaction, so
// the outermost call decides; an inner failure that the outer call swallows would commit half, so it must not.
func (db *DB) InTx(ctx context.Context, fn func(ctx context.Context) error) error {
	if _, ok := ctx.Value(txKey{db}).(*txState); ok {
		return fn(ctx)
	}
	tx, err := db.pool.Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	state := &txState{tx: tx}
	defer func() {
		// After a commit this is a no-op; after a panic or an error it releases the connection.
		_ = tx.Rollback(context.WithoutCancel(ctx))
	}()
	if err := fn(context.WithValue(ctx, txKey{db}, state)); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return fmt.Errorf("commit transaction: %w", err)
	}
	for _, f := range state.afterCommit {
		f()
	}
	return nil
}

// DryRun runs fn in a transaction (a savepoint inside another one) that is always rolled back. AfterCommit hooks of fn do not
// run.
func (db *DB) DryRun(ctx context.Context, fn func(ctx context.Context) error) error {
	begin := db.pool.Begin
	if s, ok := ctx.Value(txKey{db}).(*txState); ok {
		begin = s.tx.Begin
	}
	tx, err := begin(ctx)
	if err != nil {
		return fmt.Errorf("begin dry run: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	err = fn(context.WithValue(ctx, txKey{db}, &txState{tx: tx}))
	if back := tx.Rollback(context.WithoutCancel(ctx)); err == nil && back != nil {
		err = fmt.Errorf("roll back dry run: %w", back)
	}
	return err
}

// InTransaction reports whether ctx carries a transaction of this database.
func (db *DB) InTransaction(ctx context.Context) bool {
	_, ok := ctx.Value(txKey{db}).(*txState)
	return ok
}

// CopyBinary runs a COPY FROM STDIN BINARY with the data of r in the transaction of ctx, and returns the number of rows.
func (db *DB) CopyBinary(ctx context.Context, sql string, r io.Reader) (int64, error) {
	s, ok := ctx.Value(txKey{db}).(*txState)
	if !ok {
		return 0, errors.New("rows are copied in a transaction")
	}
	// This path bypasses the tracer, and so its timeouts.
	ctx = withTimeout(ctx, db.timeouts.statementTimeout(ctx))
	defer cancelTimeout(ctx)
	tag, err := s.tx.Conn().PgConn().CopyFrom(ctx, r, sql)
	if err != nil {
		return 0, fmt.Errorf("copy: %w", err)
	}
	return tag.RowsAffected(), nil
}

// WithoutTx is ctx without its transaction, for AfterCommit hooks.
func (db *DB) WithoutTx(ctx context.Context) context.Context {
	return context.WithValue(ctx, txKey{db}, nil)
}

// AfterCommit runs f once the transaction of ctx has committed; at once when there is none.
func (db *DB) AfterCommit(ctx context.Context, f func()) {
	if s, ok := ctx.Value(txKey{db}).(*txState); ok {
		s.afterCommit = append(s.afterCommit, f)
		return
	}
	f()
}

// Now is the clock of the database. Times that are stored, or compared across processes, come from it, because of clock skew
// between processes.
func (db *DB) Now(ctx context.Context) (time.Time, error) {
	var now time.Time
	if err := db.Conn(ctx).QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now); err != nil {
		return now, fmt.Errorf("read the clock of the database: %w", err)
	}
	return now, nil
}

// NewID is a new id for a row (UUID version 7): ids sort by creation time.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) } //nolint:forbidigo // everyone else calls this

// TextOrNull is a text as a nullable column holds it: an empty one is NULL.
func TextOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// SortIDs sorts ids in the order in which transactions lock their rows, which prevents deadlocks.
func SortIDs(ids []uuid.UUID) {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
}

// NoRows reports whether err says that a query for one row found none.
func NoRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }

// Value is the value of a nullable column, zero for NULL.
func Value[T any](column *T) (value T) {
	if column != nil {
		value = *column
	}
	return value
}

// PermissionDenied reports whether the database role lacks a privilege.
func PermissionDenied(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == "42501"
}

// Violates reports whether err is a violation of the named unique, check or foreign-key constraint.
func Violates(err error, constraint string) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.ConstraintName == constraint
}

// InvalidData reports whether PostgreSQL rejects the data itself, so that a retry cannot help.
func InvalidData(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (strings.HasPrefix(e.Code, "22") || strings.HasPrefix(e.Code, "23") || strings.HasPrefix(e.Code, "54"))
}

// Interval is a duration as a query parameter.
func Interval(d time.Duration) pgtype.Interval {
	return pgtype.Interval{Microseconds: d.Microseconds(), Valid: true}
}

// InTx runs fn in one transaction and returns its result once that is committed. After a serialization failure fn runs again
// from its beginning, so it must have no effects outside the database and its result.
func InTx[T any](ctx context.Context, db *DB, fn func(ctx context.Context) (T, error)) (T, error) {
	var result T
	err := db.retryConflicts(ctx, func() error {
		return db.InTx(ctx, func(ctx context.Context) error {
			var err error
			result, err = fn(ctx)
			return err
		})
	})
	if err != nil {
		var none T
		return none, err
	}
	return result, nil
}
