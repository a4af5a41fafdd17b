package expression

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"countersign/internal/text/search"
)

// Check finds the type of an expression, and every error that is certain before any value is known.
func Check(text string, t Types) (Type, []Problem) {
	tree, problems := parse(text)
	if len(problems) > 0 {
		return Type{}, problems
	}
	c := &checker{text: text, tree: tree, types: t, named: map[string]bool{}}
	of := c.expr(tree.Expr(), around{facts: t.Known})
	slices.SortStableFunc(c.problems, func(a, b Problem) int { return a.Offset - b.Offset })
	return of, c.problems
}

// CheckKind is Check for an expression that has to give a value of one of the kinds.
func CheckKind(text string, t Types, kinds ...Kind) (Type, []Problem) {
	of, problems := Check(text, t)
	if len(problems) == 0 && !of.any() && !slices.Contains(kinds, of.Kind) {
		problems = append(problems, at(text, 0, fmt.Sprintf("The expression has to give %s, and gives %s.", Of(kinds[0]).words(), of.words())))
	}
	return of, problems
}

// CheckTemplate checks the templates in a text. The type is that of the only template where the text is nothing else. Offsets of problems
// are those in the text.
func CheckTemplate(text string, t Types) (of Type, templated bool, problems []Problem) {
	found, wrong := parts(text)
	if wrong != nil {
		return Type{}, true, []Problem{*wrong}
	}
	for _, p := range found {
		if !p.expression {
			continue
		}
		templated = true
		one, inside := Check(p.text, t)
		for _, i := range inside {
			moved := at(text, p.offset+i.Offset, i.Message)
			moved.Nearest, moved.Warning = i.Nearest, i.Warning
			problems = append(problems, moved)
		}
		if of = Of(KindText); len(found) == 1 {
			of = one
		}
	}
	if !templated {
		of = Of(KindText)
	}
	return of, templated, problems
}

// around is what is known at a place in an expression.
type around struct {
	facts Facts
	// vars are the variables of loops.
	vars map[string]Type
}

type checker struct {
	text     string
	tree     *ast.AST
	types    Types
	problems []Problem
	// named are the paths with a problem, each of which is named once.
	named map[string]bool
}

// offset is the byte offset at which an expression begins.
func (c *checker) offset(e ast.Expr) int {
	for {
		switch {
		case e.Kind() == ast.SelectKind && !e.AsSelect().IsTestOnly():
			e = e.AsSelect().Operand()
		case e.Kind() == ast.CallKind && e.AsCall().IsMemberFunction():
			e = e.AsCall().Target()
		case e.Kind() == ast.CallKind && len(e.AsCall().Args()) == 2 &&
			(operatorNames[e.AsCall().FunctionName()] != "" || e.AsCall().FunctionName() == operators.Index):
			e = e.AsCall().Args()[0]
		default:
			return c.own(e)
		}
	}
}

// own is the byte offset of the operator, dot or bracket of an expression.
func (c *checker) own(e ast.Expr) int {
	r, ok := c.tree.SourceInfo().GetOffsetRange(e.ID())
	if !ok {
		return 0
	}
	offset := 0
	for range r.Start {
		offset = next(c.text, offset)
	}
	return min(offset, len(c.text))
}

// memberOffset is the byte offset of the member of a path.
func (c *checker) memberOffset(e ast.Expr) int {
	offset := c.own(e)
	if e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly() { // Its own place is that of has().
		from := c.own(e.AsSelect().Operand())
		if e.AsSelect().Operand().Kind() != ast.IdentKind {
			from++
		}
		return from + max(0, strings.Index(c.text[from:], "."+e.AsSelect().FieldName())) + 1
	}
	for offset < len(c.text) && strings.ContainsRune(".[ \t\n", rune(c.text[offset])) {
		offset++
	}
	return offset
}

func (c *checker) add(offset int, format string, args ...any) {
	c.problems = append(c.problems, at(c.text, offset, fmt.Sprintf(format, args...)))
}

func (c *checker) expr(e ast.Expr, in around) Type {
	switch e.Kind() {
	case ast.LiteralKind:
		return c.literal(e)
	case ast.IdentKind:
		return c.ident(e, in)
	case ast.SelectKind:
		return c.selected(e, in)
	case ast.CallKind:
		return c.call(e, in)
	case ast.ListKind:
		t := Type{Kind: KindList}
		for _, element := range e.AsList().Elements() {
			t.Item = joinItems(t.Item, c.expr(element, in))
		}
		return t
	case ast.MapKind:
		return c.object(e, in)
	case ast.ComprehensionKind:
		return c.loop(e, in)
	default:
		c.add(c.offset(e), "Objects of other types cannot be made here: write {\"name\": value}.")
		return Type{}
	}
}

func (c *checker) literal(e ast.Expr) Type {
	switch v := e.AsLiteral().(type) {
	case types.Null:
		return Of(KindNull)
	case types.Bool:
		return Of(KindBool)
	case types.String:
		return Type{Kind: KindText, Enum: []string{string(v)}}
	case types.Bytes:
		c.add(c.offset(e), "Bytes are no values here: write a text without the b before it.")
		return Type{}
	default:
		return Of(KindNumber)
	}
}

