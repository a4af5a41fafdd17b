package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/crash"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/script/scriptdb"
	"countersign/tool"
)

// jobKind is a kind of job. Each has places of its own, so that kinds do not wait for each other.
type jobKind struct {
	// name is the kind in the rows, and lane names the queue of its jobs in a process.
	name, lane string
	// open limits the open jobs of one principal, atOnce those that this process has admitted at the same time.
	open   int32
	atOnce int64
	// one and many name it to people, subject names the program.
	one, many, subject string
	// repeats says that the job is retried when the first host fails, since it only computes. died is the message when
	// no process can answer any more.
	repeats bool
	died    string
}

const (
	scriptDied = "The sandbox worker that ran the script died. The script was not run again, because it may have " +
		"changed something. Test it again if that is harmless."
	toolDied = "The sandbox worker that ran the tool died, and so did the one that ran it again. Try again in a " +
		"moment; a tool that only computes has changed nothing."
)

var (
	testKind   = jobKind{"test", "test", maxOpen, ownAtOnce, "test", "tests", "script", false, scriptDied}
	dryRunKind = jobKind{"dry_run", "dry_run", maxOpen, ownAtOnce, "dry run", "dry runs", "tool", true, toolDied}
	// The calls of a live tool come from many runs at once that act for one principal.
	callKind = jobKind{"tool_call", "tool_call", 64, ownRunning, "call", "calls of tools", "tool", true, toolDied}
)

// job is work for a process of the exec queue on whose result the caller waits.
type job struct {
	jobKind

	id      uuid.UUID
	request []byte
	// record runs in the transaction that stores the request; nil records nothing.
	record func(ctx context.Context) error
	start  func(ctx context.Context) error
	cancel func(ctx context.Context) error
	// most bounds the time from start to answer.
	most time.Duration
}

// submit has a job done and returns its answer. When ctx ends the job is canceled.
func (s *Service) submit(ctx context.Context, j job) (answer, error) {
	q, who := s.queues[j.lane], principal.FromContext(ctx).Key()
	end, first := q.tryAcquireShare(who)
	admitted, err := s.store(ctx, j, first)
	if err != nil {
		if first {
			end()
		}
		return answer{}, err
	}
	deadline := time.Now().Add(pickUpTimeout)
	if !admitted {
		tool.Report(ctx, "Waiting for your other scripts")
	}
	begun, end, err := s.acquireTurn(ctx, j, admitted, end, deadline)
	if err != nil {
		s.drop(ctx, j.id)
		switch {
		case ctx.Err() != nil:
			return answer{}, context.Cause(ctx)
		case errors.Is(err, errOverShare):
			return answer{}, problem.Errorf(
				problem.Throttled,
				"Not more than %d of your %s, and %d of all your scripts and tools, run at the same time, and the others have "+
					"not ended within %s. Wait for them, or cancel one.",
				j.atOnce,
				j.many,
				ownRunning,
				pickUpTimeout,
			).After(
				time.Second,
			)
		case errors.Is(err, context.DeadlineExceeded):
			return answer{}, j.unserved()
		}
		return answer{}, err
	}
	defer end()
	tool.Report(ctx, "Waiting for the sandbox")
	crash.Point("script.before-start", j.id)
	waiter, stop := s.watch.register(j.id)
	defer stop()
	if err := q.step(ctx, who, func() error { return j.start(ctx) }); err != nil {
		s.drop(ctx, j.id)
		if ctx.Err() != nil {
			return answer{}, context.Cause(ctx)
		}
		return answer{}, j.unstarted().WithCause(err)
	}
	crash.Point("script.after-start", j.id)
	return s.await(ctx, j, waiter, begun, time.Until(deadline))
}

// store inserts a request, unless its principal has too many. A request that may start is admitted at once, within the
// limits.
func (s *Service) store(ctx context.Context, j job, begins bool) (admitted bool, err error) {
	who := principal.FromContext(ctx).Key()
	inserted := true
	err = s.queues[j.lane].step(ctx, who, func() error {
		return s.DB.InTx(ctx, func(ctx context.Context) error {
			admitted, err = s.counted(ctx, who).InsertTest(ctx, scriptdb.InsertTestParams{
				ID: j.id, Kind: j.name, Principal: who, Request: j.request, Begins: begins, AtOnce: ownRunning, Most: j.open,
			})
			inserted = !store.NoRows(err)
			if err != nil || j.record == nil {
				return err
			}
			return j.record(ctx)
		})
	})
	switch {
	case ctx.Err() != nil && err != nil:
		return false, context.Cause(ctx)
	case !inserted:
		return false, problem.Errorf(
			problem.Throttled,
			"You have %d %s running already. Wait until one of them is done.",
			j.open,
			j.many,
		).After(
			time.Second,
		)
	case err != nil:
		return false, fmt.Errorf("store %s: %w", j.one, err)
	}
	return admitted, nil
}

// counted returns the queries that count a principal's running jobs, serialized by principal.
func (s *Service) counted(ctx context.Context, who string) *scriptdb.Queries {
	return scriptdb.New(s.DB.Locked(ctx, "script/"+who))
}

