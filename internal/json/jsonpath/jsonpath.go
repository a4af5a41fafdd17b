// Package jsonpath finds values in JSON by the paths of RFC 9535. It passes the compliance test suite of that standard, and
// bounds the work of a query, because path and document may come from an attacker.
package jsonpath

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

const (
	// MaxLength bounds a path, in bytes.
	MaxLength = 2_000
	// maxNesting bounds filters and parentheses in one another.
	maxNesting = 20
)

// ErrWork is that a query looked at more than it was allowed to.
var ErrWork = errors.New("jsonpath: the query looks at too much")

// Path is a query that was parsed. It is safe for concurrent use.
type Path struct {
	segments []segment
	text     string
}

func (p *Path) String() string { return p.text }

// OneOfBeginning reports whether the path selects one member or element at most, counted from the beginning, so that more
// members and elements after those of the document do not change what it selects.
func (p *Path) OneOfBeginning() bool {
	for _, s := range p.segments {
		for _, selected := range s.selectors {
			if at, ok := selected.(indexSelector); ok && at < 0 {
				return false
			}
		}
	}
	return len(p.segments) > 0 && filterQuery{segments: p.segments}.singular()
}

// segment goes from each node to some of its children, or of its descendants.
type segment struct {
	descends  bool
	selectors []selector
}

// selector picks children of a node.
type selector interface {
	pick(e *evaluation, node any, to func(any))
}

// evaluation is one query of one document.
type evaluation struct {
	root any
	work int
}

// spend ends the query when the work is used up.
func (e *evaluation) spend(n int) {
	if e.work -= n; e.work < 0 {
		panic(ErrWork)
	}
}

// Select finds the values of a path in a document as encoding/json decodes it, with numbers as float64 or json.Number.
// Members of an object come in the order of their names. work is about how many nodes may be looked at; over it the
// error is ErrWork.
func (p *Path) Select(document any, work int) (found []any, err error) {
	e := &evaluation{root: document, work: work}
	defer func() {
		if cause := recover(); cause != nil {
			ended, ok := cause.(error)
			if !ok || !errors.Is(ended, ErrWork) {
				panic(cause)
			}
			found, err = nil, ErrWork
		}
	}()
	return e.query(p.segments, document), nil
}

func (e *evaluation) query(segments []segment, from any) []any {
	nodes := []any{from}
	for _, s := range segments {
		var next []any
		to := func(v any) {
			e.spend(1)
			next = append(next, v)
		}
		for _, n := range nodes {
			if s.descends {
				e.descend(s.selectors, n, to)
				continue
			}
			for _, pick := range s.selectors {
				e.spend(1)
				pick.pick(e, n, to)
			}
		}
		nodes = next
	}
	return nodes
}

func (e *evaluation) descend(selectors []selector, node any, to func(any)) {
	e.spend(1)
	for _, pick := range selectors {
		pick.pick(e, node, to)
	}
	children(node, func(c any) { e.descend(selectors, c, to) })
}

// children are the elements of a list, or the values of an object in the order of the names.
func children(node any, to func(any)) {
	switch v := node.(type) {
	case []any:
		for _, c := range v {
			to(c)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			to(v[name])
		}
	}
}

type (
	nameSelector     string
	wildcardSelector struct{}
	indexSelector    int64
	sliceSelector    struct{ start, end, step *int64 }
	filterSelector   struct{ condition logical }
)

func (s nameSelector) pick(_ *evaluation, node any, to func(any)) {
	if object, ok := node.(map[string]any); ok {
		if v, ok := object[string(s)]; ok {
			to(v)
		}
	}
}

func (wildcardSelector) pick(_ *evaluation, node any, to func(any)) { children(node, to) }

func (s indexSelector) pick(_ *evaluation, node any, to func(any)) {
	list, ok := node.([]any)
	if !ok {
		return
	}
	i := int64(s)
	if i < 0 {
		i += int64(len(list))
	}
	if i >= 0 && i < int64(len(list)) {
		to(list[i])
	}
}

func (s sliceSelector) pick(e *evaluation, node any, to func(any)) {
	list, ok := node.([]any)
	if !ok {
		return
	}
	n, step := int64(len(list)), int64(1)
	if s.step != nil {
		step = *s.step
	}
	bound := func(given *int64, otherwise, low, high int64) int64 {
		if given == nil {
			return otherwise
		}
		i := *given
		if i < 0 {
			i += n
		}
		return min(max(i, low), high)
	}
	switch {
	case step > 0:
		for i, end := bound(s.start, 0, 0, n), bound(s.end, n, 0, n); i < end; i += step {
			to(list[i])
			if step > end {
				break
			}
		}
	case step < 0:
		for i, end := bound(s.start, n-1, -1, n-1), bound(s.end, -1, -1, n-1); i > end; i += step {
			to(list[i])
			if step < -n {
				break
			}
		}
	}
	e.spend(1)
}

func (s filterSelector) pick(e *evaluation, node any, to func(any)) {
	children(node, func(c any) {
		e.spend(1)
		if s.condition.holds(e, c) {
			to(c)
		}
	})
}

// number is a value as a number.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	default:
		return 0, false
	}
}
