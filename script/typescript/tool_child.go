package typescript

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/microsoft/typescript-go/shim"
	"github.com/microsoft/typescript-go/shim/analysis"

	"countersign/script/sdk"
)

// tool compiles a custom tool.
func (e *engine) tool(r request, send func(answer)) {
	read := analysis.Analyze(r.Source, analysis.Rules{Module: judgeModule, Global: judgeGlobal})
	s := &script{text: r.Source, last: end(r.Source)}
	first := answer{Stage: outlined, Broken: read.Broken, Findings: findings(read), Capabilities: capabilitiesOf(read)}
	send(first)
	if r.Emit && !slices.ContainsFunc(first.Findings, func(d ToolDiagnostic) bool { return d.Severity == Error }) {
		send(buildTool(s))
	}
	if r.Types && !read.Broken {
		send(answer{Stage: checked, Findings: e.prove(s, r, read)})
	}
	send(answer{Stage: finished, Memory: held()})
}

func findings(read analysis.Result) []ToolDiagnostic {
	list := make([]ToolDiagnostic, 0, len(read.Findings))
	for _, f := range read.Findings {
		d := diagnosticAt(f.Span, f.Code, explain(f.Message), f.Hint)
		if f.Warning {
			d.Severity = Warning
		}
		list = append(list, d)
	}
	return arrange(list)
}

func diagnosticAt(place shim.Span, code, message, hint string) ToolDiagnostic {
	return ToolDiagnostic{
		Code: code, Severity: Error, Message: message, Hint: hint,
		Line: place.Line, Column: place.Column, EndLine: place.EndLine, EndColumn: place.EndColumn,
	}
}

// maxReasons and maxNames bound the reported capabilities.
const (
	maxReasons = 50
	maxNames   = 1_000
)

func capabilitiesOf(read analysis.Result) *Capabilities {
	c := Capabilities{SecretRefs: read.SecretRefs, Modules: read.Modules, Actions: read.Actions}
	for _, r := range read.Reasons {
		c.DynamicSecretRefs = true
		if len(c.Reasons) < maxReasons {
			c.Reasons = append(c.Reasons, CapabilityReason{r.Message, r.Line, r.Column})
		}
	}
	for _, list := range []*[]string{&c.SecretRefs, &c.Modules, &c.Actions} {
		if len(*list) > maxNames {
			*list = (*list)[:maxNames]
			c.DynamicSecretRefs = true
		}
	}
	if read.Broken && !c.DynamicSecretRefs {
		c.DynamicSecretRefs = true
		c.Reasons = []CapabilityReason{{"The source has syntax errors.", 1, 1}}
	}
	return &c
}

// moduleSpace is the bundler's namespace for the modules of tools.
const moduleSpace = "module"

// buildTool bundles the tool and its imports into one module.
func buildTool(s *script) answer {
	a := answer{Stage: built}
	result := api.Build(buildOptions(api.Plugin{Name: "countersign", Setup: func(b api.PluginBuild) { loadTool(b, s) }}))
	for _, m := range result.Errors {
		d := s.bundling(m)
		message, hint := transformed(d.Message)
		a.Findings = append(
			a.Findings,
			diagnosticAt(shim.Span{Line: d.Line, Column: d.Column, EndLine: d.EndLine, EndColumn: d.EndColumn}, codeTransform, message, hint),
		)
	}
	if len(a.Findings) > 0 {
		a.Findings = arrange(a.Findings)
		return a
	}
	for _, f := range result.OutputFiles {
		if strings.HasSuffix(f.Path, ".map") {
			a.SourceMap = f.Contents
		} else {
			a.JS = string(f.Contents)
		}
	}
	return a
}

var reservedName = regexp.MustCompile(`Declarations with the name "(\w+)" cannot be used in an ECMAScript module`)

// transformed rewords an error of the bundler.
func transformed(message string) (said, hint string) {
	if m := reservedName.FindStringSubmatch(message); m != nil {
		return "A variable must not be called " + m[1] + " in an ES module.", "Choose another name."
	}
	if strings.HasPrefix(message, "No matching export") {
		return message + ".", "See which names the module exports."
	}
	return strings.TrimSuffix(message, ".") + ".", ""
}

