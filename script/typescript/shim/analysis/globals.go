package analysis

import (
	"fmt"
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
)

// surroundings are the names of the global object.
func surroundings() []string { return []string{"globalThis", "global", "window", "self"} }

// functions are globals that are functions: a computed member of them can be their constructor.
func functions() []string {
	return []string{
		"Object",
		"Array",
		"String",
		"Number",
		"Boolean",
		"Symbol",
		"BigInt",
		"Promise",
		"Date",
		"RegExp",
		"Map",
		"Set",
		"WeakMap",
		"WeakSet",
		"WeakRef",
		"Error",
		"TypeError",
		"RangeError",
		"SyntaxError",
		"ReferenceError",
		"EvalError",
		"URIError",
		"AggregateError",
		"Proxy",
		"ArrayBuffer",
		"DataView",
		"Uint8Array",
		"Int8Array",
		"Uint16Array",
		"Int16Array",
		"Uint32Array",
		"Int32Array",
		"Float32Array",
		"Float64Array",
		"Iterator",
		"parseInt",
		"parseFloat",
		"isNaN",
		"isFinite",
		"encodeURIComponent",
		"decodeURIComponent",
		"encodeURI",
		"decodeURI",
		"structuredClone",
		"setTimeout",
		"setInterval",
		"clearTimeout",
		"clearInterval",
		"queueMicrotask",
		"atob",
		"btoa",
		"URL",
		"URLSearchParams",
		"TextEncoder",
		"TextDecoder",
	}
}

const codeHint = "Write the code itself: what is not known before the tool runs cannot be checked."

// globals checks the globals that a source uses.
func (u *unit) globals() {
	for _, id := range u.free {
		u.global(id.Text(), id)
	}
	for _, n := range u.visited {
		if n.Kind == ast.KindElementAccessExpression {
			u.computed(n)
		}
	}
}

// global checks one use of a global variable, n: its name, or the member of the global object with this name.
func (u *unit) global(name string, n *ast.Node) {
	p := up(n)
	parent := p.Parent
	if parent.Kind == ast.KindTypeOfExpression {
		if n.Kind == ast.KindIdentifier {
			// A guard may test any name, also one unknown to the type checker.
			u.cover(n)
		}
		return
	}
	switch {
	case slices.Contains(surroundings(), name):
		u.globalObject(n)
	case name == "eval":
		u.refuse(n, BannedEval, "eval makes code of text, which a tool may not.", codeHint)
	case name == "Function":
		if parent.Kind == ast.KindBinaryExpression && parent.AsBinaryExpression().OperatorToken.Kind == ast.KindInstanceOfKeyword &&
			parent.AsBinaryExpression().Right == p {
			return
		}
		u.refuse(n, BannedEval, "Function makes code of text, which a tool may not.", codeHint)
	case name == "setTimeout" || name == "setInterval":
		u.timer(name, p, 0)
	case name == "require":
		u.cover(n)
		u.require(n, p)
	case name == "module" || name == "exports":
		u.cover(n)
		u.commonJS(name, n)
	case name == "Reflect" || name == "Object":
		u.reflect(p)
	case name == "process":
		u.cover(n)
		u.process(n)
	case n.Kind == ast.KindIdentifier:
		u.judge(n, u.rules.Global(name))
	default:
		u.judge(n, u.ruleOfMember(name))
	}
}

// ruleOfMember judges a member of the global object. The type checker does not report missing ones.
func (u *unit) ruleOfMember(name string) *Verdict {
	if v := u.rules.Global(name); v != nil {
		return v
	}
	return u.rules.Global("globalThis." + name)
}

