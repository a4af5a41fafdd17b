package api

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"countersign/api/listener"
	"countersign/internal/problem"
)

// DefaultBodyTimeout bounds how far a request body may fall behind bodyRate, and so how long it may stall.
const DefaultBodyTimeout = 20 * time.Second

// bodyRate is the minimum transfer rate of a body in bytes a second.
const bodyRate = 1 << 10

// maxUnread bounds the bytes of an unread body that the server drains. The standard library stops at 256 KiB.
const maxUnread = 8 << 20

// limitBodyTime ends requests whose bodies arrive too slowly (slowloris): it bounds the time in which the server waits
// for the body, not the time of the handler. A late body gets 408 instead of the handler's response, and the connection
// is closed.
//
// huma and other handlers cannot change the read deadline: huma clears it or leaves one behind that outlives the body
// and cancels the request.
//
// A body that was refused unread is drained first: otherwise a client that still sends sees a connection reset instead
// of the response.
func limitBodyTime(bodyTimeout time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &timedBodyWriter{ResponseWriter: w, request: r, control: http.NewResponseController(w)}
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(out, r)
			return
		}
		body := &timedBody{ReadCloser: r.Body, out: out, remaining: bodyTimeout, limit: bodyTimeout, conn: listener.FromContext(r.Context())}
		// The server reads the remaining body when it writes headers. Test recorders have no deadlines.
		_ = out.control.SetReadDeadline(time.Now().Add(bodyTimeout))
		inner := r.WithContext(r.Context()) // the server looks for its own type of body in r
		inner.Body = body
		next.ServeHTTP(out, inner)
		// A client with an Expect header sends no body before the server agrees.
		if r.ContentLength > maxUnread || r.Header.Get("Expect") != "" {
			return
		}
		body.drain(bodyTimeout)
	})
}

// timedBody bounds the time that reads wait for a client.
type timedBody struct {
	io.ReadCloser

	out  *timedBodyWriter
	conn *listener.Conn
	// remaining is how long reads may still wait, at most limit. Each bodyRate bytes give a second back.
	remaining, limit time.Duration
	ended            bool
}

// Read implements io.Reader.
func (b *timedBody) Read(p []byte) (int, error) {
	if b.ended {
		// A deadline would outlive the body: the server has detached it and listens for the end of the connection.
		return b.ReadCloser.Read(p)
	}
	began := time.Now()
	_ = b.out.control.SetReadDeadline(began.Add(b.remaining))
	b.conn.Wait()
	n, err := b.ReadCloser.Read(p)
	b.conn.Resume()
	b.remaining = min(b.remaining+time.Duration(n)*time.Second/bodyRate-time.Since(began), b.limit)
	if err != nil {
		b.ended = true
		if isTimeout(err) {
			b.out.expire()
		}
	}
	return n, err
}

// Close keeps the body readable; the server closes it.
func (b *timedBody) Close() error { return nil }

// drain reads the unread rest of a body within a fixed time.
func (b *timedBody) drain(bodyTimeout time.Duration) {
	if b.ended {
		return
	}
	until := time.Now().Add(bodyTimeout)
	buffer := make([]byte, 32<<10)
	for read := 0; read < maxUnread && !b.ended; {
		if b.remaining = time.Until(until); b.remaining <= 0 {
			return
		}
		n, err := b.Read(buffer)
		if read += n; err != nil {
			return
		}
	}
}

// isTimeout reports whether a read ended by its deadline.
func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return errors.Is(err, os.ErrDeadlineExceeded) || ok && timeout.Timeout() && !errors.Is(err, context.DeadlineExceeded)
}

var errLateBody = problem.Errorf(problem.LateBody,
	"The body of the request did not arrive in time. Send it again over a faster or steadier connection.")

// timedBodyWriter responds instead of the handler once the body is late, and protects the read deadline.
type timedBodyWriter struct {
	http.ResponseWriter

	request *http.Request
	control *http.ResponseController
	wrote   bool
	expired bool
}

// expire responds that the body is late, unless a response has begun.
func (w *timedBodyWriter) expire() {
	if w.wrote {
		return
	}
	w.ResponseWriter.Header().Set("Connection", "close")
	refuse(w.ResponseWriter, w.request, errLateBody)
	w.expired = true
}

// Header returns a discarded header to a handler that is too late.
func (w *timedBodyWriter) Header() http.Header {
	if w.expired {
		return http.Header{}
	}
	return w.ResponseWriter.Header()
}

// WriteHeader implements http.ResponseWriter.
func (w *timedBodyWriter) WriteHeader(status int) {
	if w.expired {
		return
	}
	w.wrote = w.wrote || status >= http.StatusOK
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *timedBodyWriter) Write(p []byte) (int, error) {
	if w.expired {
		return len(p), nil
	}
	w.wrote = true
	return w.ResponseWriter.Write(p)
}

// Flush implements http.Flusher.
func (w *timedBodyWriter) Flush() { _ = w.FlushError() }

// FlushError sends what was written.
func (w *timedBodyWriter) FlushError() error {
	w.wrote = true
	return w.control.Flush()
}

// SetReadDeadline does nothing: handlers cannot change the deadline.
func (w *timedBodyWriter) SetReadDeadline(time.Time) error { return nil }

// Unwrap is for http.ResponseController.
func (w *timedBodyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
