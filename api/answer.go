package api

import (
	"net/http"
	"time"

	"countersign/api/listener"
)

// writeTimeout bounds how long a client may take to accept each chunk of a response, and writeChunk is the size of a
// chunk in bytes.
const (
	writeTimeout = 30 * time.Second
	writeChunk   = 64 << 10
)

// limitWriteTime closes connections whose clients do not read their responses (slow-read attack): each held response
// takes memory.
func limitWriteTime(timeout time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &deadlineWriter{
			ResponseWriter: w, control: http.NewResponseController(w), timeout: timeout, conn: listener.FromContext(r.Context()),
		}
		next.ServeHTTP(out, r)
		// The server flushes the rest of the response.
		out.extendDeadline()
	})
}

// deadlineWriter renews the write deadline for each chunk, so that a slow client can still receive a large response.
// Chunks shortly after each other share a deadline.
type deadlineWriter struct {
	http.ResponseWriter

	control *http.ResponseController
	timeout time.Duration
	conn    *listener.Conn
	// extendedAt is when the deadline was last renewed.
	extendedAt time.Time
}

// extendDeadline renews the write deadline. Test recorders and in-process requests have no connection and so no
// deadline.
func (w *deadlineWriter) extendDeadline() {
	if now := time.Now(); now.Sub(w.extendedAt) > w.timeout/16 {
		w.extendedAt = now
		_ = w.control.SetWriteDeadline(now.Add(w.timeout))
	}
}

// Write implements http.ResponseWriter.
func (w *deadlineWriter) Write(p []byte) (n int, err error) {
	w.conn.Wait()
	defer w.conn.Resume()
	for {
		w.extendDeadline()
		wrote, err := w.ResponseWriter.Write(p[n:min(n+writeChunk, len(p))])
		if n += wrote; err != nil || n == len(p) {
			return n, err
		}
	}
}

// Flush implements http.Flusher.
func (w *deadlineWriter) Flush() { _ = w.FlushError() }

// FlushError sends what was written.
func (w *deadlineWriter) FlushError() error {
	w.conn.Wait()
	defer w.conn.Resume()
	w.extendDeadline()
	return w.control.Flush()
}

// SetWriteDeadline does nothing: handlers cannot change the deadline.
func (w *deadlineWriter) SetWriteDeadline(time.Time) error { return nil }

// Unwrap is for http.ResponseController.
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
