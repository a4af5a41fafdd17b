// Package arch defines the rules of the architecture as code and checks the repository against them.
//
// A Tree is the input of the rules: every package of the module with its imports, parsed from the source without
// building. A Rule is a name, its reason, and a function that lists violations. The test of this package runs all rules
// over the repository, and each rule over small trees that violate it, so that a rule that stops working is noticed.
package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Module is the import path of the tree's packages.
const Module = "countersign"

// Tree is the source of a module.
type Tree struct {
	Packages []Package
	files    map[string]bool
}

// Package is one folder with Go files.
type Package struct {
	// Dir is relative to the root of the module, "." for the root itself.
	Dir   string
	Files []File
}

// File is one Go file.
type File struct {
	// Path is relative to the root of the module.
	Path        string
	PackageName string
	Imports     []Import
	Lines       int
	Generated   bool
	Test        bool
	// Inits are the lines of init functions.
	Inits []int
	// Embeds are the patterns of go:embed directives.
	Embeds []string
	// Types are the names of the types that the file declares.
	Types        []string
	Constructors []Constructor
	// Calls are calls and conversions of the form package.Name(...), for packages of this module.
	Calls []Call
}

// Call names what is called in another package.
type Call struct {
	// Dir is the folder of the package.
	Dir  string
	Name string
	Line int
}

// Import is an import path and its line.
type Import struct {
	Path string
	Line int
}

// Local is the folder an import leads to, when it is a package of this module.
func (i Import) Local() (string, bool) {
	return strings.CutPrefix(i.Path, Module+"/")
}

// Within reports whether an import is the module or package prefix or lies below it.
func (i Import) Within(prefix string) bool {
	return i.Path == prefix || strings.HasPrefix(i.Path, prefix+"/")
}

// Production are the files that are part of the product, tests left out.
func (p Package) Production() []File {
	return slices.DeleteFunc(slices.Clone(p.Files), func(f File) bool { return f.Test })
}

// Load parses a module, without nested modules, testdata and folders that are no source of the product.
func Load(root fs.FS) (Tree, error) {
	tree := Tree{files: map[string]bool{}}
	byDir := map[string]*Package{}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && skipped(root, name) {
				return fs.SkipDir
			}
			return nil
		}
		tree.files[name] = true
		if path.Ext(name) != ".go" {
			return nil
		}
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := readFile(name, source)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if byDir[dir] == nil {
			byDir[dir] = &Package{Dir: dir}
		}
		byDir[dir].Files = append(byDir[dir].Files, file)
		return nil
	})
	if err != nil {
		return Tree{}, fmt.Errorf("load source tree: %w", err)
	}
	for _, p := range byDir {
		tree.Packages = append(tree.Packages, *p)
	}
	slices.SortFunc(tree.Packages, func(a, b Package) int { return strings.Compare(a.Dir, b.Dir) })
	return tree, nil
}

func skipped(root fs.FS, dir string) bool {
	base := path.Base(dir)
	if base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := fs.Stat(root, path.Join(dir, "go.mod"))
	return err == nil
}

func readFile(name string, source []byte) (File, error) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return File{}, err
	}
	f := File{
		Path: name, PackageName: parsed.Name.Name, Lines: bytes.Count(source, []byte("\n")),
		Generated: ast.IsGenerated(parsed), Test: strings.HasSuffix(name, "_test.go"),
	}
	local, err := f.readImports(fset, parsed)
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", name, err)
	}
	f.readEmbeds(parsed)
	f.readDeclarations(fset, parsed)
	f.readCalls(fset, parsed, local)
	return f, nil
}

// readImports maps the names of imports in the file to the folders of this module's packages.
func (f *File) readImports(fset *token.FileSet, parsed *ast.File) (map[string]string, error) {
	local := map[string]string{}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		i := Import{Path: imported, Line: fset.Position(spec.Pos()).Line}
		f.Imports = append(f.Imports, i)
		if dir, ok := i.Local(); ok {
			name := path.Base(dir)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			local[name] = dir
		}
	}
	return local, nil
}

func (f *File) readEmbeds(parsed *ast.File) {
	for _, group := range parsed.Comments {
		for _, comment := range group.List {
			if patterns, ok := strings.CutPrefix(comment.Text, "//go:embed "); ok {
				f.Embeds = append(f.Embeds, strings.Fields(patterns)...)
			}
		}
	}
}

func (f *File) readDeclarations(fset *token.FileSet, parsed *ast.File) {
	for _, declaration := range parsed.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			f.readConstructor(fset, d)
			if d.Recv == nil && d.Name.Name == "init" {
				f.Inits = append(f.Inits, fset.Position(d.Pos()).Line)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					f.Types = append(f.Types, t.Name.Name)
				}
			}
		}
	}
}

func (f *File) readCalls(fset *token.FileSet, parsed *ast.File, local map[string]string) {
	ast.Inspect(parsed, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		selector, ok := called(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if from, ok := selector.X.(*ast.Ident); ok && local[from.Name] != "" {
			f.Calls = append(f.Calls, Call{Dir: local[from.Name], Name: selector.Sel.Name, Line: fset.Position(call.Pos()).Line})
		}
		return true
	})
}

// called returns the function of a call without its type arguments.
func called(fun ast.Expr) ast.Expr {
	switch f := fun.(type) {
	case *ast.IndexExpr:
		return f.X
	case *ast.IndexListExpr:
		return f.X
	}
	return fun
}
