// Package calls registers the requests of MCP clients that this process serves, so that another request can cancel
// them.
//
// A client of a revision before 2026-07-28 cancels a request by another request and keeps the connection of the first
// one. The cancellation may reach another process than the one that works. If this process does not serve the
// request, LISTEN/NOTIFY of PostgreSQL broadcasts the cancellation to all processes; if none serves it, it has ended.
// Nothing is stored.
package calls

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"sync"

	"countersign/api/mcp/calls/callsdb"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/internal/store/batching"
)

// Channel is the PostgreSQL notification channel of cancelled requests that the receiving process does not serve.
const Channel = "mcp_cancelled"

// broadcastBatch is the batch size of cancellations.
const broadcastBatch = 200

// ErrCancelled is the cause of a context whose request the client has cancelled.
var ErrCancelled = errors.New("the client has cancelled the request")

// ID identifies a request of a client across processes: a hash in hexadecimal digits.
type ID string

// integer matches the integers that all JSON parsers read alike.
var integer = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,14})$`)

// IDOf returns the id of a request of p. Clients number their requests from the same start and may share a token, so
// the id includes client, the session id that each client received. The result is false without a client, and for a
// request id that is neither an integer nor a string.
func IDOf(p principal.Principal, client string, request json.RawMessage) (ID, bool) {
	if client == "" {
		return "", false
	}
	kind, text := "number", string(request)
	if !integer.MatchString(text) {
		kind = "string"
		if len(request) == 0 || request[0] != '"' || json.Unmarshal(request, &text) != nil {
			return "", false
		}
	}
	hash := sha256.New()
	// Each part is prefixed with its length, so that no two inputs collide.
	for _, part := range []string{p.Key(), p.SessionID.String(), client, kind, text} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		_, _ = hash.Write(length[:])
		_, _ = hash.Write([]byte(part))
	}
	return ID(hex.EncodeToString(hash.Sum(nil))), true
}

// Calls is the registry of requests that this process serves.
type Calls struct {
	db         *store.DB
	broadcasts *batching.Batcher[struct{}, string, struct{}]

	mu     sync.Mutex
	served map[ID][]*call
}

type call struct{ cancel context.CancelCauseFunc }

// New creates an empty registry; Subscription connects it to the other processes.
func New(db *store.DB) *Calls {
	c := &Calls{db: db, served: map[ID][]*call{}}
	c.broadcasts = batching.New(broadcastBatch, c.broadcast)
	return c
}

// Register registers a request and returns a context that is cancelled with it, with ErrCancelled as the cause. The
// caller calls end.
func (c *Calls) Register(ctx context.Context, id ID) (begun context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	one := &call{cancel}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.served[id] = append(c.served[id], one)
	return ctx, func() {
		c.unregister(id, one)
		cancel(nil)
	}
}

func (c *Calls) unregister(id ID, one *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	rest := slices.DeleteFunc(c.served[id], func(other *call) bool { return other == one })
	if len(rest) == 0 {
		delete(c.served, id)
		return
	}
	c.served[id] = rest
}

// Cancel cancels the request in the process that serves it. An unknown or ended request is no error.
func (c *Calls) Cancel(ctx context.Context, id ID) error {
	if c.cancelLocal(id) {
		return nil
	}
	_, err := c.broadcasts.Do(ctx, struct{}{}, string(id))
	return err
}

// cancelLocal cancels the request if this process serves it. If several have the same id, it cancels none.
func (c *Calls) cancelLocal(id ID) (known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	served := c.served[id]
	if len(served) == 1 {
		served[0].cancel(ErrCancelled)
	}
	return len(served) > 0
}

// broadcast broadcasts cancellations. Concurrent ones are batched, as each notification waits for a lock of PostgreSQL.
func (c *Calls) broadcast(ctx context.Context, _ struct{}, requests []string) ([]struct{}, error) {
	_, err := callsdb.New(c.db.Conn(ctx)).BroadcastCancellations(ctx, requests)
	return make([]struct{}, len(requests)), err
}

// Subscriptions receive the cancellations of other processes. Those lost while the connection is down have no effect:
// the requests end on their own.
func (c *Calls) Subscriptions() store.Subscriptions {
	return store.Subscriptions{Channel: {Notify: func(payload string) { c.cancelLocal(ID(payload)) }}}
}
