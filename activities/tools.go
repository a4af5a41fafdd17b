package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"

	"countersign/chat/assistant"
	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/crash"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/store"
	"countersign/model"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/disposition"
	"countersign/tool/proposal"
	"countersign/workflows"
)

const (
	// toolAttempts bounds the attempts at a call after server faults; then the tool's result is a failure.
	toolAttempts = 4
	// outageAttempts is that limit during an outage of the database, about a minute. Steps have more attempts, so that the
	// failure is recorded.
	outageAttempts = 15
	// applyTimeout is how long a turn in auto mode waits for its change; after that it reports it as still applying.
	applyTimeout = 30 * time.Second
)

// CallTool runs one tool call of a step: a read is executed, a write is proposed. A retry finds its record, its budget
// reservation and its proposal.
func (a *Turn) CallTool(ctx context.Context, in workflows.CallToolInput) (workflows.CallToolOutput, error) {
	s, leave, over, err := a.enter(ctx, in.TurnID, in.Step, in.Call)
	if over || err != nil {
		return workflows.CallToolOutput{Over: over}, err
	}
	defer leave()
	step := s.Step(in.Step)
	if done := recorded(step, in.Call); done != nil {
		return outputOf(s, *done), nil
	}
	if step.Model == nil || in.Call > len(step.Model.Calls) {
		// Another process has recorded it since this one loaded the turn.
		a.Sessions.Evict(s.Session)
		return workflows.CallToolOutput{}, fmt.Errorf("step %d has no call %d", in.Step, in.Call)
	}
	sc, err := a.scope(ctx, s)
	if err != nil {
		return workflows.CallToolOutput{}, serverError("prepare turn", err)
	}
	callCtx, cancel := s.Context(ctx)
	defer cancel()
	c := &toolCall{
		Turn: a, session: s, scope: sc, call: step.Model.Calls[in.Call-1],
		at: budget.Position{Turn: s.ID, Step: in.Step, Call: in.Call},
	}
	begun := s.Memo.callTimes.first(in.Step, in.Call)
	result, err := c.run(callCtx)
	crash.Point("tool.after-run", s.ID)
	if result, err = c.finalResult(ctx, result, err); err != nil {
		return workflows.CallToolOutput{}, err
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		// The workflow has gone on without this step: what came too late is dropped.
		return workflows.CallToolOutput{}, context.Cause(ctx)
	}
	if result.Untrusted {
		taint := disposition.Taint{Kind: disposition.ToolTaint, Tool: c.call.Tool, Source: c.origin}
		if err := s.Taint(context.WithoutCancel(ctx), taint); err != nil {
			return workflows.CallToolOutput{}, err
		}
	} else if err := c.taintByAuthors(context.WithoutCancel(ctx)); err != nil {
		return workflows.CallToolOutput{}, err
	} else if err := c.taintBySearch(context.WithoutCancel(ctx)); err != nil {
		return workflows.CallToolOutput{}, err
	}
	if attempt := attemptNumber(ctx); attempt > 1 {
		result.Attempts = int(attempt)
	}
	result.StartedAt, result.TookMS = stream.Moment(begun), new(time.Since(begun).Milliseconds())
	err = s.RecordTool(context.WithoutCancel(ctx), in.Step, in.Call, result, c.outcome(result), result.Chunks(c.call.ID)...)
	crash.Point("tool.after-record", s.ID)
	if err != nil {
		return workflows.CallToolOutput{}, a.handleFenced(s, err)
	}
	return outputOf(s, result), nil
}

func outputOf(s *session, r turn.ToolResult) workflows.CallToolOutput {
	return workflows.CallToolOutput{Ends: r.Ends, Asks: r.Card != nil && r.Card.Kind == turn.QuestionCard, Stopped: s.IsStopped()}
}

// attemptNumber is the attempt at an activity, from 1.
func attemptNumber(ctx context.Context) int32 {
	if !activity.IsActivity(ctx) {
		return 1
	}
	return activity.GetInfo(ctx).Attempt
}

func recorded(step turn.Step, call int) *turn.ToolResult {
	if call > len(step.Tools) {
		return nil
	}
	return step.Tools[call-1]
}

// toolCall is one tool call in progress.
type toolCall struct {
	*Turn
	session *session
	scope   scope
	call    turn.Call
	at      budget.Position
	// tool is the called tool, once found; it may be refused all the same.
	tool tool.Tool
	// auditID is the audit row, once the budget has reserved the call.
	auditID uuid.UUID
	// origin names the source of the call's result.
	origin string
	// exfiltrates says that the call could send data of the conversation outside.
	exfiltrates bool
	// readRecords are the records that the call has read; nil where their authors do not matter.
	readRecords *tool.DisclosedRecords
}

