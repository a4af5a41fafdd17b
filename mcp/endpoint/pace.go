package endpoint

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"countersign/problem"
)

const (
	// Lists of tools, templates and prompts are no calls of tools: every client asks for them by itself, whenever it connects and again when
	// what it has is no longer fresh. In the budget they would take the place of the calls that a person wants, and fill the audit log.
	// So each process answers as many as clients that work as they should never need, Options.Lists at once and then one each listsEvery; in a
	// loop there is an end. Nothing is decided by it, so processes need not agree.
	listsEvery = 100 * time.Millisecond
	// mostPaced is how many principals are remembered before those who have asked for nothing in a while are forgotten.
	mostPaced = 10_000
)

// pace bounds how often each principal is answered with a list.
type pace struct {
	// atOnce is how many lists are answered at once.
	atOnce int
	mu     sync.Mutex
	paced  map[string]*rate.Limiter
}

// admit counts a list for a principal at a moment, or refuses it: problem.Throttled, which says when to go on.
func (a *pace) admit(key string, now time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	limiter := a.paced[key]
	if limiter == nil {
		if len(a.paced) >= mostPaced {
			a.forget(now)
		}
		if a.paced == nil {
			a.paced = map[string]*rate.Limiter{}
		}
		limiter = rate.NewLimiter(rate.Every(listsEvery), a.atOnce)
		a.paced[key] = limiter
	}
	if limiter.AllowN(now, 1) {
		return nil
	}
	return problem.Errorf(
		problem.Throttled,
		"This client asks for lists, answers questions or cancels calls in a loop. Keep what a list says for as long as it says that it is fresh, answer a question and cancel a call once, and go on in a moment.",
	).After(
		listsEvery,
	)
}

// forget drops those whose lists have all been made up for.
func (a *pace) forget(now time.Time) {
	for key, limiter := range a.paced {
		if limiter.TokensAt(now) >= float64(a.atOnce) {
			delete(a.paced, key)
		}
	}
}

// paced refuses a request for a list or for a prompt, or the answer to a question, of a client that asks or answers in a loop.
func (e *Endpoint) paced(ctx context.Context, method string) error {
	if err := e.admit(ctx); err != nil {
		return e.rpcError(ctx, method, err)
	}
	return nil
}

// admit is paced for what is no request of the protocol.
func (e *Endpoint) admit(ctx context.Context) error {
	return e.pace.admit(exchangeOf(ctx).principal.Key(), time.Now())
}
