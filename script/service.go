package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/crash"
	"countersign/principal"
	"countersign/problem"
	"countersign/script/scriptdb"
	"countersign/script/sdk"
	"countersign/secret/reference"
	"countersign/store"
	"countersign/tool/audit"
)

const (
	// maxOpen is how many tests of one principal may be open at once.
	maxOpen = 8
	// Patience is how much longer than its script a test may take: to be picked up, to be compiled, and to be missed when
	// its process has died.
	Patience = 14 * time.Second
	// pickUp is how long a test waits for a process that runs it. Its workflow waits a little less; this is for when not even
	// that is picked up, and for what never comes as far.
	pickUp = 11 * time.Second
	// lookAgain is for a notification that was lost.
	lookAgain = time.Second
	// maxAge is how long the row of a test that nobody fetched stays.
	maxAge = 10 * time.Minute
)

// Starter starts and cancels the workflows of tests. Each call may be repeated.
type Starter interface {
	StartScriptTest(ctx context.Context, id uuid.UUID, timeout time.Duration) error
	CancelScriptTest(ctx context.Context, id uuid.UUID) error
}

// Secrets knows what the vault has. *vault.Module is one.
type Secrets interface {
	// Exist is nil when all these secrets exist; else a problem of kind conflict names those that do not.
	Exist(ctx context.Context, names []string) error
}

// Options are what a Service is made of.
type Options struct {
	DB      *store.DB
	Log     *slog.Logger
	Starter Starter
	// Sealer seals what testers type in place of secrets; without one such a test fails.
	Sealer Sealer
	// Secrets tells which declared secrets do not exist; nil leaves that out.
	Secrets Secrets
	// Online reports whether the policy of this moment gives tests a network; nil when nobody knows, which counts as yes.
	Online func(ctx context.Context) bool
	// Runner runs scripts in a process that works on the exec queue; nil in others.
	Runner *Runner
}

// Service tests scripts. It is safe for concurrent use.
type Service struct {
	Options

	watch watch
	queue *queue
}

// New makes a service. Subscribe it to Channel.
func New(o Options) *Service {
	return &Service{Options: o, watch: watch{waiting: map[uuid.UUID]*waiter{}}, queue: newQueue()}
}

func (s *Service) queries(ctx context.Context) *scriptdb.Queries {
	return scriptdb.New(s.DB.Conn(ctx))
}

// Network implements Tester.
func (s *Service) Network(ctx context.Context) bool { return s.Online == nil || s.Online(ctx) }

// Test runs a script in one of the allowed contexts, nil for all, and waits for how it went. What is wrong with the
// input is a problem, what the script does is in the output. When ctx ends the test is canceled.
func (s *Service) Test(ctx context.Context, allowed []sdk.Context, in TestInput) (TestOutput, error) {
	in, err := in.checked(allowed)
	if err != nil {
		return TestOutput{}, err
	}
	id := store.NewID()
	request, err := s.pack(id, in)
	if err != nil {
		return TestOutput{}, err
	}
	if err := s.store(ctx, id, request); err != nil {
		return TestOutput{}, err
	}
	deadline := time.Now().Add(pickUp)
	place, err := s.queue.place(ctx, principal.FromContext(ctx).Key(), pickUp)
	if err != nil {
		s.drop(ctx, id)
		switch {
		case ctx.Err() != nil:
			return TestOutput{}, context.Cause(ctx)
		case errors.Is(err, errOwn):
			return TestOutput{}, problem.Errorf(problem.Throttled, "Not more than %d of your tests run at the same time, and the others have not ended within %s. Wait for them, or cancel one.", ownAtOnce, pickUp).After(time.Second)
		}
		return TestOutput{}, unservedProblem()
	}
	defer place.end()
	crash.Point("script.before-start", id)
	waiter, stop := s.watch.on(id)
	defer stop()
	if err := s.queue.step(ctx, func() error { return s.Starter.StartScriptTest(ctx, id, in.timeout()) }); err != nil {
		s.drop(ctx, id)
		if ctx.Err() != nil {
			return TestOutput{}, context.Cause(ctx)
		}
		return TestOutput{}, problem.Errorf(problem.Unavailable, "The test could not be started. Try again in a moment.").WithCause(err)
	}
	crash.Point("script.after-start", id)
	out, err := s.await(ctx, id, waiter, place.begun, time.Until(deadline), in.timeout()+Patience)
	if err != nil {
		return TestOutput{}, err
	}
	return s.missingSecrets(ctx, in, out)
}

