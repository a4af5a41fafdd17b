package stream

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"countersign/crash"
	"countersign/rest/sse"
)

const defaultHeartbeat = 15 * time.Second

// Heartbeat is what happens regularly while a stream is open, whether or not there are events.
type Heartbeat struct {
	// Every is how often; 15 s when zero.
	Every time.Duration
	// Check ends the stream when it returns an error; nil checks nothing.
	Check func(ctx context.Context) error
}

// ServeSSE writes a turn's stream to a client until the turn or the request ends, or a heartbeat ends it: the opening,
// such as the start chunk, unless the client has it, then the events of the reader as the replay wants them. Each event's id is its seq, so that Last-Event-ID continues there.
func ServeSSE(ctx context.Context, w http.ResponseWriter, reader *Reader, replay *Replay, beat Heartbeat, opening ...string) error {
	if beat.Every <= 0 {
		beat.Every = defaultHeartbeat
	}
	out := sseWriter{Writer: begin(w), beat: beat, last: time.Now()}
	if replay.Since == 0 {
		for _, c := range opening {
			out.chunk("", c)
		}
	}
	if err := out.Flush(); err != nil {
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
			out.chunk("", done)
			return out.Flush()
		}
		if err := out.Flush(); err != nil {
			return err
		}
		crash.Point("stream.after-send", reader.turn)
	}
}

// ServeMessage writes a finished message as a stream.
func ServeMessage(w http.ResponseWriter, m Message) error { return ServeChunks(w, m.Chunks()) }

// ServeChunks writes a stream that is known as a whole.
func ServeChunks(w http.ResponseWriter, chunks []string) error {
	out := sseWriter{Writer: begin(w)}
	for _, c := range chunks {
		out.chunk("", c)
	}
	out.chunk("", done)
	return out.Flush()
}

const done = "[DONE]"

func begin(w http.ResponseWriter) *sse.Writer {
	return sse.Begin(w, "X-Vercel-Ai-Ui-Message-Stream", "v1")
}

type sseWriter struct {
	*sse.Writer

	beat Heartbeat
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
	s.Comment("ping")
	return s.Flush()
}

var errHeartbeat = errors.New("time for a heartbeat")

func (s *sseWriter) chunk(id, data string) { s.Event(id, "", data) }
