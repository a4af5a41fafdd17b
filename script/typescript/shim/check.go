// Package shim gives access to the TypeScript compiler, whose packages are internal: its module path lies below that of
// the compiler, so it may import them. It offers only the needed functions and hides the compiler's own types, which
// change between versions.
//
// Nothing here is safe against hostile source: some inputs of a few hundred bytes keep the checker busy for minutes,
// and a goroutine cannot be stopped. Run it in a process that can be killed.
package shim

import (
	"context"
	"slices"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/binder"
	"github.com/microsoft/typescript-go/internal/bundled"
	"github.com/microsoft/typescript-go/internal/compiler"
	"github.com/microsoft/typescript-go/internal/core"
	"github.com/microsoft/typescript-go/internal/diagnosticwriter"
	"github.com/microsoft/typescript-go/internal/locale"
	"github.com/microsoft/typescript-go/internal/parser"
	"github.com/microsoft/typescript-go/internal/scanner"
	"github.com/microsoft/typescript-go/internal/tsoptions"
	"github.com/microsoft/typescript-go/internal/tspath"
)

// Span is a range of a source. Lines and columns count from 1, columns in UTF-16 code units. The end is exclusive.
type Span struct {
	Line, Column, EndLine, EndColumn int
}

// Diagnostic is one finding of the compiler.
type Diagnostic struct {
	Span

	// Code is the number of the message, such as 2322.
	Code int
	// Severity is error, warning, suggestion or message.
	Severity string
	Message  string
	// File is the name of the file of the finding, "" for one about the program.
	File string
}

// Import is an import of a module: in an import or export declaration, or in a call of import with a constant.
type Import struct {
	Span

	Specifier string
}

// Outline is the syntactic analysis of a source.
type Outline struct {
	// Diagnostics are the syntax errors, all of them.
	Diagnostics []Diagnostic
	// Module is set when the source has an import or an export of its own.
	Module bool
	// Default is set when it has a default export.
	Default bool
	Imports []Import
}

const (
	root   = "/script"
	script = root + "/script.ts"
	claim  = root + "/claim.ts"
)

// Version returns the version of the TypeScript language.
func Version() string { return core.Version() }

// Parse parses a source. It never fails: the parser recovers from every error.
func Parse(source string) Outline {
	file := parser.ParseSourceFile(ast.SourceFileParseOptions{FileName: script, Path: script}, source, core.ScriptKindTS)
	o := Outline{Module: file.ExternalModuleIndicator != nil}
	for _, d := range file.Diagnostics() {
		o.Diagnostics = append(o.Diagnostics, convert(d))
	}
	for _, name := range file.Imports() {
		o.Imports = append(o.Imports, Import{
			Span: span(file, scanner.GetTokenPosOfNode(name, file, false), name.End()), Specifier: name.Text(),
		})
	}
	if o.Module {
		binder.BindSourceFile(file)
		if file.Symbol != nil {
			_, o.Default = file.Symbol.Exports[ast.InternalSymbolNameDefault]
		}
	}
	return o
}

// Checker checks types. The declaration files and the language's own library are parsed once and kept. It is not safe
// for concurrent use.
type Checker struct {
	declarations files
	parsed       map[ast.SourceFileParseOptions]*ast.SourceFile
	absent       []string
}

// NewChecker returns a Checker with declaration files by name, such as "globals.d.ts".
func NewChecker(declarations map[string]string) *Checker {
	c := &Checker{declarations: files{}, parsed: map[ast.SourceFileParseOptions]*ast.SourceFile{}}
	for name, text := range declarations {
		c.declarations[root+"/"+name] = text
	}
	return c
}

// Check checks a source against some of the declaration files, in strict mode and with the library of the language
// without DOM. Syntax errors come alone.
func (c *Checker) Check(ctx context.Context, source string, declarations []string) []Diagnostic {
	found, _ := c.Prove(ctx, Proof{Source: source, Declarations: declarations})
	return found
}

// Proof is a source that is checked together with another one that imports it from "./script".
type Proof struct {
	Source       string
	Declarations []string
	// Claims is the other source, "" for none.
	Claims string
	// Untyped allows parameters without a type, which are any.
	Untyped bool
}

