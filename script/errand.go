package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/crash"
	"countersign/principal"
	"countersign/problem"
	"countersign/script/scriptdb"
	"countersign/store"
)

// errandKind is what an errand is. Each has places of its own, so that none of them waits for another.
type errandKind struct {
	// name stands in the rows.
	name string
	// open is how many one principal may have open at once, atOnce how many of those a process has running at the same time.
	open   int32
	atOnce int64
	// one and many are what people call it, subject is what is run.
	one, many, subject string
}

var (
	testKind   = errandKind{"test", maxOpen, ownAtOnce, "test", "tests", "script"}
	dryRunKind = errandKind{"dry_run", maxOpen, ownAtOnce, "dry run", "dry runs", "tool"}
	// The calls of a live tool are those of many runs at once that act for one principal.
	callKind = errandKind{"tool_call", 64, 8, "call", "calls of tools", "tool"}
)

// errand is something that a process of the exec queue does for somebody who waits.
type errand struct {
	errandKind

	id      uuid.UUID
	request []byte
	// record is called in the transaction that stores the request; nil records nothing.
	record func(ctx context.Context) error
	start  func(ctx context.Context) error
	cancel func(ctx context.Context) error
	// most is how long it may take from its start to its answer.
	most time.Duration
}

// ask has an errand done and answers how it went. When ctx ends it is canceled.
func (s *Service) ask(ctx context.Context, e errand) (answer, error) {
	if err := s.store(ctx, e); err != nil {
		return answer{}, err
	}
	deadline := time.Now().Add(pickUp)
	place, err := s.queues[e.name].place(ctx, principal.FromContext(ctx).Key(), pickUp)
	if err != nil {
		s.drop(ctx, e.id)
		switch {
		case ctx.Err() != nil:
			return answer{}, context.Cause(ctx)
		case errors.Is(err, errOwn):
			return answer{}, problem.Errorf(problem.Throttled, "Not more than %d of your %s run at the same time, and the others have not ended within %s. Wait for them, or cancel one.", e.atOnce, e.many, pickUp).After(time.Second)
		}
		return answer{}, e.unserved()
	}
	defer place.end()
	crash.Point("script.before-start", e.id)
	waiter, stop := s.watch.on(e.id)
	defer stop()
	if err := s.queues[e.name].step(ctx, func() error { return e.start(ctx) }); err != nil {
		s.drop(ctx, e.id)
		if ctx.Err() != nil {
			return answer{}, context.Cause(ctx)
		}
		return answer{}, problem.Errorf(problem.Unavailable, "The %s could not be started. Try again in a moment.", e.one).WithCause(err)
	}
	crash.Point("script.after-start", e.id)
	return s.await(ctx, e, waiter, place.begun, time.Until(deadline))
}

// store keeps a request, unless its principal has too many.
func (s *Service) store(ctx context.Context, e errand) error {
	var inserted int64
	err := s.queues[e.name].step(ctx, func() (err error) {
		return s.DB.InTx(ctx, func(ctx context.Context) error {
			inserted, err = s.queries(ctx).InsertTest(ctx, scriptdb.InsertTestParams{
				ID: e.id, Kind: e.name, Principal: principal.FromContext(ctx).Key(), Request: e.request, Most: e.open,
			})
			if err != nil || inserted == 0 || e.record == nil {
				return err
			}
			return e.record(ctx)
		})
	})
	switch {
	case ctx.Err() != nil && err != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("store %s: %w", e.one, err)
	case inserted == 0:
		return problem.Errorf(problem.Throttled, "You have %d %s running already. Wait until one of them is done.", e.open, e.many).After(time.Second)
	}
	return nil
}

