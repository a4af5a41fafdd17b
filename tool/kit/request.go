package kit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"countersign/tool"
)

// Post makes the request that creates a record.
func Post(path string, body any) tool.Request {
	return tool.Request{Method: http.MethodPost, Path: path, Body: body}
}

// Put makes the request that replaces the resource at path; a nil body only creates it.
func Put(path string, body any) tool.Request {
	return tool.Request{Method: http.MethodPut, Path: path, Body: body}
}

// Patch makes the request that updates a record.
func Patch(path string, body any) tool.Request {
	return tool.Request{Method: http.MethodPatch, Path: path, Body: body}
}

// Delete makes the request that deletes a record.
func Delete(path string) tool.Request { return tool.Request{Method: http.MethodDelete, Path: path} }

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
	d tool.Definition,
	dryRun func(ctx context.Context, c tool.Caller, in In) (Preview[In], error),
	request func(in In) tool.Request,
	output func(answer Answer) Out,
) tool.Tool {
	d.Operations.Write = operationOf(request)
	d = prepared[In](d)
	code := writing(d, dryRun, func(ctx context.Context, c tool.Caller, in In) (Out, error) {
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
	code.RequestOf = func(input json.RawMessage) (tool.Request, error) {
		in, err := decode[In](input)
		if err != nil {
			return tool.Request{}, err
		}
		return request(in), nil
	}
	return tool.New(d, code)
}
