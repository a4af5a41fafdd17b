// Package once lets something that has its effect outside of the database happen once, however often and from however many
// processes it is asked for with the same key: whoever repeats it is told how the first one went. Nobody can tell what became
// of one whose process has died before it was over, so it is not done again, and its repeats are told that.
package once

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"countersign/principal"
	"countersign/problem"
	"countersign/store"
	"countersign/store/chore"
	"countersign/store/once/oncedb"
)

// Slack is how much longer than its time something may take before it is given up as lost.
const Slack = 10 * time.Second

// Calls keeps what was asked for with a key.
type Calls struct{ db *store.DB }

// New makes Calls on a database.
func New(db *store.DB) *Calls { return &Calls{db} }

// Call is something that is to happen once.
type Call struct {
	Principal principal.Principal
	// Key is the Idempotency-Key. Hash tells what it was used for: it is refused with another one.
	Key  string
	Hash []byte
	// Time is how long it may take.
	Time time.Duration
	// Lost is what repeats of one are told of which nobody knows what became.
	Lost *problem.Error
}

// errUnanswered is told while another attempt has not ended.
var errUnanswered = errors.New("the call is still being made by another attempt")

// outcome is how a call went, as it is kept.
type outcome[Out any] struct {
	Answer  *Out           `json:"answer,omitempty"`
	Problem *problem.Error `json:"problem,omitempty"`
}

// Do does something, or answers what it has answered before. What has begun is seen through, whether or not somebody still
// waits. An error of do that is no problem says that nothing has happened, and can be repeated.
func Do[Out any](ctx context.Context, calls *Calls, c Call, do func(ctx context.Context) (Out, error)) (Out, error) {
	var none Out
	begun, err := calls.begin(ctx, c)
	if err != nil {
		return none, err
	}
	if !begun {
		return await[Out](ctx, calls, c)
	}
	seen, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Time+Slack/2)
	defer cancel()
	answer, failure := do(seen)
	if failure != nil && problem.CodeOf(failure) == problem.Internal {
		if err := calls.queries(seen).ForgetRequest(seen, oncedb.ForgetRequestParams{Principal: c.Principal.Key(), Key: c.Key}); err != nil {
			return none, fmt.Errorf("forget a call: %w", err)
		}
		return none, failure
	}
	o := outcome[Out]{Answer: &answer}
	if failure != nil {
		o = outcome[Out]{Problem: problem.As(failure)}
	}
	if err := calls.finish(seen, c, o); err != nil {
		return none, err
	}
	return answer, failure
}

func (s *Calls) queries(ctx context.Context) *oncedb.Queries { return oncedb.New(s.db.Conn(ctx)) }

func (s *Calls) begin(ctx context.Context, c Call) (bool, error) {
	n, err := s.queries(ctx).BeginRequest(ctx, oncedb.BeginRequestParams{
		Principal: c.Principal.Key(), Key: c.Key, RequestHash: c.Hash, Seconds: (c.Time + Slack).Seconds(),
	})
	if err != nil {
		return false, fmt.Errorf("begin a call: %w", err)
	}
	return n > 0, nil
}

func (s *Calls) finish(ctx context.Context, c Call, outcome any) error {
	data, err := json.Marshal(outcome)
	if err != nil {
		return fmt.Errorf("encode the answer of a call: %w", err)
	}
	if err := s.queries(
		ctx,
	).FinishRequest(
		ctx,
		oncedb.FinishRequestParams{Principal: c.Principal.Key(), Key: c.Key, Answer: data},
	); err != nil {
		return fmt.Errorf("store the answer of a call: %w", err)
	}
	return nil
}

// await is how an earlier call with the same key went.
func await[Out any](ctx context.Context, calls *Calls, c Call) (Out, error) {
	var none Out
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	for {
		row, err := calls.queries(ctx).BegunRequest(ctx, oncedb.BegunRequestParams{Principal: c.Principal.Key(), Key: c.Key})
		switch {
		case store.NoRows(err):
			return none, errUnanswered
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
				return none, errors.New("the answer of a call is kept as nothing")
			}
			return *o.Answer, nil
		case row.Lost:
			return none, c.Lost
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return none, context.Cause(ctx)
		}
	}
}

// Chores are what has to be done now and then.
func (s *Calls) Chores() []chore.Chore {
	return []chore.Chore{{Name: "prune calls that happen once", Every: 10 * time.Minute, Do: func(ctx context.Context) error {
		if err := s.queries(ctx).PruneRequests(ctx); err != nil {
			return fmt.Errorf("prune calls: %w", err)
		}
		return nil
	}}}
}