// missingSecrets warns of what a real run would stop at: a test has placeholders and needs no secret.
func (s *Service) missingSecrets(ctx context.Context, in TestInput, out TestOutput) (TestOutput, error) {
	declared, err := reference.ParseEnv(in.SecretEnv)
	if err != nil || len(declared) == 0 || s.Secrets == nil {
		return out, err
	}
	err = s.Secrets.Exist(ctx, slices.Collect(maps.Values(declared)))
	if problem.Is(err, problem.Conflict) {
		out.Warnings = append(out.Warnings, problem.As(err).Detail)
		return out, nil
	}
	return out, err
}

// store keeps a request, unless its principal has too many.
func (s *Service) store(ctx context.Context, id uuid.UUID, request []byte) error {
	var inserted int64
	err := s.queue.step(ctx, func() (err error) {
		return s.DB.InTx(ctx, func(ctx context.Context) error {
			inserted, err = s.queries(ctx).InsertTest(ctx, scriptdb.InsertTestParams{
				ID: id, Principal: principal.FromContext(ctx).Key(), Request: request, Most: maxOpen,
			})
			if err != nil || inserted == 0 || principal.FromContext(ctx).TurnID != uuid.Nil {
				return err
			}
			// The calls of tools are on record themselves.
			return audit.Record(ctx, s.DB, audit.Event{Action: audit.Ran, Object: audit.Object("script.test", id, ""), Summary: "A script was tested"})
		})
	})
	switch {
	case ctx.Err() != nil && err != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("store test: %w", err)
	case inserted == 0:
		return problem.Errorf(problem.Throttled, "You have %d tests running already. Wait until one of them is done.", maxOpen).After(time.Second)
	}
	return nil
}

// await waits for the answer, at most pickUp until somebody begins the test.
func (s *Service) await(ctx context.Context, id uuid.UUID, w *waiter, begun func(), pickUp, most time.Duration) (TestOutput, error) {
	over, unserved, again := time.NewTimer(most), time.NewTimer(pickUp), time.NewTicker(lookAgain)
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
			if withdrawn, err := s.queries(ctx).WithdrawTest(ctx, id); err == nil && withdrawn > 0 {
				s.abandon(ctx, id)
				return TestOutput{}, unservedProblem()
			}
		case <-over.C:
			s.abandon(ctx, id)
			return TestOutput{}, problem.Errorf(problem.Unavailable, "The test was not done in %s: the sandbox workers are busy or away. Try again in a moment.", most)
		case <-ctx.Done():
			s.abandon(ctx, id)
			return TestOutput{}, context.Cause(ctx)
		}
		a, done, err := s.take(ctx, id)
		if ctx.Err() != nil {
			continue
		}
		if err != nil || done {
			return a.output(err)
		}
	}
}

// answer is what the one who runs a test tells the one who asked.
type answer struct {
	Output  *TestOutput    `json:"output,omitempty"`
	Problem *problem.Error `json:"problem,omitempty"`
}

func (a answer) output(err error) (TestOutput, error) {
	switch {
	case err != nil:
		return TestOutput{}, err
	case a.Problem != nil:
		return TestOutput{}, a.Problem
	case a.Output == nil:
		return TestOutput{}, errors.New("the answer of a test is empty")
	}
	return *a.Output, nil
}

func (s *Service) take(ctx context.Context, id uuid.UUID) (a answer, done bool, err error) {
	data, err := s.queries(ctx).TakeAnswer(ctx, id)
	if store.NoRows(err) {
		return a, false, nil
	}
	if err != nil {
		return a, false, fmt.Errorf("take answer of test: %w", err)
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return a, false, fmt.Errorf("read answer of test: %w", err)
	}
	return a, true, nil
}

// tidyTimeout bounds what is done after the caller has gone.
const tidyTimeout = 5 * time.Second

