package activities

import (
	"context"
	"errors"
	"slices"
	"time"

	"countersign/assistant"
	"countersign/crash"
	"countersign/model"
	"countersign/problem"
	"countersign/stream"
	"countersign/tool"
	"countersign/turn"
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
		return a.planned(done), nil
	}
	if out, ok := takeEarly(s, in); ok {
		return out, nil
	}
	return a.callModel(ctx, s, in)
}

func (a *Turn) callModel(ctx context.Context, s *turn.Session, in workflows.CallModelInput) (workflows.CallModelOutput, error) {
	if in.Stopped {
		s.Stop()
		return a.recordModel(ctx, s, lastStreamer(s, in.Step), turn.ModelResult{Stopped: true})
	}
	sc, err := a.scope(ctx, s)
	if problem.CodeOf(err) == problem.Internal {
		return workflows.CallModelOutput{}, hostFailure("prepare turn", err)
	}
	st := newStreamer(s, in.Step)
	if err != nil {
		return a.recordModel(ctx, s, st, turn.ModelResult{Failure: turn.FailureOf(err)})
	}
	request := a.request(s, sc, in.Final)
	callCtx, cancel := s.Context(ctx)
	defer cancel()
	crash.Point("model.before-request", s.ID)
	response, err := sc.connection.Client.Stream(callCtx, request, st.delta)
	switch {
	case s.IsStopped():
		return a.recordModel(ctx, s, st, turn.ModelResult{Stopped: true, Usage: response.Usage})
	case ctx.Err() != nil:
		return workflows.CallModelOutput{}, context.Cause(ctx)
	case err != nil:
		return a.modelFailed(ctx, s, st, in.Attempt, err)
	case in.Final && len(response.ToolCalls) > 0:
		// The step has no tools; a model that calls some all the same has said what it has to say.
		response.ToolCalls = nil
	}
	if response.Empty() {
		return a.modelFailed(ctx, s, st, in.Attempt, errEmptyAnswer)
	}
	return a.recordModel(ctx, s, st, turn.ModelResult{
		Calls: a.calls(response.ToolCalls), FinishReason: response.FinishReason, Usage: response.Usage,
	})
}

// request is what the model is shown: the system prompt, the conversation as far as it fits, and this turn's steps.
func (a *Turn) request(s *turn.Session, sc scope, final bool) model.Request {
	prompt := assistant.Prompt{
		Mode: assistant.Mode(s.PermissionMode), Family: sc.connection.Family, Now: a.Clock(), Final: final,
	}
	if zone, err := time.LoadLocation(s.TimeZone); err == nil && s.TimeZone != "" {
		prompt.Zone = zone
	}
	if !s.LastSeen.IsZero() {
		prompt.Idle = a.Clock().Sub(s.LastSeen)
	}
	request := model.Request{Model: s.Model}
	for _, t := range sc.tools {
		prompt.Tools = append(prompt.Tools, t.Name)
		if !final {
			request.Tools = append(request.Tools, model.Tool{Name: t.WireName(), Description: t.Description, Parameters: t.Input.JSON()})
		}
	}
	system := model.Message{Role: model.RoleSystem, Content: assistant.System(prompt)}
	history := slices.Clone(s.History)
	if sc.note != "" {
		history = append(history, model.Message{Role: model.RoleUser, Content: sc.note})
	}
	history = append(history, s.Messages()...)
	request.Messages = append([]model.Message{system}, assistant.Window(history, assistant.MessageTokens(system), sc.connection.WindowTokens)...)
	return request
}

var errEmptyAnswer = &model.Error{Class: model.Malformed, Message: "the model sent an empty answer"}

// modelFailed decides between another attempt, which the workflow makes after a while, and the end of the turn.
func (a *Turn) modelFailed(ctx context.Context, s *turn.Session, st *streamer, attempt int, err error) (workflows.CallModelOutput, error) {
	failure, ok := errors.AsType[*model.Error](err)
	if !ok {
		return workflows.CallModelOutput{}, hostFailure("call model", err)
	}
	again := failure.Retryable() || errors.Is(err, errEmptyAnswer)
	if !again || attempt >= assistant.MaxAttempts {
		return a.recordModel(ctx, s, st, turn.ModelResult{Failure: explain(failure)})
	}
	after := assistant.Backoff(attempt+1, failure.RetryAfter)
	st.notice(assistant.RetryNotice{
		Kind: "retrying", Message: assistant.DescribeModelError(failure.Class), Attempt: attempt + 1, RetryAfterSeconds: int(after.Seconds() + 0.999),
	})
	a.Log.Warn("Model call failed, trying again", "turn", s.ID, "attempt", attempt, "class", failure.Class, "error", failure)
	crash.Point("model.before-retry", s.ID)
	return workflows.CallModelOutput{Retry: &workflows.Retry{After: after}}, nil
}

// explain is what the person reads: what happened, the provider's own words, and what to do.
func explain(e *model.Error) *turn.Failure {
	code, text := assistant.ExplainModelError(e.Class, e.Message)
	return &turn.Failure{Code: code, Message: text}
}

// recordModel makes the call's result durable, whatever it is, with the chunks that end it.
func (a *Turn) recordModel(ctx context.Context, s *turn.Session, st *streamer, r turn.ModelResult) (workflows.CallModelOutput, error) {
	r.Segments = slices.Clone(st.segments)
	crash.Point("model.before-record", s.ID)
	err := s.RecordModel(context.WithoutCancel(ctx), st.step, r, st.end(r)...)
	crash.Point("model.after-record", s.ID)
	if err != nil {
		return workflows.CallModelOutput{}, a.fenced(s.ID, err)
	}
	return a.planned(s.Step(st.step).Model), nil
}

// planned is what the workflow needs to know of a recorded call.
func (a *Turn) planned(r *turn.ModelResult) workflows.CallModelOutput {
	out := workflows.CallModelOutput{Stopped: r.Stopped}
	if r.Failure != nil {
		out.Failure = &workflows.Failure{Code: string(r.Failure.Code), Message: r.Failure.Message}
	}
	for _, c := range r.Calls {
		out.Calls = append(out.Calls, workflows.PlannedCall{Tool: c.Tool, Parallel: a.reads(c.Tool)})
	}
	return out
}

func (a *Turn) calls(from []model.ToolCall) []turn.Call {
	var calls []turn.Call
	for _, c := range from {
		calls = append(calls, turn.Call{ID: c.ID, WireName: c.Name, Tool: a.toolName(c.Name), Arguments: stream.Clean(c.Arguments)})
	}
	return calls
}

// toolName is the dotted name of a tool on the wire, or what the model wrote when there is no such tool.
func (a *Turn) toolName(wire string) string {
	if t, ok := a.Registry.Lookup(wire); ok {
		return t.Name
	}
	const limit = 80
	return stream.Clean(wire[:min(len(wire), limit)])
}

func (a *Turn) reads(name string) bool {
	t, ok := a.Registry.Lookup(name)
	return ok && t.Effect == tool.Read
}
