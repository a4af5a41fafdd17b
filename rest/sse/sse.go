// Package sse writes event streams (text/event-stream) to clients.
package sse

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// Writer collects what is sent with the next Flush.
type Writer struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buffer  []byte
}

// Begin answers a request with a stream. more are further headers, as name, value.
func Begin(w http.ResponseWriter, more ...string) *Writer {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("Connection", "keep-alive")
	h.Set("X-Accel-Buffering", "no")
	for i := 0; i+1 < len(more); i += 2 {
		h.Set(more[i], more[i+1])
	}
	w.WriteHeader(http.StatusOK)
	return &Writer{w: w, control: http.NewResponseController(w)}
}

// Event adds an event. An empty id leaves that of the one before, an empty name is that of a message; data is one line.
func (s *Writer) Event(id, name, data string) {
	s.field("id", id)
	s.field("event", name)
	s.buffer = append(append(append(s.buffer, "data: "...), data...), "\n\n"...)
}

func (s *Writer) field(name, value string) {
	if value != "" {
		s.buffer = append(append(append(append(s.buffer, name...), ": "...), value...), '\n')
	}
}

// Comment adds a line that clients pass by, which keeps a connection alive. It holds no line break.
func (s *Writer) Comment(text string) {
	s.buffer = append(append(append(s.buffer, ": "...), text...), "\n\n"...)
}

// Retry says how long a client that has lost the stream waits before it comes back.
func (s *Writer) Retry(wait time.Duration) {
	s.field("retry", strconv.FormatInt(wait.Milliseconds(), 10))
	s.buffer = append(s.buffer, '\n')
}

// Flush sends what was added. An error says that nobody reads any more.
func (s *Writer) Flush() error {
	if _, err := s.w.Write(s.buffer); err != nil {
		return err
	}
	s.buffer = s.buffer[:0]
	return s.control.Flush()
}

// Source wakes a stream when it has something to tell.
type Source struct {
	Wake <-chan struct{}
	Tell func(context.Context) error
}

// Follow sends what is written, until ctx ends or one of the functions fails: beat with each heartbeat, Tell of a source whenever it
// wakes; also is a second one, or none. A client that does not read is cut off here, and comes back when it does.
func (s *Writer) Follow(ctx context.Context, heartbeat time.Duration, beat func(context.Context) error, one, also Source) error {
	beats := time.NewTicker(heartbeat)
	defer beats.Stop()
	for {
		if err := s.Flush(); err != nil {
			return err
		}
		next := beat
		select {
		case <-ctx.Done():
			return nil
		case <-beats.C:
		case <-one.Wake:
			next = one.Tell
		case <-also.Wake:
			next = also.Tell
		}
		if err := next(ctx); err != nil {
			return err
		}
	}
}
