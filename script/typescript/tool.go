package typescript

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/microsoft/typescript-go/shim/analysis"

	"countersign/script/sdk"
)

const (
	// MaxToolSource bounds the source of a custom tool on the wire, in characters.
	MaxToolSource = 500_000
	// The codes of diagnostics that are neither of the static analysis nor of the rules about modules and globals.
	codeSyntax    = "syntax"
	codeType      = "type"
	codeTransform = "transform_failed"
	codeUnchecked = "type_check_skipped"
	codeComplex   = "source_too_complex"
	codeTooLong   = "source_too_long"
	codeNotText   = "source_not_text"
	codeNoDefault = analysis.NoDefaultExport
	codeLocale    = "locale_ignored"
)

// ToolSource is the source of a custom tool.
type ToolSource struct {
	ID, Source string
	// Author is the key of the concurrency limit: one source of each author is compiled at a time. "" has no limit.
	Author string
	// ArgsSchema is a JSON schema of the arguments. "{}" accepts anything.
	ArgsSchema json.RawMessage
}

// ToolDiagnostic is one finding in a custom tool, at a position of the author's source. Lines and columns count from 1,
// columns in UTF-16 code units; the end is exclusive.
type ToolDiagnostic struct {
	// Code is stable: "ast_no_default_export", "banned_module_import", "banned_eval", "syntax", "type", "args_schema_invalid".
	Code     string   `json:"code"`
	Severity Severity `json:"severity" enum:"error,warning"`
	// Message is meant for people and for models that write tools.
	Message   string `json:"message"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
	// Hint is the correction.
	Hint string `json:"hint,omitempty"`
}

// Capabilities are the secrets and modules that a tool uses, by static analysis of its source.
type Capabilities struct {
	// SecretRefs are the names of secrets, sorted, each once.
	SecretRefs []string `json:"secret_refs" nullable:"false"`
	// DynamicSecretRefs is set whenever the list may be incomplete; Reasons say why.
	DynamicSecretRefs bool               `json:"dynamic_secret_refs"`
	Reasons           []CapabilityReason `json:"reasons,omitempty" nullable:"false"`
	// Modules are the value imports, Actions the names of the actions; sorted.
	Modules []string `json:"modules" nullable:"false"`
	Actions []string `json:"actions" nullable:"false"`
}

// CapabilityReason is the position of a use of the context that the analysis cannot follow.
type CapabilityReason struct {
	Message string `json:"message"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

// CompiledTool is a compiled custom tool.
type CompiledTool struct {
	// Diagnostics are sorted by position, at most 100.
	Diagnostics  []ToolDiagnostic
	Capabilities Capabilities

	// JS is an ES module without imports, "" when a diagnostic is an error. Its default export is an async function of
	// sdk.ToolInput that returns the action's result.
	JS string
	// SourceMap maps JS to the source: see Positions.
	SourceMap []byte
	// Compiler is ToolCompiler: the same source and compiler make the same JS.
	Compiler string

	// Checked is set when the types were checked; otherwise Reason says why not.
	Checked bool
	Reason  Reason

	// Took is the compile time, without the wait for a slot; 0 for a cached result.
	Took time.Duration
}

// Errors reports whether a diagnostic is an error.
func (c CompiledTool) Errors() bool {
	return slices.ContainsFunc(c.Diagnostics, func(d ToolDiagnostic) bool { return d.Severity == Error })
}

func (c CompiledTool) size() int {
	size := 1_024 + len(c.JS) + len(c.SourceMap) + 64*(len(c.Capabilities.SecretRefs)+len(c.Capabilities.Actions))
	for _, d := range c.Diagnostics {
		size += 160 + len(d.Message) + len(d.Hint)
	}
	for _, r := range c.Capabilities.Reasons {
		size += 64 + len(r.Message)
	}
	return size
}

// CompileTool compiles and diagnoses a custom tool. Every fault of the source is a diagnostic; an error is a host
// failure.
func (c *Compiler) CompileTool(ctx context.Context, s ToolSource) (CompiledTool, error) {
	schema, args := readSchema(s.ArgsSchema)
	if d, ok := Refused(s.Source); ok {
		return CompiledTool{
			Diagnostics:  append(schema, d),
			Capabilities: Capabilities{}.complete(),
			Compiler:     ToolCompiler(),
			Reason:       NotAsked,
		}, nil
	}
	r := request{Source: withoutShebang(s.Source), Context: sdk.CustomTool, Emit: true, Types: true, Args: args}
	key := r.key()
	compiled, ok := c.tools.get(key)
	if !ok {
		o, err := c.pool.run(ctx, s.Author, r)
		if err != nil {
			return CompiledTool{}, fmt.Errorf("compile custom tool: %w", err)
		}
		compiled = o.tool()
		c.tools.put(key, compiled, o.ended != "")
		compiled.Took = o.took
	}
	compiled.Diagnostics = arrange(slices.Concat(schema, compiled.Diagnostics))
	if compiled.Errors() {
		compiled.JS, compiled.SourceMap = "", nil
	}
	return compiled, nil
}

// Refused explains why a source is not compiled.
func Refused(source string) (ToolDiagnostic, bool) {
	if strings.TrimSpace(source) == "" {
		return atStart(codeNoDefault, "The source is empty: a tool exports its actions as the default.", "Write "+analysis.Wanted+"."), true
	}
	if !utf8.ValidString(source) {
		return atStart(codeNotText, "The source is not UTF-8.", "Save the file as UTF-8."), true
	}
	if at := strings.IndexFunc(source, isControl); at >= 0 {
		d := atStart(codeNotText, fmt.Sprintf("The source is not text: it holds the control character %U.", source[at]),
			`Write such a character as an escape in a text, such as "\x00".`)
		place := end(source[:at])
		d.Line, d.Column, d.EndLine, d.EndColumn = place.Line, place.Column, place.Line, place.Column+1
		return d, true
	}
	if n := utf8.RuneCountInString(source); n > MaxToolSource {
		return atStart(
			codeTooLong,
			fmt.Sprintf("The source has %d characters; at most %d are allowed.", n, MaxToolSource),
			"Leave out what the tool does not need.",
		), true
	}
	return ToolDiagnostic{}, false
}

// withoutShebang turns a shebang behind a byte order mark, which the compiler refuses, into a comment. Every position
// stays the same.
func withoutShebang(source string) string {
	if rest, ok := strings.CutPrefix(source, "\ufeff#!"); ok {
		return "\ufeff//" + rest
	}
	return source
}

// isControl reports whether a character controls something other than white space.
func isControl(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\v\f\r", r) || r == 0x7f }

func atStart(code, message, hint string) ToolDiagnostic {
	return ToolDiagnostic{Code: code, Severity: Error, Message: message, Hint: hint, Line: 1, Column: 1, EndLine: 1, EndColumn: 1}
}

// tool merges the answers for a custom tool.
func (o outcome) tool() CompiledTool {
	c := CompiledTool{Compiler: ToolCompiler()}
	outlinedAll, builtAll, broken := false, false, false
	for _, a := range o.answers {
		c.Diagnostics = append(c.Diagnostics, a.Findings...)
		switch a.Stage {
		case outlined:
			outlinedAll, broken = true, a.Broken
			if a.Capabilities != nil {
				c.Capabilities = *a.Capabilities
			}
		case built:
			builtAll = true
			c.JS, c.SourceMap = a.JS, a.SourceMap
		case checked:
			c.Checked = true
		}
	}
	c.Capabilities = c.Capabilities.complete()
	switch {
	case !outlinedAll || !builtAll && !c.Errors():
		c.Diagnostics = append(c.Diagnostics, tooComplex(o.ended))
		c.Capabilities.DynamicSecretRefs = true
	case broken:
		c.Reason = SyntaxFirst
	case !c.Checked:
		c.Reason = o.ended
		d := atStart(codeUnchecked, o.ended.Text(), "The rest was checked. Simplify the types, and they will be, too.")
		d.Severity = Warning
		c.Diagnostics = append(c.Diagnostics, d)
	}
	return c
}

func tooComplex(ended Reason) ToolDiagnostic {
	message := map[Reason]string{
		TooSlow: "The source takes too long to compile.", TooLarge: "The source needs too much memory to compile.",
	}[ended]
	return atStart(
		codeComplex,
		cmp.Or(message, "The source makes the compiler fail."),
		"Is something in it nested very deeply, or very long? Simplify it.",
	)
}

// complete replaces nil lists by empty ones.
func (c Capabilities) complete() Capabilities {
	for _, list := range []*[]string{&c.SecretRefs, &c.Modules, &c.Actions} {
		if *list == nil {
			*list = []string{}
		}
	}
	return c
}

// arrange sorts by position, removes duplicates, and keeps the first ones, errors rather than warnings.
func arrange(found []ToolDiagnostic) []ToolDiagnostic {
	order := func(a, b ToolDiagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Message, b.Message),
		)
	}
	slices.SortStableFunc(found, order)
	found = slices.Compact(found)
	if len(found) > maxDiagnostics {
		slices.SortStableFunc(found, func(a, b ToolDiagnostic) int { return cmp.Compare(rank(a), rank(b)) })
		found = found[:maxDiagnostics]
		slices.SortStableFunc(found, order)
	}
	if found == nil {
		found = []ToolDiagnostic{}
	}
	return found
}

func rank(d ToolDiagnostic) int {
	if d.Severity == Error {
		return 0
	}
	return 1
}
