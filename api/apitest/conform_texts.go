package apitest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

// endless is the length of a text that exceeds every field.
const endless = 200_001

// hostile are Unicode characters that make a text look like another (confusables, bidi controls) or act on the terminal
// or page that shows it.
func hostile() []rune {
	return []rune{
		0x202E,
		0x2066,
		0x200B,
		0x2060,
		0xE0041,
		0x0000,
		0x0007,
		0x200D,
		0x2061,
		0x206A,
		0x115F,
		0x3164,
		0xFFA0,
		0xFE00,
		0xFE0F,
		0xE0100,
		0xE01EF,
	}
}

// place is the location of a text in an input: member names from the outside in. A last part [] is an element of a
// list.
type place struct {
	path []string
	// free marks a record with members of any name, where only the size is bounded.
	free bool
	// size is a length that exceeds the field, endless when 0.
	size int
}

func (p place) String() string { return strings.Join(p.path, ".") }

// put returns a copy of the input with a text at this place.
func (p place) put(in map[string]any, value string) map[string]any {
	name := p.path[0]
	switch {
	case len(p.path) == 1 && p.free:
		return with(in, name, map[string]any{"key": value})
	case len(p.path) == 1:
		return with(in, name, value)
	case p.path[1] == "[]" && len(p.path) == 2:
		return with(in, name, []any{value})
	case p.path[1] == "[]":
		list, _ := in[name].([]any)
		inner := map[string]any{}
		if len(list) > 0 {
			inner, _ = list[0].(map[string]any)
		}
		return with(in, name, append([]any{place{path: p.path[2:], free: p.free}.put(inner, value)}, list[min(1, len(list)):]...))
	default:
		inner, _ := in[name].(map[string]any)
		return with(in, name, place{path: p.path[1:], free: p.free}.put(inner, value))
	}
}

// recordTexts sends overlong and disguising texts to every text field that creates or changes a record.
func (e *examination) recordTexts(r Record) {
	for _, method := range []string{http.MethodPost, http.MethodPatch} {
		path := r.Path
		if method == http.MethodPatch {
			path = r.at()
		}
		op, ok := e.operationAt(method, path)
		if !ok || op.RequestBody == nil {
			continue
		}
		for _, p := range op.places(op.RequestBody.Content["application/json"].Schema, nil) {
			e.feed(op.OperationID, p, slices.Contains(r.Opaque, p.path[0]), func(value string) (string, error) {
				e.made++
				body, at := r.New(e.made), r.Path
				if method == http.MethodPatch {
					key, _ := e.make(r)
					body, at = map[string]any{}, fill(path, key)
				}
				answer := e.Server.Do(e, "root", method, at, e.plain(p.put(e.plain(body), value)))
				if answer.Status >= 500 {
					return "", fmt.Errorf("%s", answer.Body)
				}
				if answer.Status >= 400 {
					return "", problem.Errorf(problem.Invalid, "%s", answer.Body)
				}
				return answer.Body, nil
			})
		}
	}
}

// plain converts a value to its JSON form, so that its lists are []any.
func (e *examination) plain(v map[string]any) map[string]any {
	var plain map[string]any
	if err := json.Unmarshal(raw(e, v), &plain); err != nil {
		e.Fatal(err)
	}
	return plain
}

// places lists the text fields of a request body.
func (op operation) places(s *huma.Schema, path []string) []place {
	s = op.resolve(s)
	switch {
	case len(path) > 6:
		return nil
	case s.Type == huma.TypeString && s.Format == "" && len(s.Enum) == 0:
		return []place{{path: path}}
	case s.Type == huma.TypeArray && s.Items != nil:
		return op.places(s.Items, append(slices.Clone(path), "[]"))
	case s.Type == huma.TypeObject && len(s.Properties) == 0:
		return []place{{path: path, free: true}}
	}
	var found []place
	for _, name := range sorted(s.Properties) {
		if member := op.resolve(s.Properties[name]); !member.ReadOnly {
			found = append(found, op.places(member, append(slices.Clone(path), name))...)
		}
	}
	return found
}

// places lists the text fields of a tool's input.
func (n node) places(path []string) []place {
	switch {
	case n.Type == "string" && n.Format == "" && len(n.Enum) == 0:
		return []place{{path: path}}
	case n.Type == "array" && n.Items != nil:
		return n.Items.places(append(slices.Clone(path), "[]"))
	case n.Type == "object" && len(n.Properties) == 0 && len(path) > 0:
		return []place{{path: path, free: true, size: kit.MaxInputBytes}}
	}
	var found []place
	for _, name := range sorted(n.Properties) {
		found = append(found, n.Properties[name].places(append(slices.Clone(path), name))...)
	}
	return found
}

// toolTexts does the same for every text field of a tool. Search texts of reads may be any bounded text; displayed
// questions and proposed writes may not disguise.
func (e *examination) toolTexts(t tool.Tool, in map[string]any) {
	opaque := t.Effect == tool.Read && !t.Result.Question
	for _, p := range e.schema(t.Input).places(nil) {
		e.feed(t.Name, p, opaque, func(value string) (string, error) {
			input := raw(e, p.put(e.plain(in), value))
			if t.Effect == tool.Read {
				out, err := t.Run(e.Context(), e.Server.Caller("root"), input)
				return string(raw(e, out)), err
			}
			proposed, err := t.DryRun(e.Context(), e.Server.Caller("root"), input)
			return proposed.Summary + string(proposed.Payload), err
		})
	}
}

// feed sends invalid texts to a field; send returns the resulting text.
func (e *examination) feed(what string, p place, opaque bool, send func(value string) (string, error)) {
	size := cmp.Or(p.size, endless)
	switch _, err := send(strings.Repeat("x", size)); {
	case err == nil:
		e.report(Bounded, "%s takes a text of %d characters in %s", what, size, p)
	case !refused(err):
		e.report(Bounded, "%s fails at a text of %d characters in %s: %v", what, size, p, err)
	}
	if opaque || p.free {
		return
	}
	var kept []string
	for _, r := range hostile() {
		got, err := send("a" + string(r) + "b")
		switch {
		case err != nil && !refused(err):
			e.report(Plain, "%s fails at the character %U in %s: %v", what, r, p, err)
		case err == nil && holds(got, r):
			kept = append(kept, fmt.Sprintf("%U", r))
		}
	}
	if len(kept) > 0 {
		e.report(Plain, "%s keeps in %s the characters %s", what, p, strings.Join(kept, ", "))
	}
}

// refused reports whether an error is a refusal of the input rather than a failure of the work.
func refused(err error) bool {
	e, ok := errors.AsType[*problem.Error](err)
	return ok && e.Code.Status() < 500
}

// holds reports whether JSON or text contains a character, in any spelling.
func holds(content string, r rune) bool {
	escaped := strings.Trim(string(must(json.Marshal(string(r)))), `"`)
	return strings.ContainsRune(content, r) || strings.Contains(content, escaped)
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}

func sorted[V any](members map[string]V) []string {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
