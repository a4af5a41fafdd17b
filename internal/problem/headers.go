package problem

import (
	"net/http"
	"strconv"
)

// GetHeaders are the HTTP headers that go with the error.
func (e *Error) GetHeaders() http.Header {
	h := http.Header{}
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(e.RetryAfterSeconds()))
	}
	if e.Code == Unauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="countersign"`)
	}
	return h
}
