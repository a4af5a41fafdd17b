// Package exactlyonce is an idempotency ledger for effects outside the database: a call runs once per key, however many
// processes repeat it, and each repeat gets the outcome of the first one. If the process of a call died before its end, the
// outcome is unknown: the call is not repeated, and repeats get an error that says so.
package exactlyonce

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/internal/store/exactlyonce/exactlyoncedb"
)

// Grace is the time beyond its timeout after which a call counts as lost.
const Grace = 10 * time.Second

// Ledger stores calls by their idempotency keys.
type Ledger struct{ db *store.DB }

// New makes a Ledger on a database.
func New(db *store.DB) *Ledger { return &Ledger{db} }

// Call identifies one call.
type Call struct {
	Principal principal.Principal
	// Key is the Idempotency-Key. Hash is that of the request; the same key with another hash is refused.
	Key  string
	Hash []byte
	// Timeout bounds the call.
	Timeout time.Duration
	// Unknown is the error of repeats when the outcome of a call is unknown.
	Unknown *problem.Error
}

// errInProgress is the error of a repeat whose original has failed without an effect meanwhile.
var errInProgress = errors.New("the call is still being made by another attempt")

// outcome is the stored result of a call.
type outcome[Out any] struct {
	Answer  *Out           `json:"answer,omitempty"`
	Problem *problem.Error `json:"problem,omitempty"`
}

// Do runs do, or returns the stored outcome of an earlier call with the same key. A call that has begun runs to its end even if
// its caller goes away. An internal error of do means that it had no effect, so the call can be repeated.
func Do[Out any](ctx context.Context, calls *Ledger, c Call, do func(ctx context.Context) (Out, error)) (Out, error) {
	var none Out
	begun, err := calls.insertCall(ctx, c)
	if err != nil {
		return none, err
	}
	if !begun {
		return awaitOutcome[Out](ctx, calls, c)
	}
	seen, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Timeout+Grace/2)
	defer cancel()
	answer, failure := do(seen)
	if failure != nil && problem.CodeOf(failure) == problem.Internal {
		if err := calls.queries(
			seen,
		).DeleteRequest(
			seen,
			exactlyoncedb.DeleteRequestParams{Principal: c.Principal.Key(), Key: c.Key},
		); err != nil {
			return none, fmt.Errorf("delete a call: %w", err)
		}
		return none, failure
	}
	o := outcome[Out]{Answer: &answer}
	if failure != nil {
		o = outcome[Out]{Problem: problem.As(failure)}
	}
	if err := calls.storeOutcome(seen, c, o); err != nil {
		return none, err
	}
	return answer, failure
}

func (s *Ledger) queries(ctx context.Context) *exactlyoncedb.Queries {
	return exactlyoncedb.New(s.db.Conn(ctx))
}

func (s *Ledger) insertCall(ctx context.Context, c Call) (bool, error) {
	n, err := s.queries(ctx).BeginRequest(ctx, exactlyoncedb.BeginRequestParams{
		Principal: c.Principal.Key(), Key: c.Key, RequestHash: c.Hash, Seconds: (c.Timeout + Grace).Seconds(),
	})
	if err != nil {
		return false, fmt.Errorf("begin a call: %w", err)
	}
	return n > 0, nil
}

func (s *Ledger) storeOutcome(ctx context.Context, c Call, outcome any) error {
	data, err := json.Marshal(outcome)
	if err != nil {
		return fmt.Errorf("encode the answer of a call: %w", err)
	}
	if err := s.queries(
		ctx,
	).FinishRequest(
		ctx,
		exactlyoncedb.FinishRequestParams{Principal: c.Principal.Key(), Key: c.Key, Answer: data},
	); err != nil {
		return fmt.Errorf("store the answer of a call: %w", err)
	}
	return nil
}

// awaitOutcome waits for the outcome of an earlier call with the same key.
func awaitOutcome[Out any](ctx context.Context, calls *Ledger, c Call) (Out, error) {
	var none Out
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	for {
		row, err := calls.queries(ctx).FindRequest(ctx, exactlyoncedb.FindRequestParams{Principal: c.Principal.Key(), Key: c.Key})
		switch {
		case store.NoRows(err):
			return none, errInProgress
		case err != nil:
			return none, fmt.Errorf("find a call: %w", err)
		case subtle.ConstantTimeCompare(row.RequestHash, c.Hash) != 1:
			return none, problem.Errorf(problem.KeyReused, "This Idempotency-Key was used for another request. Use a new key for each action.")
		case len(row.Answer) > 0:
			var o outcome[Out]
			if err := json.Unmarshal(row.Answer, &o); err != nil {
				return none, fmt.Errorf("read the answer of a call: %w", err)
			}
			switch {
			case o.Problem != nil:
				return none, o.Problem
			case o.Answer == nil:
				return none, errors.New("the stored answer of a call is empty")
			}
			return *o.Answer, nil
		case row.Lost:
			return none, c.Unknown
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return none, context.Cause(ctx)
		}
	}
}

// Chores prune old calls.
func (s *Ledger) Chores() []chore.Chore {
	return []chore.Chore{{Name: "prune calls that happen once", Every: 10 * time.Minute, Do: func(ctx context.Context) error {
		if err := s.queries(ctx).PruneRequests(ctx); err != nil {
			return fmt.Errorf("prune calls: %w", err)
		}
		return nil
	}}}
}
