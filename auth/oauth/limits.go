package oauth

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/internal/store/throttle"
)

// limits are the rate limits of anonymous requests, across processes.
type limits struct {
	throttle *throttle.Throttle
	// register is per address and registerAll for all addresses: a distributed flood makes the next one wait for
	// seconds.
	register, registerAll throttle.Rule
	// token is for invalid codes and refresh tokens, by address. Valid ones always pass.
	token throttle.Rule
	// document is for fetches of metadata documents, by person.
	document throttle.Rule
}

func newLimits(t *throttle.Throttle, first time.Duration) limits {
	if first == 0 {
		first = 2 * time.Second
	}
	return limits{
		throttle:    t,
		register:    throttle.Rule{Name: "oauth/register", FreeFailures: 20, FirstWait: first, MaxWait: 15 * time.Minute, Window: time.Hour},
		registerAll: throttle.Rule{Name: "oauth/register-all", FreeFailures: 200, FirstWait: first, MaxWait: 10 * time.Second, Window: time.Hour},
		token:       throttle.Rule{Name: "oauth/token", FreeFailures: 30, FirstWait: first, MaxWait: time.Minute, Window: time.Hour},
		document:    throttle.Rule{Name: "oauth/document", FreeFailures: 30, FirstWait: first, MaxWait: time.Minute, Window: time.Hour},
	}
}

// registration counts a registration, or returns the time to wait.
func (l limits) registration(ctx context.Context, address string) (time.Duration, error) {
	return l.throttle.Reserve(ctx, l.register.Bucket(address), l.registerAll.Bucket())
}

// badToken counts an invalid token, or returns the time to wait.
func (l limits) badToken(ctx context.Context, address string) (time.Duration, error) {
	return l.throttle.Reserve(ctx, l.token.Bucket(address))
}

// reading counts a metadata document that a person makes the server fetch.
func (l limits) reading(ctx context.Context, person uuid.UUID) error {
	return l.throttle.Attempt(
		ctx,
		"You have connected many programs in a short time. Wait %s and try again.",
		l.document.Bucket(person.String()),
	)
}
