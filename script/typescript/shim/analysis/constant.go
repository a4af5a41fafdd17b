package analysis

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
)

const (
	// maxConstant bounds a folded string: constants can double from line to line.
	maxConstant = 4_096
	maxDepth    = 64
)

// constant is the string value of an expression (constant folding).
type constant struct {
	text string
	// certain is set when no running code can change the value, ok when there is one at all. A call such as
	// ["a"].join("") has its usual value only while join is not replaced.
	certain, ok bool
	// number is set for the text of a number: two of them are added, not joined.
	number bool
}

func certain(text string) constant {
	return constant{text: text, certain: true, ok: len(text) <= maxConstant}
}

func seeming(text string, ok bool) constant {
	return constant{text: text, ok: ok && len(text) <= maxConstant}
}

// fold evaluates an expression to a string.
func (u *unit) fold(n *ast.Node) constant { return u.foldAt(n, 0) }

func (u *unit) foldAt(n *ast.Node, depth int) constant {
	if n == nil || depth > maxDepth {
		return constant{}
	}
	n = skip(n)
	switch n.Kind {
	case ast.KindStringLiteral, ast.KindNoSubstitutionTemplateLiteral:
		return certain(n.Text())
	case ast.KindNumericLiteral:
		c := certain(n.Text())
		c.number = true
		return c
	case ast.KindIdentifier,
		ast.KindBinaryExpression,
		ast.KindTemplateExpression,
		ast.KindPropertyAccessExpression,
		ast.KindElementAccessExpression,
		ast.KindCallExpression:
	default:
		return constant{}
	}
	if c, ok := u.known[n]; ok {
		return c
	}
	u.known[n] = constant{} // a constant that refers to itself
	c := u.foldNew(n, depth+1)
	u.known[n] = c
	return c
}

func (u *unit) foldNew(n *ast.Node, depth int) constant {
	switch n.Kind {
	case ast.KindIdentifier:
		if declared := u.definition(n); declared != nil {
			return u.foldAt(declared, depth)
		}
	case ast.KindBinaryExpression:
		b := n.AsBinaryExpression()
		if b.OperatorToken.Kind != ast.KindPlusToken {
			return constant{}
		}
		left, right := u.foldAt(b.Left, depth), u.foldAt(b.Right, depth)
		if left.number && right.number {
			return constant{}
		}
		return join(left, right)
	case ast.KindTemplateExpression:
		t := n.AsTemplateExpression()
		whole := certain(t.Head.Text())
		for _, s := range t.TemplateSpans.Nodes {
			whole = join(join(whole, u.foldAt(s.Expression(), depth)), certain(s.AsTemplateSpan().Literal.Text()))
		}
		return whole
	case ast.KindPropertyAccessExpression, ast.KindElementAccessExpression:
		return u.foldMember(n, depth)
	case ast.KindCallExpression:
		return u.foldCall(n, depth)
	}
	return constant{}
}

func join(a, b constant) constant {
	text := ""
	if a.ok && b.ok && len(a.text)+len(b.text) <= maxConstant {
		text = a.text + b.text
	} else {
		return constant{}
	}
	return constant{text: text, certain: a.certain && b.certain, ok: true}
}

// foldMember evaluates a member of an enum, or of an unchanged constant object.
func (u *unit) foldMember(n *ast.Node, depth int) constant {
	object := skip(n.Expression())
	name := u.memberName(n, depth)
	if object.Kind != ast.KindIdentifier || !name.ok || !name.certain {
		return constant{}
	}
	s := u.resolve(object)
	if s == nil {
		return constant{}
	}
	if s.Flags&ast.SymbolFlagsEnum != 0 {
		member := s.Exports[name.text]
		has := func(member constant) bool { return s.Exports[member.text] != nil }
		if len(s.Declarations) != 1 || member == nil || member.ValueDeclaration == nil || member.ValueDeclaration.Kind != ast.KindEnumMember ||
			!u.intact(s, has) {
			return constant{}
		}
		return u.foldAt(member.ValueDeclaration.Initializer(), depth)
	}
	literal := u.literal(object)
	if literal == nil {
		return constant{}
	}
	has := func(member constant) bool { return u.own(literal, member) != nil }
	if !u.intact(s, has) {
		return constant{}
	}
	return u.foldAt(u.own(literal, name), depth)
}

// literal returns the object literal of a constant, nil for another initializer.
func (u *unit) literal(id *ast.Node) *ast.Node {
	n := u.definition(id)
	for range maxDepth {
		if n == nil {
			return nil
		}
		switch n = skip(n); n.Kind {
		case ast.KindObjectLiteralExpression:
			return n
		case ast.KindCallExpression:
			n = u.frozen(n)
		default:
			return nil
		}
	}
	return nil
}

// own returns the value of a property that an object literal has once, nil for none, or when another property or a
// method may replace it.
func (u *unit) own(literal *ast.Node, name constant) *ast.Node {
	if !name.ok || !name.certain {
		return nil
	}
	known, read := u.members[literal]
	if !read {
		u.members[literal] = nil // a name that refers to its own object
		known = u.membersOf(literal)
		u.members[literal] = known
	}
	return known[name.text]
}

// membersOf returns the members for own.
func (u *unit) membersOf(literal *ast.Node) map[string]*ast.Node {
	members := map[string]*ast.Node{}
	for _, p := range literal.Properties() {
		key := u.keyOf(p)
		if !key.ok || !key.certain {
			return nil
		}
		_, twice := members[key.text]
		// __proto__ sets the prototype, which supplies all missing properties.
		if twice || p.Kind != ast.KindPropertyAssignment || key.text == "__proto__" {
			members[key.text] = nil
		} else {
			members[key.text] = p.Initializer()
		}
	}
	return members
}

