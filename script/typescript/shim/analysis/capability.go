package analysis

import (
	"fmt"
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
)

// part is the part of the context that an expression evaluates to.
type part int

const (
	context part = iota
	secrets
	ref
)

func (p part) String() string { return [...]string{"ctx", "ctx.secrets", "ctx.secrets.ref"}[p] }

// flow is a variable that holds a part of the context.
type flow struct {
	symbol *ast.Symbol
	part   part
}

// tracker follows the context from the second parameter of each action to its uses (data flow).
type tracker struct {
	*unit

	seen map[flow]bool
}

// capabilities finds the secrets of a tool.
func (u *unit) capabilities() {
	t := tracker{u, map[flow]bool{}}
	for _, function := range u.handlers {
		t.enter(function, 1, context)
	}
	t.changes()
}

// enter follows an argument into the parameter of this number.
func (t tracker) enter(function *ast.Node, number int, what part) {
	if id := t.usesArguments(function); id != nil {
		t.doubt(id, fmt.Sprintf("arguments has %s among others.", what))
	}
	for i, p := range parameters(function) {
		switch {
		case isRest(p) && i <= number:
			t.doubt(p, fmt.Sprintf("A rest parameter takes %s.", what))
			return
		case i == number:
			t.bind(p, p.Name(), what)
			return
		}
	}
}

// bind follows a part of the context into a variable or a pattern.
func (t tracker) bind(declaration, name *ast.Node, what part) {
	switch name.Kind {
	case ast.KindIdentifier:
		s := declaration.Symbol()
		if s == nil || inCatchOf(declaration, name.Text()) {
			t.doubt(name, fmt.Sprintf("%s is kept in a variable that cannot be told from another one of this name.", what))
			return
		}
		if t.seen[flow{s, what}] {
			return
		}
		t.seen[flow{s, what}] = true
		for _, d := range s.Declarations {
			if inNamespace(d) {
				t.doubt(d, fmt.Sprintf("%s is kept in a namespace.", what))
			}
		}
		for _, use := range t.uses[s] {
			t.use(use, what)
		}
	case ast.KindObjectBindingPattern:
		for _, e := range name.Elements() {
			t.taken(e, what)
		}
	default:
		t.doubt(name, fmt.Sprintf("%s is taken apart as a list.", what))
	}
}

// taken follows one element of a pattern.
func (t tracker) taken(e *ast.Node, what part) {
	if e.AsBindingElement().DotDotDotToken != nil {
		t.doubt(e, fmt.Sprintf("The rest of %s is taken.", what))
		return
	}
	key := t.keyOf(e)
	next, fine := step(what, key)
	switch {
	case fine:
	case next == nil:
		t.doubt(e, fmt.Sprintf("Something is taken out of %s that is not known before the tool runs.", what))
	default:
		t.bind(e, e.Name(), *next)
	}
}

// step classifies a member of a part of the context: another part, something harmless (fine), or unknown (neither).
func step(what part, name constant) (next *part, fine bool) {
	if !name.ok || !name.certain {
		return nil, false
	}
	switch {
	case what == context && name.text == "secrets":
		p := secrets
		return &p, false
	case what == context && name.text == "log":
		return nil, true
	case what == secrets && name.text == "ref":
		p := ref
		return &p, false
	}
	return nil, false
}

// use classifies the use of an expression that evaluates to a part of the context.
func (t tracker) use(n *ast.Node, what part) {
	p := up(n)
	parent := p.Parent
	if assigned(p) {
		if isLogicalAssignment(parent) {
			t.use(parent, what) // the old value may remain
		}
		if n.Kind != ast.KindIdentifier {
			t.doubt(n, fmt.Sprintf("A member of %s is changed.", what))
		}
		return
	}
	switch parent.Kind {
	case ast.KindPropertyAccessExpression, ast.KindElementAccessExpression:
		if parent.Expression() == p {
			t.read(parent, what)
			return
		}
	case ast.KindCallExpression:
		if parent.Expression() == p {
			if what == ref {
				t.referred(parent)
				return
			}
			break
		}
		if t.passed(parent, p, what) {
			return
		}
	case ast.KindVariableDeclaration, ast.KindParameter, ast.KindBindingElement:
		// The parameter of a constructor can also be a property, and a using declaration calls a method of its value.
		if parent.Initializer() == p && len(parent.ModifierNodes()) == 0 && !ast.IsVarUsing(parent) && !ast.IsVarAwaitUsing(parent) {
			t.bind(parent, parent.Name(), what)
			return
		}
	case ast.KindBinaryExpression:
		b := parent.AsBinaryExpression()
		switch b.OperatorToken.Kind {
		case ast.KindBarBarToken, ast.KindQuestionQuestionToken:
			t.use(parent, what)
			return
		case ast.KindAmpersandAmpersandToken:
			if b.Right == p {
				t.use(parent, what)
			}
			return
		case ast.KindCommaToken:
			return // on the left: the value on the right is p itself
		}
		if t.runsNothing(parent, p) {
			return
		}
	case ast.KindConditionalExpression:
		if parent.AsConditionalExpression().Condition != p {
			t.use(parent, what)
		}
		return
	case ast.KindTypeOfExpression, ast.KindVoidExpression, ast.KindExpressionStatement, ast.KindIfStatement:
		return
	case ast.KindPrefixUnaryExpression:
		if parent.AsPrefixUnaryExpression().Operator == ast.KindExclamationToken {
			return
		}
	}
	t.doubt(n, fmt.Sprintf("%s is passed on where it cannot be followed.", what))
}

