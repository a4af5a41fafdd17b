package tool

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
)

// recentPrincipalTTL is how long a principal that was read counts as current: about as long as reading it again takes.
const recentPrincipalTTL = 20 * time.Millisecond

type recentPrincipalKey struct{}

// recentPrincipal is a principal as it was read from the database at a moment.
type recentPrincipal struct {
	who   principal.Principal
	until time.Time
	taken atomic.Bool
}

// WithRecentPrincipal lets the first in-process request of a call skip reading its principal, if it follows at once: who
// was read after since, together with the last step of the call.
func WithRecentPrincipal(ctx context.Context, who principal.Principal, since time.Time) context.Context {
	return context.WithValue(ctx, recentPrincipalKey{}, &recentPrincipal{who: who, until: since.Add(recentPrincipalTTL)})
}

// TakeRecentPrincipal returns the principal of this session or API token, if it was read for the request of ctx. It
// serves one request.
func TakeRecentPrincipal(ctx context.Context, kind principal.Kind, session uuid.UUID) (principal.Principal, bool) {
	s, ok := ctx.Value(recentPrincipalKey{}).(*recentPrincipal)
	if !ok || s.who.Kind != kind || s.who.SessionID != session || !s.taken.CompareAndSwap(false, true) || time.Now().After(s.until) {
		return principal.Principal{}, false
	}
	return s.who, true
}
