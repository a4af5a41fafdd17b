package activities

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"countersign/chat/assistant"
	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/calendar"
	"countersign/internal/crash"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/text"
	"countersign/model"
	"countersign/tool"
	"countersign/tool/spend"
	"countersign/workflows"
)

// CallModel makes one model call and streams it. A repeated step returns what its record says.
func (a *Turn) CallModel(ctx context.Context, in workflows.CallModelInput) (workflows.CallModelOutput, error) {
	s, leave, over, err := a.enter(ctx, in.TurnID, in.Step, 0)
	if over || err != nil {
		return workflows.CallModelOutput{Over: over}, err
	}
	defer leave()
	if done := s.Step(in.Step).Model; done != nil {
		return a.plannedCalls(done), nil
	}
	if out, ok := takeEarlyOutcome(s, in); ok {
		return out, nil
	}
	return a.callModel(ctx, s, in)
}

func (a *Turn) callModel(ctx context.Context, s *session, in workflows.CallModelInput) (workflows.CallModelOutput, error) {
	if in.Stopped {
		s.Stop()
		return a.recordModel(ctx, s, lastStreamer(s, in.Step), turn.ModelResult{Stopped: true})
	}
	sc, err := a.scope(ctx, s)
	if problem.CodeOf(err) == problem.Internal {
		return workflows.CallModelOutput{}, serverError("prepare turn", err)
	}
	st := newStreamer(s, in.Step)
	if err != nil {
		return a.recordModel(ctx, s, st, turn.ModelResult{Failure: turn.FailureOf(err)})
	}
	if why := assistant.WindowRefusal(a.measures(s, sc).Window); why != "" {
		return a.recordModel(ctx, s, st, turn.ModelResult{Failure: &turn.Failure{Code: problem.ModelRefused, Message: why}})
	}
	if sc.run != nil {
		// A revoked run makes no further model call; its tool calls are refused by their credential.
		who := sc.principal
		_, err := a.Principals.Load(ctx, who.Kind, who.ID, who.SessionID)
		if problem.Is(err, problem.Unauthorized) {
			return a.recordModel(ctx, s, st, turn.ModelResult{Failure: turn.FailureOf(err)})
		}
		if err != nil {
			return workflows.CallModelOutput{}, serverError("load principal", err)
		}
	}
	tried, err := a.loadSearch(ctx, s, sc, st, in)
	if err != nil {
		return workflows.CallModelOutput{}, err
	}
	callCtx, cancel := s.Context(ctx)
	defer cancel()
	a.compactForStep(callCtx, s, sc, in.Step)
	callCtx, gate := a.startVerdict(callCtx, s, sc, in, st)
	defer gate.cancel(nil)
	a.smallCallsFirst(callCtx, s, sc, in.Step, gate)
	call, response, err := a.stream(callCtx, s, sc, in, gate, tried.isProbe())
	off := gate.wait()
	unsent, isUnsent := errors.AsType[*unsentError](err)
	switch {
	case off:
		return a.answerOffTopic(ctx, s, st, attempted{call, response.Usage, err})
	case problem.Is(err, problem.Spend):
		return a.recordModel(ctx, s, st, turn.ModelResult{Failure: turn.FailureOf(err)})
	case isUnsent && s.IsStopped():
		return a.recordModel(ctx, s, st, turn.ModelResult{Stopped: true})
	case isUnsent:
		return workflows.CallModelOutput{}, serverError("reserve tokens", unsent.cause)
	case s.IsStopped():
		st.used = call.Settlement(spend.Usage(response.Usage))
		return a.recordModel(ctx, s, st, turn.ModelResult{Stopped: true, Usage: response.Usage})
	case ctx.Err() != nil:
		return workflows.CallModelOutput{}, context.Cause(ctx)
	}
	if err == nil {
		if err = a.nonAnswer(s, sc, response, in.Final); err != nil {
			call.Timing.Failure = failureClass(callCtx, err)
		}
	}
	if in.Final {
		// The step offers no tools; calls that a model makes all the same are dropped.
		response.ToolCalls, response.ReplayData = nil, response.ReplayData.WithoutCalls()
	}
	if next, ok := a.searchOn(s, sc, st, in.Step, tried, err); ok && !gate.hasOutput() {
		a.settleFailed(ctx, s, attempted{call, response.Usage, err})
		return next.retry()
	}
	if err != nil {
		return a.modelFailed(ctx, s, st, in, tried, attempted{call, response.Usage, err})
	}
	if err := a.remember(ctx, s, sc, st, tried); err != nil {
		return workflows.CallModelOutput{}, err
	}
	st.used = call.Settlement(spend.Usage(response.Usage))
	calls, kept := a.calls(sc, response)
	if repeatsOnly(s, in.Step, calls) {
		failure := &turn.Failure{Code: problem.ModelFailed, Message: assistant.KeepsRepeating}
		return a.recordModel(ctx, s, st, turn.ModelResult{Failure: failure, Usage: response.Usage})
	}
	answer := turn.ModelResult{Calls: calls, FinishReason: response.FinishReason, Usage: response.Usage, ReplayData: kept}
	if len(calls) > 0 {
		answer.CalledAt = stream.Moment(time.Now())
	}
	return a.recordModel(ctx, s, st, answer)
}