// acquireTurn waits until a job is admitted and has a place in front of the workers. end is its part of the principal's
// share here, nil for none yet. Both returned functions are idempotent. It fails with errOverShare, with the error of
// ctx or of the deadline, or with a host failure.
func (s *Service) acquireTurn(ctx context.Context, j job, admitted bool, end func(), deadline time.Time) (begun, ended func(), err error) {
	q, who := s.queues[j.lane], principal.FromContext(ctx).Key()
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	if end == nil {
		if end, err = q.acquireShare(ctx, who); err != nil {
			return nil, nil, errors.Join(errOverShare, err)
		}
	}
	if !admitted {
		if err := s.admit(ctx, j, who); err != nil {
			end()
			return nil, nil, err
		}
	}
	begun, err = q.acquirePlace(ctx, who)
	if err != nil {
		end()
		return nil, nil, err
	}
	return begun, func() { begun(); end() }, nil
}

// admitRetryInterval is the poll interval for admission when jobs of the principal run in other processes.
const admitRetryInterval = 100 * time.Millisecond

func (s *Service) admit(ctx context.Context, j job, who string) error {
	again := time.NewTicker(admitRetryInterval)
	defer again.Stop()
	for {
		admitted := false
		err := s.queues[j.lane].step(ctx, who, func() (err error) {
			admitted, err = s.counted(ctx, who).AdmitTest(ctx, scriptdb.AdmitTestParams{ID: j.id, Principal: who, AtOnce: ownRunning})
			return err
		})
		switch {
		case err == nil && admitted:
			return nil
		case ctx.Err() != nil:
			return errors.Join(errOverShare, ctx.Err())
		case err != nil && !store.NoRows(err):
			return fmt.Errorf("admit %s: %w", j.one, err)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return errors.Join(errOverShare, ctx.Err())
		}
	}
}

// await waits for the answer, at most pickUpTimeout until a process starts the job.
func (s *Service) await(ctx context.Context, j job, w *waiter, begun func(), pickUpTimeout time.Duration) (answer, error) {
	over, unserved, again := time.NewTimer(j.most), time.NewTimer(pickUpTimeout), time.NewTicker(pollInterval)
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
			if withdrawn, err := s.queries(ctx).WithdrawTest(ctx, j.id); err == nil && withdrawn > 0 {
				s.abandon(ctx, j)
				return answer{}, j.unserved()
			}
		case <-over.C:
			s.abandon(ctx, j)
			return answer{}, problem.Errorf(
				problem.Unavailable,
				"The %s was not done in %s: the sandbox workers are busy or away. Try again in a moment.",
				j.one,
				j.most,
			)
		case <-ctx.Done():
			s.abandon(ctx, j)
			return answer{}, context.Cause(ctx)
		}
		a, done, err := s.take(ctx, j.id)
		if ctx.Err() != nil {
			continue
		}
		if err != nil || done {
			return a, err
		}
	}
}

// answer is the result of a job for its caller: exactly one member is set.
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
	if err := json.Unmarshal(data, &a); err != nil { //nolint:musttag // the embedded types have tags
		return a, false, fmt.Errorf("read answer: %w", err)
	}
	if a.Problem != nil {
		return a, true, a.Problem
	}
	return a, true, nil
}

// cleanupTimeout bounds the cleanup after the caller has gone.
const cleanupTimeout = 5 * time.Second

// abandon ends a job whose caller has gone.
func (s *Service) abandon(ctx context.Context, j job) {
	s.drop(ctx, j.id)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	if err := j.cancel(ctx); err != nil {
		s.Log.Warn("A script was not canceled; it ends by itself", "kind", j.name, "id", j.id, "error", err)
	}
}

func (s *Service) drop(ctx context.Context, id uuid.UUID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	if err := s.queries(ctx).DropTest(ctx, id); err != nil {
		s.Log.Warn("Row of a script not deleted; it is pruned later", "id", id, "error", err)
	}
}

func (k jobKind) unserved() *problem.Error {
	return problem.Errorf(
		problem.Unavailable,
		"No sandbox worker picked the %s up: all of them are busy, or none runs. Try again in a moment.",
		k.subject,
	)
}

func (k jobKind) unstarted() *problem.Error {
	return problem.Errorf(problem.Unavailable, "The %s could not be started. Try again in a moment.", k.one)
}

// problemFor converts a failure for the caller.
func (k jobKind) problemFor(ctx context.Context, failed error) *problem.Error {
	switch {
	case problem.CodeOf(failed) != problem.Internal:
		return problem.As(failed)
	case ctx.Err() != nil:
		return problem.Errorf(problem.Unavailable, "The sandbox worker was stopped while it ran the %s. Try again in a moment.", k.subject)
	default:
		return problem.Errorf(
			problem.Unavailable,
			"The sandbox could not run the %s because of a fault on the server. Try again; if it fails again, ask an "+
				"administrator to look at the log.",
			k.subject,
		)
	}
}

// storeAnswer stores the answer of a job, and reports whether this call did.
func (s *Service) storeAnswer(ctx context.Context, id uuid.UUID, a answer) (bool, error) {
	data, err := json.Marshal(a) //nolint:musttag // the embedded types have tags
	if err != nil {
		return false, fmt.Errorf("encode answer: %w", err)
	}
	settled, err := s.queries(ctx).SettleTest(ctx, scriptdb.SettleTestParams{ID: id, Answer: data})
	if err != nil {
		return false, fmt.Errorf("settle: %w", err)
	}
	return settled > 0, nil
}

// Prune deletes the rows of answers that no caller has fetched.
func (s *Service) Prune(ctx context.Context) error {
	if err := s.queries(ctx).PruneTests(ctx, maxAge.Seconds()); err != nil {
		return fmt.Errorf("prune tests: %w", err)
	}
	return nil
}
