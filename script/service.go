package script

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/crash"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret/reference"
	"countersign/internal/store"
	"countersign/script/scriptdb"
	"countersign/script/sdk"
)

// testType is the type of tests in the audit log.
const testType = "script.test"

var auditedTest = audit.Declare(audit.Type{ID: testType, Label: "Script test", Plural: "Script tests"})

// Audited are the tests, of which each has one entry.
func (*Service) Audited() []audit.Kind { return []audit.Kind{{Type: auditedTest}} }

const (
	// maxOpen bounds the open tests of one principal.
	maxOpen = 8
	// TestOverhead is the time of a test beyond its script's timeout: for pick-up, compilation and the detection of a
	// dead process.
	TestOverhead = 14 * time.Second
	// pickUpTimeout bounds the wait for a process that starts a test. Its workflow has a slightly shorter timeout; this
	// one covers tests that never reach it.
	pickUpTimeout = 11 * time.Second
	// pollInterval covers lost notifications.
	pollInterval = time.Second
	// maxAge is the retention of an unfetched test's row.
	maxAge = 10 * time.Minute
)

// Starter starts and cancels the workflows of tests and of tool calls. Its methods are idempotent.
type Starter interface {
	StartScriptTest(ctx context.Context, id uuid.UUID, timeout time.Duration) error
	CancelScriptTest(ctx context.Context, id uuid.UUID) error
	StartToolCall(ctx context.Context, id uuid.UUID, timeout time.Duration) error
	CancelToolCall(ctx context.Context, id uuid.UUID) error
}

// Secrets checks names of the vault; *vault.Module implements it.
type Secrets interface {
	// Exist is nil when all these secrets exist; else a problem of kind conflict names the missing ones.
	Exist(ctx context.Context, names []string) error
}

// Options configure a Service.
type Options struct {
	DB      *store.DB
	Log     *slog.Logger
	Starter Starter
	// Sealer seals the values that testers type for secrets; without one such a test fails.
	Sealer Sealer
	// Secrets checks that declared secrets exist; nil skips the check.
	Secrets Secrets
	// Online reports whether the current policy gives tests a network; nil means unknown, which counts as yes.
	Online func(ctx context.Context) bool
	// Runner runs scripts in a process that works on the exec queue; nil in others.
	Runner *Runner
}

// Service tests scripts and calls tools. It is safe for concurrent use.
type Service struct {
	Options

	watch watch
	// queues has one queue for each kind of job.
	queues map[string]*queue
}

// New returns a service. Subscribe it to Channel.
func New(o Options) *Service {
	s := &Service{Options: o, watch: watch{waiting: map[uuid.UUID]*waiter{}}, queues: map[string]*queue{}}
	for _, k := range []jobKind{testKind, dryRunKind, callKind, actionKind} {
		s.queues[k.lane] = newQueue(k.atOnce)
	}
	return s
}

func (s *Service) queries(ctx context.Context) *scriptdb.Queries {
	return scriptdb.New(s.DB.Conn(ctx))
}

// Network implements Tester.
func (s *Service) Network(ctx context.Context) bool { return s.Online == nil || s.Online(ctx) }

// Test runs a script in one of the allowed contexts, nil for all, and waits for its outcome. Faults of the input are a
// problem; script failures are in the output. When ctx ends the test is canceled.
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
	a, err := s.submit(ctx, job{
		jobKind: testKind, id: id, request: request, most: in.timeout() + TestOverhead,
		record: func(ctx context.Context) error {
			if principal.FromContext(ctx).TurnID != uuid.Nil {
				return nil // tool calls have audit records of their own
			}
			return audit.Record(
				ctx,
				s.DB,
				audit.Event{Action: audit.Ran, Object: audit.Object(testType, id, ""), Summary: "A script was tested"},
			)
		},
		start:  func(ctx context.Context) error { return s.Starter.StartScriptTest(ctx, id, in.timeout()) },
		cancel: func(ctx context.Context) error { return s.Starter.CancelScriptTest(ctx, id) },
	})
	switch {
	case err != nil:
		return TestOutput{}, err
	case a.Output == nil:
		return TestOutput{}, errors.New("the answer of a test is empty")
	}
	return s.missingSecrets(ctx, in, *a.Output)
}

// missingSecrets warns of secrets that a real run would lack: a test has placeholders and needs no secret.
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

// Execute runs a waiting test, as the activity of its workflow. A retry does not run the script again: it answers that
// the process of the first attempt has died. An error is a host failure that the caller has received.
func (s *Service) Execute(ctx context.Context, id uuid.UUID) error {
	return s.execute(ctx, id, testKind, func(ctx context.Context, request []byte) (answer, error) {
		in, err := s.unpack(id, request)
		if err != nil {
			return answer{}, err
		}
		out, err := s.Runner.Run(ctx, in)
		return answer{Output: &out}, err
	})
}

// execute does a job and answers it.
func (s *Service) execute(
	ctx context.Context,
	id uuid.UUID,
	k jobKind,
	do func(ctx context.Context, request []byte) (answer, error),
) error {
	crash.Point("script.before-begin", id)
	begun, err := s.queries(ctx).BeginTest(ctx, id)
	if store.NoRows(err) {
		return s.lost(ctx, id, k)
	}
	if err != nil {
		return fmt.Errorf("begin %s: %w", k.one, err)
	}
	crash.Point("script.after-begin", id)
	var a answer
	failed := errors.New("this process has no sandbox")
	if s.Runner != nil {
		a, failed = do(ctx, begun.Request)
	}
	crash.Point("script.after-run", id)
	if k.repeats && problem.CodeOf(failed) == problem.Internal && begun.Attempts == 1 {
		return s.leaveForRetry(ctx, id, failed)
	}
	if failed != nil {
		a = answer{Problem: k.problemFor(ctx, failed)}
	}
	told, err := s.storeAnswer(context.WithoutCancel(ctx), id, a)
	if err != nil {
		return err
	}
	crash.Point("script.after-settle", id)
	if nobodyWaits := ctx.Err() != nil && !told; nobodyWaits || problem.CodeOf(failed) != problem.Internal {
		return nil
	}
	return failed
}

// leaveForRetry leaves a call that a host failure ended to the next attempt.
func (s *Service) leaveForRetry(ctx context.Context, id uuid.UUID, failed error) error {
	waiting, err := s.queries(ctx).YieldTest(context.WithoutCancel(ctx), id)
	switch {
	case err != nil:
		return fmt.Errorf("leave a call to the next attempt: %w", err)
	case waiting == 0: // its caller has gone
		return nil
	}
	return failed
}

// Lost answers a test whose process has died. It does nothing to a test that is done, or whose caller has gone.
func (s *Service) Lost(ctx context.Context, id uuid.UUID) error { return s.lost(ctx, id, testKind) }

func (s *Service) lost(ctx context.Context, id uuid.UUID, k jobKind) error {
	_, err := s.storeAnswer(ctx, id, answer{Problem: problem.Errorf(problem.Unavailable, "%s", k.died)})
	return err
}

// Unserved answers a test that no process has picked up.
func (s *Service) Unserved(ctx context.Context, id uuid.UUID) error {
	_, err := s.storeAnswer(ctx, id, answer{Problem: testKind.unserved()})
	return err
}
