// Package store is the product's door to PostgreSQL, its only durable store.
//
// A DB is a connection pool with transactions that travel in the context: a service calls InTx, every query it makes
// below goes through Conn(ctx) and so joins that transaction, and a caller that already has one (a request with an
// Idempotency-Key, say) makes the whole service call part of it. Listener receives notifications on a connection of its
// own; a notification is only a wake-up, the truth is always re-read from rows. Migrate brings a database to the schema
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

// Conn is what a query needs: the pool, or the transaction that the context carries.
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
	// TraceSlower gives statements that take so long a span of their own; zero traces none.
	TraceSlower time.Duration
	// IdleInTransaction is after how long the database ends a transaction in which nothing happens; five minutes by default,
	// which is more than any request takes. What a process forgot, or lost the network to, would keep its locks otherwise.
	IdleInTransaction time.Duration
	// Acquire is how long a call waits for a connection of the pool, 15 s by default; Answer how long for the answer to a
	// statement, 30 s, unless its context is Patient. Lock is how long a statement waits for a lock, advisory ones included: 15 s.
	// What takes longer is an error that is Away.
	Acquire, Answer, Lock time.Duration
	// ApplicationName is shown in pg_stat_activity; "countersign" by default.
	ApplicationName string
}

// DB is a pool of connections to one database.
type DB struct {
	pool   *pgxpool.Pool
	bounds bounds
	line   *line
	// role is what connections act as, "" for their login.
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
	config.ConnConfig.ConnectTimeout = cmp.Or(config.ConnConfig.ConnectTimeout, connecting)
	config.ConnConfig.DialFunc = dialer(config.ConnConfig.ConnectTimeout).DialContext
	config.PingTimeout = pinging
	set := settings(cmp.Or(o.IdleInTransaction, 5*time.Minute), cmp.Or(o.Lock, standardLock), longestStatement)
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
		bounds: bounds{
			acquire: cmp.Or(o.Acquire, standardAcquire), answer: cmp.Or(o.Answer, standardAnswer),
			refused: &atomic.Int64{}, answered: &atomic.Int64{},
		},
		line: newLine(cmp.Or(o.Lock, standardLock)),
	}
	if o.TraceSlower > 0 {
		db.bounds.slow = &slowQueries{o.TraceSlower}
	}
	config.ConnConfig.Tracer = db.bounds
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

// Apart is the same database by connections of its own, at most as many as it says, for what must not wait until others
// are done with theirs. It connects when it is first used. Who asks for it closes it.
func (db *DB) Apart(ctx context.Context, maxConns int32) (*DB, error) {
	return db.beside(ctx, maxConns, "")
}

// Strict is Apart for transactions whose locks others wait for: the database ends one in which nothing happens for idle, and a
// statement that takes longer than it may.
func (db *DB) Strict(ctx context.Context, maxConns int32, idle, statement time.Duration) (*DB, error) {
	return db.beside(
		ctx,
		maxConns,
		fmt.Sprintf("SET idle_in_transaction_session_timeout = %d; SET statement_timeout = %d", idle.Milliseconds(), statement.Milliseconds()),
	)
}

// beside is the same database by another pool, whose connections begin with a statement of their own unless that is "".
func (db *DB) beside(ctx context.Context, maxConns int32, first string) (*DB, error) {
	config := db.pool.Config()
	config.MaxConns = maxConns
	connected := config.AfterConnect
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		err := connected(ctx, conn)
		if err == nil && first != "" {
			_, err = conn.Exec(ctx, first)
		}
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database pool: %w", err)
	}
	return &DB{pool: pool, bounds: db.bounds, line: newLine(db.line.most)}, nil
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

// Planned is Conn for queries whose best plan depends on their arguments: lists with filters, most of which are left out.
// Each is planned for the arguments that it has, where Conn may settle for a plan that fits all.
func (db *DB) Planned(ctx context.Context) Conn { return planned{db.Conn(ctx)} }

type planned struct{ Conn }