// globalObject classifies a use of the global object.
func (u *unit) globalObject(n *ast.Node) {
	p := up(n)
	parent := p.Parent
	switch {
	case isObjectOf(p, parent):
		name := u.member(parent)
		switch {
		case !name.ok || !name.certain && !u.isBanned(name.text):
			u.undecided(parent, "a member of the global object whose name is not known before the tool runs")
		default:
			u.global(name.text, parent)
		}
		return
	case parent.Kind == ast.KindTypeOfExpression, parent.Kind == ast.KindExpressionStatement, parent.Kind == ast.KindVoidExpression:
		return
	case parent.Kind == ast.KindBinaryExpression && u.runsNothing(parent, p):
		return
	case parent.Kind == ast.KindVariableDeclaration && parent.Initializer() == p:
		if u.globalBinding(parent.Name()) {
			return
		}
	case parent.Kind == ast.KindBinaryExpression && ast.IsAssignmentTarget(parent.AsBinaryExpression().Left) &&
		parent.AsBinaryExpression().Right == p:
		if left := skip(parent.AsBinaryExpression().Left); left.Kind == ast.KindObjectLiteralExpression {
			u.globalPattern(left.Properties())
			return
		}
	case parent.Kind == ast.KindCallExpression && u.reads(parent, p):
		return
	}
	u.undecided(n, "the global object in a way that cannot be followed")
}

func (u *unit) isBanned(name string) bool {
	return name == "eval" || name == "Function" || name == "require" || u.rules.Global(name) != nil
}

func (u *unit) undecided(n *ast.Node, what string) {
	u.refuse(n, UndecidedAccess, "This reaches "+what+".", "Name the global itself: Math.max rather than globalThis[name].")
}

// globalBinding follows the global object into a variable. It reports whether all uses were followed.
func (u *unit) globalBinding(name *ast.Node) bool {
	switch name.Kind {
	case ast.KindIdentifier:
		if s := name.Parent.Symbol(); s != nil && ast.IsVarConst(name.Parent) && !inNamespace(name.Parent) {
			for _, use := range u.uses[s] {
				u.globalObject(use)
			}
			return true
		}
	case ast.KindObjectBindingPattern:
		u.globalPattern(name.Elements())
		return true
	}
	return false
}

// globalPattern checks the members that a pattern takes out of the global object.
func (u *unit) globalPattern(members []*ast.Node) {
	for _, m := range members {
		if m.Kind == ast.KindSpreadAssignment || m.Kind == ast.KindBindingElement && m.AsBindingElement().DotDotDotToken != nil {
			u.undecided(m, "all of the global object")
			continue
		}
		key := u.keyOf(m)
		switch {
		case !key.ok || !key.certain:
			u.undecided(m, "a member of the global object whose name is not known before the tool runs")
		case slices.Contains(surroundings(), key.text):
			u.undecided(m, "the global object in a way that cannot be followed")
		case key.text == "eval" || key.text == "Function":
			u.refuse(m, BannedEval, key.text+" makes code of text, which a tool may not.", codeHint)
		case key.text == "require" || key.text == "process" || key.text == "module":
			u.refuse(m, CommonJSRequire, key.text+" does not exist in the sandbox: tools are ES modules.", "Use an import declaration.")
		case (key.text == "setTimeout" || key.text == "setInterval") && m.Kind == ast.KindBindingElement:
			u.timerUses(key.text, m.Symbol(), 0)
		default:
			u.judge(m, u.ruleOfMember(key.text))
		}
	}
}

// runsNothing reports whether a comparison with the operand p calls no method: valueOf, toString and Symbol.hasInstance
// can be user code.
func (u *unit) runsNothing(comparison, p *ast.Node) bool {
	b := comparison.AsBinaryExpression()
	switch b.OperatorToken.Kind {
	case ast.KindEqualsEqualsEqualsToken, ast.KindExclamationEqualsEqualsToken:
		return true
	case ast.KindEqualsEqualsToken, ast.KindExclamationEqualsToken:
		other := b.Left
		if other == p {
			other = b.Right
		}
		other = skip(other)
		return other.Kind == ast.KindNullKeyword || u.isFree(other, "undefined")
	case ast.KindInKeyword:
		return b.Right == p
	}
	return false
}

// reads checks Reflect.get(globalThis, name) and similar calls, where p is the first argument.
func (u *unit) reads(call, p *ast.Node) bool {
	callee := skip(call.Expression())
	arguments := call.Arguments()
	if callee.Kind != ast.KindPropertyAccessExpression || len(arguments) == 0 || arguments[0] != p {
		return false
	}
	if !u.isFree(callee.Expression(), "Reflect") && !u.isFree(callee.Expression(), "Object") {
		return false
	}
	switch callee.Name().Text() {
	case "get", "getOwnPropertyDescriptor", "has", "hasOwn":
	default:
		return false
	}
	if len(arguments) < 2 {
		return false
	}
	name := u.fold(arguments[1])
	switch {
	case !name.ok || !name.certain && !u.isBanned(name.text):
		u.undecided(call, "a member of the global object whose name is not known before the tool runs")
	case callee.Name().Text() == "has" || callee.Name().Text() == "hasOwn":
	default:
		u.global(name.text, call)
	}
	return true
}

