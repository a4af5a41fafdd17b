package apitest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/rest"
)

// operations checks declarations: revisions, pagination and bounds of parameters.
func (e *examination) operations() {
	for _, op := range e.own {
		writes := op.Method == http.MethodPut || op.Method == http.MethodPatch || op.Method == http.MethodDelete
		if writes && parameter(op, "header", "If-Match") == nil && e.Unrevised[op.OperationID] == "" {
			e.report(Drift, "%s takes no If-Match", op.OperationID)
		}
		for _, p := range op.Parameters {
			if p.Schema != nil && p.Schema.Type == huma.TypeString && p.In != "header" && p.Schema.MaxLength == nil && p.Schema.Format == "" &&
				len(p.Schema.Enum) == 0 {
				e.report(Bounded, "%s bounds its parameter %s by nothing", op.OperationID, p.Name)
			}
		}
		if member := listMember(op); op.Method == http.MethodGet && member != "" && e.Unpaged[op.Path] == "" {
			limit := parameter(op, "query", "limit")
			if limit == nil || limit.Schema.Maximum == nil || parameter(op, "query", "cursor") == nil {
				e.report(Paged, "%s answers all %s at once: it takes no limit and cursor", op.OperationID, member)
			}
		}
	}
}

func parameter(op operation, in, name string) *huma.Param {
	for _, p := range op.Parameters {
		if p.In == in && p.Name == name {
			return p
		}
	}
	return nil
}

// listMember returns the member of an operation's response that lists records, "" for none. Responses at the path of a
// record or with a revision are single records, even if they contain lists.
func listMember(op operation) string {
	if strings.HasSuffix(op.Path, "}") {
		return ""
	}
	for _, response := range op.Responses {
		media := response.Content["application/json"]
		if media == nil {
			continue
		}
		body := op.resolve(media.Schema)
		if body.Properties["revision"] != nil {
			return ""
		}
		// Optional members, such as suggestions for an empty result, are not the list.
		for _, name := range body.Required {
			member := body.Properties[name]
			if m := op.resolve(member); m.Type == huma.TypeArray && m.Items != nil && op.resolve(m.Items).Type == huma.TypeObject {
				return name
			}
		}
	}
	return ""
}

// resolve follows schema references.
func (op operation) resolve(s *huma.Schema) *huma.Schema {
	for s.Ref != "" {
		s = op.schemas.SchemaFromRef(s.Ref)
	}
	return s
}

// paged walks a list with cursor pagination: each record appears once, and forged cursors are refused.
func (e *examination) paged(r Record) {
	op, ok := e.operationAt(http.MethodGet, r.Path)
	if !ok || e.Unpaged[r.Path] != "" {
		return
	}
	member := listMember(op)
	wanted := map[string]int{}
	for range 3 {
		key, _ := e.make(r)
		wanted[key] = 0
	}
	cursor := ""
	pages := 0
	for pages < 100 {
		pages++
		answer := e.Server.Do(e, "root", http.MethodGet, r.Path+"?limit=1&cursor="+url.QueryEscape(cursor), nil)
		page := Decode[map[string]any](e, answer)
		list, _ := page[member].([]any)
		for _, record := range list {
			if found, ok := record.(map[string]any); ok {
				if key, _ := found[r.key()].(string); key != "" {
					wanted[key]++
				}
			}
		}
		if cursor, _ = page["nextCursor"].(string); cursor == "" {
			break
		}
	}
	for key, n := range wanted {
		if n != 1 {
			e.report(Paged, "%s lists the record %s %d times in %d pages of one", op.OperationID, key, n, pages)
		}
	}
	if pages < 3 {
		e.report(Paged, "%s answers three records in %d pages of one", op.OperationID, pages)
	}
	for _, query := range []string{"?limit=0", "?limit=1000000", "?cursor=unheard-of"} {
		if answer := e.Server.Do(e, "root", http.MethodGet, r.Path+query, nil); answer.Status != problem.Invalid.Status() {
			e.report(Paged, "%s answers %s with %d", op.OperationID, query, answer.Status)
		}
	}
}

// drift requires that a change or deletion based on a stale revision is refused and changes nothing (optimistic
// concurrency).
func (e *examination) drift(r Record) {
	key, etag := e.make(r)
	path := fill(r.at(), key)
	if _, ok := e.operationAt(http.MethodGet, r.at()); ok {
		if read := e.Server.Do(e, "root", http.MethodGet, path, nil).Header.Get("ETag"); read == "" || read != etag {
			e.report(Drift, "%s is made with the ETag %s and read with %s", r.Path, etag, read)
		}
	}
	for _, method := range []string{http.MethodPatch, http.MethodDelete} {
		op, ok := e.operationAt(method, r.at())
		if !ok || method == http.MethodPatch && r.Change == nil {
			continue
		}
		var body any
		if method == http.MethodPatch {
			body = r.Change
		}
		before := e.rows()
		if answer := e.Server.Do(e, "root", method, path, body, "If-Match", `"999999"`); answer.Status != problem.Precondition.Status() {
			e.report(Drift, "%s answers a change that is based on another revision with %d", op.OperationID, answer.Status)
			continue
		}
		e.unchanged(before, "a refused "+op.OperationID)
		answer := e.Server.Do(e, "root", method, path, body, "If-Match", etag)
		if answer.Status >= 300 {
			e.report(Drift, "%s answers a change that is based on the last revision with %s", op.OperationID, answer.Body)
			continue
		}
		next := answer.Header.Get("ETag")
		if method == http.MethodPatch && (next == "" || next == etag) {
			e.report(Drift, "%s changes a record whose ETag stays %s", op.OperationID, etag)
		}
		etag = next
	}
}

// refusals requires that every operation answers callers without visibility exactly as if the record did not exist.
func (e *examination) refusals(r Record) {
	key, _ := e.make(r)
	nowhere := r.nowhere()
	for _, who := range []string{"nobody", "stranger"} {
		if e.Server.Do(e, who, http.MethodGet, fill(r.at(), key), nil).Status < 300 {
			continue
		}
		for _, op := range e.own {
			part, below := strings.CutPrefix(op.Path, r.at())
			if !below {
				continue
			}
			body, given := r.Parts[part]
			if part == "" && op.Method == http.MethodPatch {
				body, given = r.Change, true
			}
			if !given && op.RequestBody != nil {
				body = map[string]any{}
			}
			there, said := e.recorded(who, op.Method, op.Path, body, key, nowhere)
			missing, saidOfNone := e.recorded(who, op.Method, op.Path, body, nowhere, nowhere)
			if there < 400 || there != missing || said != saidOfNone {
				e.report(Refusals, "%s tells %s of a record %d %s and of none %d %s", op.OperationID, who, there, said, missing, saidOfNone)
			}
		}
	}
}

// anonymous requires that every operation refuses anonymous callers with the same text.
func (e *examination) anonymous() {
	words := ""
	for _, op := range e.own {
		if rest.IsPublic(op.Operation) {
			if !slices.Contains(e.Public, op.OperationID) {
				e.report(Refusals, "%s is open to everybody", op.OperationID)
			}
			continue
		}
		var body any
		if op.RequestBody != nil {
			body = map[string]any{}
		}
		for _, key := range []string{uuid.NewString(), "x"} {
			answer := e.Server.Do(e, "", op.Method, fill(op.Path, key), body)
			if words == "" {
				words = answer.Body
			}
			if answer.Status != http.StatusUnauthorized || answer.Body != words {
				e.report(Refusals, "%s answers those who have not signed in with %d %s", op.OperationID, answer.Status, answer.Body)
				break
			}
		}
	}
}
