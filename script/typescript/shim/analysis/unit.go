package analysis

import (
	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/binder"
	"github.com/microsoft/typescript-go/internal/core"
	"github.com/microsoft/typescript-go/internal/parser"
)

// unit is a source with resolved names.
type unit struct {
	file     *ast.SourceFile
	rules    Rules
	resolver *binder.NameResolver

	// uses maps the names of the source to their uses as values; free are the uses of global names.
	uses map[*ast.Symbol][]*ast.Node
	free []*ast.Node
	// arguments are the uses of the object of that name.
	arguments map[*ast.Node]*ast.Node
	// visited are all nodes that are emitted, in order.
	visited []*ast.Node

	known map[*ast.Node]constant
	// members are those of object literals; whole tells which constant objects are unchanged.
	members map[*ast.Node]map[string]*ast.Node
	whole   map[*ast.Symbol]bool

	result Result
	// handlers are the functions that receive the context.
	handlers []*ast.Node
	// listed are the objects whose actions were collected, searched those whose properties were searched.
	listed   map[*ast.Node]bool
	searched map[propertySearch]*ast.Node
	// through are the variables, and their uses, that lead to the exported object. They are recorded while exporting is
	// set.
	through   map[*ast.Symbol]map[*ast.Node]bool
	exporting bool
}

func read(source string, rules Rules) *unit {
	const name = "/script/script.ts"
	file := parser.ParseSourceFile(ast.SourceFileParseOptions{FileName: name, Path: name}, source, core.ScriptKindTS)
	// As in the type check, a source is a module even without an import or an export.
	if file.ExternalModuleIndicator == nil {
		file.ExternalModuleIndicator = file.AsNode()
	}
	binder.BindSourceFile(file)
	u := &unit{
		file:      file,
		rules:     rules,
		resolver:  &binder.NameResolver{CompilerOptions: &core.CompilerOptions{Target: core.ScriptTargetES2022}},
		uses:      map[*ast.Symbol][]*ast.Node{},
		arguments: map[*ast.Node]*ast.Node{},
		known:     map[*ast.Node]constant{},
		members:   map[*ast.Node]map[string]*ast.Node{},
		whole:     map[*ast.Symbol]bool{},
		listed:    map[*ast.Node]bool{},
		searched:  map[propertySearch]*ast.Node{},
		through:   map[*ast.Symbol]map[*ast.Node]bool{},
	}
	u.collect(file.AsNode())
	return u
}

// collect resolves each name used as a value. Types and pure declarations do not exist at run time.
func (u *unit) collect(n *ast.Node) {
	n.ForEachChild(func(c *ast.Node) bool {
		if ast.IsPartOfTypeNode(c) || c.Flags&ast.NodeFlagsAmbient != 0 || ast.IsInterfaceDeclaration(c) || ast.IsTypeAliasDeclaration(c) {
			return false
		}
		u.visited = append(u.visited, c)
		if ast.IsIdentifier(c) && isUse(c) {
			u.use(c)
		}
		u.collect(c)
		return false
	})
}

func (u *unit) use(id *ast.Node) {
	s := u.resolve(id)
	switch {
	case s == nil:
		u.free = append(u.free, id)
	case s == u.resolver.ArgumentsSymbol:
		u.arguments[id] = id
	default:
		u.uses[s] = append(u.uses[s], id)
	}
}

// isUse reports whether an identifier reads or writes a variable.
func isUse(id *ast.Node) bool {
	switch parent := id.Parent; parent.Kind {
	case ast.KindShorthandPropertyAssignment:
		return parent.Name() == id || parent.AsShorthandPropertyAssignment().ObjectAssignmentInitializer == id
	case ast.KindExportSpecifier:
		if parent.IsTypeOnly() || parent.Parent.Parent.IsTypeOnly() || parent.Parent.Parent.ModuleSpecifier() != nil {
			return false
		}
		return parent.PropertyName() == id || parent.PropertyName() == nil
	case ast.KindExportAssignment:
		return parent.Expression() == id
	case ast.KindImportEqualsDeclaration:
		return parent.AsImportEqualsDeclaration().ModuleReference == id && !parent.IsTypeOnly()
	case ast.KindQualifiedName:
		top := parent
		for top.Parent.Kind == ast.KindQualifiedName {
			top = top.Parent
		}
		return parent.AsQualifiedName().Left == id && top.Parent.Kind == ast.KindImportEqualsDeclaration && !top.Parent.IsTypeOnly()
	}
	if ast.IsIdentifierName(id) || ast.IsDeclarationName(id) {
		return false
	}
	return ast.IsExpressionNode(id)
}

