package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"countersign/chat/stream"
	"countersign/chat/turn/turndb"
	"countersign/internal/crash"
	"countersign/internal/store"
	"countersign/model"
)

// Outcome is the outcome of a turn. Failure is set when Status is Failed.
type Outcome struct {
	Status  Status   `json:"status"`
	Failure *Failure `json:"failure,omitempty"`
}

// errUnrecordedProposal means that the turn has a proposal without a record.
var errUnrecordedProposal = errors.New("a proposal of this turn is in no record")

// Finish ends the turn: its one assistant message, its status and the last chunks of its stream are stored together. A
// turn that has already ended stays as it is; stream.ErrFenced means that another process has claimed it.
func (s *Session) Finish(ctx context.Context, hub *stream.Hub, o Outcome) error {
	steps := s.Steps()
	answer := answerOf(steps)
	ending := endingOf(steps, o, answer.usage)

	chunks := append([]string{stream.Start(s.turn.AssistantMessageID, s.turn.Metadata())}, answer.chunks...)
	message, err := stream.Reduce(append(chunks, ending...))
	if err != nil {
		return fmt.Errorf("reduce turn: %w", err)
	}
	parts, err := json.Marshal(message.Parts)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	params := turndb.FinishTurnParams{
		ID: s.ID, Claim: int32(s.claim), Status: string(o.Status), InputTokens: int32(answer.usage.InputTokens),
		OutputTokens: int32(answer.usage.OutputTokens), Content: answer.text(o), Parts: parts, Metadata: message.Metadata,
		Step: int16(len(steps)),
	}
	if o.Failure != nil {
		params.ErrorCode, params.ErrorMessage = string(o.Failure.Code), o.Failure.Message
	}
	if messages := s.Messages(); len(messages) > 0 {
		// The context belongs to the person's message; restoreContext moves it back.
		if told := steps[0].Model.Context; told != "" && s.Decision == "" {
			messages = append([]model.Message{{Role: model.RoleUser, Content: told}}, messages...)
		}
		if params.ModelMessages, err = json.Marshal(messages); err != nil {
			return fmt.Errorf("encode model messages: %w", err)
		}
	}
	s.mu.Lock()
	events := s.eventsLocked(len(steps), ending)
	s.mu.Unlock()
	for _, e := range events {
		params.Seqs = append(params.Seqs, e.Seq)
		params.Chunks = append(params.Chunks, e.Chunk)
	}
	crash.Point("turn.before-finish", s.ID)
	if err := turndb.Finish(ctx, s.db.Conn(ctx), params); err != nil {
		if store.NoRows(err) {
			return s.afterLostFinish(ctx, hub)
		}
		return fmt.Errorf("finish turn: %w", err)
	}
	crash.Point("turn.after-finish", s.ID)
	hub.Publish(s.ID, events)
	return nil
}

// afterLostFinish handles a finish without effect: an attempt with a lost answer may have ended the turn, whose last
// chunks no reader here has received.
func (s *Session) afterLostFinish(ctx context.Context, hub *stream.Hub) error {
	row, err := turndb.New(s.db.Conn(ctx)).TurnByID(ctx, s.ID)
	if err != nil {
		return fmt.Errorf("look at finished turn: %w", err)
	}
	if Status(row.Status).Final() {
		hub.Reread(s.ID)
		return nil
	}
	if int(row.Claim) == s.claim {
		return errUnrecordedProposal
	}
	return stream.ErrFenced
}

type answer struct {
	chunks []string
	texts  []string
	usage  model.Usage
}

func answerOf(steps []Step) answer {
	var a answer
	for n, step := range steps {
		a.chunks = append(a.chunks, step.Model.Chunks(step.Number)...)
		for i, call := range step.Model.Calls {
			if i < len(step.Tools) && step.Tools[i] != nil {
				a.chunks = append(a.chunks, step.Tools[i].Chunks(call.ID)...)
			}
		}
		if n < len(steps)-1 {
			a.chunks = append(a.chunks, stream.FinishStep())
		}
		if text := strings.TrimSpace(step.Model.Text()); text != "" {
			a.texts = append(a.texts, text)
		}
		a.usage.InputTokens += step.Model.Usage.InputTokens
		a.usage.OutputTokens += step.Model.Usage.OutputTokens
		a.usage.CachedTokens += step.Model.Usage.CachedTokens
	}
	return a
}

func (a answer) text(o Outcome) string {
	texts := a.texts
	if o.Failure != nil {
		texts = append(texts, o.Failure.Message)
	}
	return strings.Join(texts, "\n\n")
}

// endingOf returns the chunks that end the stream: results for calls that never ran, the error, and the status. A
// failure is also a text part, so that no client shows a blank answer.
func endingOf(steps []Step, o Outcome, usage model.Usage) []string {
	var chunks []string
	finishReason := model.FinishStop
	if len(steps) > 0 {
		last := steps[len(steps)-1]
		for i, call := range last.Model.Calls {
			if i >= len(last.Tools) || last.Tools[i] == nil {
				chunks = append(chunks, stream.ToolOutputError(call.ID, last.result(i).Error.Message))
			}
		}
		if last.Model.FinishReason == "length" || last.Model.FinishReason == "content-filter" {
			finishReason = last.Model.FinishReason
		}
		chunks = append(chunks, stream.FinishStep())
	}
	metadata := MessageMetadata{
		Status: o.Status,
		Usage:  &Usage{InputTokens: usage.InputTokens, OutputTokens: usage.OutputTokens, CachedTokens: usage.CachedTokens},
	}
	metadata.Truncated = o.Failure == nil && finishReason == model.FinishLength
	if o.Failure != nil {
		metadata.Error = o.Failure
		chunks = append(chunks, stream.TextStart("error"), stream.TextDelta("error", o.Failure.Message), stream.TextEnd("error"),
			stream.Data("error", "error", mustJSON(o.Failure)))
		finishReason = "error"
	}
	if o.Status == Stopped {
		return append(chunks, stream.Metadata(mustJSON(metadata)), stream.Abort("stopped"))
	}
	return append(chunks, stream.Finish(finishReason, mustJSON(metadata)))
}

// mustJSON encodes values of this package, which always have a JSON form.
func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}
