package rest

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"time"

	"countersign/internal/problem"
	"countersign/internal/store"
)

// retryAfter is the time to wait before a retry after a database failure.
const retryAfter = 2 * time.Second

// Problem converts err for clients: a dependency outage of the database is problem.Unavailable, with a Retry-After
// time, and any other host failure problem.Internal. An API error that a tool has received is returned unchanged.
func Problem(err error) *problem.Error {
	e := problem.As(err)
	if e == nil || e.Code != problem.Internal {
		return e
	}
	if below, ok := errors.AsType[*problem.Error](errors.Unwrap(e)); ok && below.Code == problem.Unavailable {
		return below
	}
	if store.Unavailable(err) {
		return problem.Errorf(
			problem.Unavailable,
			"The database cannot be reached or is busy at this moment. Try again in a few seconds: what was confirmed is "+
				"kept, and a call with an Idempotency-Key is not carried out twice.",
		).
			After(
				retryAfter,
			).WithCause(
			err,
		)
	}
	return e
}

// WriteProblem answers a request with err as a problem document; a host failure is not described.
func WriteProblem(w http.ResponseWriter, err error) {
	e := Problem(err)
	body, marshalErr := json.Marshal(e)
	if marshalErr != nil {
		body = []byte(
			`{"type":"about:blank","title":"Internal error","status":500,"detail":"Something went wrong on the server.","code":"internal"}`,
		)
	}
	maps.Copy(w.Header(), e.GetHeaders())
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(e.GetStatus())
	_, _ = w.Write(body)
}
