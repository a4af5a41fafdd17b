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
	// Every is how often Check is called; 15 s when zero. Clients get pingsPerCheck pings in that time.
	Every time.Duration
	// Check ends the stream when it returns an error; nil checks nothing.
	Check func(ctx context.Context) error
}

// pingsPerCheck makes clients notice a frozen server sooner than the database can be asked about each stream.
const pingsPerCheck = 3

// HeartbeatHeader tells a client the milliseconds between two pings, so that it knows how much silence means a dead connection.
const HeartbeatHeader = "Countersign-Heartbeat"

func (b Heartbeat) ping() time.Duration {
	if b.Every <= 0 {
		b.Every = defaultHeartbeat
	}
	return b.Every / pingsPerCheck
}

// Sink takes what a turn's stream says.
type Sink interface {
	// Chunk is one chunk; id is that of its event, "" for one that is none.
	Chunk(id, chunk string)
	// Flush sends what has come since the last time. An error ends the stream.
	Flush() error
	// Ping sends something that keeps the connection alive.
	Ping() error
}

// ServeSSE writes a turn's stream to a client until the turn or the request ends, or a heartbeat ends it: the opening,
// such as the start chunk, unless the client has it, then the events of the reader as the replay wants them. Each event's id is
// its seq, so that Last-Event-ID continues there.
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

// Watch hands a turn's stream to a sink until the turn ends; an error is that of the sink, of the request, or of the heartbeat, or
// sse.ErrDraining.
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

// ServeChunks writes a stream that is known as a whole.
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

// pulse waits for events and keeps the connection alive meanwhile.
type pulse struct {
	Heartbeat

	out Sink
	// last is when the heart has beaten, beats how often.
	last  time.Time
	beats int
}

// until hands on events until the heart has to beat, which is no error, or the turn has ended.
func (p *pulse) until(ctx context.Context, reader *Reader, replay *Replay) (ended bool, err error) {
	wait, cancel := context.WithDeadlineCause(ctx, p.last.Add(p.ping()), errHeartbeat)
	defer cancel()
	for {
		events, ended, err := reader.Next(wait)
		// It may come in the middle of a query, which fails in words of its own.
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