// timer checks setTimeout("code"), also through a constant.
func (u *unit) timer(name string, p *ast.Node, depth int) {
	parent := p.Parent
	if parent.Kind == ast.KindVariableDeclaration && parent.Initializer() == p &&
		parent.Name().Kind == ast.KindIdentifier && ast.IsVarConst(parent) {
		u.timerUses(name, parent.Symbol(), depth)
		return
	}
	if !isCallee(p) || parent.Kind != ast.KindCallExpression || len(parent.Arguments()) == 0 {
		return
	}
	what := u.value(parent.Arguments()[0])
	text := u.fold(parent.Arguments()[0]).ok || what.Kind == ast.KindTemplateExpression
	if what.Kind == ast.KindBinaryExpression && what.AsBinaryExpression().OperatorToken.Kind == ast.KindPlusToken {
		text = true
	}
	if text {
		u.refuse(
			parent.Arguments()[0],
			BannedEval,
			name+" with a text makes code of it, which a tool may not.",
			"Pass a function: "+name+"(() => { ... }, 10).",
		)
	}
}

// timerUses checks the uses of a constant that holds setTimeout or setInterval.
func (u *unit) timerUses(name string, s *ast.Symbol, depth int) {
	if s == nil || depth > maxDepth {
		return
	}
	for _, use := range u.uses[s] {
		u.timer(name, up(use), depth+1)
	}
}

// require checks CommonJS imports.
func (u *unit) require(n, p *ast.Node) {
	parent := p.Parent
	if isCallee(p) && parent.Kind == ast.KindCallExpression && len(parent.Arguments()) > 0 {
		u.required(parent.Arguments()[0], parent.Arguments()[0])
		return
	}
	u.refuse(
		n,
		DynamicImport,
		"require does not exist in the sandbox, and what is loaded through another name cannot be checked.",
		"Use an import declaration.",
	)
}

// commonJS checks module and exports.
func (u *unit) commonJS(name string, n *ast.Node) {
	p := up(n)
	if name == "module" && isObjectOf(p, p.Parent) {
		switch member := u.member(p.Parent); {
		case member.ok && member.text == "require":
			u.require(p.Parent, up(p.Parent))
			return
		case member.ok && member.text != "exports":
			u.refuse(p.Parent, CommonJSRequire, "module does not exist in the sandbox: tools are ES modules.", "Use import and export.")
			return
		}
		p = up(p.Parent)
	}
	for isObjectOf(p, p.Parent) {
		p = up(p.Parent)
	}
	u.refuse(p, CommonJSExport, "A tool is an ES module and exports with export default, not with CommonJS's "+name+".",
		"Write "+Wanted+".")
}

// process checks members of Node's process.
func (u *unit) process(n *ast.Node) {
	p := up(n)
	if !isObjectOf(p, p.Parent) {
		u.judge(n, u.rules.Global("process"))
		return
	}
	member := u.member(p.Parent)
	if !member.ok {
		u.judge(p.Parent, u.rules.Global("process"))
		return
	}
	if call := up(
		p.Parent,
	).Parent; member.text == "getBuiltinModule" && isCallee(up(p.Parent)) && call.Kind == ast.KindCallExpression &&
		len(call.Arguments()) > 0 {
		u.required(call.Arguments()[0], call.Arguments()[0])
		return
	}
	u.judge(p.Parent, u.rules.Global("process."+member.text))
}

