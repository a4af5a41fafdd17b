// Package rest holds the conventions that all REST resources share: how an operation is declared with the access
// rules it needs, and how revisions travel as ETag and If-Match. Modules declare their routes with it; package api
// enforces what is declared.
package rest

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"countersign/problem"
)

// Metadata keys of an operation, read by package api.
const (
	rulesKey          = "rules"
	publicKey         = "public"
	selfIdempotentKey = "selfIdempotent"
)

// Option refines an operation.
type Option func(*huma.Operation)

// Op declares an operation. Without Rules or Public, any signed-in principal may call it and the service below decides.
func Op(id, method, path, summary string, options ...Option) huma.Operation {
	op := huma.Operation{
		OperationID: id, Method: method, Path: path, Summary: summary,
		Tags:         []string{tagOf(path)},
		MaxBodyBytes: 1 << 20,
		Metadata:     map[string]any{},
		Security:     []map[string][]string{{"session": {}}, {"bearer": {}}},
	}
	if method == http.MethodPost {
		op.DefaultStatus = http.StatusCreated
	}
	for _, o := range options {
		o(&op)
	}
	return op
}

// Rules names access rules the caller must hold, all of them.
func Rules(rules ...string) Option {
	return func(op *huma.Operation) {
		op.Metadata[rulesKey] = rules
		op.Description = strings.TrimSpace(op.Description + " Needs " + strings.Join(rules, ", ") + ".")
	}
}

// Public opens the operation to callers who have not signed in.
func Public() Option {
	return func(op *huma.Operation) {
		op.Metadata[publicKey] = true
		op.Security = nil
	}
}

// SelfIdempotent marks an operation that makes repeats harmless by itself, such as the apply of a single-use token.
// It runs outside of the transaction that an Idempotency-Key otherwise opens, since it waits for other transactions.
func SelfIdempotent() Option {
	return func(op *huma.Operation) { op.Metadata[selfIdempotentKey] = true }
}

// Status sets the status of success; otherwise POST answers 201, a call without a body 204, the rest 200.
func Status(code int) Option {
	return func(op *huma.Operation) { op.DefaultStatus = code }
}

// Doc adds a description.
func Doc(text string) Option {
	return func(op *huma.Operation) { op.Description = strings.TrimSpace(text + " " + op.Description) }
}

// RulesOf are the rules an operation was declared with.
func RulesOf(op *huma.Operation) []string {
	rules, _ := op.Metadata[rulesKey].([]string)
	return rules
}

// IsPublic reports whether the operation was declared Public.
func IsPublic(op *huma.Operation) bool {
	public, _ := op.Metadata[publicKey].(bool)
	return public
}

// IsSelfIdempotent reports whether the operation was declared SelfIdempotent.
func IsSelfIdempotent(op *huma.Operation) bool {
	self, _ := op.Metadata[selfIdempotentKey].(bool)
	return self
}

func tagOf(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "/api/"), "/")
	return parts[0]
}

// IfMatch is embedded by inputs of updates and deletes. The header is optional; with it, the write happens only while
// the resource still has that revision.
type IfMatch struct {
	IfMatch string `header:"If-Match" doc:"The revision the change is based on, as in ETag: \"3\". The write is refused with 412 when the resource has another."`
}

// Revision is the revision of the header, nil when absent.
func (m IfMatch) Revision() (*int64, error) {
	if m.IfMatch == "" {
		return nil, nil
	}
	text := strings.TrimPrefix(m.IfMatch, "W/")
	n, err := strconv.ParseInt(strings.Trim(text, `"`), 10, 64)
	if err != nil || n < 1 || len(text) < 3 || text[0] != '"' || text[len(text)-1] != '"' {
		return nil, problem.InvalidInput(`If-Match must be one revision in quotes, such as "3".`, problem.Issue{Path: "If-Match", Message: "is not a revision"})
	}
	return &n, nil
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