// run checks, reserves and makes the call. The result is for the model and the person; an error is a server fault, and
// the step is retried.
func (c *toolCall) run(ctx context.Context) (turn.ToolResult, error) {
	t, err := c.check(ctx)
	c.tool = t
	if err != nil {
		result, refuseErr := c.refuse(ctx, err)
		result.Repeated = errors.Is(err, errRepeated)
		return result, refuseErr
	}
	if t.Effect != tool.Read {
		d, why, err := c.decide(ctx, t, t.Effect, nil)
		if err != nil {
			return turn.ToolResult{}, err
		}
		if d == disposition.Refuse {
			return c.refuse(ctx, problem.Errorf(problem.Forbidden, "%s", why))
		}
	}
	if ctx, err = c.reserve(ctx, t); err != nil {
		return c.refusalOrError(err)
	}
	caller := c.Callers.Caller(c.scope.principal, c.session.ID)
	caller.Room = c.resultRoom()
	if c.Authors != nil {
		c.readRecords = &tool.DisclosedRecords{}
		caller.Client.Disclosed = c.readRecords
	}
	if t.Effect == tool.Read {
		return c.readOrAsk(ctx, t, caller)
	}
	return c.propose(ctx, t, caller)
}

// reserve reserves the call in the budget. For a read the same round trip checks policies and loads the principal; the
// call is made with the returned context.
func (c *toolCall) reserve(ctx context.Context, t tool.Tool) (context.Context, error) {
	entry, err := c.entry(ctx)
	if err != nil {
		return ctx, err
	}
	crash.Point("tool.before-reserve", c.session.ID)
	defer crash.Point("tool.after-reserve", c.session.ID)
	if t.Effect != tool.Read {
		c.auditID, err = c.Budget.Reserve(ctx, entry)
		return ctx, err
	}
	ctx, c.auditID, err = c.Reserve(ctx, entry, func(exceptions map[string]disposition.Policy) error {
		return c.checkPolicy(t, disposition.BasePolicy(t, exceptions))
	})
	if problem.Is(err, problem.Budget) {
		// A call that policies refused before has no reservation, and is refused for the same reason.
		policy, policyErr := disposition.CurrentPolicy(ctx, c.Policies, t, nil)
		err = cmp.Or(policyErr, c.checkPolicy(t, policy), err)
	}
	return ctx, err
}

// checkPolicy refuses a read that a policy does not allow.
func (c *toolCall) checkPolicy(t tool.Tool, policy disposition.Policy) error {
	if d, why := c.decideUnder(t.Effect, policy); d == disposition.Refuse {
		return problem.Errorf(problem.Forbidden, "%s", why)
	}
	return nil
}

func (c *toolCall) check(ctx context.Context) (tool.Tool, error) {
	t, err := c.Registry.Find(ctx, c.scope.principal, c.call.WireName)
	if same, _ := c.session.Repetitions(c.call, c.at.Step); same >= assistant.MaxSameResults && problem.CodeOf(err) != problem.Internal {
		return t, errRepeated
	}
	if err != nil {
		return t, err
	}
	if c.scope.run != nil && !c.scope.run.Offers(t) {
		return t, problem.Errorf(problem.Forbidden, "%s is not among the tools of this run. Use one of those that are offered.", t.Name)
	}
	if !c.scope.has(t) {
		return t, problem.Errorf(
			problem.Forbidden,
			"This conversation is with the agent %s, which has its own tools alone. Use one of those that are offered.",
			c.scope.skill.Agent,
		).
			Show(
				"The assistant asked for something that this agent cannot do, and was told so.",
			)
	}
	if c.at.Call > assistant.MaxCallsPerStep {
		return t, problem.Errorf(
			problem.Invalid,
			"At most %d tool calls are run at once. Make this call again by itself.",
			assistant.MaxCallsPerStep,
		)
	}
	if err := tool.RefuseCredentials(t.Effect, c.call.Credentials, json.RawMessage(c.call.Arguments)); err != nil {
		return t, err
	}
	if !c.call.IsObject() {
		return t, c.unreadable()
	}
	if t.Effect != tool.Read && c.session.Proposed(t.Name, tool.Hash(json.RawMessage(c.call.Arguments)), c.at.Step, c.at.Call) {
		return t, problem.Errorf(problem.Conflict, "You have proposed exactly this in this turn already. Do not propose it again.").
			Show("The assistant has proposed exactly this already.")
	}
	return t, nil
}

