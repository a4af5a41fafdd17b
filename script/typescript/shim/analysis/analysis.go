// Package analysis is the static analysis of a custom tool's source: whether it has the shape of a tool, its modules,
// its ways to evaluate strings as code, and its secrets. Names are resolved to their bindings by the rules of the
// language, never by spelling.
//
// Undecidable cases are never ignored: each is a finding, or a reason why the list of secrets may be incomplete.
package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/diagnosticwriter"
	"github.com/microsoft/typescript-go/internal/locale"
	"github.com/microsoft/typescript-go/internal/scanner"
	"github.com/microsoft/typescript-go/shim"
)

// Finding is a fault of a source, or a warning.
type Finding struct {
	shim.Span

	Code    string
	Warning bool
	Message string
	// Hint is the correction, "" when the message has it.
	Hint string
}

// Reference is a call of secrets.ref, at the position of the name.
type Reference struct {
	shim.Span

	Name string
}

// Reason is the position of a use of the tool's context that the analysis cannot follow.
type Reason struct {
	shim.Span

	Message string
}

// Verdict is the objection to a module or a global.
type Verdict struct {
	Code, Message, Hint string
}

// Rules know the environment of tools. They return nil without an objection.
type Rules struct {
	// Module judges a module by its written name.
	Module func(name string) *Verdict
	// Global judges a global variable, or a member of one such as "process.env" and "globalThis.Intl".
	Global func(name string) *Verdict
}

// Result is the result for a source.
type Result struct {
	Findings []Finding
	// Broken is set when there are syntax errors. The other findings cover the parsed part.
	Broken bool

	// SecretRefs are the names in calls of secrets.ref, sorted, each once. The list may be incomplete unless Reasons is
	// empty.
	SecretRefs []string
	Reasons    []Reason
	// Modules are the value imports, Actions the names of the actions; sorted.
	Modules []string
	Actions []string

	// References are the calls of secrets.ref with known names, and ContextUses the uses of the default action's second
	// parameter, if it is a name.
	References  []Reference
	ContextUses []shim.Span

	// TypeOnly are the positions of module names in type-only imports.
	TypeOnly []shim.Span
	// Localized are the arguments of calls that take a locale elsewhere, such as "en" in n.toLocaleString("en").
	Localized []shim.Span
	// Covered are positions of names that other findings cover, such as the name of require in a call of it.
	Covered []shim.Span
	// Default is the default action, nil without one.
	Default *Signature
}

// Signature describes the parameters of a function.
type Signature struct {
	// Parameters are their positions, without that of this. Rest is set when the last one is a rest parameter.
	Parameters []shim.Span
	Rest       bool
}

// The codes of findings. Those of modules and globals come from the Rules.
const (
	Syntax             = "syntax"
	NoDefaultExport    = "ast_no_default_export"
	DefaultNotObject   = "ast_default_not_object"
	MissingActions     = "ast_missing_actions"
	ActionsNotObject   = "ast_actions_not_object"
	MissingDefault     = "ast_missing_default_action"
	DefaultNotCallable = "ast_default_action_not_callable"
	DynamicExport      = "ast_dynamic_export"
	DuplicateKey       = "ast_duplicate_key"
	CommonJSExport     = "ast_commonjs_export"
	ExportAssignment   = "ast_export_assignment"
	ExtraParameter     = "ast_extra_parameter"

	DynamicImport     = "dynamic_module_import"
	CommonJSRequire   = "commonjs_require"
	BannedEval        = "banned_eval"
	BannedConstructor = "banned_constructor"
	UndecidedAccess   = "undecided_access"
)

// Wanted is the form of a tool.
const Wanted = "export default { actions: { default: async (args, ctx) => { ... } } } satisfies CustomTool"

// Analyze analyzes a source. It never fails: the parser recovers from every error.
func Analyze(source string, rules Rules) Result {
	u := read(source, rules)
	for i, d := range u.file.Diagnostics() {
		if i == most {
			break
		}
		var text strings.Builder
		diagnosticwriter.WriteFlattenedASTDiagnosticMessage(&text, d, "\n", locale.Default)
		u.add(Finding{Span: u.between(d.Pos(), d.End()), Code: Syntax, Message: text.String()})
		u.result.Broken = true
	}
	u.modules()
	u.globals()
	u.constructors()
	u.localized()
	u.shape()
	u.capabilities()
	return u.finish()
}

func (u *unit) finish() Result {
	r := &u.result
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Message, b.Message),
		)
	})
	r.Findings = slices.Compact(r.Findings)
	slices.SortStableFunc(r.Reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	r.Reasons = slices.Compact(r.Reasons)
	for _, names := range []*[]string{&r.SecretRefs, &r.Modules, &r.Actions} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
	return *r
}

// most bounds the positions looked up per kind: each costs the length of its line.
const most = 500

func (u *unit) add(f Finding) { u.result.Findings = append(u.result.Findings, f) }

func (u *unit) refuse(n *ast.Node, code, message, hint string) {
	if len(u.result.Findings) >= 2*most {
		return
	}
	u.add(Finding{Span: u.span(n), Code: code, Message: message, Hint: hint})
}

func (u *unit) warn(n *ast.Node, code, message, hint string) {
	u.add(Finding{Span: u.span(n), Code: code, Message: message, Hint: hint, Warning: true})
}

func (u *unit) judge(n *ast.Node, v *Verdict) bool {
	if v != nil {
		u.refuse(n, v.Code, v.Message, v.Hint)
	}
	return v != nil
}

// cover records a name that another finding covers.
func (u *unit) cover(n *ast.Node) {
	if len(u.result.Covered) < most {
		u.result.Covered = append(u.result.Covered, u.span(n))
	}
}

// doubt records that the list of secrets may be incomplete.
func (u *unit) doubt(n *ast.Node, message string) {
	if len(u.result.Reasons) < most {
		u.result.Reasons = append(u.result.Reasons, Reason{u.span(n), message})
	}
}

func (u *unit) span(n *ast.Node) shim.Span {
	return u.between(scanner.GetTokenPosOfNode(n, u.file, false), n.End())
}

func (u *unit) between(start, end int) shim.Span {
	line, column := scanner.GetECMALineAndUTF16CharacterOfPosition(u.file, start)
	endLine, endColumn := scanner.GetECMALineAndUTF16CharacterOfPosition(u.file, end)
	return shim.Span{Line: line + 1, Column: int(column) + 1, EndLine: endLine + 1, EndColumn: int(endColumn) + 1}
}
