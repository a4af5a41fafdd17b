package analysis

import (
	"fmt"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
)

// modules checks each form of import, except for require, which is a variable.
func (u *unit) modules() {
	u.typeImports(u.file.AsNode())
	for _, n := range u.visited {
		switch n.Kind {
		case ast.KindImportDeclaration, ast.KindExportDeclaration:
			name := n.ModuleSpecifier()
			switch {
			case name == nil:
			case erased(n):
				u.typeOnly(name)
			default:
				u.module(name)
			}
		case ast.KindImportEqualsDeclaration:
			reference := n.AsImportEqualsDeclaration().ModuleReference
			if reference.Kind != ast.KindExternalModuleReference {
				continue
			}
			if n.IsTypeOnly() {
				u.typeOnly(reference.Expression())
				continue
			}
			u.cover(n)
			u.required(reference.Expression(), reference.Expression())
		case ast.KindCallExpression:
			if !ast.IsImportCall(n) {
				continue
			}
			if arguments := n.Arguments(); len(arguments) > 0 {
				u.module(arguments[0])
			}
		}
	}
}

func (u *unit) typeOnly(name *ast.Node) {
	if len(u.result.TypeOnly) < most {
		u.result.TypeOnly = append(u.result.TypeOnly, u.span(name))
	}
}

// erased reports whether compilation removes an import or export entirely.
func erased(n *ast.Node) bool {
	var bindings *ast.Node
	if n.Kind == ast.KindExportDeclaration {
		bindings = n.AsExportDeclaration().ExportClause
		if n.IsTypeOnly() {
			return true
		}
	} else {
		clause := n.ImportClause()
		if clause == nil {
			return false
		}
		if clause.IsTypeOnly() {
			return true
		}
		if clause.Name() != nil {
			return false
		}
		bindings = clause.AsImportClause().NamedBindings
	}
	if bindings == nil || bindings.Kind != ast.KindNamedImports && bindings.Kind != ast.KindNamedExports || len(bindings.Elements()) == 0 {
		return false
	}
	for _, e := range bindings.Elements() {
		if !e.IsTypeOnly() {
			return false
		}
	}
	return true
}

// typeImports records modules in types: import("name").Type.
func (u *unit) typeImports(n *ast.Node) {
	n.ForEachChild(func(c *ast.Node) bool {
		if c.Kind == ast.KindImportType {
			if argument := c.AsImportTypeNode().Argument; argument != nil && argument.Kind == ast.KindLiteralType {
				u.typeOnly(argument.AsLiteralTypeNode().Literal)
			}
		}
		u.typeImports(c)
		return false
	})
}

// module judges an imported module.
func (u *unit) module(name *ast.Node) {
	c := u.fold(name)
	switch {
	case !c.ok:
		u.refuse(
			name,
			DynamicImport,
			"The name of this module is not known before the tool runs.",
			"Write the name as a constant text: import(\"crypto\").",
		)
	case u.judge(name, u.rules.Module(c.text)):
	case !ast.IsStringLiteralLike(skip(name)):
		u.refuse(name, DynamicImport, fmt.Sprintf("The name of the module %q is put together, which the bundler cannot follow.", c.text),
			fmt.Sprintf("Write import(%q).", c.text))
	default:
		u.result.Modules = append(u.result.Modules, strings.TrimPrefix(c.text, "node:"))
	}
}

// required judges a CommonJS import.
func (u *unit) required(at, name *ast.Node) {
	c := u.fold(name)
	switch {
	case !c.ok:
		u.refuse(at, DynamicImport, "The name of this module is not known before the tool runs, and require does not exist in the sandbox.",
			"Use an import declaration with a constant name.")
	case !u.judge(at, u.rules.Module(c.text)):
		u.refuse(
			at,
			CommonJSRequire,
			"require does not exist in the sandbox: tools are ES modules.",
			fmt.Sprintf("Write import * as name from %q.", c.text),
		)
	}
}
