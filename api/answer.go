package api

import (
	"net/http"
	"time"

	"countersign/api/listener"
)

// answerPatience is how long a client may take for each next piece of an answer, or nearly so, and answerPiece how many
// bytes a piece has.
const (
	answerPatience = 30 * time.Second
	answerPiece    = 64 << 10
)

// leaving ends connections whose clients do not read their answers: one that is held ready takes memory for as long as
// its client likes.
func leaving(patience time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &leavingWriter{
			ResponseWriter: w, control: http.NewResponseController(w), patience: patience, conn: listener.FromContext(r.Context()),
		}
		next.ServeHTTP(out, r)
		// The server sends what is left of it.
		out.wait()
	})
}

// leavingWriter gives each piece of an answer its own time, so that a slow client gets a large one. What comes soon
// after another piece shares the time of that one.
type leavingWriter struct {
	http.ResponseWriter

	control  *http.ResponseController
	patience time.Duration
	conn     *listener.Conn
	// began is when the time began the last time.
	began time.Time
}

// wait restarts the time. Recorders of tests and requests in process have no connection, and so no deadline.
func (w *leavingWriter) wait() {
	if now := time.Now(); now.Sub(w.began) > w.patience/16 {
		w.began = now
		_ = w.control.SetWriteDeadline(now.Add(w.patience))
	}
}

// Write implements http.ResponseWriter.
func (w *leavingWriter) Write(p []byte) (n int, err error) {
	w.conn.Wait()
	defer w.conn.Resume()
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
	w.conn.Wait()
	defer w.conn.Resume()
	w.wait()
	return w.control.Flush()
}

// SetWriteDeadline keeps the deadline: handlers have no say in it.
func (w *leavingWriter) SetWriteDeadline(time.Time) error { return nil }

// Unwrap is for http.ResponseController.
func (w *leavingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
