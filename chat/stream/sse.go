package stream

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"countersign/crash"
)

const (
	defaultHeartbeat = 15 * time.Second
	writeTimeout     = 30 * time.Second
)

// Heartbeat is what happens regularly while a stream is open, whether or not there are events.
type Heartbeat struct {
	// Every is how often; 15 s when zero.
	Every time.Duration
	// Check ends the stream when it returns an error; nil checks nothing.
	Check func(ctx context.Context) error
}

// ServeSSE writes a turn's stream to a client until the turn or the request ends, or a heartbeat ends it: the start chunk,
// then the events of the reader as the replay wants them. Each event's id is its seq, so that Last-Event-ID continues there.
func ServeSSE(ctx context.Context, w http.ResponseWriter, reader *Reader, replay *Replay, beat Heartbeat, messageID string, metadata json.RawMessage) error {
	if beat.Every <= 0 {
		beat.Every = defaultHeartbeat
	}
	writeHeaders(w)
	out := sseWriter{w: w, control: http.NewResponseController(w), beat: beat, last: time.Now()}
	if replay.Since == 0 {
		out.chunk("", Start(messageID, metadata))
	}
	if err := out.flush(); err != nil {
		return err
	}
	for {
		events, ended, err := out.next(ctx, reader)
		if err != nil {
			return err
		}
		for _, e := range events {
			if chunk, ok := replay.Next(e); ok {
				out.chunk(strconv.FormatInt(e.Seq, 10), chunk)
			}
		}
		if ended {
			out.write(done)
			return out.flush()
		}
		if err := out.flush(); err != nil {
			return err
		}
		crash.Point("stream.after-send", reader.turn)
	}
}

// ServeMessage writes a finished message as a stream.
func ServeMessage(w http.ResponseWriter, m Message) error {
	writeHeaders(w)
	out := sseWriter{w: w, control: http.NewResponseController(w)}
	for _, c := range m.Chunks() {
		out.chunk("", c)
	}
	out.write(done)
	return out.flush()
}

const done = "data: [DONE]\n\n"

func writeHeaders(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("Connection", "keep-alive")
	h.Set("X-Vercel-Ai-Ui-Message-Stream", "v1")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
}

type sseWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buffer  []byte
	beat    Heartbeat
	// last is when the heart has beaten.
	last time.Time
}

// next waits for events and keeps the connection alive meanwhile.
func (s *sseWriter) next(ctx context.Context, reader *Reader) ([]Event, bool, error) {
	for {
		wait, cancel := context.WithDeadlineCause(ctx, s.last.Add(s.beat.Every), errHeartbeat)
		events, ended, err := reader.Next(wait)
		// It may come in the middle of a query, which fails in words of its own.
		due := errors.Is(context.Cause(wait), errHeartbeat)
		cancel()
		if due && !ended {
			if failed := s.heartbeat(ctx); failed != nil {
				return nil, false, failed
			}
		}
		if err == nil || !due {
			return events, ended, err
		}
	}
}

func (s *sseWriter) heartbeat(ctx context.Context) error {
	s.last = time.Now()
	if s.beat.Check != nil {
		if err := s.beat.Check(ctx); err != nil {
			return err
		}
	}
	s.write(": ping\n\n")
	return s.flush()
}

var errHeartbeat = errors.New("time for a heartbeat")

func (s *sseWriter) chunk(id, data string) {
	if id != "" {
		s.write("id: ")
		s.write(id)
		s.write("\n")
	}
	s.write("data: ")
	s.write(data)
	s.write("\n\n")
}

func (s *sseWriter) write(text string) { s.buffer = append(s.buffer, text...) }

func (s *sseWriter) flush() error {
	// A server in tests may have no deadlines; the write itself reports a dead connection then.
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := s.w.Write(s.buffer); err != nil {
		return err
	}
	s.buffer = s.buffer[:0]
	return s.control.Flush()
}