// unsentError is the reason why a model call was not made at all, and has nothing to settle.
type unsentError struct{ cause error }

func (e *unsentError) Error() string { return e.cause.Error() }
func (e *unsentError) Unwrap() error { return e.cause }

// request builds a model request: the system prompt, as much of the conversation as fits, and this turn's steps.
// Requests of a conversation share a prefix, for the provider's prompt cache. st notes what does not fit. toolTokens are those of
// its tools.
func (a *Turn) request(s *session, sc scope, st *streamer, final bool) (request model.Request, toolTokens int) {
	frame := a.frame(s, sc)
	request = model.Request{Model: sc.model, NoCalls: final, Tools: frame.offer.Tools}
	switch sc.connection.Family {
	case "openai":
		request.CacheKey = s.ConversationID.String()
	case "anthropic":
		request.CacheMarks = true
	}
	history := s.HistoryWith(sc.note, a.context(s, sc, frame))
	assistant.Withdraw(history, sc.memories)
	running := s.Messages()
	folded := assistant.FoldedCalls(slices.Concat(history, running), st.withheld, a.contentSecret(s))
	assistant.Withhold(history, st.withheld, len(history)-1, a.contentSecret(s))
	assistant.Withhold(running, st.withheld, -1, a.contentSecret(s))
	if dropped := frame.offer.Dropped; dropped > 0 && !final {
		st.lose(turn.ToolsLeftOut, assistant.DescribeToolsLeftOut(dropped, len(sc.tools)))
	}
	fitted := assistant.Fit(history, running, frame.room)
	st.noteWindow(assistant.LossesOf(history, running, fitted))
	request.Messages = append([]model.Message{frame.system}, assistant.Fold(fitted, folded)...)
	if final {
		assistant.Conclude(request.Messages)
	}
	return request, frame.offer.Tokens
}

// context is the text beside the person's message, the same in all steps of the turn.
func (a *Turn) context(s *session, sc scope, f frame) string {
	if told := storedContext(s); told != "" {
		return told
	}
	// It never fails.
	told, _ := s.Memo.context.GetOrCompute(func() (string, error) { return a.contextNow(s, sc, f), nil })
	return told
}

// storedContext is the context of the first step; empty before it, and for a step of an earlier version, whose context stood
// in the system prompt.
func storedContext(s *session) string {
	if first := s.Step(1).Model; first != nil {
		return first.Context
	}
	return ""
}

// contextNow is the context as the conversation stands.
func (a *Turn) contextNow(s *session, sc scope, f frame) string {
	c := assistant.Context{
		Zone: a.Zone, Now: a.Clock(), Memories: sc.memories, AppliedChanges: sc.keptChanges, ClientHistory: s.ClientHistory,
	}
	c.ClientHistoryChars = f.room * assistant.CharsPerToken / 4
	if zone, err := calendar.Zone(s.TimeZone); err == nil {
		c.Zone = zone
	}
	if !s.LastSeen.IsZero() {
		c.Idle = c.Now.Sub(s.LastSeen)
	}
	before := s.HistoryWith(sc.note, "")
	assistant.Withdraw(before, sc.memories)
	c.Before = assistant.Fit(before, nil, f.room)
	return c.String()
}

// contextTokens estimates what a request adds to the messages of the conversation: the note about a decision and the context, which
// may still change with what is summarized.
func (a *Turn) contextTokens(s *session, sc scope, f frame) int {
	told := storedContext(s)
	if told == "" {
		var known bool
		if told, known = s.Memo.context.Get(); !known {
			told = a.contextNow(s, sc, f)
		}
	}
	return assistant.Tokens(sc.note) + assistant.Tokens(told)
}

// attempted is a model call that has failed.
type attempted struct {
	call  spend.Call
	usage model.Usage
	err   error
}

