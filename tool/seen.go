package tool

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"countersign/principal"
)

// fresh bounds the age of a loaded principal that counts as current: about the time of one load.
const fresh = 20 * time.Millisecond

type seenKey struct{}

// seen is a principal with the time of its load.
type seen struct {
	who   principal.Principal
	until time.Time
	taken atomic.Bool
}

// WithSeen lets the first in-process request of a call reuse a principal that was loaded after since, if the request is
// made at once.
func WithSeen(ctx context.Context, who principal.Principal, since time.Time) context.Context {
	return context.WithValue(ctx, seenKey{}, &seen{who: who, until: since.Add(fresh)})
}

// TakeSeen returns the principal of this session or API token, if it was loaded for the request of ctx. It serves one
// request.
func TakeSeen(ctx context.Context, kind principal.Kind, session uuid.UUID) (principal.Principal, bool) {
	s, ok := ctx.Value(seenKey{}).(*seen)
	if !ok || s.who.Kind != kind || s.who.SessionID != session || !s.taken.CompareAndSwap(false, true) || time.Now().After(s.until) {
		return principal.Principal{}, false
	}
	return s.who, true
}