// loadTool resolves the author's module and the modules of tools for the bundler.
func loadTool(b api.PluginBuild, s *script) {
	module := sdk.ToolModule()
	b.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		switch {
		case a.Kind == api.ResolveEntryPoint:
			return api.OnResolveResult{Path: entrySpace, Namespace: entrySpace}, nil
		case a.Namespace == entrySpace:
			return api.OnResolveResult{Path: authorFile, Namespace: authorSpace}, nil
		case a.Path == module.Name:
			return api.OnResolveResult{Path: module.Name, Namespace: sdkSpace, SideEffects: api.SideEffectsFalse}, nil
		}
		find := sdk.ToolImport
		if a.Namespace == moduleSpace {
			find = sdk.ToolInternal
		}
		if file, ok := find(a.Path); ok {
			return api.OnResolveResult{Path: file, Namespace: moduleSpace, SideEffects: api.SideEffectsFalse}, nil
		}
		return api.OnResolveResult{Errors: []api.Message{{Text: judgeModule(a.Path).Message, Detail: Imports}}}, nil
	})
	b.OnLoad(api.OnLoadOptions{Filter: ".*"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
		source := api.OnLoadResult{Loader: api.LoaderJS}
		switch a.Namespace {
		case entrySpace:
			source.Contents = new(sdk.ToolEntry())
		case authorSpace:
			source.Contents, source.Loader = &s.text, api.LoaderTS
		case moduleSpace:
			text, err := sdk.ToolSource(a.Path)
			source.Contents = &text
			return source, err
		default:
			source.Contents = &module.Source
		}
		return source, nil
	})
}

// prove checks the types of a tool, and that its default action accepts all arguments that its schema allows.
func (e *engine) prove(s *script, r request, read analysis.Result) []ToolDiagnostic {
	proof := shim.Proof{Source: r.Source, Claims: claims(read, r.Args), Untyped: true}
	for _, f := range sdk.CustomTool.Files() {
		proof.Declarations = append(proof.Declarations, f.Name)
	}
	found, unproven := e.checker.Prove(context.Background(), proof)
	var list []ToolDiagnostic
	for _, d := range found {
		if !known(d, read) {
			list = append(list, s.typed(d, read))
		}
	}
	return arrange(append(list, unfit(unproven, read, proof.Claims)...))
}

// typed converts a finding of the type checker to a diagnostic.
func (s *script) typed(d shim.Diagnostic, read analysis.Result) ToolDiagnostic {
	if isModuleMissing(d.Code) && slices.ContainsFunc(read.TypeOnly, func(t shim.Span) bool { return t == d.Span }) {
		w := diagnosticAt(
			d.Span,
			codeType,
			"The types of this module are not known here; they are any.",
			"Declare the types that you need in this file.",
		)
		w.Severity = Warning
		return w
	}
	found := s.diagnostic(Types, d)
	place := shim.Span{Line: found.Line, Column: found.Column, EndLine: found.EndLine, EndColumn: found.EndColumn}
	t := diagnosticAt(place, codeType, found.Message, hintOf(d, read))
	t.Severity = found.Severity
	if t.Hint == localeHint && d.Code == wrongCount {
		// The engine ignores the locale, which is right for many values.
		t.Code, t.Severity, t.Message = codeLocale, Warning, "The locale is ignored: there is no locale data in the sandbox."
	}
	if t.Line == 0 {
		t.Line, t.Column, t.EndLine, t.EndColumn = 1, 1, 1, 1
	}
	return t
}

func isModuleMissing(code int) bool {
	return code == 2307 || code == 2591 || code == 2792 || code == 7016
}

// known reports whether the analysis has the same finding.
func known(d shim.Diagnostic, read analysis.Result) bool {
	if slices.ContainsFunc(read.Covered, func(c shim.Span) bool { return c.Line == d.Line && c.Column == d.Column }) {
		return true
	}
	for _, f := range read.Findings {
		switch {
		case f.Warning:
		case f.Line == d.Line && f.Column == d.Column:
			return true
		case strings.HasPrefix(f.Code, "ast_") && isAboutShape(d.Code):
			return true
		// The name in a refused member access or call.
		case isNameMissing(d.Code) && within(d.Span, f.Span):
			return true
		}
	}
	return false
}

// isAboutShape recognizes an unsatisfied type, a missing property, a duplicate, and another module's kind of export.
func isAboutShape(code int) bool {
	return slices.Contains([]int{1360, 2741, 2739, 2528, 2323, 1203, 1117, 2783}, code)
}

func isNameMissing(code int) bool {
	return slices.Contains([]int{2304, 2552, 2580, 2591, 2584, 2503, 7017, 7053}, code) || isModuleMissing(code)
}

func within(inner, outer shim.Span) bool {
	after := inner.Line > outer.Line || inner.Line == outer.Line && inner.Column >= outer.Column
	before := inner.EndLine < outer.EndLine || inner.EndLine == outer.EndLine && inner.EndColumn <= outer.EndColumn
	return after && before
}