// modelFailed decides between a retry, which the workflow makes after a backoff, and the end of the turn.
func (a *Turn) modelFailed(
	ctx context.Context,
	s *session,
	st *streamer,
	in workflows.CallModelInput,
	tried search,
	failed attempted,
) (workflows.CallModelOutput, error) {
	a.settleFailed(ctx, s, failed)
	failure, ok := errors.AsType[*model.Error](failed.err)
	if !ok {
		return workflows.CallModelOutput{}, serverError("call model", failed.err)
	}
	attempt := in.Attempt - tried.attempts()
	told := assistant.Told(in.Correction)
	if attempt >= assistant.MaxAttempts || !assistant.IsWorthRetrying(failure, told) {
		a.Log.Warn("Model call failed", "turn", s.ID, "attempt", attempt, "class", failure.Class, "error", failure, "detail", failure.Detail)
		return a.recordModel(ctx, s, st.keepPartial(failure.Class), turn.ModelResult{Failure: explain(failure)})
	}
	after := assistant.Backoff(attempt+1, failure.RetryAfter)
	st.notify(turn.Notice{
		Kind:              turn.Retrying,
		Message:           assistant.DescribeModelError(failure.Class),
		Attempt:           attempt + 1,
		RetryAfterSeconds: int(after.Seconds() + 0.999),
	})
	a.Log.Warn("Model call failed, trying again", "turn", s.ID, "attempt", attempt, "class", failure.Class, "error", failure)
	crash.Point("model.before-retry", s.ID)
	retry := &workflows.Retry{After: after, Search: in.Search}
	switch {
	case assistant.IsCorrectable(failure.Reason) || failure.Reason == model.ReplyUsedUp:
		retry.Correction = assistant.CorrectionOf(failure)
	case failure.IsTimeout() || told == assistant.TimedOut:
		retry.Correction = string(assistant.TimedOut)
	}
	return workflows.CallModelOutput{Retry: retry}, nil
}

// settleFailed ends the reservation of a call that has failed, or that a probe has ended.
func (a *Turn) settleFailed(ctx context.Context, s *session, failed attempted) {
	if err := a.settle(context.WithoutCancel(ctx), failed.call, failed.usage, failed.err); err != nil {
		a.Log.Warn("Tokens of a model call not settled; they count at their estimate", "turn", s.ID, "error", err)
	}
}

// explain is the failure for the person: what happened, the provider's own words, and what to do.
func explain(e *model.Error) *turn.Failure {
	code, message := assistant.Explain(e)
	return &turn.Failure{Code: code, Message: message}
}

// recordModel stores the call's result, whatever it is, with the chunks that end it.
func (a *Turn) recordModel(ctx context.Context, s *session, st *streamer, r turn.ModelResult) (workflows.CallModelOutput, error) {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		// The workflow has continued without this step, so a late result is dropped.
		return workflows.CallModelOutput{}, context.Cause(ctx)
	}
	if s.IsSummaryClipped() {
		st.lose(turn.SummaryClipped, assistant.DescribeSummaryClipped)
	}
	r.Segments, r.Notices = slices.Clone(st.segments), slices.Clone(st.notices)
	if st.step == 1 {
		r.Context, _ = s.Memo.context.Get()
	}
	crash.Point("model.before-record", s.ID)
	err := s.RecordModel(context.WithoutCancel(ctx), st.step, r, st.used, st.end(r)...)
	crash.Point("model.after-record", s.ID)
	if err != nil {
		return workflows.CallModelOutput{}, a.handleFenced(s, err)
	}
	a.countLosses(s, st.step, r.Notices)
	return a.plannedCalls(s.Step(st.step).Model), nil
}

// plannedCalls is the workflow's view of a recorded call.
func (a *Turn) plannedCalls(r *turn.ModelResult) workflows.CallModelOutput {
	out := workflows.CallModelOutput{Stopped: r.Stopped}
	if r.Failure != nil {
		out.Failure = &workflows.Failure{Code: r.Failure.Code, Message: r.Failure.Message}
	}
	for _, c := range r.Calls {
		out.Calls = append(out.Calls, workflows.PlannedCall{Tool: c.Tool, Parallel: a.isParallelRead(c.Tool)})
	}
	return out
}

// calls returns the calls of an answer and its kept part, with credentials redacted. A redacted call no longer has its
// provider's signature.
func (a *Turn) calls(sc scope, r model.Response) ([]turn.Call, *model.ReplayData) {
	var calls []turn.Call
	kept := r.ReplayData.Scrubbed(scrub.Text)
	for i, c := range r.ToolCalls {
		name := model.PlainName(scrub.Text(c.Name))
		call := turn.Call{ID: scrub.Text(c.ID), WireName: name, Tool: a.toolName(sc, name), Arguments: stream.Clean(c.Arguments)}
		call.Credentials = scrub.Paths(json.RawMessage(call.Arguments))
		call.Arguments = string(scrub.JSON(json.RawMessage(call.Arguments)))
		if len(call.Credentials) > 0 || call.ID != c.ID || name != c.Name {
			kept = kept.WithoutCall(i)
		}
		calls = append(calls, call)
	}
	return calls, kept
}

// toolName is the dotted name of a tool on the wire, or the model's own text for an unknown tool.
func (a *Turn) toolName(sc scope, wire string) string {
	if t, ok := a.Registry.Fixed(wire); ok {
		return t.Name
	}
	if i := slices.IndexFunc(sc.tools, func(t tool.Tool) bool { return t.WireName() == wire }); i >= 0 {
		return sc.tools[i].Name
	}
	const limit = 80
	return text.Shown(wire, limit)
}

// isParallelRead reports whether calls of a tool can run in parallel. Custom tools run one by one.
func (a *Turn) isParallelRead(name string) bool {
	t, ok := a.Registry.Fixed(name)
	return ok && t.Effect == tool.Read && !t.Result.Question && !t.MayLeave()
}
