// Package rest holds the conventions that all REST resources share: the declaration of an operation with its access
// rules, pages and cursors, and revisions as ETag and If-Match (optimistic concurrency). Modules declare their routes with
// it; package api enforces the declarations.
package rest

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Metadata keys of an operation, read by package api.
const (
	rulesKey          = "rules"
	publicKey         = "public"
	selfIdempotentKey = "selfIdempotent"
	shownOnceKey      = "shownOnce"
	readOnlyKey       = "looks"
)

// Option refines an operation.
type Option func(*huma.Operation)

// Op declares an operation. Without Rules or Public, any signed-in principal may call it and the service checks access.
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

// Rules sets access rules that the caller must hold, all of them.
func Rules(rules ...string) Option {
	return func(op *huma.Operation) {
		op.Metadata[rulesKey] = rules
		op.Description = strings.TrimSpace(op.Description + " Needs " + strings.Join(rules, ", ") + ".")
	}
}

// Public opens the operation to callers without sign-in.
func Public() Option {
	return func(op *huma.Operation) {
		op.Metadata[publicKey] = true
		op.Security = nil
	}
}

// SelfIdempotent marks an operation that is idempotent by itself, such as the apply of a single-use token. It runs
// outside of the transaction that an Idempotency-Key otherwise opens, since it waits for other transactions.
func SelfIdempotent() Option {
	return func(op *huma.Operation) { op.Metadata[selfIdempotentKey] = true }
}

// ShownOnce marks an operation whose answer holds a secret that is shown only once. With an Idempotency-Key it happens
// once, as every write does; its answer is not stored, and a repeat is refused.
func ShownOnce() Option {
	return func(op *huma.Operation) { op.Metadata[shownOnceKey] = true }
}

// ReadOnly marks an operation that changes nothing although it is no GET; read-only callers may call it.
func ReadOnly() Option {
	return func(op *huma.Operation) { op.Metadata[readOnlyKey] = true }
}

// Status sets the status of success; by default a POST answers 201, an operation without a body 204, others 200.
func Status(code int) Option {
	return func(op *huma.Operation) { op.DefaultStatus = code }
}

// Doc adds a description.
func Doc(text string) Option {
	return func(op *huma.Operation) { op.Description = strings.TrimSpace(text + " " + op.Description) }
}

// RulesOf returns the declared rules of an operation.
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

// IsShownOnce reports whether the operation was declared ShownOnce.
func IsShownOnce(op *huma.Operation) bool {
	once, _ := op.Metadata[shownOnceKey].(bool)
	return once
}

// IsLook reports whether the operation changes nothing.
func IsLook(op *huma.Operation) bool {
	looks, _ := op.Metadata[readOnlyKey].(bool)
	return looks || op.Method == http.MethodGet || op.Method == http.MethodHead
}

func tagOf(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "/api/"), "/")
	return parts[0]
}
