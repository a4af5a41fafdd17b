package analysis

import (
	"fmt"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/shim"
)

const writeThis = "Write " + Wanted + "."

// defaults returns the default exports of a source: expressions, functions, classes and export specifiers.
func (u *unit) defaults() (found []*ast.Node) {
	for _, s := range u.file.Statements.Nodes {
		switch s.Kind {
		case ast.KindExportAssignment:
			if s.AsExportAssignment().IsExportEquals {
				u.refuse(s, ExportAssignment, "A tool is an ES module and exports with export default, not with export =.", writeThis)
				continue
			}
			found = append(found, s)
		case ast.KindExportDeclaration:
			clause := s.AsExportDeclaration().ExportClause
			if clause == nil || s.IsTypeOnly() {
				continue
			}
			if clause.Kind != ast.KindNamedExports {
				if clause.Name() != nil && clause.Name().Text() == "default" {
					found = append(found, clause)
				}
				continue
			}
			for _, e := range clause.Elements() {
				if e.Name().Text() == "default" && !e.IsTypeOnly() {
					found = append(found, e)
				}
			}
		case ast.KindFunctionDeclaration, ast.KindClassDeclaration:
			if ast.HasSyntacticModifier(s, ast.ModifierFlagsDefault) && (s.Kind == ast.KindClassDeclaration || s.Body() != nil) {
				found = append(found, s)
			}
		}
	}
	return found
}

// shape finds export default { actions: { default } } and its functions.
func (u *unit) shape() {
	u.exporting = true
	defer func() { u.exporting = false }()
	before := len(u.result.Findings)
	found := u.defaults()
	switch {
	case len(found) == 0:
		if u.result.Broken || u.exportsOtherwise() || len(u.result.Findings) > before {
			return
		}
		u.add(
			Finding{
				Span:    shim.Span{Line: 1, Column: 1, EndLine: 1, EndColumn: 1},
				Code:    NoDefaultExport,
				Message: "The tool has no default export.",
				Hint:    writeThis,
			},
		)
		return
	case len(found) > 1:
		u.refuse(found[1], NoDefaultExport, "The tool has two default exports; it needs exactly one.", "Keep one of them.")
		return
	}
	tool := u.exported(found[0])
	if tool == nil {
		return
	}
	object := u.value(tool)
	if object.Kind != ast.KindObjectLiteralExpression {
		u.notObject(tool, object)
		return
	}
	actions, ok := u.property(object, "actions", DynamicExport)
	switch {
	case !ok:
		return
	case actions == nil:
		u.refuse(object, MissingActions, "The exported object has no actions.", writeThis)
		return
	}
	list := u.propertyValue(actions)
	if list == nil || list.Kind != ast.KindObjectLiteralExpression {
		u.refuse(actions, ActionsNotObject, "actions must be an object that is written out here, not "+u.describe(actions, list)+".", writeThis)
		return
	}
	u.actions(list)
}

func (u *unit) exportsOtherwise() bool {
	for _, f := range u.result.Findings {
		if f.Code == CommonJSExport || f.Code == ExportAssignment {
			return true
		}
	}
	return false
}

// exported returns the exported expression.
func (u *unit) exported(n *ast.Node) *ast.Node {
	switch n.Kind {
	case ast.KindFunctionDeclaration:
		u.refuse(n, DefaultNotObject, "The default export is a function; it must be an object with actions.", writeThis)
		return nil
	case ast.KindClassDeclaration:
		u.refuse(n, DefaultNotObject, "The default export is a class; it must be an object with actions.", writeThis)
		return nil
	case ast.KindExportSpecifier:
		if n.Parent.Parent.ModuleSpecifier() == nil {
			if n.PropertyName() != nil {
				return n.PropertyName()
			}
			return n.Name()
		}
		fallthrough
	case ast.KindNamespaceExport:
		u.refuse(n, DynamicExport, "The default export comes from another module; it must be written in this one.", writeThis)
		return nil
	}
	return n.Expression()
}

func (u *unit) notObject(at, v *ast.Node) {
	switch v.Kind {
	case ast.KindArrowFunction, ast.KindFunctionExpression, ast.KindFunctionDeclaration:
		u.refuse(at, DefaultNotObject, "The default export is a function; it must be an object with actions.", writeThis)
	case ast.KindClassExpression, ast.KindClassDeclaration:
		u.refuse(at, DefaultNotObject, "The default export is a class; it must be an object with actions.", writeThis)
	case ast.KindArrayLiteralExpression,
		ast.KindStringLiteral,
		ast.KindNumericLiteral,
		ast.KindNoSubstitutionTemplateLiteral,
		ast.KindNullKeyword,
		ast.KindTrueKeyword,
		ast.KindFalseKeyword,
		ast.KindTemplateExpression,
		ast.KindRegularExpressionLiteral,
		ast.KindBigIntLiteral:
		u.refuse(at, DefaultNotObject, "The default export is "+kind(v)+"; it must be an object with actions.", writeThis)
	default:
		u.refuse(
			at,
			DynamicExport,
			"The default export is "+u.unfollowed(v)+", which cannot be followed to an object.",
			"Write the object out, or keep it in a const of this file.",
		)
	}
}

