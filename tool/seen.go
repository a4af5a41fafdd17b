package tool

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"countersign/principal"
)

// fresh is how long what was read of a principal is as good as if it were read now: about as long as that would take.
const fresh = 20 * time.Millisecond

type seenKey struct{}

// seen is a principal as it was read from the database at a moment.
type seen struct {
	who   principal.Principal
	until time.Time
	taken atomic.Bool
}

// WithSeen lets the first request that a call makes in process do without reading who makes it, if it is made at once: who was
// read after since, together with what the call did last.
func WithSeen(ctx context.Context, who principal.Principal, since time.Time) context.Context {
	return context.WithValue(ctx, seenKey{}, &seen{who: who, until: since.Add(fresh)})
}

// TakeSeen is the principal that acts through this session or API token, if it was read for the request of ctx. It serves one request.
func TakeSeen(ctx context.Context, kind principal.Kind, session uuid.UUID) (principal.Principal, bool) {
	s, ok := ctx.Value(seenKey{}).(*seen)
	if !ok || s.who.Kind != kind || s.who.SessionID != session || !s.taken.CompareAndSwap(false, true) || time.Now().After(s.until) {
		return principal.Principal{}, false
	}
	return s.who, true
}
