package strategy

import (
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"countersign/check"
)

// mostReceived bounds the bytes that one run reads from a target.
const mostReceived = 4 << 20

// wire is a connection of one run: it ends with the run's context, reads a bounded number of bytes, and keeps the
// beginning of the first answer, which identifies the protocol.
type wire struct {
	net.Conn

	address string
	took    time.Duration
	stop    func() bool

	// ahead holds bytes that peek has read.
	ahead []byte

	mu       sync.Mutex
	received int
	head     []byte
}

// reach connects to a port of a host. The failure names the address.
func reach(ctx context.Context, run check.Run, host string, port int) (*wire, error) {
	return reachAddress(ctx, run, net.JoinHostPort(host, strconv.Itoa(port)))
}

func reachAddress(ctx context.Context, run check.Run, address string) (*wire, error) {
	began := time.Now()
	conn, err := run.Dial(ctx, run.IP.Network("tcp"), address)
	if err != nil {
		return nil, check.Classify(ctx, "connect to "+address+run.IP.Over(), err)
	}
	w := wired(ctx, conn, address)
	w.took = time.Since(began)
	return w, nil
}

// wired makes a connection one of the run.
func wired(ctx context.Context, conn net.Conn, address string) *wire {
	w := &wire{Conn: conn, address: address}
	// The deadline is set after the context ends, so that the context's error comes first.
	w.stop = context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	return w
}

// peek waits for the first n bytes of a target that speaks first.
func (w *wire) peek(n int) ([]byte, error) {
	ahead := make([]byte, n)
	read, err := io.ReadFull(w, ahead)
	w.ahead = ahead[:read]
	return w.ahead, err
}

// Read implements net.Conn.
func (w *wire) Read(p []byte) (int, error) {
	if len(w.ahead) > 0 {
		n := copy(p, w.ahead)
		w.ahead = w.ahead[n:]
		return n, nil
	}
	n, err := w.Conn.Read(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.received += n
	if room := cap(w.head) - len(w.head); w.head == nil || room > 0 {
		if w.head == nil {
			w.head, room = make([]byte, 0, 64), 64
		}
		w.head = append(w.head, p[:min(n, room)]...)
	}
	if w.received > mostReceived {
		return 0, check.ErrTooMuch
	}
	return n, err
}

// Close implements net.Conn.
func (w *wire) Close() error {
	w.stop()
	return w.Conn.Close()
}

// began returns the beginning of the first answer: at most 64 bytes, none without an answer.
func (w *wire) began() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.head
}

// misspoken is the failure of a target that speaks another protocol.
func misspoken(address, protocol string) *check.Failure {
	return check.Fail(check.BadProtocol, "The server at "+address+" does not speak "+protocol+".")
}

// milliseconds converts a duration for results.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// otherwise returns the value, or the default for the zero value.
func otherwise[T comparable](value, standard T) T {
	var zero T
	if value == zero {
		return standard
	}
	return value
}

// brief returns the first line of a target's message, for a sentence.
func brief(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(strings.ToValidUTF8(text, "")), "\n")
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.TrimRight(line, ". \r"))
	if runes := []rune(line); len(runes) > 200 {
		return string(runes[:200]) + "..."
	}
	return line
}

// clip truncates a text of a result, in bytes.
func clip(text string, most int) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\ufffd")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// full reports whether the target sent more than a check reads.
func (w *wire) full() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.received > mostReceived
}

// sentence capitalises a text and ends it with a period.
func sentence(text string) string {
	text = strings.TrimRight(text, ". ")
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}