// abandon ends a test that nobody waits for.
func (s *Service) abandon(ctx context.Context, id uuid.UUID) {
	s.drop(ctx, id)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTimeout)
	defer cancel()
	if err := s.Starter.CancelScriptTest(ctx, id); err != nil {
		s.Log.Warn("Test of a script not canceled; it ends by itself", "test", id, "error", err)
	}
}

func (s *Service) drop(ctx context.Context, id uuid.UUID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTimeout)
	defer cancel()
	if err := s.queries(ctx).DropTest(ctx, id); err != nil {
		s.Log.Warn("Row of a test not deleted; it is pruned later", "test", id, "error", err)
	}
}

// Execute runs a test that waits. It is the activity of the test's workflow. A repeat does not run the script again: it
// answers that the process which ran it has died. An error is a fault of the host that the asker has been told about.
func (s *Service) Execute(ctx context.Context, id uuid.UUID) error {
	crash.Point("script.before-begin", id)
	begun, err := s.queries(ctx).BeginTest(ctx, id)
	if store.NoRows(err) {
		return s.Lost(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("begin test: %w", err)
	}
	in, failed := s.unpack(id, begun.Request)
	crash.Point("script.after-begin", id)
	var output TestOutput
	if failed == nil {
		output, failed = s.run(ctx, in)
	}
	crash.Point("script.after-run", id)
	a := answer{Output: &output}
	if failed != nil {
		a = answer{Problem: shown(ctx, failed)}
	}
	told, err := s.settle(context.WithoutCancel(ctx), id, a)
	if err != nil {
		return err
	}
	crash.Point("script.after-settle", id)
	if nobodyWaits := ctx.Err() != nil && !told; nobodyWaits || problem.CodeOf(failed) != problem.Internal {
		return nil
	}
	return failed
}

func (s *Service) run(ctx context.Context, in TestInput) (TestOutput, error) {
	if s.Runner == nil {
		return TestOutput{}, errors.New("this process has no sandbox")
	}
	return s.Runner.Run(ctx, in)
}

// shown is a failure as the asker sees it.
func shown(ctx context.Context, failed error) *problem.Error {
	switch {
	case problem.CodeOf(failed) != problem.Internal:
		return problem.As(failed)
	case ctx.Err() != nil:
		return problem.Errorf(problem.Unavailable, "The sandbox worker was stopped while it ran the script. Try again in a moment.")
	default:
		return problem.Errorf(problem.Unavailable, "The sandbox could not run the script because of a fault on the server. Try again; if it fails again, ask an administrator to look at the log.")
	}
}

// Lost answers a test whose process has died. It does nothing to a test that is done, or that nobody waits for.
func (s *Service) Lost(ctx context.Context, id uuid.UUID) error {
	_, err := s.settle(ctx, id, answer{Problem: problem.Errorf(problem.Unavailable,
		"The sandbox worker that ran the script died. The script was not run again, because it may have changed something. Test it again if that is harmless.")})
	return err
}

// Unserved answers a test that no process has picked up.
func (s *Service) Unserved(ctx context.Context, id uuid.UUID) error {
	_, err := s.settle(ctx, id, answer{Problem: unservedProblem()})
	return err
}

func unservedProblem() *problem.Error {
	return problem.Errorf(problem.Unavailable, "No sandbox worker picked the script up: all of them are busy, or none runs. Try again in a moment.")
}

// settle answers a test, and reports whether this call did.
func (s *Service) settle(ctx context.Context, id uuid.UUID, a answer) (bool, error) {
	data, err := json.Marshal(a)
	if err != nil {
		return false, fmt.Errorf("encode answer of test: %w", err)
	}
	settled, err := s.queries(ctx).SettleTest(ctx, scriptdb.SettleTestParams{ID: id, Answer: data})
	if err != nil {
		return false, fmt.Errorf("settle test: %w", err)
	}
	return settled > 0, nil
}

// Prune deletes the rows of tests that nobody has fetched.
func (s *Service) Prune(ctx context.Context) error {
	if err := s.queries(ctx).PruneTests(ctx, maxAge.Seconds()); err != nil {
		return fmt.Errorf("prune tests: %w", err)
	}
	return nil
}
