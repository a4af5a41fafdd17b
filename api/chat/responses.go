package chat

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/chat/turn"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest/sse"
)

// respond is complete in the form of the Responses API. Nothing is stored for it: the text is in the conversation.
func (h *Completions) respond(c echo.Context) error {
	p, body, err := h.authorizedBody(c)
	if err != nil {
		return err
	}
	in, previous, err := readResponse(body)
	if err != nil {
		return err
	}
	if previous != uuid.Nil {
		if _, err := h.ownTurn(c.Request().Context(), p, previous); err != nil {
			return problem.Errorf(
				problem.NotFound,
				"There is no such response of this client any more. Send what was said as input in place of previous_response_id.",
			).With(
				"param",
				"previous_response_id",
			)
		}
	}
	return h.serve(c, p, in, body, &response{in: in, rendered: h.textOf(p)})
}

// ownTurn returns a turn that this client has begun; problem.NotFound for any other.
func (h *Completions) ownTurn(ctx context.Context, p principal.Principal, id uuid.UUID) (turn.Turn, error) {
	t, err := h.Chat.Turns.Find(ctx, id)
	if err == nil && !mayStop(t, p, false) {
		err = problem.Errorf(problem.NotFound, "There is no such response.")
	}
	return t, err
}

// cancel stops a turn of this client. The text so far is kept.
func (h *Completions) cancel(c echo.Context) error {
	ctx := c.Request().Context()
	p, err := h.authorize(ctx)
	if err != nil {
		return err
	}
	missing := problem.Errorf(problem.NotFound, "There is no such response of this client.").With("param", "response_id")
	id, ok := turnOfID(c.Param("id"))
	if !ok {
		return missing
	}
	t, err := h.ownTurn(ctx, p, id)
	if problem.Is(err, problem.NotFound) {
		return missing
	}
	if err != nil {
		return err
	}
	if err := h.Chat.stopTurn(ctx, id, turn.Request{}); err != nil {
		return err
	}
	ctx, end := sse.Open(ctx)
	defer end()
	err = h.Chat.waitForEnd(ctx, t, p, QueueBehind, false, time.Now().Add(stopTimeout))
	if err != nil && !errors.Is(err, errStillRunning) {
		return err
	}
	if t, err = h.Chat.Turns.Find(ctx, id); err != nil {
		return err
	}
	answer := response{in: completionAsk{model: AssistantModel}, turn: t}
	status := map[turn.Status]string{turn.Done: "completed", turn.Failed: "failed", turn.Stopped: "cancelled"}[t.Status]
	if status == "" {
		status = "in_progress"
	}
	object := answer.object(status)
	object.Output = []responseItem{}
	return c.JSON(http.StatusOK, object)
}

// response is the response to a responseRequest. It is an answerForm.
type response struct {
	in       completionAsk
	turn     turn.Turn
	rendered plainText
	out      *sse.Writer
	number   int
	begun    bool
}

