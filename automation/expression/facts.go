package expression

import (
	"maps"
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// Variant is one of the triggers that can have started a run.
type Variant struct {
	// ID is that of the trigger, Event its type of events.
	ID, Event string
	Payload   Type
}

// Types are those of the roots that an expression may name, with what is known where it stands.
type Types struct {
	// Roots are by name, trigger without its payload where there are Variants.
	Roots map[string]Type
	// Absent says of the other roots why they do not exist here, in a sentence.
	Absent map[string]string
	// Variants give trigger.payload its type: only one of them happened.
	Variants []Variant
	// Known are facts that hold where the expression stands, such as the condition of the branch around it.
	Known Facts
}

// Facts are what a true condition says about paths. The zero Facts say nothing.
type Facts struct {
	// present are paths that exist.
	present map[string]bool
	// impossible are the indexes of variants that did not happen.
	impossible map[int]bool
}

// And is what two conditions say that both hold.
func (f Facts) And(g Facts) Facts {
	return Facts{present: merged(f.present, g.present), impossible: merged(f.impossible, g.impossible)}
}

// Or is what is known where one of two conditions holds.
func (f Facts) Or(g Facts) Facts {
	return Facts{present: shared(f.present, g.present), impossible: shared(f.impossible, g.impossible)}
}

func merged[K comparable](a, b map[K]bool) map[K]bool {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	m := maps.Clone(a)
	maps.Copy(m, b)
	return m
}

func shared[K comparable](a, b map[K]bool) map[K]bool {
	m := map[K]bool{}
	for k := range a {
		if b[k] {
			m[k] = true
		}
	}
	return m
}

// FactsOf are the facts that hold where an expression is true, or where it is false.
func FactsOf(text string, t Types, truth bool) Facts {
	tree, problems := parse(text)
	if len(problems) > 0 {
		return Facts{}
	}
	return factsOf(tree.Expr(), t, truth)
}

func factsOf(e ast.Expr, t Types, truth bool) Facts {
	if e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly() && truth {
		return presence(e)
	}
	if e.Kind() != ast.CallKind {
		return Facts{}
	}
	call := e.AsCall()
	switch args := call.Args(); call.FunctionName() {
	case operators.LogicalNot:
		return factsOf(args[0], t, !truth)
	case operators.LogicalAnd, operators.LogicalOr:
		left, right := factsOf(args[0], t, truth), factsOf(args[1], t, truth)
		if (call.FunctionName() == operators.LogicalAnd) == truth {
			return left.And(right)
		}
		return left.Or(right)
	case operators.Equals, operators.NotEquals:
		for i, side := range args {
			if value, ok := literalText(args[1-i]); ok {
				return variantFacts(side, t, []string{value}, (call.FunctionName() == operators.Equals) == truth)
			}
		}
	case operators.In:
		if args[1].Kind() != ast.ListKind {
			return Facts{}
		}
		var values []string
		for _, element := range args[1].AsList().Elements() {
			value, ok := literalText(element)
			if !ok {
				return Facts{}
			}
			values = append(values, value)
		}
		return variantFacts(args[0], t, values, truth)
	}
	return Facts{}
}

// presence says that the path of a has() exists, with those on the way.
func presence(e ast.Expr) Facts {
	f := Facts{present: map[string]bool{}}
	if path, ok := pathText(e.AsSelect().Operand()); ok {
		f.present[path+memberText(e.AsSelect().FieldName())] = true
	}
	for e = e.AsSelect().Operand(); ; {
		path, ok := pathText(e)
		if ok {
			f.present[path] = true
		}
		switch {
		case e.Kind() == ast.SelectKind:
			e = e.AsSelect().Operand()
		case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.Index:
			e = e.AsCall().Args()[0]
		default:
			return f
		}
	}
}

// variantFacts are those of a comparison of trigger.event or trigger.id with constants.
func variantFacts(side ast.Expr, t Types, values []string, equal bool) Facts {
	path, _ := pathText(side)
	if path != "trigger.event" && path != "trigger.id" {
		return Facts{}
	}
	f := Facts{impossible: map[int]bool{}}
	for i, v := range t.Variants {
		name := v.Event
		if path == "trigger.id" {
			name = v.ID
		}
		if slices.Contains(values, name) != equal {
			f.impossible[i] = true
		}
	}
	return f
}

func literalText(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

// pathText is the text of a path without dynamic parts.
func pathText(e ast.Expr) (string, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		if e.AsIdent() == hiddenVar {
			return "var", true
		}
		return e.AsIdent(), true
	case ast.SelectKind:
		before, ok := pathText(e.AsSelect().Operand())
		return before + memberText(e.AsSelect().FieldName()), ok && !e.AsSelect().IsTestOnly()
	case ast.CallKind:
		call := e.AsCall()
		if call.FunctionName() != operators.Index || len(call.Args()) != 2 {
			return "", false
		}
		before, ok := pathText(call.Args()[0])
		if key, isText := literalText(call.Args()[1]); isText {
			return before + memberText(key), ok
		}
		if index, isPath := pathText(call.Args()[1]); isPath {
			return before + "[" + index + "]", ok
		}
		return "", false
	default:
		return "", false
	}
}
