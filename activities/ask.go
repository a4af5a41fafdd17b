package activities

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"countersign/chat/assistant"
	"countersign/model"
	"countersign/tool/spend"
)

// smallRequest is a small model call beside a turn's own: a verdict, a title, a summary. It has no tools.
type smallRequest struct {
	purpose spend.Purpose
	// number distinguishes several calls of one purpose.
	number int
	system string
	user   string
	// tokens bounds the answer, without the model's thinking before it.
	tokens int
	time   assistant.SmallCallTime
}

// ask makes a small model call and returns its response. It counts against the spend cap like any other. A model that used up
// its tokens before it said something gets one more call, with more room for its thoughts.
func (a *Turn) ask(ctx context.Context, s *session, sc scope, q smallRequest) (model.Response, error) {
	known := a.measures(s, sc)
	asked, cancel := context.WithTimeout(ctx, q.limit(sc.connection, sc.model, known))
	defer cancel()
	response, err := a.askOnce(ctx, asked, s, sc, q, false)
	if err == nil && response.Empty() && response.FinishReason == model.FinishLength {
		q.number += summaryCalls
		response, err = a.askOnce(ctx, asked, s, sc, q, true)
	}
	return response, err
}

func (a *Turn) askOnce(ctx, asked context.Context, s *session, sc scope, q smallRequest, raised bool) (model.Response, error) {
	request := q.request(sc.connection, sc.model, a.measures(s, sc), raised)
	call := sc.modelCall(s, 0, q.number, q.purpose, assistant.EstimateTokens(request.Messages)+request.MaxTokens)
	return smallCall(ctx, asked, a.Spend, sc.connection, call, request, a.Log)
}

// limit is the time for a small call.
func (q smallRequest) limit(c Connection, name string, known assistant.Measures) time.Duration {
	thinks, _ := c.Client.Thinks(name)
	return known.SmallCallLimit(known.Calibration.Tokens(assistant.EstimateTokens(q.messages())), q.time, thinks)
}

func (q smallRequest) messages() []model.Message {
	return []model.Message{{Role: model.RoleSystem, Content: q.system}, {Role: model.RoleUser, Content: q.user}}
}

// request is the request of a small call. Its limit bounds also the time before the first words. Models that do not think stop
// by themselves.
func (q smallRequest) request(c Connection, name string, measures assistant.Measures, raised bool) model.Request {
	request := model.Request{
		Model: name, MaxTokens: q.tokens, Messages: q.messages(), FirstToken: assistant.MaxFirstToken,
	}
	if thinks, known := c.Client.Thinks(name); thinks || !known {
		sent := measures.Calibration.Tokens(assistant.EstimateTokens(request.Messages))
		request.MaxTokens += measures.SmallCallThoughts(sent, q.tokens, raised)
	}
	return request
}

// smallCall makes a small call, reserved before and settled after it. asked bounds the call alone.
func smallCall(ctx, asked context.Context, ledger Spend, c Connection, call spend.Call, request model.Request,
	log *slog.Logger,
) (model.Response, error) {
	if err := ledger.Reserve(ctx, call, c.Cap); err != nil {
		return model.Response{}, err
	}
	clock := startStopwatch()
	response, err := c.Client.Complete(asked, request)
	call.Timing = clock.timing(asked, err)
	if settleErr := settle(context.WithoutCancel(ctx), ledger, call, response.Usage, err); settleErr != nil {
		log.Warn("Tokens of a model call not settled; they count at their estimate", "call", call.ID, "error", settleErr)
	}
	return response, err
}

// modelCall is the ledger entry of a model call of the turn.
func (sc scope) modelCall(s *session, step, attempt int, purpose spend.Purpose, estimate int) spend.Call {
	return spend.Call{
		ID: spend.TurnCallID(s.ID, s.Claim(), step, attempt, purpose), Connection: s.ConnectionID, Principal: sc.principal, Turn: &s.ID,
		Step: step, Attempt: attempt, Purpose: purpose, Estimate: estimate, Model: sc.model, Price: sc.connection.Price,
	}
}

// settle ends the reservation of a call that leaves no step record.
func (a *Turn) settle(ctx context.Context, c spend.Call, u model.Usage, failure error) error {
	return settle(ctx, a.Spend, c, u, failure)
}

func settle(ctx context.Context, ledger Spend, c spend.Call, u model.Usage, failure error) error {
	if unspent(failure) {
		return ledger.Release(ctx, c)
	}
	return ledger.Settle(ctx, c, spend.Usage(u))
}

// unspent reports whether a failed call cannot have used tokens: the provider refused it, or was never reached.
func unspent(err error) bool {
	if failure, ok := errors.AsType[*model.Error](err); ok && failure.Status >= 400 {
		return true
	}
	dial, ok := errors.AsType[*net.OpError](err)
	return ok && dial.Op == "dial"
}
