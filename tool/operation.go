package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Operation is the one write of the REST API that a tool makes. A policy of the tool applies to all callers and
// transports.
type Operation struct {
	Method string
	// Path is a template whose parameters are named like the fields of the tool's input, such as
	// /api/catalog/systems/{systemId}/links/{linkId}. The API may name them differently: positions count.
	Path string
}

func (o Operation) String() string { return o.Method + " " + o.Path }

// Request is the one write that applies a proposal.
type Request struct {
	Method, Path string
	// Body is sent as JSON; nil sends none.
	Body any
}

// key is equal for operations that differ only in parameter names.
func (o Operation) key() string {
	parts := strings.Split(o.Path, "/")
	for i, part := range parts {
		if isParameter(part) {
			parts[i] = "{}"
		}
	}
	return o.Method + " " + strings.Join(parts, "/")
}

// Parameters returns the names in braces, in order.
func (o Operation) Parameters() []string {
	var names []string
	for part := range strings.SplitSeq(o.Path, "/") {
		if isParameter(part) {
			names = append(names, part[1:len(part)-1])
		}
	}
	return names
}

func isParameter(part string) bool {
	return strings.HasPrefix(part, "{") && strings.HasSuffix(part, "}")
}

// InputOf converts a request to the tool's input: values are the path parameters in order. An error that is no problem
// is a bug in the tool.
func (t Tool) InputOf(values []string, body []byte) (json.RawMessage, error) {
	if t.code.InputOf == nil {
		return nil, fmt.Errorf("%s makes no request", t.Name)
	}
	return t.code.InputOf(values, body)
}

// RequestOf returns the request that applies this input. ok is false for tools whose request is only in their code.
func (t Tool) RequestOf(input json.RawMessage) (r Request, ok bool, err error) {
	if t.code.RequestOf == nil {
		return Request{}, false, nil
	}
	r, err = t.code.RequestOf(input)
	return r, true, err
}

type carriedKey struct{}

// Carry marks ctx as the apply of a decided proposal of the tool. The mark is a context value, so no request can set
// it.
func Carry(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, carriedKey{}, name)
}

// PreviewsBy reports whether an operation is one of the tool's previews.
func (d Definition) PreviewsBy(o Operation) bool {
	return slices.ContainsFunc(d.Operations.PreviewOperations, func(look Operation) bool { return look.key() == o.key() })
}

// Carried returns the tool whose decided proposal is being applied, "" when none is.
func Carried(ctx context.Context) string {
	name, _ := ctx.Value(carriedKey{}).(string)
	return name
}
