package api

import (
	"net/http"
	"time"
)

// bodyPatience is how long a request may take to arrive after its headers. What is done with it has no such limit: the server takes
// the deadline back once the body is there.
const bodyPatience = 30 * time.Second

// arriving ends connections on which a body does not come. It is not left to huma, which sets a deadline also where the body is
// there already or there is none: that one nobody takes back, so that after five seconds the request seemed to have lost its
// client, with all that came by the same connection later.
func arriving(patience time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			// Recorders of tests have no connection, and so no deadline.
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(patience))
		}
		next.ServeHTTP(w, r)
	})
}
