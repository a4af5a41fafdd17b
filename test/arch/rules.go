package arch

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Violation is one place that breaks a rule.
type Violation struct {
	Rule    string
	File    string
	Line    int
	Message string
}

func (v Violation) String() string {
	return fmt.Sprintf("%s:%d: %s (%s)", v.File, v.Line, v.Message, v.Rule)
}

// Rule is a property that every tree must have.
type Rule struct {
	Name string
	// Why explains the rule in the message of a violation.
	Why   string
	check func(Tree) []finding
}

// finding is a violation without the name of its rule.
type finding struct {
	file    string
	line    int
	message string
}

// Check lists the violations of the rule, by file and line.
func (r Rule) Check(tree Tree) []Violation {
	var violations []Violation
	for _, f := range r.check(tree) {
		violations = append(violations, Violation{Rule: r.Name, File: f.file, Line: f.line, Message: f.message})
	}
	slices.SortStableFunc(violations, func(a, b Violation) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return violations
}

// maxFileLines is the length at which a file must be split by subject.
const maxFileLines = 600

// Rules are the rules of the repository.
func Rules() []Rule {
	return []Rule{
		{"direction", "dependencies point one way, so that a change stays where it is made", direction},
		{"apart", "modules, transports and auth meet through interfaces that the consumer declares and cmd wires", apart},
		{"workflows", "workflow code must be deterministic: only the workflow SDK and packages without I/O", workflowImports},
		{"pure", "the rules of turns and of tool calls are tested without a world around them", pureImports},
		{
			"pgx",
			"SQL lives in .sql files: only package store and the generated <name>db packages know the driver, and the " +
				"strategy that checks a PostgreSQL",
			only("github.com/jackc/pgx", func(dir string) bool { return isDatabase(dir) || dir == "check/strategy" }),
		},
		{"wazero", "guest code runs in the sandbox and nowhere else", only("github.com/tetratelabs/wazero", below("sandbox"))},
		{"go-openai", "one package speaks to model providers", only("github.com/sashabaranov/go-openai", below("model"))},
		{"test-support", "code that exists for tests must not reach the product", testSupport},
		{"require", "a test stops at its first broken assumption", requireNotAssert},
		{"names", "a package is named after what it is about", packageNames},
		{"no-init", "everything is registered explicitly and in sight", noInit},
		{"file-length", "a file has one reason to change", fileLength},
		{"conforms", "what every module keeps is tested once, by apitest.Conform, which each module's tests call", conforms},
		{"main-file", "a reader opens <package>.go first", mainFile},
		{"constructors", "four arguments in a row are mistaken for each other: New(Options) names them", constructors},
		{"modules", "a module is Module with its routes and tools; others do not reach into what is behind it", modules},
		{"contract", "a change of how tools are written reaches nothing that calls or governs them", contract},
		{"tool-text", "the text a model reads about a tool is prose in a file of its own, beside the tool's code", toolTexts},
	}
}

// Rooms are the root folders with Go packages, and those of internal, from the top down: a package imports only its own
// room and those below. ARCHITECTURE.md lists them in this order.
func Rooms() []string {
	return []string{
		"test", "cmd", "app", "api", "worker", "activities", "workflows", "modules", "automation", "docsindex", "auth", "chat", "script",
		"sandbox", "check", "tool", "audit", "internal/access", "internal/note", "internal/notice", "model", "internal/rest", "event",
		"internal/store", "migrations",
		"internal/secret", "internal/json", "internal/text", "internal/egress", "internal/principal", "internal/telemetry",
		"internal/durable", "internal/process", "internal/calendar", "internal/problem", "internal/crash", "web",
	}
}

// room returns the index of a package's room in Rooms, and -1 for other folders.
func room(dir string) int {
	parts := strings.Split(dir, "/")
	if parts[0] == "internal" && len(parts) > 1 {
		return slices.Index(Rooms(), path.Join(parts[:2]...))
	}
	return slices.Index(Rooms(), parts[0])
}

func direction(tree Tree) []finding {
	var found []finding
	for _, p := range tree.Packages {
		own := room(p.Dir)
		if own < 0 {
			found = append(found, finding{p.Files[0].Path, 1, fmt.Sprintf("the folder %s has no place in the rooms of test/arch", p.Dir)})
			continue
		}
		for _, f := range p.Production() {
			for _, i := range f.Imports {
				to, local := i.Local()
				if other := room(to); local && other >= 0 && other < own {
					found = append(found, finding{f.Path, i.Line, fmt.Sprintf("%s must not import %s, which stands above it", p.Dir, to)})
				}
			}
		}
	}
	return found
}

// conforms lists modules whose tests do not run the conformance test.
func conforms(tree Tree) []finding {
	var found []finding
	for _, p := range tree.Packages {
		parent, name := path.Split(p.Dir)
		declares := func(f File) bool { return !f.Test && slices.Contains(f.Types, "Module") }
		asks := func(f File) bool {
			return f.Test && slices.ContainsFunc(f.Calls, func(c Call) bool { return c.Dir == "api/apitest" && c.Name == "Conform" })
		}
		if at := slices.IndexFunc(p.Files, declares); parent == "modules/" && at >= 0 && !slices.ContainsFunc(p.Files, asks) {
			found = append(found, finding{p.Files[at].Path, 1, fmt.Sprintf("no test of the module %s calls apitest.Conform", name)})
		}
	}
	return found
}

// neighbourhood names what must not import each other: each module, auth, and each transport. It is "" for every other
// package.
func neighbourhood(dir string) string {
	parts := strings.Split(dir, "/")
	switch {
	case parts[0] == "modules" && len(parts) > 1:
		return "modules/" + parts[1]
	case len(parts) > 1 && parts[0] == "api" && parts[1] == "mcp":
		return "api/mcp"
	case slices.Contains([]string{"auth", "api", "worker"}, parts[0]):
		return parts[0]
	}
	return ""
}

func apart(tree Tree) []finding {
	var found []finding
	for _, p := range tree.Packages {
		from := neighbourhood(p.Dir)
		if from == "" {
			continue
		}
		for _, f := range p.Production() {
			for _, i := range f.Imports {
				to, local := i.Local()
				if other := neighbourhood(to); local && other != "" && other != from && (!transport(from) || transport(other)) {
					found = append(found, finding{f.Path, i.Line, fmt.Sprintf("%s must not import %s", from, other)})
				}
			}
		}
	}
	return found
}

// transport reports whether a neighbourhood brings calls from outside; those may know modules and auth.
func transport(neighbourhood string) bool {
	return slices.Contains([]string{"api", "api/mcp", "worker"}, neighbourhood)
}

func workflowImports(tree Tree) []finding {
	sdk := []string{
		"go.temporal.io/sdk/workflow", "go.temporal.io/sdk/temporal", "go.temporal.io/sdk/log", "go.temporal.io/sdk/converter",
		"go.temporal.io/api/enums/v1",
	}
	allowed := func(i Import) bool { return slices.Contains(sdk, i.Path) || i.Path == Module+"/internal/durable" }
	found := append(pure(tree, "workflows", allowed), pure(tree, "internal/durable", allowed)...)
	plain := plainness{tree: tree, known: map[string]string{}}
	for _, p := range tree.Packages {
		for _, f := range p.Production() {
			if !below("modules")(p.Dir) || path.Base(f.Path) != "workflow.go" {
				continue // workflow code of modules stands in these files
			}
			for _, i := range f.Imports {
				if reason := plain.impurity(i); reason != "" && !allowed(i) {
					found = append(found, finding{f.Path, i.Line, fmt.Sprintf("workflow code must not import %s: %s", i.Path, reason)})
				}
			}
		}
	}
	return found
}

// pureImports checks the packages that contain rules only and no I/O.
func pureImports(tree Tree) []finding {
	var found []finding
	for _, dir := range []string{"chat/assistant", "tool/disposition"} {
		found = append(found, pure(tree, dir, func(Import) bool { return false })...)
	}
	return found
}

// vocabulary are packages whose types and constants pure code may use. They also contain clients, so pure code may not
// call them.
func vocabulary() []string { return []string{"model", "tool"} }

// pure lists the impure imports of the packages below top, direct and transitive, and their calls of the vocabulary.
func pure(tree Tree, top string, allowed func(Import) bool) []finding {
	plain := plainness{tree: tree, known: map[string]string{}}
	var found []finding
	for _, p := range tree.Packages {
		if !below(top)(p.Dir) {
			continue
		}
		for _, f := range p.Production() {
			for _, i := range f.Imports {
				if reason := plain.impurity(i); reason != "" && !allowed(i) && !i.Within(Module+"/"+top) {
					found = append(found, finding{f.Path, i.Line, fmt.Sprintf("%s must not import %s: %s", p.Dir, i.Path, reason)})
				}
			}
			found = append(found, vocabularyCalls(tree, p, f)...)
		}
	}
	return found
}

func vocabularyCalls(tree Tree, p Package, f File) []finding {
	var found []finding
	for _, c := range f.Calls {
		if slices.Contains(vocabulary(), c.Dir) && !tree.declaresType(c.Dir, c.Name) {
			found = append(found, finding{f.Path, c.Line, fmt.Sprintf("%s may use the types of %s and must not call %s", p.Dir, c.Dir, c.Name)})
		}
	}
	return found
}

// declaresType distinguishes a conversion from a call.
func (t Tree) declaresType(dir, name string) bool {
	return slices.ContainsFunc(t.Packages, func(p Package) bool {
		return p.Dir == dir && slices.ContainsFunc(p.Files, func(f File) bool { return slices.Contains(f.Types, name) })
	})
}

// plainness finds packages without I/O, with a cache.
type plainness struct {
	tree  Tree
	known map[string]string
}

// impurity says why an import is not plain, "" when it is.
func (p plainness) impurity(i Import) string {
	dir, local := i.Local()
	switch {
	case !local && outside(i):
		return "it reaches outside of the process"
	case !local && !strings.Contains(strings.Split(i.Path, "/")[0], "."):
		return "" // the rest of the standard library
	case !local && slices.Contains([]string{"github.com/google/uuid", "github.com/yuin/goldmark"}, i.Path),
		strings.HasPrefix(i.Path, "golang.org/x/text/"):
		return ""
	case !local:
		return "it is not known to be without I/O"
	case dir == "internal/problem" || slices.Contains(vocabulary(), dir):
		return "" // problem knows the numbers of HTTP statuses and nothing else of net/http
	}
	if reason, ok := p.known[dir]; ok {
		return reason
	}
	p.known[dir] = ""
	for _, pkg := range p.tree.Packages {
		if pkg.Dir != dir {
			continue
		}
		for _, f := range pkg.Production() {
			for _, next := range f.Imports {
				if p.impurity(next) != "" {
					p.known[dir] = "it imports " + next.Path
				}
			}
		}
	}
	return p.known[dir]
}

// outside reports the parts of the standard library that do I/O or differ from run to run.
func outside(i Import) bool {
	return slices.ContainsFunc([]string{
		"net", "os", "database", "syscall", "plugin", "io/ioutil", "log", "crypto/rand", "crypto/tls", "math/rand", "path/filepath",
		"runtime", "testing", "expvar", "unsafe",
	}, i.Within) && i.Path != "net/url" && i.Path != "net/netip"
}

func below(top string) func(dir string) bool {
	return func(dir string) bool { return dir == top || strings.HasPrefix(dir, top+"/") }
}

// isDatabase holds for package store, for generated query packages (<name>db), and for programs that measure the
// database or check its invariants.
func isDatabase(dir string) bool {
	return below("internal/store")(dir) || below("test")(dir) || strings.HasSuffix(path.Base(dir), "db")
}

// only lists imports of a library outside of the allowed packages.
func only(library string, may func(dir string) bool) func(Tree) []finding {
	return func(tree Tree) []finding {
		var found []finding
		for _, p := range tree.Packages {
			if may(p.Dir) {
				continue
			}
			for _, f := range p.Production() {
				for _, i := range f.Imports {
					if i.Within(library) {
						found = append(found, finding{f.Path, i.Line, fmt.Sprintf("%s must not import %s", p.Dir, i.Path)})
					}
				}
			}
		}
		return found
	}
}

// testSupport allows imports of packages named <name>test only from tests and from each other.
func testSupport(tree Tree) []finding {
	supports := func(dir string) bool { return strings.HasSuffix(path.Base(dir), "test") }
	var found []finding
	for _, p := range tree.Packages {
		if supports(p.Dir) {
			continue
		}
		for _, f := range p.Production() {
			for _, i := range f.Imports {
				if to, local := i.Local(); (local && supports(to)) || i.Path == "testing" || i.Within("github.com/stretchr/testify") {
					found = append(found, finding{f.Path, i.Line, fmt.Sprintf("%s must not import %s", p.Dir, i.Path)})
				}
			}
		}
	}
	return found
}

func requireNotAssert(tree Tree) []finding {
	var found []finding
	for _, p := range tree.Packages {
		for _, f := range p.Files {
			for _, i := range f.Imports {
				if i.Within("github.com/stretchr/testify") && !i.Within("github.com/stretchr/testify/require") {
					found = append(found, finding{f.Path, i.Line, "use testify's require instead of " + i.Path})
				}
			}
		}
	}
	return found
}