func (c *checker) ident(e ast.Expr, in around) Type {
	name := e.AsIdent()
	if t, ok := in.vars[name]; ok {
		return t
	}
	if name == hiddenVar {
		name = "var"
	}
	if t, ok := c.types.Roots[name]; ok {
		if name == "trigger" && len(c.types.Variants) > 0 {
			return c.trigger(t, in.facts)
		}
		return t
	}
	if why, ok := c.types.Absent[name]; ok {
		c.once(name, at(c.text, c.offset(e), why))
		return Type{}
	}
	known := slices.Concat(slices.Sorted(maps.Keys(c.types.Roots)), slices.Sorted(maps.Keys(in.vars)))
	known = slices.DeleteFunc(known, func(s string) bool { return strings.HasPrefix(s, "@") })
	c.once(name, unknownName(c.text, c.offset(e), name, known))
	return Type{}
}

// possible are the events of the variants that can have happened.
func (c *checker) possible(known Facts) []string {
	var events []string
	for i, v := range c.types.Variants {
		if !known.impossible[i] && !slices.Contains(events, v.Event) {
			events = append(events, v.Event)
		}
	}
	return events
}

// missingSomewhere marks the members that not all events have, until the message names those.
const missingSomewhere = "is missing in some events"

// trigger is the root with the payload of the variants that are possible.
func (c *checker) trigger(root Type, known Facts) Type {
	var joined *Type
	for i, v := range c.types.Variants {
		if known.impossible[i] {
			continue
		}
		if joined == nil {
			joined = &v.Payload
			continue
		}
		both := Union(*joined, v.Payload, missingSomewhere)
		joined = &both
	}
	if joined == nil {
		joined = &Type{}
	}
	payload := *joined
	if payload.Kind == KindObject {
		payload.Fields = maps.Clone(payload.Fields)
		for name, f := range payload.Fields {
			if f.Missing == "" {
				continue
			}
			var without []string
			for i, v := range c.types.Variants {
				if _, ok := v.Payload.Fields[name]; !ok && !known.impossible[i] && !slices.Contains(without, v.Event) {
					without = append(without, v.Event)
				}
			}
			f.Missing = "is no member of the events " + strings.Join(without, ", ")
			payload.Fields[name] = f
		}
	}
	root.Fields = maps.Clone(root.Fields)
	root.Fields["payload"] = Field{Type: payload}
	return root
}

// once adds the problem of a path unless it has one.
func (c *checker) once(path string, p Problem) {
	if !c.named[path] {
		c.named[path] = true
		c.problems = append(c.problems, p)
	}
}

func (c *checker) selected(e ast.Expr, in around) Type {
	s := e.AsSelect()
	if s.IsTestOnly() {
		c.test(e, in)
		return Of(KindBool)
	}
	before := c.expr(s.Operand(), in)
	return c.member(e, before, s.FieldName(), in, false)
}

// test checks the path of has(), whose last members may be missing, but must be possible.
func (c *checker) test(e ast.Expr, in around) {
	path := presence(e)
	in.facts = in.facts.And(path)
	s := e.AsSelect()
	c.member(e, c.expr(s.Operand(), in), s.FieldName(), in, true)
}

// member is the type of a member of a value.
func (c *checker) member(e ast.Expr, of Type, name string, in around, asked bool) Type {
	whole, known := pathOf(e)
	switch {
	case of.any():
		return Type{}
	case of.Kind == KindNull:
		return Type{}
	case of.Kind != KindObject:
		hint := ""
		if of.Kind == KindList {
			hint = " Take an element, as in [0], or use exists(), all(), filter() or map()."
		}
		c.once(whole, at(c.text, c.memberOffset(e), fmt.Sprintf("%s is %s and has no members.%s", quote(beforeText(e)), of.words(), hint)))
		return Type{}
	}
	f, ok := of.Fields[name]
	switch {
	case !ok && of.Rest != nil:
		return *of.Rest
	case !ok:
		where := ""
		if beforeText(e) == "trigger.payload" && len(c.types.Variants) > 0 {
			where = " in " + listed(c.possible(in.facts))
		}
		p := at(c.text, c.memberOffset(e), fmt.Sprintf("%s does not exist%s.", quote(beforeText(e)+memberText(name)), where))
		names := slices.Sorted(maps.Keys(of.Fields))
		if p.Nearest = search.Nearest(name, names); p.Nearest != "" {
			p.Message += " Did you mean " + p.Nearest + "?"
		} else if len(names) > 0 {
			p.Message += " There is " + listed(names) + "."
		}
		c.once(whole, p)
		return Type{}
	case asked || known && in.facts.present[whole]:
		return f.Type
	case f.Missing != "":
		c.once(whole, at(c.text, c.memberOffset(e), fmt.Sprintf("%s %s: ask has(%s) first.", quote(whole), f.Missing, whole)))
	case f.Optional:
		p := at(c.text, c.memberOffset(e), fmt.Sprintf("%s can be missing, and is an error then: ask has(%s) first.", quote(whole), whole))
		p.Warning = true
		c.once(whole, p)
	}
	return f.Type
}

