package stream

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"countersign/internal/crash"
	"countersign/internal/rest/sse"
)

const defaultHeartbeat = 15 * time.Second

// Heartbeat sends pings and checks a stream regularly, whether or not there are events.
type Heartbeat struct {
	// Every is the interval of Check; 15 s when zero. Clients get pingsPerCheck pings in that time.
	Every time.Duration
	// Check ends the stream when it returns an error; nil checks nothing.
	Check func(ctx context.Context) error
}

// pingsPerCheck is above one so that clients detect a frozen server sooner than the database can be queried per stream.
const pingsPerCheck = 3

// HeartbeatHeader is the response header with the milliseconds between two pings, from which clients derive their
// timeout.
const HeartbeatHeader = "Countersign-Heartbeat"

func (b Heartbeat) ping() time.Duration {
	if b.Every <= 0 {
		b.Every = defaultHeartbeat
	}
	return b.Every / pingsPerCheck
}

// Sink is the output of a turn's stream.
type Sink interface {
	// Chunk writes one chunk; id is that of its event, "" for none.
	Chunk(id, chunk string)
	// Flush sends the written chunks. An error ends the stream.
	Flush() error
	// Ping sends something that keeps the connection alive.
	Ping() error
}

// ServeSSE writes a turn's stream to a client until the turn, the request or a heartbeat ends it: the opening, such as
// the start chunk, unless the client has it, then the reader's events, filtered by the replay. Each event's id is its
// seq, so that Last-Event-ID continues there.
func ServeSSE(ctx context.Context, w http.ResponseWriter, reader *Reader, replay *Replay, beat Heartbeat, opening ...string) error {
	out := sseWriter{begin(w, HeartbeatHeader, strconv.FormatInt(max(1, beat.ping().Milliseconds()), 10))}
	if replay.Since == 0 {
		for _, c := range opening {
			out.Chunk("", c)
		}
	}
	if err := Watch(ctx, out, reader, replay, beat); err != nil {
		return err
	}
	out.Chunk("", done)
	return out.Flush()
}

// Watch writes a turn's stream to a sink until the turn ends; an error comes from the sink, the request or the
// heartbeat, or is sse.ErrDraining.
func Watch(ctx context.Context, out Sink, reader *Reader, replay *Replay, beat Heartbeat) error {
	ctx, end := sse.Open(ctx)
	defer end()
	pulse := pulse{Heartbeat: beat, out: out, last: time.Now()}
	if err := out.Flush(); err != nil {
		return err
	}
	for {
		ended, err := pulse.until(ctx, reader, replay)
		if err != nil && errors.Is(context.Cause(ctx), sse.ErrDraining) {
			return sse.ErrDraining // the end of a query has words of its own
		}
		if err == nil && !ended {
			err = pulse.beat(ctx)
		}
		if err != nil || ended {
			return err
		}
	}
}

// ServeMessage writes a finished message as a stream.
func ServeMessage(w http.ResponseWriter, m Message) error { return ServeChunks(w, m.Chunks()) }

// ServeChunks writes a complete stream.
func ServeChunks(w http.ResponseWriter, chunks []string) error {
	out := sseWriter{begin(w)}
	for _, c := range chunks {
		out.Chunk("", c)
	}
	out.Chunk("", done)
	return out.Flush()
}

const done = "[DONE]"

func begin(w http.ResponseWriter, more ...string) *sse.Writer {
	return sse.Begin(w, append(more, "X-Vercel-Ai-Ui-Message-Stream", "v1")...)
}

type sseWriter struct{ *sse.Writer }

// Chunk implements Sink.
func (s sseWriter) Chunk(id, data string) { s.Event(id, "", data) }

// Ping implements Sink.
func (s sseWriter) Ping() error {
	s.Comment("ping")
	return s.Flush()
}

// pulse waits for events and sends heartbeats meanwhile.
type pulse struct {
	Heartbeat

	out Sink
	// last is the time of the last heartbeat, beats their number.
	last  time.Time
	beats int
}

// until passes on events until a heartbeat is due, which is no error, or the turn has ended.
func (p *pulse) until(ctx context.Context, reader *Reader, replay *Replay) (ended bool, err error) {
	wait, cancel := context.WithDeadlineCause(ctx, p.last.Add(p.ping()), errHeartbeat)
	defer cancel()
	for {
		events, ended, err := reader.Next(wait)
		// The deadline may expire during a query, which fails with an error of its own.
		due := errors.Is(context.Cause(wait), errHeartbeat)
		if err != nil && due {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		for _, e := range events {
			if chunk, ok := replay.Next(e); ok {
				p.out.Chunk(strconv.FormatInt(e.Seq, 10), chunk)
			}
		}
		if ended {
			return true, nil
		}
		if err := p.out.Flush(); err != nil {
			return false, err
		}
		crash.Point("stream.after-send", reader.turn)
		if due {
			return false, nil
		}
	}
}

func (p *pulse) beat(ctx context.Context) error {
	p.last = time.Now()
	p.beats++
	if p.Check != nil && p.beats%pingsPerCheck == 0 {
		if err := p.Check(ctx); err != nil {
			return err
		}
	}
	return p.out.Ping()
}

var errHeartbeat = errors.New("time for a heartbeat")
