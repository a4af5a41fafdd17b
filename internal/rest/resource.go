package rest

import (
	"context"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/problem"
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
		return nil, problem.InvalidInput(
			"An id looks like 0199aa00-0000-7000-8000-000000000001.",
			problem.Issue{Path: path, Message: "is not an id"},
		)
	}
	return &id, nil
}

// IfMatch is embedded by inputs of updates and deletes. The header is optional; with it, the write happens only while
// the resource still has that revision.
type IfMatch struct {
	Header string `header:"If-Match" doc:"The revision the change is based on, as in ETag: \"3\". The write is refused with 412 when the resource has another."`
}

// Resolve implements huma.Resolver: an invalid revision is refused together with the other issues of the input.
func (m *IfMatch) Resolve(huma.Context) []error {
	if revision := m.Revision(); revision != nil && *revision == 0 {
		return []error{&huma.ErrorDetail{Location: "If-Match", Message: `must be one revision in quotes, such as "3"`}}
	}
	return nil
}

// Revision returns the revision of the header, nil when absent. For any other text it is 0, which no resource has.
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
func Delete(do func(ctx context.Context, id uuid.UUID, based *int64) error) func(context.Context, *Deletion) (*struct{}, error) {
	return func(ctx context.Context, in *Deletion) (*struct{}, error) { return nil, do(ctx, in.ID, in.Revision()) }
}

// ETag is embedded by outputs of resources that have a revision.
type ETag struct {
	ETag string `header:"ETag"`
}

// Tag formats the ETag of a revision.
func Tag(revision int64) ETag {
	return ETag{ETag: strconv.Quote(strconv.FormatInt(revision, 10))}
}

// Resource is a record with a revision. Types embed Revised to implement it.
type Resource interface{ AtRevision() int64 }

// Revised is embedded by resources.
type Revised struct {
	Revision int64 `json:"revision"`
}

// AtRevision implements Resource.
func (r Revised) AtRevision() int64 { return r.Revision }

// Record is the output of an operation on one resource that has a revision.
type Record[T any] struct {
	ETag
	Body T
}

// Answer makes the output with a resource, or a part of one, and the revision; or returns err.
func Answer[T any](resource T, revision int64, err error) (*Record[T], error) {
	if err != nil {
		return nil, err
	}
	return &Record[T]{ETag: Tag(revision), Body: resource}, nil
}

// Show is Answer with a resource that carries its revision.
func Show[T Resource](resource T, err error) (*Record[T], error) {
	return Answer(resource, resource.AtRevision(), err)
}

// Body is the output of an operation with any other answer.
type Body[T any] struct{ Body T }

// With makes the output with a body, or returns err.
func With[T any](body T, err error) (*Body[T], error) {
	if err != nil {
		return nil, err
	}
	return &Body[T]{body}, nil
}

// Creation is the input of a POST that makes a resource.
type Creation[N any] struct{ Body N }

// Create makes the handler of a POST.
func Create[N any, T Resource](do func(ctx context.Context, in N) (T, error)) func(context.Context, *Creation[N]) (*Record[T], error) {
	return func(ctx context.Context, in *Creation[N]) (*Record[T], error) { return Show(do(ctx, in.Body)) }
}

// Get makes the handler of a GET of one resource.
func Get[T Resource](do func(ctx context.Context, id uuid.UUID) (T, error)) func(context.Context, *ByID) (*Record[T], error) {
	return func(ctx context.Context, in *ByID) (*Record[T], error) { return Show(do(ctx, in.ID)) }
}

// Update is the input of a PATCH of a resource.
type Update[C any] struct {
	ByID
	IfMatch
	Body Patch[C]
}

// Change makes the handler of a PATCH.
func Change[C any, T Resource](
	do func(ctx context.Context, id uuid.UUID, change C, based *int64) (T, error),
) func(context.Context, *Update[C]) (*Record[T], error) {
	return func(ctx context.Context, in *Update[C]) (*Record[T], error) {
		if err := in.Body.Err(); err != nil {
			return nil, err
		}
		return Show(do(ctx, in.ID, in.Body.Change, in.Revision()))
	}
}

// Part is the input of an operation on a resource with a body of its own.
type Part[N any] struct {
	ByID
	IfMatch
	Body N
}

// Set makes the handler of a PUT of a part of a resource, which answers with the resource.
func Set[N any, T Resource](
	do func(ctx context.Context, id uuid.UUID, in N, based *int64) (T, error),
) func(context.Context, *Part[N]) (*Record[T], error) {
	return func(ctx context.Context, in *Part[N]) (*Record[T], error) {
		return Show(do(ctx, in.ID, in.Body, in.Revision()))
	}
}

// Add makes the handler of a POST of a part of a resource, which answers with the part and the revision of the resource.
func Add[N, T any](
	do func(ctx context.Context, id uuid.UUID, in N, based *int64) (T, int64, error),
) func(context.Context, *Part[N]) (*Record[T], error) {
	return func(ctx context.Context, in *Part[N]) (*Record[T], error) {
		return Answer(do(ctx, in.ID, in.Body, in.Revision()))
	}
}