// reflect checks Reflect.get(x, "constructor") and similar calls, where p is Reflect or Object.
func (u *unit) reflect(p *ast.Node) {
	if !isObjectOf(p, p.Parent) {
		return
	}
	call := up(p.Parent).Parent
	method := u.member(p.Parent)
	if call.Kind != ast.KindCallExpression || !isCallee(up(p.Parent)) || !method.ok || len(call.Arguments()) < 2 {
		return
	}
	if method.text != "get" && method.text != "getOwnPropertyDescriptor" {
		return
	}
	name := u.fold(call.Arguments()[1])
	switch {
	case name.ok && name.text == "constructor":
		u.refuse(call, BannedConstructor, constructorMessage, constructorHint)
	case (!name.ok || !name.certain) && u.isFunctionValue(call.Arguments()[0]):
		u.undecided(call, "a member of a function whose name is not known before the tool runs")
	}
}

const (
	constructorMessage = "The constructor of a value leads to Function, which makes code of text."
	constructorHint    = "To know what a value is, use instanceof or typeof; the name of an error is error.name."
)

// computed checks computed members of functions: one of them is constructor.
func (u *unit) computed(n *ast.Node) {
	name := u.member(n)
	if name.ok && name.certain || !u.isFunctionValue(n.Expression()) {
		return
	}
	if name.ok && name.text == "constructor" {
		return // constructors reports it
	}
	u.refuse(
		n,
		UndecidedAccess,
		"This reads a member of a function whose name is not known before the tool runs; it could be its constructor.",
		"Use an object or a Map with your own names.",
	)
}

func (u *unit) isFunctionValue(n *ast.Node) bool {
	v := u.value(n)
	switch v.Kind {
	case ast.KindArrowFunction, ast.KindFunctionExpression, ast.KindFunctionDeclaration, ast.KindClassExpression, ast.KindClassDeclaration:
		return true
	case ast.KindIdentifier:
		return slices.Contains(functions(), v.Text()) && u.resolve(v) == nil
	case ast.KindPropertyAccessExpression, ast.KindElementAccessExpression:
		object, name := u.value(v.Expression()), u.member(v)
		return name.ok && slices.Contains(functions(), name.text) && object.Kind == ast.KindIdentifier &&
			slices.Contains(surroundings(), object.Text()) && u.resolve(object) == nil
	}
	return false
}

// constructors finds .constructor in all of its forms.
func (u *unit) constructors() {
	refuse := func(n *ast.Node) { u.refuse(n, BannedConstructor, constructorMessage, constructorHint) }
	for _, n := range u.visited {
		switch n.Kind {
		case ast.KindPropertyAccessExpression, ast.KindElementAccessExpression:
			if name := u.member(n); name.ok && name.text == "constructor" {
				refuse(n)
			}
		case ast.KindBindingElement:
			if n.Parent.Kind != ast.KindObjectBindingPattern || n.AsBindingElement().DotDotDotToken != nil {
				continue
			}
			if key := u.keyOf(n); key.ok && key.text == "constructor" {
				refuse(n)
			}
		case ast.KindPropertyAssignment, ast.KindShorthandPropertyAssignment:
			if key := u.keyOf(n); key.ok && key.text == "constructor" && isPattern(n.Parent) {
				refuse(n)
			}
		case ast.KindImportEqualsDeclaration:
			u.alias(n)
		}
	}
}

// isPattern reports whether an object literal is a destructuring pattern: ({ a } = b).
func isPattern(literal *ast.Node) bool { return ast.IsAssignmentTarget(literal) }

// alias checks import a = b.c, which reads members of a variable.
func (u *unit) alias(n *ast.Node) {
	reference := n.AsImportEqualsDeclaration().ModuleReference
	if n.IsTypeOnly() || reference.Kind == ast.KindExternalModuleReference {
		return
	}
	first := reference
	for first.Kind == ast.KindQualifiedName {
		if first.AsQualifiedName().Right.Text() == "constructor" {
			u.refuse(first, BannedConstructor, constructorMessage, constructorHint)
		}
		first = first.AsQualifiedName().Left
	}
	s := u.resolve(first)
	if s == nil || s.Flags&ast.SymbolFlagsNamespace == 0 && s.Flags&ast.SymbolFlagsAlias == 0 && s.Flags&ast.SymbolFlagsEnum == 0 {
		u.refuse(reference, UndecidedAccess, fmt.Sprintf("%s is no namespace of this source.", first.Text()), "Use a constant: const a = b.c.")
	}
}