// resolve returns the binding of a name in this source. Pure declarations and type imports are global variables at run
// time, so the name is free: nil.
func (u *unit) resolve(id *ast.Node) *ast.Symbol {
	s := u.resolver.Resolve(id, id.Text(), ast.SymbolFlagsValue|ast.SymbolFlagsAlias, nil, false, false)
	if s == nil || s == u.resolver.ArgumentsSymbol {
		return s
	}
	for _, d := range s.Declarations {
		if exists(d) {
			return s
		}
	}
	return nil
}

func exists(declaration *ast.Node) bool {
	switch {
	case declaration.Flags&ast.NodeFlagsAmbient != 0, ast.IsTypeOnlyImportDeclaration(declaration):
		return false
	case ast.IsInterfaceDeclaration(declaration), ast.IsTypeAliasDeclaration(declaration):
		return false
	case ast.IsModuleDeclaration(declaration):
		return ast.IsInstantiatedModule(declaration, false)
	case ast.IsFunctionDeclaration(declaration):
		return declaration.Body() != nil
	}
	return true
}

// skip descends to the value of an expression: through parentheses, assertions and the comma.
func skip(n *ast.Node) *ast.Node {
	return ast.SkipOuterExpressions(n, ast.OEKAll|ast.OEKComma)
}

// up climbs to the outermost expression with the same value: (x), x!, x as T, x satisfies T, (0, x).
func up(n *ast.Node) *ast.Node {
	for n.Parent != nil {
		p := n.Parent
		comma := p.Kind == ast.KindBinaryExpression && p.AsBinaryExpression().OperatorToken.Kind == ast.KindCommaToken &&
			p.AsBinaryExpression().Right == n
		if !comma && !ast.IsOuterExpression(p, ast.OEKAll) {
			break
		}
		n = p
	}
	return n
}

// assigned reports whether a use changes the variable or member that it names.
func assigned(n *ast.Node) bool {
	n = up(n)
	return n.Parent != nil && (ast.IsAssignmentTarget(n) || n.Parent.Kind == ast.KindDeleteExpression)
}

// isObjectOf reports whether an expression is the object of a member access.
func isObjectOf(n, access *ast.Node) bool {
	return (access.Kind == ast.KindPropertyAccessExpression || access.Kind == ast.KindElementAccessExpression) && access.Expression() == n
}

func isCallee(n *ast.Node) bool {
	p := n.Parent
	return (p.Kind == ast.KindCallExpression || p.Kind == ast.KindNewExpression) && p.Expression() == n ||
		p.Kind == ast.KindTaggedTemplateExpression && p.AsTaggedTemplateExpression().Tag == n
}

// parameters returns the parameters of a function, without this.
func parameters(function *ast.Node) []*ast.Node {
	list := function.ParameterList()
	if list == nil {
		return nil
	}
	nodes := list.Nodes
	if len(nodes) > 0 && ast.IsThisParameter(nodes[0]) {
		return nodes[1:]
	}
	return nodes
}

func isRest(parameter *ast.Node) bool {
	return parameter.AsParameterDeclaration().DotDotDotToken != nil
}

func isFunction(n *ast.Node) bool {
	switch n.Kind {
	case ast.KindArrowFunction, ast.KindFunctionExpression, ast.KindFunctionDeclaration, ast.KindMethodDeclaration:
		return n.Body() != nil
	}
	return false
}

func isGenerator(function *ast.Node) bool {
	data := function.BodyData()
	return data != nil && data.AsteriskToken != nil
}

// usesArguments reports whether a function reads its arguments by their number.
func (u *unit) usesArguments(function *ast.Node) *ast.Node {
	if function.Kind == ast.KindArrowFunction {
		return nil
	}
	for _, id := range u.arguments {
		if owner(id) == function {
			return id
		}
	}
	return nil
}

// owner returns the function whose arguments object a name means: arrow functions have none, and the name and the
// decorators of a method are evaluated outside of it.
func owner(n *ast.Node) *ast.Node {
	below := n
	for n = n.Parent; n != nil; below, n = n, n.Parent {
		switch n.Kind {
		case ast.KindFunctionExpression, ast.KindFunctionDeclaration, ast.KindConstructor:
			return n
		case ast.KindMethodDeclaration, ast.KindGetAccessor, ast.KindSetAccessor:
			if below != n.Name() && below.Kind != ast.KindDecorator {
				return n
			}
		}
	}
	return nil
}