func kind(n *ast.Node) string {
	switch n.Kind {
	case ast.KindArrayLiteralExpression:
		return "an array"
	case ast.KindStringLiteral, ast.KindNoSubstitutionTemplateLiteral, ast.KindTemplateExpression:
		return "a text"
	case ast.KindNumericLiteral, ast.KindBigIntLiteral:
		return "a number"
	case ast.KindNullKeyword:
		return "null"
	case ast.KindTrueKeyword, ast.KindFalseKeyword:
		return "a boolean"
	case ast.KindRegularExpressionLiteral:
		return "a regular expression"
	case ast.KindObjectLiteralExpression:
		return "an object"
	case ast.KindClassExpression, ast.KindClassDeclaration:
		return "a class"
	case ast.KindArrowFunction, ast.KindFunctionExpression, ast.KindFunctionDeclaration, ast.KindMethodDeclaration:
		return "a function"
	}
	return "an expression"
}

// unfollowed explains why an expression was not followed.
func (u *unit) unfollowed(n *ast.Node) string {
	switch n.Kind {
	case ast.KindIdentifier:
		s := u.resolve(n)
		if s == nil {
			return fmt.Sprintf("%s, which is not declared here", n.Text())
		}
		for _, d := range s.Declarations {
			switch {
			case d.Kind == ast.KindVariableDeclaration && !ast.IsVarConst(d):
				return fmt.Sprintf("%s, which is no const", n.Text())
			case d.Kind == ast.KindFunctionDeclaration:
				return fmt.Sprintf("%s, which is replaced elsewhere", n.Text())
			case ast.IsImportSpecifier(d) || ast.IsImportClause(d) || ast.IsNamespaceImport(d):
				return fmt.Sprintf("%s, which comes from another module", n.Text())
			}
		}
		return n.Text()
	case ast.KindCallExpression:
		return "the result of a call"
	case ast.KindNewExpression:
		return "the result of new"
	case ast.KindConditionalExpression:
		return "one of two values"
	case ast.KindAwaitExpression:
		return "what a promise answers"
	case ast.KindPropertyAccessExpression, ast.KindElementAccessExpression:
		return "a member of something"
	}
	return kind(n)
}

// propertySearch is a search for a property of an object.
type propertySearch struct {
	object *ast.Node
	name   string
}

// property finds a property by name. The last one wins, as at run time. ok is false when an unfollowed one may win.
func (u *unit) property(object *ast.Node, name, code string) (found *ast.Node, ok bool) {
	// An object that is spread repeatedly, or into itself, is searched once.
	this := propertySearch{object, name}
	if known, again := u.searched[this]; again {
		return known, true
	}
	u.searched[this] = nil
	defer func() { u.searched[this] = found }()
	ok = true
	var own *ast.Node
	for _, p := range object.Properties() {
		if p.Kind == ast.KindSpreadAssignment {
			spread := u.value(p.Expression())
			if spread.Kind == ast.KindObjectLiteralExpression {
				for _, of := range spread.Properties() {
					if of.Kind == ast.KindGetAccessor {
						u.doubt(of, "This getter runs when its object is spread, and may change it.")
					}
				}
				inner, fine := u.property(spread, name, code)
				ok = ok && fine
				if inner != nil {
					found, own = inner, nil
				}
				continue
			}
			if nothing(spread) {
				continue
			}
			if found != nil {
				u.refuse(
					p,
					code,
					fmt.Sprintf("This spread may replace %s: it is %s.", name, u.unfollowed(spread)),
					fmt.Sprintf("Write %s after it.", name),
				)
				ok = false
			} else if !u.follows(object, p, name) {
				u.refuse(
					p,
					code,
					fmt.Sprintf("%s may come from this spread, which cannot be followed: it is %s.", name, u.unfollowed(spread)),
					fmt.Sprintf("Write %s out.", name),
				)
				ok = false
			}
			continue
		}
		key := u.keyOf(p)
		switch {
		case !key.ok || !key.certain:
			if found != nil || !u.follows(object, p, name) {
				u.refuse(
					p.Name(),
					code,
					fmt.Sprintf("The name of this property is not known before the tool runs; it may be %s.", name),
					"Write the name as a constant.",
				)
				ok = false
			}
		case key.text != name:
		case own != nil:
			u.refuse(p.Name(), DuplicateKey, fmt.Sprintf("%s is there twice; the last one would win.", name), "Keep one of them.")
			ok = false
		default:
			found, own = p, p
		}
	}
	return found, ok
}

