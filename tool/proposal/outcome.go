package proposal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"countersign/crash"
	"countersign/principal"
	"countersign/problem"
	"countersign/tool"
	"countersign/tool/proposal/proposaldb"
)

// maxAttempts is how often a change is tried while the host fails, crashes included; with the pauses of its workflow that is
// about a minute, and more when attempts hang. maxPanics is how often one is tried whose tool panics, which is no passing
// fault. After that it ends: a change that is tried for ever holds up its plan and tells nobody anything.
const (
	maxAttempts = 12
	maxPanics   = 3
)

// Effects knows whether the write of a proposal has had its effect: its answer is kept under the proposal's id in the
// transaction of the effect.
type Effects interface {
	// Answer is what the write answered p; done is false when there was none.
	Answer(ctx context.Context, p principal.Principal, key string) (answer json.RawMessage, done bool, err error)
	// Close is Answer in a transaction of the caller, which waits for a write that is just being made. When there was none
	// and the transaction commits, there will be none: a write that comes later is refused.
	Close(ctx context.Context, p principal.Principal, key string) (answer json.RawMessage, done bool, err error)
}

// errOvertaken is why an attempt leaves no record: a later one carries the change out.
var errOvertaken = errors.New("another attempt carries this proposal out")

// attempt is one attempt to carry a proposal out. The row is as it was when the attempt began.
type attempt struct {
	*Service
	row proposaldb.AiProposal
	// afterOwn says that an earlier change of the same plan is live.
	afterOwn bool
}

// run makes the change, unless an earlier attempt has made it, and records how it went.
func (a *attempt) run(ctx context.Context) error {
	if a.row.ApplyAttempts > 1 {
		// Rights may have gone since the effect, and the target may be gone: whether it has happened comes before whether
		// it may.
		if answer, done, err := a.Effects.Answer(ctx, a.decider(), a.key()); err != nil {
			return err
		} else if done {
			return a.applied(ctx, a.resultOf(ctx, answer))
		}
	}
	if a.row.ApplyAttempts > maxAttempts {
		return a.failed(ctx, a.exhausted(ctx))
	}
	if err := a.intact(a.row); err != nil {
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
		// The step is over for its workflow; what comes now is too late to count.
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
	panicked, ok := errors.AsType[*tool.PanicError](err)
	return a.row.ApplyAttempts >= maxAttempts || ok && panicked != nil && a.row.ApplyAttempts >= maxPanics
}

// exhausted is what a person reads of a change that the host could not make.
func (a *attempt) exhausted(ctx context.Context) Failure {
	tried := ""
	if now, err := a.DB.Now(ctx); err == nil && a.row.DecidedAt != nil {
		tried = fmt.Sprintf(" within %s", now.Sub(*a.row.DecidedAt).Round(time.Second))
	}
	return Failure{Code: problem.Internal, Message: fmt.Sprintf(
		"This could not be applied because of a fault on the server: it was tried %d times%s. It has been checked that "+
			"nothing was changed, and it is not tried again. Ask for the change again later; if that fails too, ask an "+
			"administrator to look at the log.",
		min(a.row.ApplyAttempts, maxAttempts),
		tried,
	)}
}

// key is under what the API keeps the answer of the write.
func (a *attempt) key() string { return a.row.ID.String() }

// decider is who has decided, with the session in which they did.
func (a *attempt) decider() principal.Principal {
	if a.row.DecidedByKind == nil || a.row.DecidedByID == nil || a.row.DecidedSessionID == nil {
		return principal.Principal{}
	}
	return principal.Principal{Kind: principal.Kind(*a.row.DecidedByKind), ID: *a.row.DecidedByID, SessionID: *a.row.DecidedSessionID}
}

// resultOf is what the tool makes of an answer that its write got before. It needs nobody's rights: nothing is done.
func (a *attempt) resultOf(ctx context.Context, answer json.RawMessage) json.RawMessage {
	known, ok, err := a.Registry.Lookup(ctx, a.row.ToolName)
	if !ok || err != nil {
		return answer
	}
	output, err := known.Run(
		ctx,
		tool.Caller{Principal: a.decider(), Client: &tool.Client{Router: &tool.Router{}, Answered: answer}},
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
	// The database takes every JSON but this.
	if bytes.Contains(result, []byte(`\u0000`)) || !json.Valid(result) {
		result = nil
	}
	return a.finish(ctx, proposaldb.FinishApplyParams{Status: string(Applied), Result: result})
}

// failed records that nothing was changed, and makes it true: what an earlier attempt may still be doing comes first, and
// then nothing of it can have an effect any more. When it has had its effect, that is what is recorded.
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
