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
	"countersign/problem"
)

// DefaultBodyTimeout is how long a body may fall behind bodyRate, and so how long it may stand still.
const DefaultBodyTimeout = 20 * time.Second

// bodyRate is the minimum transfer rate of a body in bytes a second.
const bodyRate = 1 << 10

// maxUnread is how many bytes of a body that no handler read are read. The standard library stops at 256 KiB.
const maxUnread = 8 << 20

// arriving ends requests whose bodies do not arrive: it bounds the time in which the server waits for one, not the time of the
// handler. A body that is late is answered with 408 in place of what the handler says, and the connection is closed.
//
// huma and other handlers cannot change the read deadline: huma clears it or leaves one behind that outlives the body
// and cancels the request.
//
// A body that was refused unread is read to its end first: a client that still sends when its connection ends sees it
// reset in place of the answer.
func arriving(patience time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &arrivingWriter{ResponseWriter: w, request: r, control: http.NewResponseController(w)}
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(out, r)
			return
		}
		body := &arrivingBody{ReadCloser: r.Body, out: out, left: patience, most: patience, conn: listener.FromContext(r.Context())}
		// The server itself reads what is left of a body when headers are written. Recorders of tests have no deadlines.
		_ = out.control.SetReadDeadline(time.Now().Add(patience))
		inner := r.WithContext(r.Context()) // the server looks for its own type of body in r
		inner.Body = body
		next.ServeHTTP(out, inner)
		// A client that asks first sends nothing before the server says so.
		if r.ContentLength > maxUnread || r.Header.Get("Expect") != "" {
			return
		}
		body.drain(patience)
	})
}

// arrivingBody bounds the time that reads wait for a client.
type arrivingBody struct {
	io.ReadCloser

	out  *arrivingWriter
	conn *listener.Conn
	// left is how long reads may still wait, most at most. Each bodyRate bytes give a second back.
	left, most time.Duration
	ended      bool
}

// Read implements io.Reader.
func (b *arrivingBody) Read(p []byte) (int, error) {
	if b.ended {
		// A deadline would outlive the body: the server has removed it and listens for the end of the connection.
		return b.ReadCloser.Read(p)
	}
	began := time.Now()
	_ = b.out.control.SetReadDeadline(began.Add(b.left))
	b.conn.Wait()
	n, err := b.ReadCloser.Read(p)
	b.conn.Resume()
	b.left = min(b.left+time.Duration(n)*time.Second/bodyRate-time.Since(began), b.most)
	if err != nil {
		b.ended = true
		if late(err) {
			b.out.expire()
		}
	}
	return n, err
}

// Close keeps the body readable; the server closes it.
func (b *arrivingBody) Close() error { return nil }

// drain reads what no handler read, within a time of its own that does not grow.
func (b *arrivingBody) drain(patience time.Duration) {
	if b.ended {
		return
	}
	until := time.Now().Add(patience)
	buffer := make([]byte, 32<<10)
	for read := 0; read < maxUnread && !b.ended; {
		if b.left = time.Until(until); b.left <= 0 {
			return
		}
		n, err := b.Read(buffer)
		if read += n; err != nil {
			return
		}
	}
}

// late reports whether a read ended by its deadline.
func late(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return errors.Is(err, os.ErrDeadlineExceeded) || ok && timeout.Timeout() && !errors.Is(err, context.DeadlineExceeded)
}

var errLateBody = problem.Errorf(problem.LateBody,
	"The body of the request did not arrive in time. Send it again over a faster or steadier connection.")

// arrivingWriter answers in place of the handler once the body is late, and keeps the read deadline.
type arrivingWriter struct {
	http.ResponseWriter

	request *http.Request
	control *http.ResponseController
	wrote   bool
	expired bool
}

// expire answers that the body is late, unless an answer has begun.
func (w *arrivingWriter) expire() {
	if w.wrote {
		return
	}
	w.ResponseWriter.Header().Set("Connection", "close")
	refuse(w.ResponseWriter, w.request, errLateBody)
	w.expired = true
}

// Header gives a handler that is too late one of its own.
func (w *arrivingWriter) Header() http.Header {
	if w.expired {
		return http.Header{}
	}
	return w.ResponseWriter.Header()
}

// WriteHeader implements http.ResponseWriter.
func (w *arrivingWriter) WriteHeader(status int) {
	if w.expired {
		return
	}
	w.wrote = w.wrote || status >= http.StatusOK
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *arrivingWriter) Write(p []byte) (int, error) {
	if w.expired {
		return len(p), nil
	}
	w.wrote = true
	return w.ResponseWriter.Write(p)
}

// Flush implements http.Flusher.
func (w *arrivingWriter) Flush() { _ = w.FlushError() }

// FlushError sends what was written.
func (w *arrivingWriter) FlushError() error {
	w.wrote = true
	return w.control.Flush()
}

// SetReadDeadline keeps the deadline: handlers have no say in it.
func (w *arrivingWriter) SetReadDeadline(time.Time) error { return nil }

// Unwrap is for http.ResponseController.
func (w *arrivingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
