package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/problem"
)

// Unread is the body of an operation that looks at what it is about before it looks at the body: who may not see a record hears
// that before anything about what they sent. Declare such an operation with LateBody, and Read the body when it is time.
type Unread[T any] struct{ data []byte }

// LateBody declares that a handler validates its body itself, with Unread.
func LateBody() Option { return func(op *huma.Operation) { op.SkipValidateBody = true } }

// UnmarshalJSON keeps the body as it is.
func (u *Unread[T]) UnmarshalJSON(data []byte) error {
	u.data = slices.Clone(data)
	return nil
}

// Schema describes the body in the OpenAPI document as a T.
func (Unread[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// Read is the body, or problem.Invalid with everything that does not fit the schema.
func (u *Unread[T]) Read(r huma.Registry) (T, error) {
	var body T
	var value any
	if err := json.Unmarshal(u.data, &value); err != nil {
		return body, problem.InvalidInput("The request has no JSON body.", problem.Issue{Message: "is not JSON"})
	}
	var found huma.ValidateResult
	huma.Validate(r, u.Schema(r), huma.NewPathBuffer([]byte{}, 0), huma.ModeWriteToServer, value, &found)
	var issues problem.Issues
	for _, err := range found.Errors {
		detail, ok := errors.AsType[*huma.ErrorDetail](err)
		if !ok {
			return body, fmt.Errorf("validate a body: %w", err)
		}
		issues.Report(strings.TrimPrefix(detail.Location, "."), "%s", detail.Message)
	}
	if err := issues.Err(); err != nil {
		return body, err
	}
	if err := json.Unmarshal(u.data, &body); err != nil {
		return body, problem.InvalidInput("The request body does not fit.", problem.Issue{Message: "does not fit"})
	}
	return body, nil
}
