package endpoint

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"countersign/internal/problem"
)

const (
	// refillInterval is the refill interval of the rate limit on lists (token bucket; Options.Lists is the burst). Lists
	// of tools, templates and prompts are no tool calls: clients request them on each connect and when their copy is
	// stale, which would use up the person's budget and fill the audit log. The limit per process stops loops only,
	// so processes need not agree.
	refillInterval = 100 * time.Millisecond
	// maxLimiters is the number of limiters at which idle ones are evicted.
	maxLimiters = 10_000
)

// rateLimiter is the rate limiter on lists, per principal.
type rateLimiter struct {
	// burst is the burst.
	burst    int
	mu       sync.Mutex
	limiters map[string]*rate.Limiter
}

// allow counts a list for a principal, or refuses it with problem.Throttled and the time to retry.
func (a *rateLimiter) allow(key string, now time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	limiter := a.limiters[key]
	if limiter == nil {
		if len(a.limiters) >= maxLimiters {
			a.evictIdle(now)
		}
		if a.limiters == nil {
			a.limiters = map[string]*rate.Limiter{}
		}
		limiter = rate.NewLimiter(rate.Every(refillInterval), a.burst)
		a.limiters[key] = limiter
	}
	if limiter.AllowN(now, 1) {
		return nil
	}
	return problem.Errorf(
		problem.Throttled,
		"This client asks for lists, answers questions or cancels calls in a loop. Keep what a list says for as long as it "+
			"says that it is fresh, answer a question and cancel a call once, and go on in a moment.",
	).After(
		refillInterval,
	)
}

// evictIdle evicts the limiters that are full again.
func (a *rateLimiter) evictIdle(now time.Time) {
	for key, limiter := range a.limiters {
		if limiter.TokensAt(now) >= float64(a.burst) {
			delete(a.limiters, key)
		}
	}
}

// rateLimit rate limits the methods that are no tool calls: lists, prompts and answers to questions.
func (e *Endpoint) rateLimit(ctx context.Context, method string) error {
	if err := e.allow(ctx); err != nil {
		return e.rpcError(ctx, method, err)
	}
	return nil
}

// allow applies the rate limit outside of protocol methods.
func (e *Endpoint) allow(ctx context.Context) error {
	return e.listLimiter.allow(exchangeOf(ctx).principal.Key(), time.Now())
}
