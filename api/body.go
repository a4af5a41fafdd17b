package api

import (
	"io"
	"net/http"
	"time"
)

// bodyPatience is how long a request may take to arrive after its headers. What is done with it has no such limit: the server takes
// the deadline back once the body is there.
const bodyPatience = 30 * time.Second

// arriving ends connections on which a body does not come. It is not left to huma, which sets a deadline also where the body is
// there already or there is none: that one nobody takes back, so that after five seconds the request seemed to have lost its
// client, with all that came by the same connection later.
//
// What was refused unread is read out first: a client that still sends when its connection ends sees it reset, and not the answer.
func arriving(patience time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			// Recorders of tests have no connection, and so no deadline.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(patience))
		}
		// A client that asks first sends nothing before it is told to.
		if r.Body == nil || r.Body == http.NoBody || r.ContentLength > maxUnread || r.Header.Get("Expect") != "" {
			next.ServeHTTP(w, r)
			return
		}
		body := r.Body
		r.Body = io.NopCloser(body) // nothing can be read of one that was closed; the server closes it
		next.ServeHTTP(w, r)
		_, _ = io.CopyN(io.Discard, body, maxUnread)
	})
}

// maxUnread is how many bytes of a body that nobody wanted are read. The standard library stops at 256 KiB.
const maxUnread = 8 << 20

// answerPatience is how long a client may take for each next piece of an answer, or nearly so, and answerPiece how many bytes a piece has.
const (
	answerPatience = 30 * time.Second
	answerPiece    = 64 << 10
)

// leaving ends connections whose clients do not read their answers: one that is held ready takes memory for as long as its client likes.
func leaving(patience time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &leavingWriter{ResponseWriter: w, control: http.NewResponseController(w), patience: patience}
		next.ServeHTTP(out, r)
		// The server sends what is left of it.
		out.wait()
	})
}

// leavingWriter gives each piece of an answer its own time, so that a slow client gets a large one. What comes soon after another piece shares the
// time of that one.
type leavingWriter struct {
	http.ResponseWriter

	control  *http.ResponseController
	patience time.Duration
	// began is when the time began the last time.
	began time.Time
}

// wait begins the time anew. Recorders of tests and requests in process have no connection, and so no deadline.
func (w *leavingWriter) wait() {
	if now := time.Now(); now.Sub(w.began) > w.patience/16 {
		w.began = now
		_ = w.control.SetWriteDeadline(now.Add(w.patience))
	}
}

// Write implements http.ResponseWriter.
func (w *leavingWriter) Write(p []byte) (n int, err error) {
	for {
		w.wait()
		wrote, err := w.ResponseWriter.Write(p[n:min(n+answerPiece, len(p))])
		if n += wrote; err != nil || n == len(p) {
			return n, err
		}
	}
}

// Flush implements http.Flusher.
func (w *leavingWriter) Flush() { _ = w.FlushError() }

// FlushError sends what was written.
func (w *leavingWriter) FlushError() error {
	w.wait()
	return w.control.Flush()
}

// Unwrap is for http.ResponseController.
func (w *leavingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