func pathOf(e ast.Expr) (string, bool) {
	if e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly() {
		before, ok := pathText(e.AsSelect().Operand())
		return before + memberText(e.AsSelect().FieldName()), ok
	}
	return pathText(e)
}

// beforeText is the path before the last member, or a word for what is none.
func beforeText(e ast.Expr) string {
	operand := e
	if e.Kind() == ast.SelectKind {
		operand = e.AsSelect().Operand()
	} else if e.Kind() == ast.CallKind {
		operand = e.AsCall().Args()[0]
	}
	if path, ok := pathText(operand); ok {
		return path
	}
	return "(…)"
}

func listed(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and others"
	}
	return strings.Join(names, ", ")
}

func (c *checker) object(e ast.Expr, in around) Type {
	t := Type{Kind: KindObject, Fields: map[string]Field{}}
	for _, entry := range e.AsMap().Entries() {
		m := entry.AsMapEntry()
		value := c.expr(m.Value(), in)
		if key, ok := literalText(m.Key()); ok {
			t.Fields[key] = Field{Type: value}
			continue
		}
		if key := c.expr(m.Key(), in); !key.any() && key.Kind != KindText {
			c.add(c.offset(m.Key()), "A name of a member is a text, and this is %s.", key.words())
		}
		t.Rest = &Type{}
	}
	return t
}

// loop is one of all(), exists(), exists_one(), filter() and map(), which the parser has expanded.
func (c *checker) loop(e ast.Expr, in around) Type {
	l := e.AsComprehension()
	over := c.expr(l.IterRange(), in)
	var item Type
	switch {
	case over.any():
	case over.Kind == KindList && over.Item != nil:
		item = *over.Item
	case over.Kind == KindObject:
		item = Of(KindText)
	case over.Kind != KindList:
		c.add(c.offset(l.IterRange()), "all(), exists(), filter() and map() go over a list or an object, and this is %s.", over.words())
	}
	inner := around{facts: in.facts, vars: maps.Clone(in.vars)}
	if inner.vars == nil {
		inner.vars = map[string]Type{}
	}
	inner.vars[l.IterVar()] = item
	inner.vars[l.AccuVar()] = c.expr(l.AccuInit(), in)
	step := c.expr(l.LoopStep(), inner)
	inner.vars[l.AccuVar()] = step
	return c.expr(l.Result(), inner)
}

func (c *checker) call(e ast.Expr, in around) Type {
	call := e.AsCall()
	args := call.Args()
	switch call.FunctionName() {
	case operators.LogicalAnd, operators.LogicalOr:
		and := call.FunctionName() == operators.LogicalAnd
		c.bool(args[0], c.expr(args[0], in))
		c.bool(args[1], c.expr(args[1], around{facts: in.facts.And(factsOf(args[0], c.types, and)), vars: in.vars}))
		return Of(KindBool)
	case operators.Conditional:
		c.bool(args[0], c.expr(args[0], in))
		yes := c.expr(args[1], around{facts: in.facts.And(factsOf(args[0], c.types, true)), vars: in.vars})
		no := c.expr(args[2], around{facts: in.facts.And(factsOf(args[0], c.types, false)), vars: in.vars})
		return Union(yes, no, "")
	case operators.Index:
		return c.index(e, in)
	}
	given := make([]Type, 0, len(args))
	for _, arg := range args {
		given = append(given, c.expr(arg, in))
	}
	if name, ok := operatorNames[call.FunctionName()]; ok {
		return c.operator(e, name, given)
	}
	return c.function(e, given, in)
}

func (c *checker) bool(e ast.Expr, t Type) {
	if !t.any() && t.Kind != KindBool {
		c.add(c.offset(e), "This has to be true or false, and is %s.", t.words())
	}
}

func (c *checker) index(e ast.Expr, in around) Type {
	args := e.AsCall().Args()
	of := c.expr(args[0], in)
	if key, ok := literalText(args[1]); ok {
		return c.member(e, of, key, in, false)
	}
	by := c.expr(args[1], in)
	switch {
	case of.any():
		return Type{}
	case of.Kind == KindList:
		if !by.any() && by.Kind != KindNumber {
			c.add(c.offset(args[1]), "The position in a list is a number, and this is %s.", by.words())
		}
		if of.Item == nil {
			return Type{}
		}
		return *of.Item
	case of.Kind == KindObject:
		if !by.any() && by.Kind != KindText {
			c.add(c.offset(args[1]), "The name of a member is a text, and this is %s.", by.words())
		}
		if of.Rest != nil && len(of.Fields) == 0 {
			return *of.Rest
		}
		return Type{}
	default:
		c.add(c.offset(args[0]), "%s has no elements.", strings.ToUpper(of.words()[:1])+of.words()[1:])
		return Type{}
	}
}
