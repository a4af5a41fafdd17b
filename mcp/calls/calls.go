// Package calls knows which requests of MCP clients this process serves, so that another request can cancel one of them.
//
// A client of a revision before 2026-07-28 that wants no answer any more says so in a request of its own and keeps the connection of the
// first one. That request may reach another process than the one which works. Where nobody serves what is cancelled, all processes are
// told by a notification of PostgreSQL; if none of them knows it, it has ended meanwhile. Nothing is stored.
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

	"countersign/mcp/calls/callsdb"
	"countersign/principal"
	"countersign/store"
	"countersign/store/convoy"
)

// Channel tells of requests that are cancelled and that the process which was asked does not serve.
const Channel = "mcp_cancelled"

// mostTold is how many requests are told of together.
const mostTold = 200

// ErrCancelled is the cause of a context that has ended because the client has cancelled the request.
var ErrCancelled = errors.New("the client has cancelled the request")

// ID names a request of a client in all processes: a hash in hexadecimal digits.
type ID string

// whole are the numbers that everybody reads alike.
var whole = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,14})$`)

// IDOf names a request of p. Clients count their requests from the same number, and several may share a token, so client is what tells
// them apart: the text that each was given to send back. It is false for a client without one, whose requests nobody can name, and for a
// request that is neither a whole number nor a string.
func IDOf(p principal.Principal, client string, request json.RawMessage) (ID, bool) {
	if client == "" {
		return "", false
	}
	kind, text := "number", string(request)
	if !whole.MatchString(text) {
		kind = "string"
		if len(request) == 0 || request[0] != '"' || json.Unmarshal(request, &text) != nil {
			return "", false
		}
	}
	hash := sha256.New()
	// Each part has its length before it, so that no two are alike.
	for _, part := range []string{p.Key(), p.SessionID.String(), client, kind, text} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		_, _ = hash.Write(length[:])
		_, _ = hash.Write([]byte(part))
	}
	return ID(hex.EncodeToString(hash.Sum(nil))), true
}

// Calls are the requests that this process serves.
type Calls struct {
	db     *store.DB
	others *convoy.Line[struct{}, string, struct{}]

	mu     sync.Mutex
	served map[ID][]*call
}

type call struct{ cancel context.CancelCauseFunc }

// New makes an empty Calls; Subscription lets it hear of what others were asked to cancel.
func New(db *store.DB) *Calls {
	c := &Calls{db: db, served: map[ID][]*call{}}
	c.others = convoy.New(mostTold, c.tell)
	return c
}

// Begin is ctx, which also ends when the request is cancelled, with ErrCancelled as its cause. end must be called.
func (c *Calls) Begin(ctx context.Context, id ID) (begun context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	one := &call{cancel}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.served[id] = append(c.served[id], one)
	return ctx, func() {
		c.forget(id, one)
		cancel(nil)
	}
}

func (c *Calls) forget(id ID, one *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	rest := slices.DeleteFunc(c.served[id], func(other *call) bool { return other == one })
	if len(rest) == 0 {
		delete(c.served, id)
		return
	}
	c.served[id] = rest
}

// Cancel cancels the request with this name, wherever it is served. One that has ended is no error, nor is one that nobody knows.
func (c *Calls) Cancel(ctx context.Context, id ID) error {
	if c.cancel(id) {
		return nil
	}
	_, err := c.others.Ask(ctx, struct{}{}, string(id))
	return err
}

// cancel reports whether this process serves a request with this name. Of several with the same one it cannot be known which is meant:
// none is cancelled.
func (c *Calls) cancel(id ID) (known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	served := c.served[id]
	if len(served) == 1 {
		served[0].cancel(ErrCancelled)
	}
	return len(served) > 0
}

// tell tells all processes. Those who cancel at the same time are told of together: each notification waits for a lock of the server.
func (c *Calls) tell(ctx context.Context, _ struct{}, requests []string) ([]struct{}, error) {
	_, err := callsdb.New(c.db.Conn(ctx)).Tell(ctx, requests)
	return make([]struct{}, len(requests)), err
}

// Subscription is how this process hears of what others were asked to cancel. What is lost while the connection is down is not
// cancelled, and ends by itself.
func (c *Calls) Subscription() store.Subscription {
	return store.Subscription{Notify: func(payload string) { c.cancel(ID(payload)) }}
}
