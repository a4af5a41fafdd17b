package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// maxPositional bounds the dependencies that a constructor takes as parameters; one with more takes Options.
const maxPositional = 3

// Constructor is an exported function New... of a package.
type Constructor struct {
	Name string
	// Params counts the parameters but contexts, testing.TB and variadic ones.
	Params int
	Line   int
}

// readConstructor adds d when it is a constructor.
func (f *File) readConstructor(fset *token.FileSet, d *ast.FuncDecl) {
	if d.Recv != nil || !strings.HasPrefix(d.Name.Name, "New") {
		return
	}
	params := 0
	for _, p := range d.Type.Params.List {
		if s, ok := p.Type.(*ast.SelectorExpr); ok && (s.Sel.Name == "Context" || s.Sel.Name == "TB") {
			continue
		}
		if _, ok := p.Type.(*ast.Ellipsis); ok {
			continue
		}
		params += max(len(p.Names), 1)
	}
	f.Constructors = append(f.Constructors, Constructor{d.Name.Name, params, fset.Position(d.Pos()).Line})
}

// fewFiles is the number of files for which a package needs no main file.
const fewFiles = 2

// mainFile checks that a package of more files has <package>.go, where readers begin.
func mainFile(tree Tree) []finding {
	var found []finding
	for _, p := range tree.Packages {
		files := slices.DeleteFunc(p.Production(), func(f File) bool { return f.Generated })
		if len(files) <= fewFiles || files[0].PackageName == "main" || strings.HasSuffix(p.Dir, "db") || p.Dir == "workflows" {
			continue // workflows/turn.go is where a reader begins.
		}
		want := path.Join(p.Dir, files[0].PackageName+".go")
		if !slices.ContainsFunc(files, func(f File) bool { return f.Path == want }) {
			found = append(found, finding{files[0].Path, 1, "the main file of the package is to be " + want})
		}
	}
	return found
}

// positional are constructors with many parameters that are no dependencies.
var positional = map[string]string{
	"kit.NewWrite":      "the parts of a write tool stand in the order in which they run",
	"check.NewStrategy": "the parts of a strategy, whose types are inferred from them",
}

// constructors checks that a constructor with many dependencies takes Options.
func constructors(tree Tree) []finding {
	var found []finding
	for _, p := range tree.Packages {
		for _, f := range p.Production() {
			for _, c := range f.Constructors {
				exempt := f.Generated || f.PackageName == "main" || positional[f.PackageName+"."+c.Name] != ""
				if c.Params > maxPositional && !exempt {
					message := fmt.Sprintf("%s has %d parameters; more than %d are Options", c.Name, c.Params, maxPositional)
					found = append(found, finding{f.Path, c.Line, message})
				}
			}
		}
	}
	return found
}

// modules checks that the service of a module is not exported.
func modules(tree Tree) []finding {
	var found []finding
	for _, p := range tree.Packages {
		if path.Dir(p.Dir) != "modules" {
			continue
		}
		for _, f := range p.Production() {
			if slices.Contains(f.Types, "Service") {
				found = append(found, finding{f.Path, 1, "Service is exported; Module wraps an unexported service"})
			}
		}
	}
	return found
}