// follows reports whether a property of this name is written out after another one.
func (u *unit) follows(object, after *ast.Node, name string) bool {
	seen := false
	for _, p := range object.Properties() {
		if p == after {
			seen = true
			continue
		}
		if seen && p.Kind != ast.KindSpreadAssignment {
			if key := u.keyOf(p); key.ok && key.certain && key.text == name {
				return true
			}
		}
	}
	return false
}

// nothing reports whether spreading a value adds no property.
func nothing(n *ast.Node) bool {
	switch n.Kind {
	case ast.KindNullKeyword, ast.KindFalseKeyword, ast.KindTrueKeyword, ast.KindNumericLiteral:
		return true
	}
	return false
}

// propertyValue returns the value of a property, nil for an accessor. A method is its own value.
func (u *unit) propertyValue(p *ast.Node) *ast.Node {
	switch p.Kind {
	case ast.KindPropertyAssignment:
		return u.value(p.Initializer())
	case ast.KindShorthandPropertyAssignment:
		return u.value(p.Name())
	case ast.KindMethodDeclaration:
		return p
	}
	return nil
}

func (u *unit) describe(p, v *ast.Node) string {
	if v == nil {
		return "a getter or setter"
	}
	return u.unfollowed(v)
}

// actions checks each action, and the default one in detail.
func (u *unit) actions(list *ast.Node) {
	action, ok := u.property(list, "default", DynamicExport)
	switch {
	case !ok:
	case action == nil:
		u.refuse(list, MissingDefault, "actions has no default.", writeThis)
	default:
		u.callable(action)
	}
	u.handlersOf(list)
}

func (u *unit) callable(p *ast.Node) {
	function := u.propertyValue(p)
	const hint = "Write default: async (args, ctx) => { ... }."
	switch {
	case function == nil:
		u.refuse(p, DefaultNotCallable, "actions.default must be a function, not a getter or setter.", hint)
	case !isFunction(function):
		u.refuse(p, DefaultNotCallable, "actions.default must be a function that is written in this file, not "+u.unfollowed(function)+".", hint)
	case isGenerator(function):
		u.refuse(p, DefaultNotCallable, "actions.default must not be a generator: nobody would run what it does.", "Remove the *.")
	default:
		signature := &Signature{}
		for _, parameter := range parameters(function) {
			signature.Parameters = append(signature.Parameters, u.span(parameter))
			signature.Rest = isRest(parameter)
		}
		u.result.Default = signature
		if list := parameters(function); len(list) > 1 && list[1].Name().Kind == ast.KindIdentifier {
			for _, use := range u.uses[list[1].Symbol()][:min(len(u.uses[list[1].Symbol()]), most)] {
				u.result.ContextUses = append(u.result.ContextUses, u.span(use))
			}
		}
		if list := parameters(
			function,
		); len(list) > 2 && !isRest(list[2]) && list[2].Initializer() == nil &&
			list[2].AsParameterDeclaration().QuestionToken == nil {
			u.warn(list[2], ExtraParameter, "An action is called with two arguments: its own and the context.", "Remove this parameter.")
		}
	}
}

// handlersOf collects the functions that receive the context: all actions, including spread ones.
func (u *unit) handlersOf(list *ast.Node) {
	if u.listed[list] {
		return
	}
	u.listed[list] = true
	for _, p := range list.Properties() {
		if p.Kind == ast.KindSpreadAssignment {
			switch spread := u.value(p.Expression()); {
			case spread.Kind == ast.KindObjectLiteralExpression:
				u.handlersOf(spread)
			case !nothing(spread):
				u.doubt(p, "Actions come from "+u.unfollowed(spread)+".")
			}
			continue
		}
		if key := u.keyOf(p); key.ok {
			u.result.Actions = append(u.result.Actions, key.text)
		} else {
			u.doubt(p, "The name of an action is not known before the tool runs.")
		}
		switch function := u.propertyValue(p); {
		case function != nil && isFunction(function):
			u.handlers = append(u.handlers, function)
		case function == nil:
			u.doubt(p, "An action is made by a getter or setter.")
		case !isPrimitive(function):
			u.doubt(p, "An action is "+u.unfollowed(function)+", which cannot be followed to a function.")
		}
	}
}

func isPrimitive(n *ast.Node) bool {
	switch n.Kind {
	case ast.KindStringLiteral,
		ast.KindNumericLiteral,
		ast.KindNoSubstitutionTemplateLiteral,
		ast.KindNullKeyword,
		ast.KindTrueKeyword,
		ast.KindFalseKeyword:
		return true
	}
	return false
}