type responseObject struct {
	ID                string             `json:"id"`
	Object            string             `json:"object" enum:"response"`
	CreatedAt         int64              `json:"created_at"`
	CompletedAt       *int64             `json:"completed_at" nullable:"true"`
	Status            string             `json:"status" enum:"in_progress,completed,incomplete,failed,cancelled"`
	Background        bool               `json:"background"`
	Error             *responseError     `json:"error" required:"false"`
	IncompleteDetails *responseShortfall `json:"incomplete_details" required:"false"`
	Instructions      *string            `json:"instructions" nullable:"true"`
	Model             string             `json:"model"`
	Output            []responseItem     `json:"output" nullable:"false"`
	ParallelToolCalls bool               `json:"parallel_tool_calls"`
	PreviousID        *string            `json:"previous_response_id" nullable:"true"`
	Store             bool               `json:"store" doc:"Always false"`
	Temperature       *float64           `json:"temperature" nullable:"true"`
	Text              responseText       `json:"text"`
	ToolChoice        string             `json:"tool_choice"`
	Tools             []struct{}         `json:"tools" nullable:"false"`
	TopP              *float64           `json:"top_p" nullable:"true"`
	Truncation        string             `json:"truncation"`
	Usage             *responseUsage     `json:"usage" required:"false"`
	Metadata          map[string]string  `json:"metadata"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type responseShortfall struct {
	Reason string `json:"reason" enum:"max_output_tokens,content_filter"`
}

type responseText struct {
	Format struct {
		Type string `json:"type" enum:"text"`
	} `json:"format"`
}

type responseItem struct {
	ID      string         `json:"id"`
	Type    string         `json:"type" enum:"message"`
	Status  string         `json:"status" enum:"in_progress,completed,incomplete"`
	Role    string         `json:"role" enum:"assistant"`
	Content []responsePart `json:"content" nullable:"false"`
}

type responsePart struct {
	Type        string     `json:"type" enum:"output_text"`
	Text        string     `json:"text"`
	Annotations []struct{} `json:"annotations" nullable:"false"`
	Logprobs    []struct{} `json:"logprobs" nullable:"false"`
}

type responseUsage struct {
	InputTokens        int `json:"input_tokens"`
	InputTokensDetails struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	OutputTokens        int `json:"output_tokens"`
	OutputTokensDetails struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	TotalTokens int `json:"total_tokens"`
}

func (a *response) object(status string) responseObject {
	o := responseObject{
		ID: responsePrefix + a.turn.ID.String(), Object: "response", CreatedAt: a.turn.CreatedAt.Unix(), Status: status, Model: a.in.model,
		Output: []responseItem{}, ToolChoice: "auto", Tools: []struct{}{}, Truncation: "disabled",
		Metadata: map[string]string{}, ParallelToolCalls: true,
	}
	o.Text.Format.Type = "text"
	return o
}

func (a *response) item(status string) responseItem {
	return responseItem{
		ID: messagePrefix + a.turn.ID.String(), Type: "message", Status: status, Role: "assistant",
		Content: []responsePart{},
	}
}

func part(text string) responsePart {
	return responsePart{Type: "output_text", Text: text, Annotations: []struct{}{}, Logprobs: []struct{}{}}
}

func (a *response) open(c echo.Context, t turn.Turn) {
	a.turn = t
	if a.in.stream {
		a.out = sse.Begin(c.Response())
		a.event("response.created", map[string]any{"response": a.object("in_progress")})
		a.event("response.in_progress", map[string]any{"response": a.object("in_progress")})
	}
}

func (a *response) streams() bool { return a.out != nil }

func (a *response) text() string { return a.rendered.text.String() }

func (a *response) setText(text, reason string, used turn.Usage) {
	a.rendered.setText(text, reason, used)
}

// event writes an event with the next sequence number.
func (a *response) event(kind string, members map[string]any) {
	members["type"], members["sequence_number"] = kind, a.number
	a.number++
	// Texts and numbers always marshal.
	raw, _ := json.Marshal(members)
	a.out.Event("", kind, string(raw))
}

// content writes an event about the text of the message.
func (a *response) content(kind string, members map[string]any) {
	members["item_id"], members["output_index"], members["content_index"] = messagePrefix+a.turn.ID.String(), 0, 0
	a.event(kind, members)
}

// Chunk implements stream.Sink.
func (a *response) Chunk(_, chunk string) {
	text := a.rendered.push(chunk)
	if a.out == nil || text == "" {
		return
	}
	a.message()
	a.content("response.output_text.delta", map[string]any{"delta": text, "logprobs": []struct{}{}})
}

// message opens the one message of a streamed answer.
func (a *response) message() {
	if a.begun {
		return
	}
	a.begun = true
	a.event("response.output_item.added", map[string]any{"output_index": 0, "item": a.item("in_progress")})
	a.content("response.content_part.added", map[string]any{"part": part("")})
}

// Flush implements stream.Sink.
func (a *response) Flush() error {
	if a.out == nil {
		return nil
	}
	return a.out.Flush()
}

// Ping implements stream.Sink.
func (a *response) Ping() error {
	if a.out != nil {
		a.out.Comment("ping")
	}
	return a.Flush()
}

// ended returns the complete answer, and the event that ends its stream.
func (a *response) ended() (object responseObject, event string) {
	status, event := "completed", "response.completed"
	failed := a.rendered.failed
	switch {
	case failed != nil:
		status, event = "failed", "response.failed"
	case a.rendered.finish == "length" || a.rendered.finish == "content_filter":
		status, event = "incomplete", "response.incomplete"
	}
	object = a.object(status)
	switch status {
	case "failed":
		object.Error = &responseError{Code: "server_error", Message: failed.Message}
		if failed.Code == problem.Throttled || failed.Code == problem.Spend {
			object.Error.Code = "rate_limit_exceeded"
		}
	case "incomplete":
		object.IncompleteDetails = &responseShortfall{Reason: map[string]string{"length": "max_output_tokens"}[a.rendered.finish]}
		if object.IncompleteDetails.Reason == "" {
			object.IncompleteDetails.Reason = "content_filter"
		}
	default:
		object.CompletedAt = new(time.Now().Unix())
	}
	if a.begun || a.out == nil {
		object.Output = append(object.Output, a.whole(status))
	}
	u := a.rendered.usage
	object.Usage = &responseUsage{InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, TotalTokens: u.InputTokens + u.OutputTokens}
	object.Usage.InputTokensDetails.CachedTokens = u.CachedTokens
	return object, event
}

// whole returns the message with all of its text.
func (a *response) whole(status string) responseItem {
	item := a.item("completed")
	if status != "completed" {
		item.Status = "incomplete"
	}
	item.Content = append(item.Content, part(a.text()))
	return item
}

func (a *response) end(c echo.Context) error {
	if failed := a.rendered.failed; a.out == nil && failed != nil {
		c.Response().Header().Set(noRetry, "false")
		return &problem.Error{Code: failed.Code, Detail: failed.Message, Issues: failed.Issues}
	}
	if a.out != nil && a.rendered.failed == nil {
		a.message()
	}
	object, event := a.ended()
	if a.out == nil {
		return c.JSON(http.StatusOK, object)
	}
	if a.begun {
		text := a.text()
		a.content("response.output_text.done", map[string]any{"text": text, "logprobs": []struct{}{}})
		a.content("response.content_part.done", map[string]any{"part": part(text)})
		a.event("response.output_item.done", map[string]any{"output_index": 0, "item": a.whole(object.Status)})
	}
	a.event(event, map[string]any{"response": object})
	return a.out.Flush()
}