// Query implements Conn.
func (p planned) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	// It describes a statement once and leaves it unnamed, so that the database plans each execution.
	return p.Conn.Query(ctx, sql, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
}

// QueryRow implements Conn.
func (p planned) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
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

// Rehearse runs fn in a transaction that is always taken back, inside of the one that ctx carries if there is one. Nothing
// that fn does to the database stays, and nothing runs that waits for its commit.
func (db *DB) Rehearse(ctx context.Context, fn func(ctx context.Context) error) error {
	begin := db.pool.Begin
	if s, ok := ctx.Value(txKey{db}).(*txState); ok {
		begin = s.tx.Begin
	}
	tx, err := begin(ctx)
	if err != nil {
		return fmt.Errorf("begin rehearsal: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	err = fn(context.WithValue(ctx, txKey{db}, &txState{tx: tx}))
	if back := tx.Rollback(context.WithoutCancel(ctx)); err == nil && back != nil {
		err = fmt.Errorf("take rehearsal back: %w", back)
	}
	return err
}

// InTransaction reports whether ctx carries a transaction of this database.
func (db *DB) InTransaction(ctx context.Context) bool {
	_, ok := ctx.Value(txKey{db}).(*txState)
	return ok
}

// CopyBinary runs a COPY FROM STDIN BINARY with what r has, in the transaction of ctx, and answers how many rows there were.
func (db *DB) CopyBinary(ctx context.Context, sql string, r io.Reader) (int64, error) {
	s, ok := ctx.Value(txKey{db}).(*txState)
	if !ok {
		return 0, errors.New("rows are copied in a transaction")
	}
	// This way goes past the tracer.
	ctx = begin(ctx, db.bounds.patience(ctx))
	defer end(ctx)
	tag, err := s.tx.Conn().PgConn().CopyFrom(ctx, r, sql)
	if err != nil {
		return 0, fmt.Errorf("copy: %w", err)
	}
	return tag.RowsAffected(), nil
}

// Outside is ctx without its transaction, for what AfterCommit runs.
func (db *DB) Outside(ctx context.Context) context.Context {
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

// Now is the time of the database, which decides wherever a moment is kept, or said by one process and read by another:
// the clocks of processes may be apart.
func (db *DB) Now(ctx context.Context) (time.Time, error) {
	var now time.Time
	if err := db.Conn(ctx).QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now); err != nil {
		return now, fmt.Errorf("read the clock of the database: %w", err)
	}
	return now, nil
}

// NewID is a new id for a row. Those that are made later come later in an index.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) } //nolint:forbidigo // everyone else calls this

// SortIDs puts ids into the order in which everybody locks their rows.
func SortIDs(ids []uuid.UUID) {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
}

// NoRows reports whether err says that a query for one row found none.
func NoRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }

// Value is what is in a column that can be NULL, zero for NULL.
func Value[T any](column *T) (value T) {
	if column != nil {
		value = *column
	}
	return value
}

// Denied reports whether the database role has no right to what was tried.
func Denied(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == "42501"
}

// Violates reports whether err is a violation of the named unique, check or foreign-key constraint.
func Violates(err error, constraint string) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.ConstraintName == constraint
}

// BadData reports whether err says that PostgreSQL refuses the data itself, so that sending it again cannot help.
func BadData(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (strings.HasPrefix(e.Code, "22") || strings.HasPrefix(e.Code, "23") || strings.HasPrefix(e.Code, "54"))
}

// Interval is a duration as a query parameter.
func Interval(d time.Duration) pgtype.Interval {
	return pgtype.Interval{Microseconds: d.Microseconds(), Valid: true}
}

// InTx runs fn in one transaction and returns its result once that is committed. When the database has undone the transaction for
// the sake of another one, fn runs again, from its beginning: beside its result and the database it changes nothing.
func InTx[T any](ctx context.Context, db *DB, fn func(ctx context.Context) (T, error)) (T, error) {
	var result T
	err := db.again(ctx, func() error {
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
