package activities

import (
	"context"
	"errors"
	"net"
	"time"

	"countersign/chat/assistant"
	"countersign/model"
	"countersign/tool/spend"
)

// question is a small model call beside a turn's own: a verdict, a title, a summary. It has no tools.
type question struct {
	purpose spend.Purpose
	// number tells several calls of one purpose apart.
	number  int
	system  string
	user    string
	tokens  int
	timeout time.Duration
}

// ask makes a small model call and returns what the model said. It counts against the spend cap like any other.
func (a *Turn) ask(ctx context.Context, s *session, sc scope, q question) (string, error) {
	request := model.Request{
		Model: sc.model, MaxTokens: q.tokens,
		Messages: []model.Message{{Role: model.RoleSystem, Content: q.system}, {Role: model.RoleUser, Content: q.user}},
	}
	call := sc.modelCall(s, 0, q.number, q.purpose, assistant.EstimateTokens(request.Messages)+q.tokens)
	if err := a.Spend.Reserve(ctx, call, sc.connection.Cap); err != nil {
		return "", err
	}
	asked, cancel := context.WithTimeout(ctx, q.timeout)
	defer cancel()
	response, err := sc.connection.Client.Complete(asked, request)
	if settleErr := a.settle(context.WithoutCancel(ctx), call, response.Usage, err); settleErr != nil {
		a.Log.Warn("Tokens of a model call not settled; they count at their estimate", "turn", s.ID, "error", settleErr)
	}
	return response.Text, err
}

// modelCall is a model call of the turn as the ledger knows it.
func (sc scope) modelCall(s *session, step, attempt int, purpose spend.Purpose, estimate int) spend.Call {
	return spend.Call{
		ID: spend.CallID(s.ID, step, attempt, purpose), Connection: s.ConnectionID, Principal: sc.principal, Turn: &s.ID,
		Step: step, Attempt: attempt, Purpose: purpose, Estimate: estimate,
	}
}

// settle ends the reservation of a call that leaves no step record.
func (a *Turn) settle(ctx context.Context, c spend.Call, u model.Usage, failure error) error {
	if unspent(failure) {
		return a.Spend.Release(ctx, c.ID)
	}
	return a.Spend.Settle(ctx, c, spend.Usage(u))
}

// unspent reports whether a failed call cannot have used tokens: the provider refused it, or was never reached.
func unspent(err error) bool {
	if failure, ok := errors.AsType[*model.Error](err); ok && failure.Status >= 400 {
		return true
	}
	dial, ok := errors.AsType[*net.OpError](err)
	return ok && dial.Op == "dial"
}