// Prove checks both sources, and returns the findings of each.
func (c *Checker) Prove(ctx context.Context, p Proof) (found, claims []Diagnostic) {
	known := files{script: p.Source}
	names := make([]string, 0, len(p.Declarations)+2)
	for _, name := range p.Declarations {
		name = root + "/" + name
		known[name] = c.declarations[name]
		names = append(names, name)
	}
	names = append(names, script)
	if p.Claims != "" {
		known[claim] = p.Claims
		names = append(names, claim)
	}

	program := compiler.NewProgram(compiler.ProgramOptions{
		Host: host{compiler.NewCompilerHost(root, bundled.WrapFS(known), bundled.LibPath(), nil, nil), c},
		Config: tsoptions.NewParsedCommandLine(options(p.Untyped), names,
			tspath.ComparePathsOptions{UseCaseSensitiveFileNames: true, CurrentDirectory: root}),
		SingleThreaded: core.TSTrue,
	})
	file := program.GetSourceFile(script)
	raw := slices.Clone(program.GetProgramDiagnostics())
	raw = append(raw, program.GetSyntacticDiagnostics(ctx, file)...)
	if len(raw) == 0 && ctx.Err() == nil {
		raw = append(raw, program.GetSemanticDiagnostics(ctx, file)...)
	}
	if len(raw) == 0 && ctx.Err() == nil {
		raw = append(raw, program.GetGlobalDiagnostics(ctx)...)
	}
	found = converted(raw)
	if p.Claims != "" && ctx.Err() == nil {
		claims = converted(program.GetSemanticDiagnostics(ctx, program.GetSourceFile(claim)))
	}
	return found, claims
}

func converted(raw []*ast.Diagnostic) []Diagnostic {
	list := make([]Diagnostic, 0, len(raw))
	for _, d := range raw {
		list = append(list, convert(d))
	}
	return list
}

func options(untyped bool) *core.CompilerOptions {
	o := &core.CompilerOptions{
		Strict: core.TSTrue, NoEmit: core.TSTrue, SkipLibCheck: core.TSTrue, SkipDefaultLibCheck: core.TSTrue,
		Target: core.ScriptTargetES2025, Module: core.ModuleKindESNext,
		ModuleResolution: core.ModuleResolutionKindBundler, ModuleDetection: core.ModuleDetectionKindForce,
		Lib: library(), Types: []string{},
	}
	if untyped {
		o.NoImplicitAny = core.TSFalse
	}
	return o
}

// host keeps the parsed files that are the same in every program.
type host struct {
	compiler.CompilerHost

	checker *Checker
}

func (h host) GetSourceFile(o ast.SourceFileParseOptions) *ast.SourceFile {
	if o.FileName == script || o.FileName == claim {
		return h.CompilerHost.GetSourceFile(o)
	}
	if file, ok := h.checker.parsed[o]; ok {
		return file
	}
	file := h.CompilerHost.GetSourceFile(o)
	if file != nil {
		if strings.HasPrefix(o.FileName, bundled.LibPath()) {
			without(file, h.checker.absent)
		}
		h.checker.parsed[o] = file
	}
	return file
}

func convert(d *ast.Diagnostic) Diagnostic {
	converted := Diagnostic{Code: int(d.Code()), Severity: strings.ToLower(d.Category().Name())}
	var text strings.Builder
	diagnosticwriter.WriteFlattenedASTDiagnosticMessage(&text, d, "\n", locale.Default)
	converted.Message = text.String()
	if file := d.File(); file != nil {
		converted.Span = span(file, d.Pos(), d.End())
		converted.File = strings.TrimPrefix(file.FileName(), root+"/")
	}
	return converted
}

func span(file *ast.SourceFile, start, end int) Span {
	line, column := scanner.GetECMALineAndUTF16CharacterOfPosition(file, start)
	endLine, endColumn := scanner.GetECMALineAndUTF16CharacterOfPosition(file, end)
	return Span{Line: line + 1, Column: int(column) + 1, EndLine: endLine + 1, EndColumn: int(endColumn) + 1}
}
