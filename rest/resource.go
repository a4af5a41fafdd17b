package rest

import (
	"context"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/problem"
)

// ByID is the input of an operation on the resource of a path that ends in /{id}, or part of it.
type ByID struct {
	ID uuid.UUID `path:"id" format:"uuid"`
}

// OptionalID reads a query parameter that is an id or empty; path names it.
func OptionalID(path, text string) (*uuid.UUID, error) {
	if text == "" {
		return nil, nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return nil, problem.InvalidInput("An id looks like 0199aa00-0000-7000-8000-000000000001.", problem.Issue{Path: path, Message: "is not an id"})
	}
	return &id, nil
}

// IfMatch is embedded by inputs of updates and deletes. The header is optional; with it, the write happens only while
// the resource still has that revision.
type IfMatch struct {
	Header string `header:"If-Match" doc:"The revision the change is based on, as in ETag: \"3\". The write is refused with 412 when the resource has another."`
}

// Resolve implements huma.Resolver: a header that is not a revision is refused beside the other issues of the input.
func (m *IfMatch) Resolve(huma.Context) []error {
	if revision := m.Revision(); revision != nil && *revision == 0 {
		return []error{&huma.ErrorDetail{Location: "If-Match", Message: `must be one revision in quotes, such as "3"`}}
	}
	return nil
}

// Revision is the revision of the header, nil when absent. It is 0, which is that of nothing, for any other text.
func (m *IfMatch) Revision() *int64 {
	if m.Header == "" {
		return nil
	}
	text := strings.TrimPrefix(m.Header, "W/")
	n, err := strconv.ParseInt(strings.Trim(text, `"`), 10, 64)
	if err != nil || n < 1 || len(text) < 3 || text[0] != '"' || text[len(text)-1] != '"' {
		n = 0
	}
	return &n
}

// Deletion is the input of a DELETE of a resource that has a revision.
type Deletion struct {
	ByID
	IfMatch
}

// Delete makes the handler of a DELETE.
func Delete(do func(ctx context.Context, id uuid.UUID, expected *int64) error) func(context.Context, *Deletion) (*struct{}, error) {
	return func(ctx context.Context, in *Deletion) (*struct{}, error) { return nil, do(ctx, in.ID, in.Revision()) }
}

// ETag is embedded by outputs of resources that have a revision.
type ETag struct {
	ETag string `header:"ETag"`
}

// Tag is the ETag of a revision.
func Tag(revision int64) ETag {
	return ETag{ETag: strconv.Quote(strconv.FormatInt(revision, 10))}
}

// Record is the output of an operation on one resource that has a revision.
type Record[T any] struct {
	ETag
	Body T
}

// Answer is the output with a resource and its revision, or err.
func Answer[T any](resource T, revision int64, err error) (*Record[T], error) {
	if err != nil {
		return nil, err
	}
	return &Record[T]{ETag: Tag(revision), Body: resource}, nil
}
