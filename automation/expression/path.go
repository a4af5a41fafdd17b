package expression

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// bindings gives the values of roots to an evaluation. Each root is decoded when it is first named.
type bindings struct {
	scope Scope
	known map[string]any
	// broken is the error of a root that is no JSON.
	broken error
}

func bind(s Scope) *bindings { return &bindings{scope: s, known: map[string]any{}} }

// ResolveName implements the activation of CEL.
func (b *bindings) ResolveName(name string) (any, bool) {
	if name == hiddenVar {
		name = "var"
	}
	if v, ok := b.known[name]; ok {
		return v, true
	}
	if name == "now" {
		v := types.Timestamp{Time: b.scope.Now.UTC()}
		b.known[name] = v
		return v, true
	}
	if !slices.Contains(Roots(), name) {
		return nil, false
	}
	value, err := b.scope.root(name)
	if err != nil {
		b.broken = fmt.Errorf("decode the root %s of an expression: %w", name, err)
	}
	if value == nil {
		value = map[string]any{}
	}
	b.known[name] = value
	return value, true
}

// Parent implements the activation of CEL.
func (b *bindings) Parent() cel.Activation { return nil }

// place is a path of an expression with its value in a scope.
type place struct {
	// text is such as trigger.payload.systemId.
	text  string
	value any
	found bool
	// missing is the first part that does not exist, and in is the value that should have it.
	missing string
	in      any
	before  string
}

// places are the longest paths in an expression that begin with a root. Those that has() asks for are among them.
func places(tree *ast.AST, b *bindings) []place {
	var out []place
	var walk func(e ast.Expr, bound []string)
	walk = func(e ast.Expr, bound []string) {
		if p, ok := resolve(e, b, bound); ok {
			if !slices.ContainsFunc(out, func(o place) bool { return o.text == p.text }) {
				out = append(out, p)
			}
			for e.Kind() != ast.IdentKind { // The indexes on the way are expressions too.
				if e.Kind() == ast.SelectKind {
					e = e.AsSelect().Operand()
					continue
				}
				walk(e.AsCall().Args()[1], bound)
				e = e.AsCall().Args()[0]
			}
			return
		}
		children(e, bound, walk)
	}
	walk(tree.Expr(), nil)
	return out
}

// children visits the expressions in another one, each with the variables of loops that it sees.
func children(e ast.Expr, bound []string, visit func(ast.Expr, []string)) {
	each := func(list ...ast.Expr) {
		for _, c := range list {
			visit(c, bound)
		}
	}
	switch e.Kind() {
	case ast.CallKind:
		if call := e.AsCall(); call.IsMemberFunction() {
			visit(call.Target(), bound)
		}
		each(e.AsCall().Args()...)
	case ast.SelectKind:
		visit(e.AsSelect().Operand(), bound)
	case ast.ListKind:
		each(e.AsList().Elements()...)
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			each(entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		visit(c.IterRange(), bound)
		bound = append(slices.Clone(bound), c.IterVar(), c.AccuVar())
		each(c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result())
	}
}

// resolve follows a path. It is none where a part of it is a call or a variable of a loop.
func resolve(e ast.Expr, b *bindings, bound []string) (place, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		name := e.AsIdent()
		if slices.Contains(bound, name) {
			return place{}, false
		}
		value, ok := b.ResolveName(name)
		if name == hiddenVar {
			name = "var"
		}
		return place{text: name, value: value, found: ok}, ok
	case ast.SelectKind:
		p, ok := resolve(e.AsSelect().Operand(), b, bound)
		if !ok {
			return place{}, false
		}
		return p.member(e.AsSelect().FieldName(), memberText(e.AsSelect().FieldName())), true
	case ast.CallKind:
		call := e.AsCall()
		if call.FunctionName() != operators.Index || len(call.Args()) != 2 {
			return place{}, false
		}
		p, ok := resolve(call.Args()[0], b, bound)
		if !ok {
			return place{}, false
		}
		var key any
		if index := call.Args()[1]; index.Kind() == ast.LiteralKind {
			key = index.AsLiteral().Value()
		} else if q, ok := resolve(index, b, bound); ok && q.found {
			key = q.value
		} else {
			return place{}, false
		}
		if s, ok := key.(string); ok {
			return p.member(s, memberText(s)), true
		}
		return p.element(key)
	default:
		return place{}, false
	}
}

func (p place) member(name, text string) place {
	next := place{text: p.text + text, missing: p.missing, in: p.in, before: p.before}
	if !p.found {
		return next
	}
	if object, ok := p.value.(map[string]any); ok {
		if next.value, next.found = object[name]; next.found {
			return next
		}
	}
	next.missing, next.in, next.before = name, p.value, p.text
	return next
}

func (p place) element(key any) (place, bool) {
	n, ok := key.(int64)
	if !ok {
		return place{}, false
	}
	text := strconv.FormatInt(n, 10)
	next := place{text: p.text + "[" + text + "]", missing: p.missing, in: p.in, before: p.before}
	if !p.found {
		return next, true
	}
	if list, ok := p.value.([]any); ok && n >= 0 && n < int64(len(list)) {
		next.value, next.found = list[n], true
		return next, true
	}
	next.missing, next.in, next.before = text, p.value, p.text
	return next, true
}

// memberText is how a path goes on to a member.
func memberText(name string) string {
	if _, end := token(name+" ", 0); name != "" && isLetter(name[0]) && end == len(name) {
		return "." + name
	}
	return "[" + strconv.Quote(name) + "]"
}

// kindOf names the kind of a value in a sentence.
func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case string:
		return "a text"
	case int64, float64:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	default:
		return "a time"
	}
}

// shown is a value for people: long ones are cut, and large ones are described.
func shown(value any) json.RawMessage {
	const maxShown, maxCharacters = 2000, 500
	if s, ok := value.(string); ok && utf8.RuneCountInString(s) > maxCharacters {
		value = string([]rune(s)[:maxCharacters]) + "…"
	}
	if t, ok := value.(types.Timestamp); ok {
		value = t.Time
	}
	raw, err := json.Marshal(value)
	if err == nil && len(raw) <= maxShown {
		return raw
	}
	description := "a value"
	switch v := value.(type) {
	case []any:
		description = fmt.Sprintf("a list of %d", len(v))
	case map[string]any:
		description = fmt.Sprintf("an object with %d members", len(v))
	}
	raw, _ = json.Marshal(description) // A string has no error.
	return raw
}
