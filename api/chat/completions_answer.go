package chat

import (
	"encoding/json"
	"net/http"

	"countersign/api/openai"

	"github.com/labstack/echo/v4"

	"countersign/chat/turn"
	"countersign/internal/problem"
	"countersign/internal/rest/sse"
)

// completion is the response to a completionRequest. It is an answerForm.
type completion struct {
	in       completionAsk
	turn     turn.Turn
	rendered plainText
	// out is the event stream, nil for a response in one piece.
	out   *sse.Writer
	begun bool
}

// noRetry stops the retries of the stock libraries after a failed turn: the server has already retried the model, and
// each attempt would get the same answer.
const noRetry = "X-Should-Retry"

type completionDelta struct {
	Role    string `json:"role,omitempty"`
	Content string `json:"content,omitempty"`
}

type completionChoice struct {
	Index        int               `json:"index"`
	Message      *completionAnswer `json:"message,omitempty"`
	Delta        *completionDelta  `json:"delta,omitempty"`
	Logprobs     *string           `json:"logprobs" nullable:"true" doc:"Always null"`
	FinishReason *string           `json:"finish_reason" nullable:"true" enum:"stop,length,content_filter"`
}

type completionAnswer struct {
	Role    string  `json:"role" enum:"assistant"`
	Content string  `json:"content"`
	Refusal *string `json:"refusal" nullable:"true"`
}

type completionUsage struct {
	PromptTokens        int `json:"prompt_tokens"`
	CompletionTokens    int `json:"completion_tokens"`
	TotalTokens         int `json:"total_tokens"`
	PromptTokensDetails struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// chatCompletion is an answer, or a chunk of one.
type chatCompletion struct {
	ID      string             `json:"id"`
	Object  string             `json:"object" enum:"chat.completion,chat.completion.chunk"`
	Created int64              `json:"created"`
	Model   string             `json:"model"`
	Choices []completionChoice `json:"choices" nullable:"false"`
	Usage   *completionUsage   `json:"usage,omitempty" doc:"The tokens of all model calls of the turn"`
}

func (a *completion) frame(object string, choices ...completionChoice) chatCompletion {
	if choices == nil {
		choices = []completionChoice{}
	}
	return chatCompletion{
		ID:      "chatcmpl-" + a.turn.ID.String(),
		Object:  object,
		Created: a.turn.CreatedAt.Unix(),
		Model:   a.in.model,
		Choices: choices,
	}
}

func (a *completion) usage() *completionUsage { return usageOf(a.rendered.usage) }

func usageOf(u turn.Usage) *completionUsage {
	used := &completionUsage{PromptTokens: u.InputTokens, CompletionTokens: u.OutputTokens, TotalTokens: u.InputTokens + u.OutputTokens}
	used.PromptTokensDetails.CachedTokens = u.CachedTokens
	return used
}

func (a *completion) open(c echo.Context, t turn.Turn) {
	a.turn = t
	if a.in.stream {
		a.out = sse.Begin(c.Response())
	}
}

func (a *completion) streams() bool { return a.out != nil }

func (a *completion) text() string { return a.rendered.text.String() }

func (a *completion) setText(text, reason string, used turn.Usage) {
	a.rendered.setText(text, reason, used)
}

// Chunk implements stream.Sink.
func (a *completion) Chunk(_, chunk string) {
	a.delta(a.rendered.push(chunk))
}

func (a *completion) delta(text string) {
	if a.out == nil || text == "" {
		return
	}
	a.role()
	a.send(completionChoice{Delta: &completionDelta{Content: text}})
}

// role opens a streamed answer.
func (a *completion) role() {
	if !a.begun {
		a.begun = true
		a.send(completionChoice{Delta: &completionDelta{Role: "assistant"}})
	}
}

func (a *completion) send(choices ...completionChoice) {
	a.write(a.frame("chat.completion.chunk", choices...))
}

func (a *completion) write(value any) {
	// Texts and numbers always marshal.
	raw, _ := json.Marshal(value)
	a.out.Event("", "", string(raw))
}

// Flush implements stream.Sink.
func (a *completion) Flush() error {
	if a.out == nil {
		return nil
	}
	return a.out.Flush()
}

// Ping implements stream.Sink.
func (a *completion) Ping() error {
	if a.out != nil {
		a.out.Comment("ping")
	}
	return a.Flush()
}

// end completes a streamed answer, or writes one in one piece.
func (a *completion) end(c echo.Context) error {
	finish := a.rendered.finish
	if finish == "" {
		finish = "stop"
	}
	failed := a.rendered.failed
	if a.out == nil {
		if failed != nil {
			c.Response().Header().Set(noRetry, "false")
			return &problem.Error{Code: failed.Code, Detail: failed.Message, Issues: failed.Issues}
		}
		answer := a.frame("chat.completion", completionChoice{
			Message: &completionAnswer{Role: "assistant", Content: a.rendered.text.String()}, FinishReason: &finish,
		})
		answer.Usage = a.usage()
		return c.JSON(http.StatusOK, answer)
	}
	a.role()
	if failed != nil {
		e := &problem.Error{Code: failed.Code, Detail: failed.Message}
		a.write(openai.ErrorOf(e, e.GetStatus()))
	} else {
		a.send(completionChoice{Delta: &completionDelta{}, FinishReason: &finish})
	}
	if a.in.includeUsage {
		used := a.frame("chat.completion.chunk")
		used.Usage = a.usage()
		a.write(used)
	}
	a.out.Event("", "", "[DONE]")
	return a.out.Flush()
}
