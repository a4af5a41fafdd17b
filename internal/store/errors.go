package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Unavailable reports whether err is a transient database outage: no connection, a connection that broke, no free resources, or
// a timeout. The same call can succeed later; the outcome of this one is unknown, because its commit may have succeeded and
// only the answer was lost.
func Unavailable(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return transientCode(e.Code)
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return true
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.Timeout(err) || pgconn.SafeToRetry(err)
}

// transientCode reports whether an SQLSTATE describes a condition that passes by itself.
func transientCode(code string) bool {
	// Connections, and resources: too many connections, no memory, a full disk.
	for _, class := range []string{"08", "53"} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return slices.Contains([]string{
		"25006",                            // this server has become a standby
		"25P03",                            // idle_in_transaction_session_timeout
		"25P04",                            // transaction_timeout
		"55P03",                            // lock_timeout
		"57014",                            // statement_timeout, or canceled
		"57P01", "57P02", "57P03", "57P05", // the server stops, has crashed, starts, or ends idle sessions
		"58000", "58030", // the system, or its disk, has failed
	}, code) || conflictCode(code)
}

// conflictCode reports whether an SQLSTATE is a serialization failure or a deadlock: the transaction was rolled back and had no
// effect.
func conflictCode(code string) bool { return code == "40001" || code == "40P01" }

// SerializationFailure reports whether PostgreSQL rolled the transaction of err back because of a serialization failure or a
// deadlock. The transaction had no effect and can be retried.
func SerializationFailure(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && conflictCode(e.Code)
}

// RefusedCommit reports that the server refuses to go on with a transaction, or to commit it, for what it holds: a failed
// statement whose error was ignored, or a constraint that is checked at the end.
func RefusedCommit(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (e.Code == "25P02" || strings.HasPrefix(e.Code, "23")) || errors.Is(err, pgx.ErrTxCommitRollback)
}

// tooManyConnections reports whether the server has reached its connection limit.
func tooManyConnections(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == "53300"
}

// maxAttempts bounds the retries of a transaction after serialization failures.
const maxAttempts = 4

// retryConflicts retries do after a serialization failure, with jitter as backoff. Inside an outer transaction it does not
// retry, because the outer one was rolled back, too.
func (db *DB) retryConflicts(ctx context.Context, do func() error) error {
	for n := 1; ; n++ {
		err := do()
		if n == maxAttempts || !SerializationFailure(err) || db.InTransaction(ctx) {
			return err
		}
		// Jitter keeps two conflicting transactions from colliding again.
		select {
		case <-ctx.Done():
			return err
		case <-time.After(rand.N(time.Duration(n*20) * time.Millisecond)): //nolint:gosec // jitter is no secret
		}
	}
}

// Wrap says of an error what was done when it came: "load incident: ...". No error stays none.
func Wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
