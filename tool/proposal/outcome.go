package proposal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"countersign/internal/crash"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool"
	"countersign/tool/proposal/proposaldb"
)

// maxAttempts bounds the attempts of a change while the host fails; with the backoff of its workflow that is about a
// minute, and more when attempts hang. maxOutageAttempts bounds all attempts, including those during a database outage
// and those that crash: about five minutes. maxPanics bounds those of a tool that panics, which is no transient fault. An
// endless change would block its plan without a report.
const (
	maxAttempts       = 12
	maxOutageAttempts = 40
	maxPanics         = 3
)

// Effects finds out whether the write of a proposal took effect: its answer is stored under the proposal's id in the
// transaction of the effect.
type Effects interface {
	// Answer returns the answer of p's write; done is false when there was none.
	Answer(ctx context.Context, p principal.Principal, key string) (answer json.RawMessage, done bool, err error)
	// Close is Answer in a transaction of the caller, and waits for a write in progress. When there is no answer and
	// the transaction commits, later writes under the key are refused.
	Close(ctx context.Context, p principal.Principal, key string) (answer json.RawMessage, done bool, err error)
}

// errOvertaken ends an attempt without a record: a later attempt carries the change out.
var errOvertaken = errors.New("another attempt carries this proposal out")

// attempt is one attempt to carry out a proposal. The row is the one from the begin of the attempt.
type attempt struct {
	*Service
	row proposaldb.AiProposal
	// afterOwn reports that an earlier change of the same plan was applied.
	afterOwn bool
}

// run makes the change, unless an earlier attempt made it, and records the outcome.
func (a *attempt) run(ctx context.Context) error {
	if a.row.ApplyAttempts > 1 {
		// Rights may have been lost since the effect, and the target deleted: the lookup of the effect precedes the
		// checks.
		if answer, done, err := a.Effects.Answer(ctx, a.decider(), a.key()); err != nil {
			return err
		} else if done {
			return a.applied(ctx, a.resultOf(ctx, answer))
		}
	}
	if a.row.ApplyAttempts > maxOutageAttempts {
		return a.failed(ctx, a.exhausted(ctx))
	}
	if err := a.verifySeal(a.row); err != nil {
		return a.failed(ctx, a.failureOf(ctx, a.row, err, a.afterOwn))
	}
	crash.Point("apply.before-effect", a.row.ID)
	result, err := a.execute(ctx, a.row)
	if a.afterOwn && problem.Is(err, problem.Precondition) {
		result, err = a.executeRebased(ctx, a.row, err)
	}
	crash.Point("apply.after-effect", a.row.ID)
	switch {
	case ctx.Err() != nil:
		// The activity has timed out for its workflow; the outcome comes too late to count.
		return context.Cause(ctx)
	case err == nil:
		return a.applied(ctx, result)
	case problem.CodeOf(err) != problem.Internal:
		return a.failed(ctx, a.failureOf(ctx, a.row, err, a.afterOwn))
	case a.isPermanent(err):
		a.Log.Error("Apply given up", "proposal", a.row.ID, "tool", a.row.ToolName, "attempts", a.row.ApplyAttempts, "error", err)
		return a.failed(ctx, a.exhausted(ctx))
	}
	return fmt.Errorf("apply %s: %w", a.row.ToolName, err)
}

func (a *attempt) isPermanent(err error) bool {
	limit := int32(maxAttempts)
	if panicked, ok := errors.AsType[*tool.PanicError](err); ok && panicked != nil {
		limit = maxPanics
	} else if errors.Is(err, tool.ErrOutage) || store.Unavailable(err) {
		limit = maxOutageAttempts
	}
	return a.row.ApplyAttempts >= limit
}

// exhausted is the failure of a change after the last attempt, for people.
func (a *attempt) exhausted(ctx context.Context) Failure {
	tried := ""
	if now, err := a.DB.Now(ctx); err == nil && a.row.DecidedAt != nil {
		tried = fmt.Sprintf(" within %s", now.Sub(*a.row.DecidedAt).Round(time.Second))
	}
	return Failure{Code: problem.Internal, Message: fmt.Sprintf(
		"This could not be applied because of a fault on the server: it was tried %d times%s. It has been checked that "+
			"nothing was changed, and it is not tried again. Ask for the change again later; if that fails too, ask an "+
			"administrator to look at the log.",
		min(a.row.ApplyAttempts, maxOutageAttempts),
		tried,
	)}
}

// key is the idempotency key of the write.
func (a *attempt) key() string { return a.row.ID.String() }

// decider is the principal who decided, with the session of the decision.
func (a *attempt) decider() principal.Principal {
	if a.row.DecidedByKind == nil || a.row.DecidedByID == nil || a.row.DecidedSessionID == nil {
		return principal.Principal{}
	}
	return principal.Principal{Kind: principal.Kind(*a.row.DecidedByKind), ID: *a.row.DecidedByID, SessionID: *a.row.DecidedSessionID}
}

// resultOf converts a stored answer of the write to the tool's output. It needs no rights, as it changes nothing.
func (a *attempt) resultOf(ctx context.Context, answer json.RawMessage) json.RawMessage {
	known, ok, err := a.Registry.Lookup(ctx, a.row.ToolName)
	if !ok || err != nil {
		return answer
	}
	output, err := known.Run(
		ctx,
		tool.Caller{Principal: a.decider(), Client: &tool.Client{Router: &tool.Router{}, RecordedAnswer: answer}},
		a.row.Payload,
	)
	if err != nil {
		a.Log.Warn("Result of an apply not read; its answer stands for it", "proposal", a.row.ID, "tool", a.row.ToolName, "error", err)
		return answer
	}
	result, err := tool.Canonical(output)
	if err != nil {
		return answer
	}
	return result
}

func (a *attempt) applied(ctx context.Context, result json.RawMessage) error {
	// PostgreSQL's jsonb rejects only this JSON.
	if bytes.Contains(result, []byte(`\u0000`)) || !json.Valid(result) {
		result = nil
	}
	return a.finish(ctx, proposaldb.FinishApplyParams{Status: string(Applied), Result: result})
}

// failed records that nothing was changed, and ensures it: it closes the key against writes of earlier attempts first.
// If one of them took effect, that is recorded instead.
func (a *attempt) failed(ctx context.Context, f Failure) error {
	failure, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("encode failure: %w", err)
	}
	var answer json.RawMessage
	var done bool
	err = a.DB.InTx(ctx, func(ctx context.Context) error {
		if answer, done, err = a.Effects.Close(ctx, a.decider(), a.key()); err != nil || done {
			return err
		}
		return a.finish(ctx, proposaldb.FinishApplyParams{Status: string(Failed), Error: failure, ErrorCode: string(f.Code)})
	})
	if err != nil || !done {
		return err
	}
	return a.applied(ctx, a.resultOf(ctx, answer))
}

func (a *attempt) finish(ctx context.Context, p proposaldb.FinishApplyParams) error {
	p.ID, p.Attempt = a.row.ID, a.row.ApplyAttempts
	n, err := a.queries(ctx).FinishApply(ctx, p)
	if err != nil {
		return fmt.Errorf("record outcome of apply: %w", err)
	}
	if n == 0 {
		return errOvertaken
	}
	return nil
}