// errRepeated refuses a call that has been made often enough.
var errRepeated = problem.Errorf(
	problem.Conflict,
	"You have made exactly this call %d times in this turn, and its result was always the same. It was not made again. Go on with "+
		"what you have found, or say plainly what is missing.", assistant.MaxSameResults,
).Show("The assistant repeated a call whose result does not change, and was told so.")

// unreadable says why the arguments of a call are no JSON object.
func (c *toolCall) unreadable() error {
	if c.session.Step(c.at.Step).Model.FinishReason == model.FinishLength {
		return problem.InvalidInput("Your reply reached its length limit within the arguments, so the call was not made. Make it again " +
			"with shorter arguments, or do the work in several calls.")
	}
	return problem.InvalidInput("The arguments are not valid JSON. Send one JSON object that fits the tool's schema.")
}

func (c *toolCall) entry(ctx context.Context) (budget.Call, error) {
	transport := budget.Chat
	if c.scope.run != nil {
		transport = budget.Automation
	}
	entry := budget.Call{
		ID: store.NewID(), Principal: c.scope.principal, Transport: transport, Tool: c.call.Tool, Effect: tool.Read,
		Arguments: json.RawMessage(c.call.Arguments), Turn: &c.at,
	}
	err := entry.About(ctx, c.Registry, c.tool, c.call.WireName)
	return entry, err
}

func (c *toolCall) refuse(ctx context.Context, reason error) (turn.ToolResult, error) {
	if problem.CodeOf(reason) == problem.Internal {
		return turn.ToolResult{}, reason
	}
	entry, err := c.entry(ctx)
	if err != nil {
		return turn.ToolResult{}, err
	}
	c.auditID, err = c.Budget.Reserve(ctx, entry)
	if problem.Is(err, problem.Budget) {
		return turn.Refused(reason), nil
	}
	if err != nil {
		return turn.ToolResult{}, err
	}
	return turn.Refused(reason), c.Budget.RefuseReserved(ctx, c.auditID, reason)
}

// readOrAsk runs a read, unless it could exfiltrate data of the conversation; then it is treated as a change.
func (c *toolCall) readOrAsk(ctx context.Context, t tool.Tool, caller tool.Caller) (turn.ToolResult, error) {
	if !t.MayLeave() {
		return c.read(ctx, t, caller)
	}
	if _, err := c.checkExfiltration(ctx, t, caller); err != nil {
		return c.refusalOrError(err)
	}
	if _, err := c.Proposals.Load(ctx, c.auditID); err == nil {
		return c.propose(ctx, t, caller)
	} else if !problem.Is(err, problem.NotFound) {
		return turn.ToolResult{}, err
	}
	if !c.exfiltrates {
		return c.read(ctx, t, caller)
	}
	d, _, err := c.decide(ctx, t, tool.Mutate, nil)
	if err != nil {
		return turn.ToolResult{}, err
	}
	if d == disposition.Apply {
		return c.read(ctx, t, caller)
	}
	return c.propose(ctx, t, caller)
}

// checkExfiltration records whether the call could send data of the conversation outside, and says how; "" when it
// could not.
func (c *toolCall) checkExfiltration(ctx context.Context, t tool.Tool, caller tool.Caller) (why string, err error) {
	caller.Words = c.session.Words()
	why, err = t.Leaves(ctx, caller, json.RawMessage(c.call.Arguments), c.session.Tainted() || c.holdsPrivate())
	c.exfiltrates = why != ""
	return why, err
}

// readsOnly reports whether a call of a tool whose effect depends on its input runs as a read. A read that could
// exfiltrate data, as why says, is proposed as a change, as in readOrAsk.
func (c *toolCall) readsOnly(ctx context.Context, t tool.Tool, proposed *tool.Proposed, why string) (bool, error) {
	if !t.Impact.EffectByInput || proposed.Effect != tool.Read {
		return false, nil
	}
	if why == "" {
		return true, nil
	}
	*proposed = proposed.AsLeaving(why)
	d, _, err := c.decide(ctx, t, tool.Mutate, proposed.Payload)
	return d == disposition.Apply, err
}

func (c *toolCall) read(ctx context.Context, t tool.Tool, caller tool.Caller) (turn.ToolResult, error) {
	output, err := t.RunAsRead(ctx, caller, json.RawMessage(c.call.Arguments))
	c.origin = t.Origin(json.RawMessage(c.call.Arguments), output)
	if err != nil {
		result, err := c.refusalOrError(err)
		// The error may hold untrusted content, unless the call was not made.
		result.Untrusted = t.Result.Untrusted && result.Error != nil && result.Error.Code != problem.Invalid
		return result, err
	}
	raw, err := tool.Canonical(output)
	if err != nil {
		return turn.ToolResult{}, err
	}
	chars := caller.Room.Chars
	if t.Result.Question {
		// The person sees the whole question.
		chars = assistant.ClampChars(0)
	}
	result := turn.ToolResult{
		Output: assistant.Clamp(scrub.JSON(raw), chars, t.Ways()...), Untrusted: t.Taints(output), Trusted: t.Result.Trusted,
	}
	if t.Result.Question {
		result.Ends, result.Card = true, &turn.Card{Kind: turn.QuestionCard, ID: c.auditID.String(), Data: result.Output}
	}
	return result, nil
}

