package typescript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/microsoft/typescript-go/shim"

	"countersign/script/sdk"
)

// script is a source during compilation.
type script struct {
	// text is the source, or a function around it: then the author's lines are one further down.
	text    string
	wrapped bool
	// last is the last position in the author's source.
	last        shim.Span
	diagnostics []Diagnostic
	broken      bool
	// refused are the positions of imports with a diagnostic.
	refused []shim.Span
}

// outline parses a source and diagnoses everything except types.
func outline(source string, in sdk.Context) *script {
	read := shim.Parse(source)
	s := &script{text: source, last: end(source)}
	for _, d := range read.Diagnostics {
		s.diagnostics = append(s.diagnostics, s.diagnostic(Syntax, d))
		s.broken = true
	}
	module, _ := in.Module()
	for _, i := range read.Imports {
		if i.Specifier != module.Name {
			s.diagnostics = append(s.diagnostics, at(i.Span, Imports, noModule(i.Specifier, module)))
			s.refused = append(s.refused, i.Span)
		}
	}
	switch {
	case s.broken:
	case !read.Module:
		s.wrap(in)
	case !read.Default:
		message := "A script exports its function as the default: export default " + module.Helper + "(async (context) => { ... })."
		s.diagnostics = append(s.diagnostics, at(shim.Span{Line: 1, Column: 1, EndLine: 1, EndColumn: 1}, Shape, message))
	}
	s.diagnostics = tidy(s.diagnostics)
	return s
}

func noModule(specifier string, module sdk.Module) string {
	return fmt.Sprintf("The module %q does not exist for this script, which can import %q only.", specifier, module.Name)
}

// wrap puts a source without imports and exports into an exported function, so that it can return and await at its top.
func (s *script) wrap(in sdk.Context) {
	body := s.text
	if rest, ok := strings.CutPrefix(body, "#!"); ok {
		body = "//" + rest
	}
	// An action may return anything.
	returns := "any"
	if module, ok := in.Module(); ok && in == sdk.HealthCheckScript {
		returns = fmt.Sprintf("import(%q).HealthCheckReturn", module.Name)
	}
	s.text = "export default async (): Promise<" + returns + "> => {\n" + body + "\n};\n"
	s.wrapped = true
	for i := range s.refused {
		s.refused[i].Line++
	}
}

// refuses reports whether the import at a position has a diagnostic.
func (s *script) refuses(place shim.Span) bool {
	return slices.ContainsFunc(s.refused, func(r shim.Span) bool { return r.Line == place.Line && r.Column == place.Column })
}

// diagnostic converts a finding in the text to positions of the author's source.
func (s *script) diagnostic(rule Rule, d shim.Diagnostic) Diagnostic {
	found := at(s.place(d.Span), rule, explain(d.Message))
	found.Code = d.Code
	if d.Severity == "warning" {
		found.Severity = Warning
	}
	return found
}

func (s *script) place(in shim.Span) shim.Span {
	if s.wrapped {
		in.Line--
		in.EndLine--
	}
	start := s.clamp(in.Line, in.Column)
	stop := s.clamp(in.EndLine, in.EndColumn)
	return shim.Span{Line: start.Line, Column: start.Column, EndLine: stop.Line, EndColumn: stop.Column}
}

func (s *script) clamp(line, column int) shim.Span {
	switch {
	case line < 1:
		return shim.Span{Line: 1, Column: 1}
	case line > s.last.Line:
		return s.last
	default:
		return shim.Span{Line: line, Column: column}
	}
}

// end is the position after the last character.
func end(source string) shim.Span {
	line := 1
	for i, r := range source {
		newline := r == '\n' || r == '\u2028' || r == '\u2029' || r == '\r' && !strings.HasPrefix(source[i+1:], "\n")
		if newline {
			line++
		}
	}
	start := strings.LastIndexAny(source, "\n\r\u2028\u2029")
	if start >= 0 {
		_, size := decode(source[start:])
		start += size
	}
	return shim.Span{Line: line, Column: 1 + units(source[max(start, 0):])}
}

func decode(s string) (rune, int) {
	for i, r := range s {
		if i == 0 {
			return r, len(string(r))
		}
	}
	return 0, 0
}

// units counts UTF-16 code units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

func at(place shim.Span, rule Rule, message string) Diagnostic {
	return Diagnostic{
		Rule: rule, Severity: Error, Message: message,
		Line: place.Line, Column: place.Column, EndLine: place.EndLine, EndColumn: place.EndColumn,
	}
}

const (
	maxMessage = 2_000
	notHere    = " It does not exist in the sandbox."
)

// explain removes inapplicable advice: there are no packages and no compiler options to change.
func explain(message string) string {
	for _, advice := range []string{" Do you need to install type " +
		"definitions", " Do you need to change your target library", " Try changing the 'lib'"} {
		if before, _, found := strings.Cut(message, advice); found {
			message = before + notHere
		}
	}
	if about, ok := isForeign(message); ok {
		message = about + notHere
	}
	if runes := []rune(message); len(runes) > maxMessage {
		message = string(runes[:maxMessage]) + "..."
	}
	return message
}

const maxDiagnostics = 100

// tidy sorts by position, removes duplicates and keeps the first ones.
func tidy(found []Diagnostic) []Diagnostic {
	slices.SortStableFunc(found, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Code, b.Code))
	})
	found = slices.Compact(found)
	if found == nil {
		found = []Diagnostic{}
	}
	return found[:min(len(found), maxDiagnostics)]
}
