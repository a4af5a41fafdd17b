package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"countersign/check/assertion"
	"countersign/internal/text"
)

// Limits of a report.
const (
	maxText     = 2_000 // bytes of a text in a result
	maxElements = 50    // of a list or an object
	maxNesting  = 8
	maxResult   = 16 << 10 // bytes of a result
	maxSeen     = 500      // bytes of an observed value
	maxMessage  = 1_000
)

// Incomplete is a result with fields that may hold a part of the target's answer only.
type Incomplete interface {
	// Incomplete says why the value of a field is not whole, such as "only the first 1 MiB was looked at"; empty if it is.
	Incomplete(field string) string
}

// Circumstance is a result with something to say about all assertions that did not hold.
type Circumstance interface {
	// Circumstance is what a sentence adds in parentheses, such as "after a redirect to https://example.com/"; empty for nothing.
	Circumstance() string
}

// circumstance is what a failed assertion about a value adds to its sentence.
func circumstance(value any) string {
	if c, ok := value.(Circumstance); ok {
		return c.Circumstance()
	}
	return ""
}

// cut says why the value that an assertion is about is not whole; empty if it is.
func cut(a *assertion.Compiled, value any) string {
	if part, ok := value.(Incomplete); ok {
		return part.Incomplete(a.Source.Field)
	}
	return ""
}

// held reports whether an assertion is true of a value, as far as that can be told from the part that was looked at.
func held(a *assertion.Compiled, s *assertion.Subject, value any) bool {
	return a.Held(s) && (cut(a, value) == "" || !a.NeedsWhole(s))
}

// report builds the report of a run. The values of secrets are masked before anything is cut.
func (e *execution) report(worst *Failure) Report {
	out := Report{Collectors: make([]CollectorReport, len(e.results))}
	var unmet []string
	for i := range e.results {
		r, c := &e.results[i], &e.p.compiled.collectors[i]
		cr := CollectorReport{ID: c.id, CollectorID: c.kind.ID}
		if r.failure != nil {
			cr.Error = e.shown(r.failure.Message)
		}
		if r.value != nil {
			cr.Result = e.result(c.kind.Result, r.value)
		}
		for _, a := range c.assertions {
			ar := e.evaluate(a, r, c.kind.Result)
			if !ar.Held && r.judged() {
				unmet = append(unmet, failureMessage(assertion.Expectation(a.Source), ar, e.shown(circumstance(r.value))))
			}
			cr.Assertions = append(cr.Assertions, ar)
		}
		out.Collectors[i] = cr
	}
	switch {
	case worst != nil && (worst.Cause.AboutTarget() || len(unmet) == 0):
		out.Message = e.shown(worst.Message)
	case len(unmet) == 1:
		out.Message = unmet[0]
	case len(unmet) > 1:
		out.Message = fmt.Sprintf("%s (and %d more did not hold)", unmet[0], len(unmet)-1)
	}
	return out
}

// failureMessage describes a failed assertion, such as: Expected statusCode = 200, got 503.
func failureMessage(expectation string, a AssertionReport, circumstance string) string {
	says := "Expected " + expectation
	switch {
	case a.Problem != "":
		says += ", but " + a.Problem
	case len(a.Observed) > 0:
		says += ", got " + string(a.Observed)
	}
	if circumstance != "" {
		says += " (" + circumstance + ")"
	}
	return says + "."
}

// evaluate reports an assertion. It evaluates the assertion again, because runs without a report only need whether it
// held.
func (e *execution) evaluate(a *assertion.Compiled, r *result, s *Schema) AssertionReport {
	out := AssertionReport{Text: assertion.Words(a.Source)}
	if r.value == nil {
		out.Problem = "there is no result"
		return out
	}
	subject := assertion.NewSubject(r.value)
	j := a.Judge(&subject)
	out.Held, out.Problem = j.Held, j.Problem
	if note := cut(a, r.value); note != "" && (!out.Held || a.NeedsWhole(&subject)) {
		out.Held = false
		if out.Problem != "" {
			out.Problem += "; "
		}
		out.Problem += note
	}
	field := s.Field(a.Source.Field)
	if j.Observed != nil && (e.p.whole || !field.Ephemeral || a.Source.JSONPath != "") {
		out.Observed = e.bounded(j.Observed, maxSeen)
	}
	return out
}

// result encodes the result of a collector without ephemeral fields.
func (e *execution) result(s *Schema, value any) json.RawMessage {
	v := reflect.Indirect(reflect.ValueOf(value))
	var b bytes.Buffer
	b.WriteByte('{')
	for _, f := range s.fields {
		member, there := subjectField(v, f.Index)
		if f.Ephemeral && !e.p.whole || !there {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(f.Name)
		b.Write(name)
		b.WriteByte(':')
		b.Write(e.bounded(member.Interface(), maxText))
		if b.Len() > maxResult {
			break
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}

func subjectField(v reflect.Value, index []int) (reflect.Value, bool) {
	s := assertion.SubjectOf(v)
	found := s.Field(index)
	return found, found.IsValid()
}

// bounded encodes a value in JSON, masked and then cut.
func (e *execution) bounded(value any, most int) json.RawMessage {
	if said, ok := value.(string); ok {
		raw, _ := json.Marshal(text.Clip(e.p.masker.Text(said), most))
		return raw
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage(`null`)
	}
	raw = e.p.masker.JSON(raw)
	if len(raw) <= most {
		return raw
	}
	tree, err := decodeTree(raw)
	if err != nil {
		return json.RawMessage(`null`)
	}
	room := most
	cut, _ := json.Marshal(cutTree(tree, &room, 0))
	return cut
}

// cutTree removes values beyond the available room.
func cutTree(value any, room *int, depth int) any {
	switch v := value.(type) {
	case string:
		v = text.Clip(v, max(*room, 0))
		*room -= len(v) + 2
		return v
	case []any:
		kept := []any{}
		for i, element := range v {
			if *room <= 0 || i == maxElements || depth == maxNesting {
				break
			}
			kept = append(kept, cutTree(element, room, depth+1))
		}
		return kept
	case map[string]any:
		kept := map[string]any{}
		for name, member := range v {
			if *room <= 0 || len(kept) == maxElements || depth == maxNesting {
				break
			}
			*room -= len(name) + 4
			kept[name] = cutTree(member, room, depth+1)
		}
		return kept
	default:
		*room -= 8
		return v
	}
}

// shown cleans a sentence for display.
func (e *execution) shown(sentence string) string {
	return strings.TrimSpace(text.Clip(e.p.masker.Text(sentence), maxMessage))
}
