package store

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Away reports whether err says that the database cannot be used at this moment: it is not reached, ends connections, has no
// room, or does not answer in time. The same call can succeed later. Whether this one has had an effect is not known: its
// commit may have come through and only the answer was lost.
func Away(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return passes(e.Code)
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return true
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.Timeout(err) || pgconn.SafeToRetry(err)
}

// passes reports whether what a code of PostgreSQL says is over after a while without anybody changing a statement.
func passes(code string) bool {
	// Connections, and resources: too many connections, no memory, a full disk.
	for _, class := range []string{"08", "53"} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return slices.Contains([]string{
		"25006",                            // this server has become a standby
		"25P03",                            // a transaction stood still for too long
		"25P04",                            // a transaction took too long
		"55P03",                            // a lock was not given in time
		"57014",                            // a statement took too long
		"57P01", "57P02", "57P03", "57P05", // the server stops, has crashed, starts, or ends idle sessions
		"58000", "58030", // the system, or its disk, has failed
	}, code) || undone(code)
}

// undone are the codes of transactions that the database has taken back for the sake of others. Nothing of them has had an effect.
func undone(code string) bool { return code == "40001" || code == "40P01" }

// Undone reports whether the database has taken the transaction of err back because it stood in the way of another one: it could
// not be put into an order with it, or each waited for the other. Nothing of it has had an effect, and it can be tried again.
func Undone(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && undone(e.Code)
}

// full reports whether err says that the server lets no more connections in.
func full(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == "53300"
}

// attempts is how often a transaction is tried that is undone for the sake of others.
const attempts = 4

// again repeats what runs a transaction while the database undoes it. Inside of another transaction nothing is repeated: that one
// is undone too.
func (db *DB) again(ctx context.Context, do func() error) error {
	for n := 1; ; n++ {
		err := do()
		if n == attempts || !Undone(err) || db.InTransaction(ctx) {
			return err
		}
		// Those that have met once must not meet again at the same moment.
		select {
		case <-ctx.Done():
			return err
		case <-time.After(rand.N(time.Duration(n*20) * time.Millisecond)): //nolint:gosec // nobody gains by guessing it
		}
	}
}