// intact reports whether the object in a constant only has existing members read: the getter of any other one could
// change it.
func (u *unit) intact(s *ast.Symbol, has func(constant) bool) bool {
	known, looked := u.whole[s]
	if !looked {
		u.whole[s] = false // a name that refers to its own object
		known = u.onlyRead(s, has)
		u.whole[s] = known
	}
	return known
}

func (u *unit) onlyRead(s *ast.Symbol, has func(constant) bool) bool {
	for _, id := range u.uses[s] {
		p := up(id)
		if !isObjectOf(p, p.Parent) || assigned(p.Parent) || isCallee(up(p.Parent)) || !has(u.member(p.Parent)) {
			return false
		}
	}
	return true
}

// memberName returns the name of the member in an access.
func (u *unit) memberName(n *ast.Node, depth int) constant {
	switch n.Kind {
	case ast.KindPropertyAccessExpression:
		if n.Name().Kind == ast.KindPrivateIdentifier {
			return constant{}
		}
		return certain(n.Name().Text())
	case ast.KindElementAccessExpression:
		return u.foldAt(n.AsElementAccessExpression().ArgumentExpression, depth)
	}
	return constant{}
}

func (u *unit) member(n *ast.Node) constant { return u.memberName(n, 0) }

// keyOf returns the name of a property of an object literal or of a pattern.
func (u *unit) keyOf(p *ast.Node) constant {
	name := p.Name()
	if p.Kind == ast.KindBindingElement && p.PropertyName() != nil {
		name = p.PropertyName()
	}
	return u.nameOf(name)
}

func (u *unit) nameOf(name *ast.Node) constant {
	if name == nil {
		return constant{}
	}
	switch name.Kind {
	case ast.KindIdentifier, ast.KindStringLiteral, ast.KindNoSubstitutionTemplateLiteral, ast.KindNumericLiteral:
		return certain(name.Text())
	case ast.KindComputedPropertyName:
		return u.fold(name.Expression())
	}
	return constant{}
}

// foldCall evaluates the usual ways to obfuscate a string.
func (u *unit) foldCall(n *ast.Node, depth int) constant {
	callee := skip(n.Expression())
	if callee.Kind == ast.KindIdentifier && u.resolve(callee) == nil && len(n.Arguments()) == 1 {
		of := u.foldAt(n.Arguments()[0], depth)
		switch callee.Text() {
		case "String":
			return seeming(of.text, of.ok)
		case "atob":
			decoded, err := base64.StdEncoding.DecodeString(of.text)
			return seeming(string(decoded), of.ok && err == nil)
		}
		return constant{}
	}
	method := u.memberName(callee, depth)
	if !method.ok {
		return constant{}
	}
	object := skip(callee.Expression())
	if method.text == "join" {
		parts, ok := u.foldList(object, depth)
		separator := certain(",")
		if len(n.Arguments()) > 0 {
			separator = u.foldAt(n.Arguments()[0], depth)
		}
		return seeming(strings.Join(parts, separator.text), ok && separator.ok)
	}
	var arguments []string
	for _, a := range n.Arguments() {
		c := u.foldAt(a, depth)
		if !c.ok {
			return constant{}
		}
		arguments = append(arguments, c.text)
	}
	if object.Kind == ast.KindIdentifier && object.Text() == "String" && u.resolve(object) == nil &&
		(method.text == "fromCharCode" || method.text == "fromCodePoint") {
		var text strings.Builder
		for _, a := range arguments {
			code, err := strconv.Atoi(a)
			if err != nil || code < 0 || code > 0x10ffff {
				return constant{}
			}
			text.WriteRune(rune(code))
		}
		return seeming(text.String(), true)
	}
	of := u.foldAt(object, depth)
	if !of.ok {
		return constant{}
	}
	switch {
	case method.text == "concat":
		return seeming(of.text+strings.Join(arguments, ""), true)
	case method.text == "toLowerCase":
		return seeming(strings.ToLower(of.text), true)
	case method.text == "toUpperCase":
		return seeming(strings.ToUpper(of.text), true)
	case method.text == "trim" || method.text == "toString" || method.text == "valueOf":
		return seeming(strings.TrimSpace(of.text), true)
	case method.text == "replace" && len(arguments) == 2:
		return seeming(strings.Replace(of.text, arguments[0], arguments[1], 1), true)
	case method.text == "replaceAll" && len(arguments) == 2 && arguments[0] != "":
		return seeming(strings.ReplaceAll(of.text, arguments[0], arguments[1]), true)
	}
	return constant{}
}

// foldList evaluates lists to strings: ["a", "b"], "a,b".split(","), and either backwards.
func (u *unit) foldList(n *ast.Node, depth int) ([]string, bool) {
	if depth > maxDepth {
		return nil, false
	}
	n = u.value(n)
	if n == nil {
		return nil, false
	}
	switch n.Kind {
	case ast.KindArrayLiteralExpression:
		var list []string
		for _, e := range n.Elements() {
			c := u.foldAt(e, depth+1)
			if !c.ok {
				return nil, false
			}
			list = append(list, c.text)
		}
		return list, len(list) < maxConstant
	case ast.KindCallExpression:
		callee := skip(n.Expression())
		switch u.memberName(callee, depth+1).text {
		case "reverse":
			list, ok := u.foldList(callee.Expression(), depth+1)
			list = slices.Clone(list)
			slices.Reverse(list)
			return list, ok
		case "split":
			of := u.foldAt(callee.Expression(), depth+1)
			if len(n.Arguments()) == 1 && of.ok {
				separator := u.foldAt(n.Arguments()[0], depth+1)
				return strings.Split(of.text, separator.text), separator.ok
			}
		}
	}
	return nil, false
}
