package api

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"countersign/internal/problem"
	"countersign/internal/text/rfc3339"
)

const (
	formatDateTime = "date-time"
	// deepestSchema bounds the depth of recursive schemas.
	deepestSchema = 12
)

// requireTimestamps checks every date-time of a request by the grammar of RFC 3339, as the schemas of tools do. Go's
// parser accepts more, such as offsets of 24 hours and commas before fractions.
func requireTimestamps(registry huma.Registry) func(huma.Context, func(huma.Context)) {
	m := timestamps{registry, &sync.Map{}}
	return func(ctx huma.Context, next func(huma.Context)) {
		op := ctx.Operation()
		var issues []problem.Issue
		for _, p := range op.Parameters {
			if text := ctx.Query(p.Name); p.In == "query" && text != "" && m.expects(p.Schema) {
				issues = append(issues, timestampIssues("query."+p.Name, text)...)
			}
		}
		issues = append(issues, m.bodyIssues(ctx, op)...)
		if len(issues) > 0 {
			writeProblem(ctx, problem.InvalidInput("The request is not valid: "+issues[0].String()+".", issues...))
			return
		}
		next(ctx)
	}
}

// timestamps finds date-times by schema.
type timestamps struct {
	registry huma.Registry
	// holding caches which operations' bodies may hold date-times.
	holding *sync.Map
}

func (m timestamps) resolve(s *huma.Schema) *huma.Schema {
	if s != nil && s.Ref != "" {
		return m.registry.SchemaFromRef(s.Ref)
	}
	return s
}

func (m timestamps) expects(s *huma.Schema) bool {
	s = m.resolve(s)
	return s != nil && s.Type == huma.TypeString && s.Format == formatDateTime
}

func (m timestamps) bodyIssues(ctx huma.Context, op *huma.Operation) []problem.Issue {
	if op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return nil
	}
	schema := op.RequestBody.Content["application/json"].Schema
	holds, known := m.holding.Load(op)
	if !known {
		holds = m.anywhere(schema, map[*huma.Schema]bool{})
		m.holding.Store(op, holds)
	}
	if holds == false {
		return nil
	}
	request := humaecho.Unwrap(ctx).Request()
	read, err := io.ReadAll(io.LimitReader(request.Body, op.MaxBodyBytes+1))
	request.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(read), request.Body), request.Body}
	var body any
	if err != nil || json.Unmarshal(read, &body) != nil {
		return nil // the decoder reports the error
	}
	return m.issues("", schema, body, 0)
}

func inner(s *huma.Schema) []*huma.Schema { return slices.Concat(s.OneOf, s.AnyOf, s.AllOf) }

// anywhere reports whether a value of the schema may hold a date-time. seen are the visited schemas.
func (m timestamps) anywhere(s *huma.Schema, seen map[*huma.Schema]bool) bool {
	if s = m.resolve(s); s == nil || seen[s] {
		return false
	}
	seen[s] = true
	values, _ := s.AdditionalProperties.(*huma.Schema)
	parts := append(inner(s), s.Items, values)
	for _, p := range s.Properties {
		parts = append(parts, p)
	}
	return m.expects(s) || slices.ContainsFunc(parts, func(part *huma.Schema) bool { return m.anywhere(part, seen) })
}

func (m timestamps) issues(path string, s *huma.Schema, value any, depth int) []problem.Issue {
	if s = m.resolve(s); s == nil || depth > deepestSchema {
		return nil
	}
	var found []problem.Issue
	switch v := value.(type) {
	case string:
		if m.expects(s) {
			return timestampIssues(path, v)
		}
	case []any:
		for i, element := range v {
			found = append(found, m.issues(path+"["+strconv.Itoa(i)+"]", s.Items, element, depth+1)...)
		}
	case map[string]any:
		values, _ := s.AdditionalProperties.(*huma.Schema)
		for name, member := range v {
			known := s.Properties[name]
			if known == nil {
				known = values
			}
			at := name
			if path != "" {
				at = path + "." + name
			}
			found = append(found, m.issues(at, known, member, depth+1)...)
		}
	}
	for _, part := range inner(s) {
		found = append(found, m.issues(path, part, value, depth+1)...)
	}
	return found
}

func timestampIssues(path, text string) []problem.Issue {
	if _, err := rfc3339.Parse(text); err != nil {
		const most = 80
		return []problem.Issue{
			{Path: path, Message: err.Error() + "; write date, time and offset as in " + rfc3339.Suggest(text[:min(len(text), most)])},
		}
	}
	return nil
}
