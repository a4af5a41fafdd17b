package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Request is the one write that applies a proposal.
type Request struct {
	Method, Path string
	// Body is sent as JSON; nil sends none.
	Body any
}

// Post makes the request that creates a record.
func Post(path string, body any) Request { return Request{http.MethodPost, path, body} }

// Put makes the request that replaces the resource at path; a nil body only creates it.
func Put(path string, body any) Request { return Request{http.MethodPut, path, body} }

// Patch makes the request that updates a record.
func Patch(path string, body any) Request { return Request{http.MethodPatch, path, body} }

// Delete makes the request that deletes a record.
func Delete(path string) Request { return Request{http.MethodDelete, path, nil} }

// Deleted is the output of a tool that deletes.
type Deleted struct {
	Deleted bool `json:"deleted"`
}

// Gone is the output after a Delete, whose answer is empty.
func Gone(struct{}) Deleted { return Deleted{Deleted: true} }

// NewWrite makes a tool that is proposed when called and applied when countersigned. Applying sends the request for the
// stored payload exactly once, with the idempotency key and the revision of the proposal. output converts the API's
// answer for the model.
func NewWrite[In, Answer, Out any](
	d Definition,
	dryRun func(ctx context.Context, c Caller, in In) (Preview[In], error),
	request func(in In) Request,
	output func(answer Answer) Out,
) Tool {
	d.Operations.Write = operationOf(request)
	t := NewWriteFunc(d, dryRun, func(ctx context.Context, c Caller, in In) (Out, error) {
		var none Out
		r := request(in)
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			return none, fmt.Errorf("%s: %s %s is not a write", d.Name, r.Method, r.Path)
		}
		var answer Answer
		if _, err := c.Client.Do(ctx, r.Method, r.Path, r.Body, &answer); err != nil {
			return none, err
		}
		return output(answer), nil
	})
	t.requestOf = func(input json.RawMessage) (Request, error) {
		in, err := decode[In](input)
		if err != nil {
			return Request{}, err
		}
		return request(in), nil
	}
	return t
}
