package activities

import (
	"context"
	"errors"
	"log/slog"

	"github.com/google/uuid"

	"countersign/chat/assistant"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/store"
	"countersign/model"
	"countersign/tool/spend"
)

// Tasks answers the background requests of chat programs, such as titles: one small model call each, without tools and
// without data of the product.
type Tasks struct {
	Connections Connections
	Spend       Spend
	Log         *slog.Logger
}

// Task is one background request, on a connection and its model.
type Task struct {
	Prompt     string
	Tokens     int
	Connection uuid.UUID
	Model      string
}

// Answer makes the call at the expense of p. id is that of the call in the ledger.
func (t Tasks) Answer(ctx context.Context, p principal.Principal, task Task) (id uuid.UUID, response model.Response, err error) {
	c, err := t.Connections.Connect(ctx, task.Connection)
	if err != nil {
		return id, response, err
	}
	c, name := c.forModel(task.Model)
	system, user := assistant.Task(scrub.Text(task.Prompt), c.WindowTokens)
	known := assistant.MeasuresOf(c.WindowTokens, c.Figures).Observed(c.Client, name)
	q := smallRequest{system: system, user: user, tokens: task.Tokens, time: assistant.TaskTime}
	request := q.request(c, name, known, false)
	asked, cancel := context.WithTimeout(ctx, q.limit(c, name, known))
	defer cancel()
	call := spend.Call{
		ID: store.NewID(), Connection: task.Connection, Principal: p, Purpose: spend.Task, Model: name, Price: c.Price,
		Estimate: assistant.EstimateTokens(request.Messages) + request.MaxTokens,
	}
	response, err = smallCall(ctx, asked, t.Spend, c, call, request, t.Log)
	if failure, ok := errors.AsType[*model.Error](err); ok {
		t.Log.Info("Task of a chat program not answered", "call", call.ID, "class", failure.Class, "error", failure)
		code, message := assistant.Explain(failure)
		return call.ID, response, &problem.Error{Code: code, Detail: scrub.Text(message)}
	}
	return call.ID, response, err
}