// refusalOrError returns a refusal as a result, and a server fault as an error.
func (c *toolCall) refusalOrError(err error) (turn.ToolResult, error) {
	if problem.CodeOf(err) == problem.Internal {
		return turn.ToolResult{}, fmt.Errorf("tool %s: %w", c.call.Tool, err)
	}
	return turn.Refused(err), nil
}

// textBefore is the assistant's text before this call, for a second person: empty once it may hold data that only the
// first person may read.
func (c *toolCall) textBefore() string {
	if c.heldPrivateBefore(c.at.Step) {
		return ""
	}
	return c.session.TextBefore(c.at.Step, c.at.Call)
}

// propose stores the change as a proposal. In auto mode a mutation is applied at once, on the same path as a person's
// decision.
func (c *toolCall) propose(ctx context.Context, t tool.Tool, caller tool.Caller) (turn.ToolResult, error) {
	// A retry continues with its proposal: a new dry run could find the call's own change.
	card, err := c.Proposals.Load(ctx, c.auditID)
	if problem.Is(err, problem.NotFound) {
		proposed, dryErr := t.DryRun(ctx, caller, json.RawMessage(c.call.Arguments))
		if dryErr != nil {
			return c.refusalOrError(dryErr)
		}
		leaving, leavesErr := c.checkExfiltration(ctx, t, caller)
		if leavesErr != nil {
			return c.refusalOrError(leavesErr)
		}
		reads, leavesErr := c.readsOnly(ctx, t, &proposed, leaving)
		if leavesErr != nil {
			return c.refusalOrError(leavesErr)
		}
		if reads {
			return c.read(ctx, t, caller)
		}
		d, why, decideErr := c.decide(ctx, t, proposed.Effect, proposed.Payload)
		if decideErr != nil {
			return turn.ToolResult{}, decideErr
		}
		if d == disposition.Refuse {
			return c.refusalOrError(problem.Errorf(problem.Forbidden, "%s", why))
		}
		card, err = c.Proposals.Create(ctx, proposal.New{
			ID: c.auditID, Principal: c.scope.principal, Tool: t, Proposed: proposed, WhyConfirm: why, Automatic: d == disposition.Apply,
			Outside: c.session.Taints(),
			Asked:   c.session.OwnQuestion(), Answered: c.textBefore(),
			Conversation: &c.session.ConversationID, Turn: &c.session.ID, CallRef: c.call.ID,
		})
	}
	if err != nil {
		return c.refusalOrError(err)
	}
	// A retry has not read the records of the proposal again.
	c.readRecords.Note(card.Payload)
	d, _, err := c.decide(ctx, t, card.Effect, card.Payload)
	if err != nil {
		return turn.ToolResult{}, err
	}
	// A started apply completes.
	if card.Automatic && (d == disposition.Apply || card.Status != proposal.Proposed) {
		return c.applyNow(ctx, t, card, caller.Room.Chars)
	}
	return c.proposalResult(t, card, caller.Room.Chars)
}

// applyNow applies a proposal in auto mode and waits for it. A started apply completes; a stop takes effect after it.
func (c *toolCall) applyNow(ctx context.Context, t tool.Tool, card proposal.Card, chars int) (turn.ToolResult, error) {
	if _, err := c.Proposals.BeginAutomatic(ctx, c.scope.principal, card.ProposalID); err != nil {
		return c.refusalOrError(err)
	}
	card, err := c.awaitApplied(ctx, card.ProposalID)
	if err != nil {
		return turn.ToolResult{}, err
	}
	return c.proposalResult(t, card, chars)
}

// outcome is the audit outcome of the call; refusals and proposals have settled theirs.
func (c *toolCall) outcome(r turn.ToolResult) *stream.Outcome {
	if c.auditID == uuid.Nil || r.Card != nil && r.Card.Kind != turn.QuestionCard {
		return nil
	}
	o := &stream.Outcome{CallID: c.auditID, Status: budget.Executed}
	if r.Error != nil {
		o.Status, o.ErrorCode = budget.Failed, r.Error.Code
	}
	return o
}
