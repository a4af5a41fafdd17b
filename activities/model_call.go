package activities

import (
	"context"
	"errors"
	"slices"

	"countersign/chat/assistant"
	"countersign/internal/crash"
	"countersign/internal/problem"
	"countersign/model"
	"countersign/tool/spend"
	"countersign/workflows"
)

// stream makes the call of a step. When the provider finds the conversation too long although it should fit, the turn
// continues with what that teaches about its window and its count of tokens, and the call is retried. After a refusal of so
// many tools it offers fewer. A probe ends with errProbeAccepted once the provider answers.
func (a *Turn) stream(
	ctx context.Context,
	s *session,
	sc scope,
	in workflows.CallModelInput,
	g *gate,
	isProbe bool,
) (spend.Call, model.Response, error) {
	onDelta := g.delta
	if isProbe {
		probing, end := context.WithCancelCause(ctx)
		defer end(nil)
		ctx, onDelta = probing, func(model.Delta) { end(errProbeAccepted) }
	}
	for trims, refusals := 0, 0; ; {
		known := a.measures(s, sc)
		request, toolTokens := a.request(s, sc, g.st, in.Final)
		assistant.Correct(request.Messages, in.Correction)
		request.ToldOfTextCalls = assistant.Told(in.Correction) == model.ToolCallInText
		estimate := assistant.EstimateTokens(request.Messages) + toolTokens
		sent := known.Calibration.Tokens(estimate)
		request.FirstToken = known.FirstTokenLimit(sent, sc.connection.Silence, in.Correction == string(assistant.TimedOut))
		call, limit, err := a.reserve(ctx, s, sc, in, sent)
		if err != nil {
			return call, model.Response{}, err
		}
		request.MaxTokens = limit.tokens
		crash.Point("model.before-request", s.ID)
		clock := startStopwatch()
		response, err := sc.connection.Client.Stream(ctx, request, clock.onFirst(onDelta))
		call.Timing = clock.timing(ctx, err)
		if isProbe && (err == nil || errors.Is(context.Cause(ctx), errProbeAccepted)) {
			return call, response, errProbeAccepted
		}
		a.noteTruncation(ctx, sc, g.st, request, min(sent, estimate), response.Usage)
		failure, failed := errors.AsType[*model.Error](err)
		if !failed {
			shown := known.Observed(sc.connection.Client, sc.model).Answered(estimate, response.Usage, call.Timing.First)
			a.learn(ctx, s, sc, a.dated(shown, request))
			return call, response, limit.usedUp(response, err)
		}
		known.MarkFinal(failure, sent, sc.connection.Silence)
		if failure.Reason == model.TooManyTools && failure.MaxTools > 0 && refusals < assistant.MaxToolRefusals {
			refusals++
			if err := a.Spend.Release(ctx, call); err != nil {
				return call, model.Response{}, &unsentError{err}
			}
			a.learn(ctx, s, sc, model.Figures{MaxTools: failure.MaxTools})
			continue
		}
		if trims == assistant.MaxTrims || failure.Class != model.ContextLength || g.hasOutput() {
			return call, response, err
		}
		trims++
		if err := a.shorten(ctx, s, sc, failure, estimate); err != nil {
			return call, response, err
		}
		if err := a.Spend.Release(ctx, call); err != nil {
			return call, model.Response{}, &unsentError{err}
		}
	}
}

// shorten lets later requests be as short as the refusal of one of so many estimated tokens shows. It fails when they cannot be
// shorter, or no turn fits into them.
func (a *Turn) shorten(ctx context.Context, s *session, sc scope, refused *model.Error, estimate int) error {
	known := a.measures(s, sc)
	refusal := assistant.ReadRefusal(refused.Reported())
	learned := known.Refused(refusal, estimate)
	if !known.Teaches(learned) {
		return refused
	}
	if why := assistant.WindowRefusal(learned.WindowTokens); why != "" {
		return &model.Error{Class: model.ContextLength, Message: why, Status: refused.Status}
	}
	a.Log.Info("Conversation is too long for the model, shortened", "turn", s.ID, "estimate", estimate,
		"window", learned.WindowTokens, "calibration", learned.TokensPerEstimate)
	if refusal.Window > 0 {
		a.learn(ctx, s, sc, learned)
	} else {
		a.assume(s, learned)
	}
	return nil
}

// isMeasured reports whether the count of a server measures the estimate of a request: some leave out tools that may not be
// called.
func isMeasured(request model.Request) bool { return !request.NoCalls }

// dated are figures that a request has shown now.
func (a *Turn) dated(shown model.Figures, request model.Request) model.Figures {
	shown.Period = model.PeriodOf(a.Clock())
	if !isMeasured(request) {
		shown.TokensPerEstimate = 0
	}
	return shown
}

// answerLimit is the limit of an answer to what is reserved for it; zero leaves it to the provider.
type answerLimit struct {
	tokens int
	// cause is what leaves no room for a higher limit: [model.SpendCap] or [model.RunBudget], else [model.ReplyUsedUp].
	cause model.Reason
}

// reserve reserves a call of so many tokens with its answer. Under a spend cap the answer is limited to what is reserved:
// the reply, and the thoughts before it as far as the cap has room for them. After an answer that has used up its limit
// there is no call with less.
func (a *Turn) reserve(ctx context.Context, s *session, sc scope, in workflows.CallModelInput, sent int) (spend.Call, answerLimit, error) {
	known := a.measures(s, sc)
	reply, raised := assistant.ReplyTokens(known.Window), in.Correction == string(model.ReplyUsedUp)
	thoughts := known.ThoughtTokens(sent, raised)
	reserve := func(thoughts int) (spend.Call, error) {
		call := sc.modelCall(s, in.Step, in.Attempt, spend.Answer, sent+reply+thoughts)
		return call, a.Spend.Reserve(ctx, call, sc.connection.Cap)
	}
	if sc.connection.Cap.IsZero() && sc.run == nil {
		call, err := reserve(0)
		return call, answerLimit{}, unsent(err)
	}
	sizes, cause := []int{thoughts, thoughts / 4, 0}, model.ReplyUsedUp
	if raised {
		sizes = []int{thoughts, max(thoughts/2, known.Thoughts)}
	}
	var refused error
	for _, size := range slices.Compact(sizes) {
		call, err := reserve(size)
		if err == nil {
			return call, answerLimit{reply + size, cause}, nil
		}
		refused = err
		if !problem.Is(err, problem.Spend) || !raised && size == 0 {
			return call, answerLimit{}, unsent(err)
		}
		if cause = model.SpendCap; errors.Is(err, spend.ErrRunBudget) {
			cause = model.RunBudget
		}
	}
	return spend.Call{}, answerLimit{}, noRoomForThoughts(refused)
}

func unsent(err error) error {
	if err == nil {
		return nil
	}
	return &unsentError{err}
}

// noRoomForThoughts is the refusal of a longer answer by a spend cap.
func noRoomForThoughts(refusal error) error {
	said, ok := errors.AsType[*problem.Error](refusal)
	if !ok {
		return unsent(refusal)
	}
	longer := *said
	longer.Detail = "The model thought until the end of its reply, and there is no room for a longer one. " + said.Detail
	return unsent(&longer)
}

// usedUp is the failure of an answer that ended in its thoughts by the limit that was set, and else err.
func (l answerLimit) usedUp(r model.Response, err error) error {
	if err != nil || l.tokens == 0 || !r.Empty() || r.FinishReason != model.FinishLength {
		return err
	}
	failure := assistant.UsedUp(l.tokens)
	failure.Reason = l.cause
	return failure
}
