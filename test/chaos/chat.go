package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/chat/stream"
)

// silence bounds the time without any event, even a heartbeat, before a client drops a stream.
const silence = 40 * time.Second

var errNothingRuns = errors.New("nothing runs in this conversation")

// talk follows one turn to its end, over restarts of its processes.
type talk struct {
	person       *person
	conversation uuid.UUID
	// body is the request that started the turn and can be repeated; message is its id, "" for a decision.
	body    any
	message string
	// onChunk is called for each chunk, to act in the middle of an answer.
	onChunk func(n int)

	turn   uuid.UUID
	chunks []string
	lastID string
}

// post sends a message or a decision and follows its turn to the end.
func (t *talk) post(ctx context.Context) (stream.Message, error) {
	err := t.stream(ctx, http.MethodPost)
	for err != nil {
		if ctx.Err() != nil {
			return stream.Message{}, fmt.Errorf("the turn did not end: %w", errors.Join(context.Cause(ctx), err))
		}
		if refused, ok := errors.AsType[*refusal](err); ok {
			return stream.Message{}, refused
		}
		t.person.run.again()
		wait(ctx, retryPause)
		err = t.again(ctx, errors.Is(err, errNothingRuns))
	}
	t.person.run.follow(followed{t.turn, t.chunks})
	message, err := stream.Reduce(t.chunks)
	if err != nil {
		return message, fmt.Errorf("the stream cannot be read: %w", err)
	}
	return message, misunderstood(message)
}

// again repeats the request, or resumes the stream: from its beginning or after the last event.
func (t *talk) again(ctx context.Context, over bool) error {
	choice := t.person.rng.IntN(3)
	switch {
	case over || choice == 0 || t.turn == uuid.Nil:
		t.forget()
		return t.stream(ctx, http.MethodPost)
	case choice == 1 || t.lastID == "":
		t.forget()
	}
	return t.stream(ctx, http.MethodGet)
}

// forget drops the received chunks: the next stream begins at the start.
func (t *talk) forget() { t.chunks, t.lastID = nil, "" }

// refusal is a refused request.
type refusal struct{ answer answer }

func (r *refusal) Error() string {
	return fmt.Sprintf("refused with status %d: %s", r.answer.status, clip(r.answer.body))
}

func (t *talk) stream(ctx context.Context, method string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet := time.AfterFunc(silence, func() { cancel(errors.New("the stream fell silent")) })
	defer quiet.Stop()

	path, body := "/api/ai/chat", t.body
	if method == http.MethodGet {
		path, body = path+"/"+t.conversation.String()+"/stream", nil
	}
	req, err := t.person.request(ctx, t.person.anyAPI(), method, path, body)
	if err != nil {
		return err
	}
	if method == http.MethodGet && t.lastID != "" {
		req.Header.Set("Last-Event-ID", t.lastID)
	}
	res, err := t.person.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusNoContent:
		return errNothingRuns
	case res.StatusCode != http.StatusOK:
		return t.refused(res)
	}
	if t.message != "" {
		t.person.run.accept(t.conversation, t.message)
	}
	return t.read(res.Body, quiet)
}

func (t *talk) refused(res *http.Response) error {
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	a := answer{res.StatusCode, raw, res.Header.Get("Retry-After")}
	if a.status >= http.StatusInternalServerError {
		t.person.odd("the chat", a)
		return fmt.Errorf("status %d", a.status)
	}
	return &refusal{a}
}

// read takes in server-sent events until the stream says that it is complete.
func (t *talk) read(body io.Reader, quiet *time.Timer) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 4<<20)
	id := ""
	for lines.Scan() {
		quiet.Reset(silence)
		line := lines.Text()
		if value, ok := strings.CutPrefix(line, "id: "); ok {
			id = value
			continue
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			t.person.run.saw(0)
			return nil
		}
		if err := t.take(id, data); err != nil {
			return err
		}
		id = ""
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}

func (t *talk) take(id, chunk string) error {
	if len(t.chunks) == 0 {
		var start struct {
			Metadata struct {
				TurnID uuid.UUID `json:"turnId"`
			} `json:"messageMetadata"`
		}
		if err := json.Unmarshal([]byte(chunk), &start); err != nil || start.Metadata.TurnID == uuid.Nil {
			return &refusal{answer{status: http.StatusOK, body: []byte("the stream begins with " + chunk)}}
		}
		t.turn = start.Metadata.TurnID
		t.person.run.about(t.turn)
	}
	var claim int64
	if seq, err := strconv.ParseInt(id, 10, 64); err == nil {
		claim = seq >> 32
	}
	if id != "" {
		t.lastID = id
		t.person.run.saw(claim)
	}
	t.chunks = append(t.chunks, chunk)
	if t.onChunk != nil {
		t.onChunk(len(t.chunks))
	}
	return nil
}
