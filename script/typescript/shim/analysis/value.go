package analysis

import (
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
)

// definition returns the permanent value of a name: a constant's initializer, or a function or class that is never
// replaced. It is nil for others.
func (u *unit) definition(id *ast.Node) *ast.Node {
	s := u.resolve(id)
	if s == nil || s == u.resolver.ArgumentsSymbol {
		return nil
	}
	var found *ast.Node
	for _, d := range s.Declarations {
		if !exists(d) || ast.IsModuleDeclaration(d) {
			continue
		}
		if found != nil {
			return nil
		}
		found = d
	}
	if found == nil || inNamespace(found) {
		return nil
	}
	switch found.Kind {
	case ast.KindVariableDeclaration:
		if found.Initializer() != nil && ast.IsVarConst(found) && found.Name().Kind == ast.KindIdentifier && !inLoop(found) {
			return found.Initializer()
		}
	case ast.KindFunctionDeclaration, ast.KindClassDeclaration:
		for _, use := range u.uses[s] {
			if assigned(use) {
				return nil
			}
		}
		return found
	}
	return nil
}

// inNamespace reports whether a declaration is a member of a namespace, which others can change.
func inNamespace(d *ast.Node) bool {
	for n := d.Parent; n != nil; n = n.Parent {
		if n.Kind == ast.KindModuleBlock {
			return true
		}
		if ast.IsFunctionLike(n) {
			return false
		}
	}
	return false
}

// inLoop reports whether a variable is that of a for-in or for-of loop.
func inLoop(d *ast.Node) bool {
	loop := d.Parent.Parent
	return loop != nil && ast.IsForInOrOfStatement(loop)
}

// value follows an expression to its value: through wrappers, constants and Object.freeze.
func (u *unit) value(n *ast.Node) *ast.Node {
	for range maxDepth {
		n = skip(n)
		switch n.Kind {
		case ast.KindIdentifier:
			next := u.definition(n)
			if next == nil {
				return n
			}
			if s := u.resolve(n); s != nil {
				u.follow(s, n)
			}
			n = next
		case ast.KindCallExpression:
			next := u.frozen(n)
			if next == nil {
				return n
			}
			n = next
		default:
			return n
		}
	}
	return n
}

// follow records a use of a variable that was followed.
func (u *unit) follow(s *ast.Symbol, use *ast.Node) {
	if !u.exporting {
		return
	}
	if u.through[s] == nil {
		u.through[s] = map[*ast.Node]bool{}
	}
	u.through[s][use] = true
}

// frozen returns the argument of Object.freeze, Object.seal or Object.preventExtensions, which they return.
func (u *unit) frozen(call *ast.Node) *ast.Node {
	callee := skip(call.Expression())
	if len(call.Arguments()) != 1 || callee.Kind != ast.KindPropertyAccessExpression || !u.isFree(callee.Expression(), "Object") {
		return nil
	}
	switch callee.Name().Text() {
	case "freeze", "seal", "preventExtensions":
		if a := call.Arguments()[0]; a.Kind != ast.KindSpreadElement && u.objectIsIntact() {
			return a
		}
	}
	return nil
}

// isFree reports whether an expression is a global variable.
func (u *unit) isFree(n *ast.Node, name string) bool {
	n = skip(n)
	return n.Kind == ast.KindIdentifier && n.Text() == name && u.resolve(n) == nil
}

// objectIsIntact reports whether members of Object are only read, so that Object.freeze is the original.
func (u *unit) objectIsIntact() bool {
	for _, id := range u.free {
		if slices.Contains(surroundings(), id.Text()) {
			return false
		}
		if id.Text() != "Object" {
			continue
		}
		p := up(id)
		if !isObjectOf(p, p.Parent) || assigned(p.Parent) {
			return false
		}
	}
	return true
}
