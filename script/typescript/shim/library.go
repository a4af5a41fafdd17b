package shim

import (
	"slices"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/scanner"
)

// library names the parts of the language's own library that scripts have.
func library() []string {
	return []string{
		"lib.es2025.d.ts", "lib.esnext.array.d.ts", "lib.esnext.collection.d.ts",
		"lib.esnext.disposable.d.ts", "lib.esnext.error.d.ts", "lib.esnext.typedarrays.d.ts",
	}
}

// Without removes declarations from the library before its use. Names are those of globals and namespaces ("Atomics"),
// or members of an interface ("Array.at"). A namespace goes together with the members of interfaces whose types name
// it.
func (c *Checker) Without(names ...string) { c.absent = append(c.absent, names...) }

// without removes them from a file between parsing and binding.
func without(file *ast.SourceFile, absent []string) {
	if len(absent) == 0 {
		return
	}
	gone := func(name string) bool { return slices.Contains(absent, name) }
	mentions := func(n *ast.Node) bool {
		text := file.Text()[scanner.GetTokenPosOfNode(n, file, false):n.End()]
		return slices.ContainsFunc(absent, func(name string) bool {
			return !strings.Contains(name, ".") && strings.Contains(text, name+".")
		})
	}
	file.Statements.Nodes = slices.DeleteFunc(file.Statements.Nodes, func(n *ast.Node) bool {
		switch {
		case ast.IsModuleDeclaration(n), ast.IsFunctionDeclaration(n):
			return gone(n.Name().Text())
		case ast.IsVariableStatement(n):
			return slices.ContainsFunc(variables(n), func(v *ast.Node) bool { return gone(v.Name().Text()) })
		case ast.IsInterfaceDeclaration(n) && gone(n.Name().Text()):
			return true
		case ast.IsInterfaceDeclaration(n):
			list := n.MemberList()
			list.Nodes = slices.DeleteFunc(list.Nodes, func(m *ast.Node) bool {
				return mentions(m) || m.Name() != nil && gone(n.Name().Text()+"."+memberName(file, m))
			})
		}
		return false
	})
}

func variables(n *ast.Node) []*ast.Node {
	return n.AsVariableStatement().DeclarationList.AsVariableDeclarationList().Declarations.Nodes
}

// memberName returns the written name of a member: "at", "[Symbol.iterator]".
func memberName(file *ast.SourceFile, m *ast.Node) string {
	name := m.Name()
	text := file.Text()[scanner.GetTokenPosOfNode(name, file, false):name.End()]
	if last := len(text) - 1; last > 0 && text[0] == text[last] && strings.ContainsRune(`"'`, rune(text[0])) {
		return text[1:last]
	}
	return text
}

// Library lists the values that the declarations and the library declare.
type Library struct {
	// Globals are the variables, functions, classes and namespaces, with the type name of a variable where it has one.
	Globals map[string]string
	// Members are the names in interfaces, classes, namespaces and literal types of variables. The static members of a
	// class and those of a namespace or a variable are below "typeof <name>".
	Members map[string][]string
	// Bases are the bases of an interface or a class.
	Bases map[string][]string
}

// Library returns the declarations of the files that the checks so far have used.
func (c *Checker) Library() Library {
	l := Library{Globals: map[string]string{}, Members: map[string][]string{}, Bases: map[string][]string{}}
	for _, file := range c.parsed {
		switch {
		case file == nil:
		case file.ExternalModuleIndicator == nil:
			l.add(file, file.Statements.Nodes, "")
		default:
			for _, n := range file.Statements.Nodes {
				if ast.IsModuleDeclaration(n) && n.Name().Text() == "global" {
					l.add(file, n.AsModuleDeclaration().Body.AsModuleBlock().Statements.Nodes, "")
				}
			}
		}
	}
	return l
}

func (l Library) add(file *ast.SourceFile, statements []*ast.Node, within string) {
	declare := func(name, typ string) {
		if within != "" {
			l.Members["typeof "+within] = append(l.Members["typeof "+within], name)
		} else if l.Globals[name] == "" {
			l.Globals[name] = typ
		}
	}
	members := func(of string, nodes []*ast.Node) {
		for _, m := range nodes {
			if m.Name() != nil {
				l.Members[of] = append(l.Members[of], memberName(file, m))
			}
		}
	}
	for _, n := range statements {
		switch {
		case ast.IsVariableStatement(n):
			for _, v := range variables(n) {
				name, typ := v.Name().Text(), ""
				if t := v.Type(); t != nil && ast.IsTypeReferenceNode(t) {
					typ = strings.TrimSpace(file.Text()[t.Pos():t.End()])
				} else if t != nil && ast.IsTypeLiteralNode(t) {
					members("typeof "+name, t.Members())
				}
				declare(name, typ)
			}
		case ast.IsFunctionDeclaration(n):
			declare(n.Name().Text(), "")
		case ast.IsModuleDeclaration(n):
			body := n.AsModuleDeclaration().Body
			if n.Name().Kind != ast.KindIdentifier || body == nil || !ast.IsModuleBlock(body) || within != "" {
				continue
			}
			before := len(l.Members["typeof "+n.Name().Text()])
			l.add(file, body.AsModuleBlock().Statements.Nodes, n.Name().Text())
			if len(l.Members["typeof "+n.Name().Text()]) > before {
				declare(n.Name().Text(), "")
			}
		case within != "":
		case ast.IsClassDeclaration(n):
			declare(n.Name().Text(), "")
			for _, m := range n.Members() {
				of := n.Name().Text()
				if ast.IsStatic(m) {
					of = "typeof " + of
				}
				members(of, []*ast.Node{m})
			}
			l.extend(file, n)
		case ast.IsInterfaceDeclaration(n):
			members(n.Name().Text(), n.Members())
			l.extend(file, n)
		}
	}
}

func (l Library) extend(file *ast.SourceFile, n *ast.Node) {
	for _, base := range ast.GetExtendsHeritageClauseElements(n) {
		text := file.Text()[scanner.GetTokenPosOfNode(base, file, false):base.End()]
		name, _, _ := strings.Cut(text, "<")
		l.Bases[n.Name().Text()] = append(l.Bases[n.Name().Text()], name)
	}
}
