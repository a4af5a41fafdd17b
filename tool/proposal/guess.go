package proposal

import (
	"context"
	"errors"
	"time"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store/throttle"
)

// guesses rate-limits principals that send unknown tokens (enumeration guard). A token has 256 random bits; attempts
// are slowed down and audited nevertheless.
var guesses = throttle.Rule{
	Name:         "proposal token",
	FreeFailures: 20,
	FirstWait:    2 * time.Second,
	MaxWait:      15 * time.Minute,
	Window:       time.Hour,
}

// errWrongToken is the cause of a NotFound for an unknown token; the caller sees no difference from a missing proposal.
var errWrongToken = errors.New("the token fits no proposal")

func wrongToken() error { return problem.As(notFound()).WithCause(errWrongToken) }

// guarded runs a function that spends tokens of p, unless p is rate-limited for unknown ones.
func (s *Service) guarded(ctx context.Context, p principal.Principal, spend func() error) error {
	bucket, limit := guesses.Bucket(p.Key()), throttle.New(s.DB)
	wait, err := limit.Wait(ctx, bucket)
	if err != nil {
		return err
	}
	if wait <= 0 {
		if err = spend(); !errors.Is(err, errWrongToken) {
			return err
		}
		s.Log.Warn("Token of a proposal refused", "principal", p.Key())
		var failed error
		if wait, failed = limit.Reserve(ctx, bucket); failed != nil {
			return failed
		}
		if wait <= 0 {
			if failed = s.recordGuess(ctx, p); failed != nil {
				return failed
			}
			return err
		}
	}
	return throttle.TooMany(wait, "Too many tokens that fit no proposal. Wait %s and open the proposal again.")
}

// recordGuess audits an unknown token, without the token. Rate-limited attempts are not recorded, so they cannot flood
// the log.
func (s *Service) recordGuess(ctx context.Context, p principal.Principal) error {
	return s.DB.InTx(ctx, func(ctx context.Context) error {
		return audit.Record(ctx, s.DB, audit.Event{
			Action: audit.TokenRefused, Object: audit.Ref{Type: auditType}, Summary: "A token that fits no proposal was refused", Actor: p,
		})
	})
}
