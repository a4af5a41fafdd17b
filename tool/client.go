package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"countersign/internal/problem"
)

// Router is the live REST API, which tools call in process. It is bound once the API is built.
type Router struct {
	handler atomic.Pointer[http.Handler]
}

// Bind sets the handler, once, before any tool runs.
func (r *Router) Bind(h http.Handler) { r.handler.Store(&h) }

// Client makes requests to the live REST API as one caller, with the same routes, checks and errors as over the
// network.
type Client struct {
	// Router handles the requests.
	Router *Router
	// Credential is the short-lived bearer token of the caller.
	Credential string
	// IdempotencyKey and IfMatch are sent with every write; apply sets them.
	IdempotencyKey string
	IfMatch        string
	// RecordedAnswer is the stored answer of the write: the write is not repeated, and nothing is read.
	RecordedAnswer json.RawMessage
	// Disclosed, if set, collects the records that answers disclose.
	Disclosed *DisclosedRecords

	// names, if set, collects the names of records that were read.
	names *names
}

// Get reads a resource into out and returns its ETag.
func (c *Client) Get(ctx context.Context, path string, out any) (etag string, err error) {
	return c.Do(ctx, http.MethodGet, path, nil, out)
}

// Do makes one request. in is sent as JSON unless nil, and the answer is decoded into out unless nil. A refusal by the
// API is its *problem.Error.
func (c *Client) Do(ctx context.Context, method, path string, in, out any) (etag string, err error) {
	write := method != http.MethodGet && method != http.MethodHead
	if c.RecordedAnswer != nil {
		return "", c.answer(write, method, path, out)
	}
	handler := c.Router.handler.Load()
	if handler == nil {
		return "", fmt.Errorf("%s %s: the API is not bound yet", method, path)
	}
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return "", fmt.Errorf("%s %s: encode request: %w", method, path, err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, path, &body)
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", method, path, err)
	}
	req.RequestURI = path
	req.Host = "countersign.internal"
	req.RemoteAddr = "127.0.0.1:0"
	req.Header.Set("Authorization", "Bearer "+c.Credential)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if write {
		setIf(req.Header, "Idempotency-Key", c.IdempotencyKey)
		setIf(req.Header, "If-Match", c.IfMatch)
	}
	answer := recorder{header: http.Header{}, status: http.StatusOK}
	(*handler).ServeHTTP(&answer, req)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if answer.status >= http.StatusBadRequest {
		return "", answer.problem(method, path)
	}
	c.Disclosed.Note(answer.body.Bytes())
	if !write {
		c.names.note(path, answer.body.Bytes())
	}
	if out != nil && answer.body.Len() > 0 {
		if err := json.Unmarshal(answer.body.Bytes(), out); err != nil {
			return "", fmt.Errorf("%s %s: decode answer: %w", method, path, err)
		}
	}
	return answer.header.Get("ETag"), nil
}

// answer decodes the stored answer of the write into out.
func (c *Client) answer(write bool, method, path string, out any) error {
	if !write {
		return fmt.Errorf("%s %s: the write was made before, and nothing is read again", method, path)
	}
	if out == nil || len(c.RecordedAnswer) == 0 {
		return nil
	}
	if err := json.Unmarshal(c.RecordedAnswer, out); err != nil {
		return fmt.Errorf("%s %s: decode earlier answer: %w", method, path, err)
	}
	return nil
}

func setIf(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

// ErrOutage is the cause of an error of a Client whose API was unavailable for the moment, as during a database outage.
var ErrOutage = errors.New("the API is unavailable for the moment")

// recorder buffers an answer in memory.
type recorder struct {
	header http.Header
	status int
	wrote  bool
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if !r.wrote {
		r.status, r.wrote = status, true
	}
}

func (r *recorder) Write(p []byte) (int, error) {
	r.wrote = true
	return r.body.Write(p)
}

func (r *recorder) problem(method, path string) error {
	e := &problem.Error{}
	if err := json.Unmarshal(r.body.Bytes(), e); err != nil || e.Detail == "" {
		return fmt.Errorf("%s %s: status %d without a problem document", method, path, r.status)
	}
	if e.Code == problem.Unavailable && e.RetryAfter > 0 {
		// The host retries transient errors: models do not see them, and they fail no change.
		return fmt.Errorf("%s %s: %w", method, path, problem.As(ErrOutage).WithCause(errors.Join(ErrOutage, e)))
	}
	if e.Code == problem.Internal || e.Code == problem.Unavailable {
		return fmt.Errorf("%s %s: %w", method, path, e)
	}
	return e
}
