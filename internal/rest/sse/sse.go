// Package sse writes event streams (text/event-stream) to clients.
package sse

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// Writer buffers events until the next Flush.
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

// Event adds an event. An empty id keeps the previous one, an empty name is that of a message; data is one line.
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

// Comment adds a comment line, which keeps a connection alive. It holds no line break.
func (s *Writer) Comment(text string) {
	s.buffer = append(append(append(s.buffer, ": "...), text...), "\n\n"...)
}

// Retry sets the reconnection delay of a client that has lost the stream.
func (s *Writer) Retry(wait time.Duration) {
	s.field("retry", strconv.FormatInt(wait.Milliseconds(), 10))
	s.buffer = append(s.buffer, '\n')
}

// Flush sends what was added. An error means that the client is gone.
func (s *Writer) Flush() error {
	if _, err := s.w.Write(s.buffer); err != nil {
		return err
	}
	s.buffer = s.buffer[:0]
	return s.control.Flush()
}

// Source wakes a stream that has events to send.
type Source struct {
	Wake <-chan struct{}
	Tell func(context.Context) error
}

// Follow sends events until ctx ends or a function fails: it calls beat with each heartbeat, and Tell of a source
// whenever that wakes; also is an optional second source. It disconnects a client that does not read, which can
// reconnect.
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