// await waits for the answer, at most pickUp until somebody begins the errand.
func (s *Service) await(ctx context.Context, e errand, w *waiter, begun func(), pickUp time.Duration) (answer, error) {
	over, unserved, again := time.NewTimer(e.most), time.NewTimer(pickUp), time.NewTicker(lookAgain)
	defer over.Stop()
	defer unserved.Stop()
	defer again.Stop()
	for {
		select {
		case <-w.begun:
			begun()
			continue
		case <-w.done:
		case <-again.C:
		case <-unserved.C:
			if withdrawn, err := s.queries(ctx).WithdrawTest(ctx, e.id); err == nil && withdrawn > 0 {
				s.abandon(ctx, e)
				return answer{}, e.unserved()
			}
		case <-over.C:
			s.abandon(ctx, e)
			return answer{}, problem.Errorf(problem.Unavailable, "The %s was not done in %s: the sandbox workers are busy or away. Try again in a moment.", e.one, e.most)
		case <-ctx.Done():
			s.abandon(ctx, e)
			return answer{}, context.Cause(ctx)
		}
		a, done, err := s.take(ctx, e.id)
		if ctx.Err() != nil {
			continue
		}
		if err != nil || done {
			return a, err
		}
	}
}

// answer is what the one who does an errand tells the one who asked: exactly one of its members.
type answer struct {
	Output  *TestOutput    `json:"output,omitempty"`
	Tool    *toolAnswer    `json:"tool,omitempty"`
	Problem *problem.Error `json:"problem,omitempty"`
}

func (s *Service) take(ctx context.Context, id uuid.UUID) (a answer, done bool, err error) {
	data, err := s.queries(ctx).TakeAnswer(ctx, id)
	if store.NoRows(err) {
		return a, false, nil
	}
	if err != nil {
		return a, false, fmt.Errorf("take answer: %w", err)
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return a, false, fmt.Errorf("read answer: %w", err)
	}
	if a.Problem != nil {
		return a, true, a.Problem
	}
	return a, true, nil
}

// tidyTimeout bounds what is done after the caller has gone.
const tidyTimeout = 5 * time.Second

// abandon ends an errand that nobody waits for.
func (s *Service) abandon(ctx context.Context, e errand) {
	s.drop(ctx, e.id)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTimeout)
	defer cancel()
	if err := e.cancel(ctx); err != nil {
		s.Log.Warn("A script was not canceled; it ends by itself", "kind", e.name, "id", e.id, "error", err)
	}
}

func (s *Service) drop(ctx context.Context, id uuid.UUID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTimeout)
	defer cancel()
	if err := s.queries(ctx).DropTest(ctx, id); err != nil {
		s.Log.Warn("Row of a script not deleted; it is pruned later", "id", id, "error", err)
	}
}

func (k errandKind) unserved() *problem.Error {
	return problem.Errorf(problem.Unavailable, "No sandbox worker picked the %s up: all of them are busy, or none runs. Try again in a moment.", k.subject)
}

// shown is a failure as the asker sees it.
func (k errandKind) shown(ctx context.Context, failed error) *problem.Error {
	switch {
	case problem.CodeOf(failed) != problem.Internal:
		return problem.As(failed)
	case ctx.Err() != nil:
		return problem.Errorf(problem.Unavailable, "The sandbox worker was stopped while it ran the %s. Try again in a moment.", k.subject)
	default:
		return problem.Errorf(problem.Unavailable, "The sandbox could not run the %s because of a fault on the server. Try again; if it fails again, ask an administrator to look at the log.", k.subject)
	}
}

// settle answers an errand, and reports whether this call did.
func (s *Service) settle(ctx context.Context, id uuid.UUID, a answer) (bool, error) {
	data, err := json.Marshal(a)
	if err != nil {
		return false, fmt.Errorf("encode answer: %w", err)
	}
	settled, err := s.queries(ctx).SettleTest(ctx, scriptdb.SettleTestParams{ID: id, Answer: data})
	if err != nil {
		return false, fmt.Errorf("settle: %w", err)
	}
	return settled > 0, nil
}

// Prune deletes the rows of those that nobody has fetched.
func (s *Service) Prune(ctx context.Context) error {
	if err := s.queries(ctx).PruneTests(ctx, maxAge.Seconds()); err != nil {
		return fmt.Errorf("prune tests: %w", err)
	}
	return nil
}