func isLogicalAssignment(n *ast.Node) bool {
	if n.Kind != ast.KindBinaryExpression {
		return false
	}
	switch n.AsBinaryExpression().OperatorToken.Kind {
	case ast.KindBarBarEqualsToken, ast.KindAmpersandAmpersandEqualsToken, ast.KindQuestionQuestionEqualsToken:
		return true
	}
	return false
}

// read follows a member of a part of the context.
func (t tracker) read(access *ast.Node, what part) {
	next, fine := step(what, t.member(access))
	switch {
	case assigned(access):
		t.doubt(access, fmt.Sprintf("A member of %s is changed.", what))
	case fine:
	case next == nil:
		t.doubt(access, fmt.Sprintf("A member of %s is used that is not understood.", what))
	default:
		t.use(access, *next)
	}
}

// referred checks a call of ref.
func (t tracker) referred(call *ast.Node) {
	arguments := call.Arguments()
	if len(arguments) == 0 {
		t.doubt(call, "ctx.secrets.ref is called without a name.")
		return
	}
	name := t.fold(arguments[0])
	if arguments[0].Kind == ast.KindSpreadElement || !name.ok || !name.certain {
		t.doubt(call, "The name of this secret is not known before the tool runs.")
		return
	}
	t.result.SecretRefs = append(t.result.SecretRefs, name.text)
	if len(t.result.References) < most {
		t.result.References = append(t.result.References, Reference{t.span(arguments[0]), name.text})
	}
}

// passed follows a part of the context into a called function of this file.
func (t tracker) passed(call, argument *ast.Node, what part) bool {
	number := slices.Index(call.Arguments(), argument)
	if number < 0 {
		return false
	}
	for _, a := range call.Arguments()[:number] {
		if a.Kind == ast.KindSpreadElement {
			return false
		}
	}
	function := t.value(call.Expression())
	if !isFunction(function) || function.Kind == ast.KindMethodDeclaration {
		return false
	}
	t.enter(function, number, what)
	return true
}

// changes records uses of the exported object, or a part of it, other than its export: they may change it.
func (t tracker) changes() {
	for s, understood := range t.through {
		object := false
		for _, d := range s.Declarations {
			if d.Kind == ast.KindVariableDeclaration && d.Initializer() != nil {
				object = object || t.value(d.Initializer()).Kind == ast.KindObjectLiteralExpression
			}
		}
		if !object {
			continue
		}
		for _, use := range t.uses[s] {
			if understood[use] {
				continue
			}
			p := up(use)
			switch {
			case p.Parent.Kind == ast.KindTypeOfExpression, p.Parent.Kind == ast.KindExportSpecifier:
			case p.Parent.Kind == ast.KindBinaryExpression && t.runsNothing(p.Parent, p):
			case p.Parent.Kind == ast.KindCallExpression && t.frozen(p.Parent) == p && up(p.Parent).Parent.Kind == ast.KindExpressionStatement:
			case isObjectOf(p, p.Parent) && !assigned(p.Parent) && t.harmless(p.Parent):
			default:
				t.doubt(use, fmt.Sprintf("%s may be changed here.", use.Text()))
			}
		}
	}
}

// harmless reports whether a member access reads a written-out member and uses its value only: no call, change or
// further access. Any other may be a getter, which is called with the object.
func (t tracker) harmless(access *ast.Node) bool {
	object := t.value(access.Expression())
	if object.Kind != ast.KindObjectLiteralExpression {
		return false
	}
	member := t.own(object, t.member(access))
	if member == nil {
		return false
	}
	p := up(access)
	switch p.Parent.Kind {
	case ast.KindTypeOfExpression, ast.KindIfStatement:
		return true
	case ast.KindTemplateSpan:
		return isPrimitive(t.value(member))
	case ast.KindBinaryExpression:
		return t.runsNothing(p.Parent, p)
	}
	return false
}

// inCatchOf reports whether a var is declared in the catch clause of a variable of the same name: the declaration
// hoists, and its initializer writes to the catch variable.
func inCatchOf(declaration *ast.Node, name string) bool {
	variable := declaration
	for variable.Kind == ast.KindBindingElement {
		variable = variable.Parent.Parent
	}
	if variable.Kind != ast.KindVariableDeclaration || variable.Parent.Flags&ast.NodeFlagsBlockScoped != 0 {
		return false
	}
	for n := variable.Parent; n != nil && !ast.IsFunctionLike(n); n = n.Parent {
		if n.Kind != ast.KindCatchClause {
			continue
		}
		caught := n.AsCatchClause().VariableDeclaration
		if caught != nil && caught.Name().Kind == ast.KindIdentifier && caught.Name().Text() == name {
			return true
		}
	}
	return false
}
