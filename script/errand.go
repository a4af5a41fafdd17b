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
	"countersign/tool"
)

// errandKind is what an errand is. Each has places of its own, so that none of them waits for another.
type errandKind struct {
	// name stands in the rows.
	name string
	// open is how many one principal may have open at once, atOnce how many of those this process has admitted at the same time.
	open   int32
	atOnce int64
	// one and many are what people call it, subject is what is run.
	one, many, subject string
	// repeats says that it is done once more when the first host fails, as what only computes can be. died is what the asker is told
	// when no process is left that could answer.
	repeats bool
	died    string
}

const (
	scriptDied = "The sandbox worker that ran the script died. The script was not run again, because it may have changed something. Test it again if that is harmless."
	toolDied   = "The sandbox worker that ran the tool died, and so did the one that ran it again. Try again in a moment; a tool that only computes has changed nothing."
)

var (
	testKind   = errandKind{"test", maxOpen, ownAtOnce, "test", "tests", "script", false, scriptDied}
	dryRunKind = errandKind{"dry_run", maxOpen, ownAtOnce, "dry run", "dry runs", "tool", true, toolDied}
	// The calls of a live tool are those of many runs at once that act for one principal.
	callKind = errandKind{"tool_call", 64, ownRunning, "call", "calls of tools", "tool", true, toolDied}
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
	q, who := s.queues[e.name], principal.FromContext(ctx).Key()
	end, first := q.tryOwn(who)
	admitted, err := s.store(ctx, e, first)
	if err != nil {
		if first {
			end()
		}
		return answer{}, err
	}
	deadline := time.Now().Add(pickUp)
	if !admitted {
		tool.Report(ctx, "Waiting for your other scripts")
	}
	begun, end, err := s.turn(ctx, e, admitted, end, deadline)
	if err != nil {
		s.drop(ctx, e.id)
		switch {
		case ctx.Err() != nil:
			return answer{}, context.Cause(ctx)
		case errors.Is(err, errOwn):
			return answer{}, problem.Errorf(
				problem.Throttled,
				"Not more than %d of your %s, and %d of all your scripts and tools, run at the same time, and the others have not ended within %s. Wait for them, or cancel one.",
				e.atOnce,
				e.many,
				ownRunning,
				pickUp,
			).After(
				time.Second,
			)
		case errors.Is(err, context.DeadlineExceeded):
			return answer{}, e.unserved()
		}
		return answer{}, err
	}
	defer end()
	tool.Report(ctx, "Waiting for the sandbox")
	crash.Point("script.before-start", e.id)
	waiter, stop := s.watch.on(e.id)
	defer stop()
	if err := q.step(ctx, who, func() error { return e.start(ctx) }); err != nil {
		s.drop(ctx, e.id)
		if ctx.Err() != nil {
			return answer{}, context.Cause(ctx)
		}
		return answer{}, problem.Errorf(problem.Unavailable, "The %s could not be started. Try again in a moment.", e.one).WithCause(err)
	}
	crash.Point("script.after-start", e.id)
	return s.await(ctx, e, waiter, begun, time.Until(deadline))
}

// store keeps a request, unless its principal has too many. One that may begin is admitted at once, if nothing else keeps it.
func (s *Service) store(ctx context.Context, e errand, begins bool) (admitted bool, err error) {
	who := principal.FromContext(ctx).Key()
	inserted := true
	err = s.queues[e.name].step(ctx, who, func() error {
		return s.DB.InTx(ctx, func(ctx context.Context) error {
			admitted, err = s.counted(ctx, who).InsertTest(ctx, scriptdb.InsertTestParams{
				ID: e.id, Kind: e.name, Principal: who, Request: e.request, Begins: begins, AtOnce: ownRunning, Most: e.open,
			})
			inserted = !store.NoRows(err)
			if err != nil || e.record == nil {
				return err
			}
			return e.record(ctx)
		})
	})
	switch {
	case ctx.Err() != nil && err != nil:
		return false, context.Cause(ctx)
	case !inserted:
		return false, problem.Errorf(
			problem.Throttled,
			"You have %d %s running already. Wait until one of them is done.",
			e.open,
			e.many,
		).After(
			time.Second,
		)
	case err != nil:
		return false, fmt.Errorf("store %s: %w", e.one, err)
	}
	return admitted, nil
}

// counted are the queries that count what somebody has running: one at a time for each principal.
func (s *Service) counted(ctx context.Context, who string) *scriptdb.Queries {
	return scriptdb.New(s.DB.Locked(ctx, "script/"+who))
}

// turn waits until an errand is admitted and has a place in front of the workers. end is what it holds of its principal's share here, nil
// for nothing yet. Both functions that it returns may be called again. It fails with errOwn, with the error of ctx or of the deadline, or
// with a fault.
func (s *Service) turn(ctx context.Context, e errand, admitted bool, end func(), deadline time.Time) (begun, ended func(), err error) {
	q, who := s.queues[e.name], principal.FromContext(ctx).Key()
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	if end == nil {
		if end, err = q.own(ctx, who); err != nil {
			return nil, nil, errors.Join(errOwn, err)
		}
	}
	if !admitted {
		if err := s.admit(ctx, e, who); err != nil {
			end()
			return nil, nil, err
		}
	}
	begun, err = q.place(ctx, who)
	if err != nil {
		end()
		return nil, nil, err
	}
	return begun, func() { begun(); end() }, nil
}

// admitAgain is how soon it is asked again whether something may run that waits for others of its principal in other processes.
const admitAgain = 100 * time.Millisecond

func (s *Service) admit(ctx context.Context, e errand, who string) error {
	again := time.NewTicker(admitAgain)
	defer again.Stop()
	for {
		err := s.queues[e.name].step(ctx, who, func() error {
			_, err := s.counted(ctx, who).AdmitTest(ctx, scriptdb.AdmitTestParams{ID: e.id, Principal: who, AtOnce: ownRunning})
			return err
		})
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return errors.Join(errOwn, ctx.Err())
		case !store.NoRows(err):
			return fmt.Errorf("admit %s: %w", e.one, err)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return errors.Join(errOwn, ctx.Err())
		}
	}
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
			tool.Report(ctx, "Running in the sandbox")
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
			return answer{}, problem.Errorf(
				problem.Unavailable,
				"The %s was not done in %s: the sandbox workers are busy or away. Try again in a moment.",
				e.one,
				e.most,
			)
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
	if err := json.Unmarshal(data, &a); err != nil { //nolint:musttag // what is embedded has its tags
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
	return problem.Errorf(
		problem.Unavailable,
		"No sandbox worker picked the %s up: all of them are busy, or none runs. Try again in a moment.",
		k.subject,
	)
}

// shown is a failure as the asker sees it.
func (k errandKind) shown(ctx context.Context, failed error) *problem.Error {
	switch {
	case problem.CodeOf(failed) != problem.Internal:
		return problem.As(failed)
	case ctx.Err() != nil:
		return problem.Errorf(problem.Unavailable, "The sandbox worker was stopped while it ran the %s. Try again in a moment.", k.subject)
	default:
		return problem.Errorf(
			problem.Unavailable,
			"The sandbox could not run the %s because of a fault on the server. Try again; if it fails again, ask an administrator to look at the log.",
			k.subject,
		)
	}
}

// settle answers an errand, and reports whether this call did.
func (s *Service) settle(ctx context.Context, id uuid.UUID, a answer) (bool, error) {
	data, err := json.Marshal(a) //nolint:musttag // what is embedded has its tags
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
