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

// Starter starts and cancels the workflows of tests and of calls of tools. Each method may be called again.
type Starter interface {
	StartScriptTest(ctx context.Context, id uuid.UUID, timeout time.Duration) error
	CancelScriptTest(ctx context.Context, id uuid.UUID) error
	StartToolCall(ctx context.Context, id uuid.UUID, timeout time.Duration) error
	CancelToolCall(ctx context.Context, id uuid.UUID) error
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

// Service tests scripts and calls tools. It is safe for concurrent use.
type Service struct {
	Options

	watch watch
	// queues are those of each kind of errand.
	queues map[string]*queue
}

// New makes a service. Subscribe it to Channel.
func New(o Options) *Service {
	s := &Service{Options: o, watch: watch{waiting: map[uuid.UUID]*waiter{}}, queues: map[string]*queue{}}
	for _, k := range []errandKind{testKind, dryRunKind, callKind} {
		s.queues[k.name] = newQueue(k.atOnce)
	}
	return s
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
	a, err := s.ask(ctx, errand{
		errandKind: testKind, id: id, request: request, most: in.timeout() + Patience,
		record: func(ctx context.Context) error {
			if principal.FromContext(ctx).TurnID != uuid.Nil {
				return nil // the calls of tools are on record themselves
			}
			return audit.Record(
				ctx,
				s.DB,
				audit.Event{Action: audit.Ran, Object: audit.Object("script.test", id, ""), Summary: "A script was tested"},
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

// Execute runs a test that waits. It is the activity of the test's workflow. A repeat does not run the script again: it
// answers that the process which ran it has died. An error is a fault of the host that the asker has been told about.
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

// execute does an errand and answers it.
func (s *Service) execute(
	ctx context.Context,
	id uuid.UUID,
	k errandKind,
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
		return s.again(ctx, id, failed)
	}
	if failed != nil {
		a = answer{Problem: k.shown(ctx, failed)}
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

// again leaves a call that failed for want of a host to the next attempt.
func (s *Service) again(ctx context.Context, id uuid.UUID, failed error) error {
	waiting, err := s.queries(ctx).YieldTest(context.WithoutCancel(ctx), id)
	switch {
	case err != nil:
		return fmt.Errorf("leave a call to the next attempt: %w", err)
	case waiting == 0: // nobody waits for it
		return nil
	}
	return failed
}

// Lost answers a test whose process has died. It does nothing to a test that is done, or that nobody waits for.
func (s *Service) Lost(ctx context.Context, id uuid.UUID) error { return s.lost(ctx, id, testKind) }

func (s *Service) lost(ctx context.Context, id uuid.UUID, k errandKind) error {
	_, err := s.settle(ctx, id, answer{Problem: problem.Errorf(problem.Unavailable, "%s", k.died)})
	return err
}

// Unserved answers a test that no process has picked up.
func (s *Service) Unserved(ctx context.Context, id uuid.UUID) error {
	_, err := s.settle(ctx, id, answer{Problem: testKind.unserved()})
	return err
}
