package typescript

import (
	"fmt"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/microsoft/typescript-go/shim"

	"countersign/script/sdk"
)

// The namespaces of the bundler's plugin: the entry, the author's module and the SDK.
const (
	entrySpace  = "entry"
	authorSpace = "author"
	sdkSpace    = "sdk"
	// authorFile is the name of the author's module in the source map.
	authorFile = "script.ts"
)

// entry is the module that the sandbox runs. The author's module is imported when the function is called, so that the
// global exists before its first line runs.
const entry = `export default async (input) => {
  globalThis.context = input;
  const { default: script } = await import("` + authorFile + `");
  return typeof script === "function" ? script(input) : script;
};
`

// judged is entry for a health check: NaN and the infinities have no JSON form and would become null.
const judged = `const finite = Number.isFinite;
export default async (input) => {
  globalThis.context = input;
  const { default: script } = await import("` + authorFile + `");
  const result = await (typeof script === "function" ? script(input) : script);
  const value = typeof result === "object" && result !== null ? result.value : result;
  if (typeof value === "number" && !finite(value)) {
    const error = new TypeError("value of the health check's result must be a finite number, not " + value);
    error.name = "ResultError";
    throw error;
  }
  return result;
};
`

// build bundles the script and its imports into one module.
func build(s *script, in sdk.Context) answer {
	result := api.Build(buildOptions(modules(s, in)))
	a := answer{Stage: built}
	for _, m := range result.Errors {
		a.Diagnostics = append(a.Diagnostics, s.bundling(m))
	}
	if len(a.Diagnostics) > 0 {
		a.Diagnostics = tidy(a.Diagnostics)
		return a
	}
	for _, f := range result.OutputFiles {
		if strings.HasSuffix(f.Path, ".map") {
			a.SourceMap = describe(f.Contents, s.wrapped)
		} else {
			a.JS = string(f.Contents)
		}
	}
	return a
}

func buildOptions(plugin api.Plugin) api.BuildOptions {
	return api.BuildOptions{
		EntryPoints: []string{entrySpace}, Bundle: true, Outfile: "script.js", AbsWorkingDir: "/",
		Format: api.FormatESModule, Platform: api.PlatformNeutral, Target: api.ES2022, Charset: api.CharsetUTF8,
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude,
		LogLevel: api.LogLevelSilent, TsconfigRaw: `{"compilerOptions":{"strict":true}}`,
		Plugins: []api.Plugin{plugin},
	}
}

// modules is the bundler plugin that resolves the author's module and the SDK, and nothing else.
func modules(s *script, in sdk.Context) api.Plugin {
	module, _ := in.Module()
	return api.Plugin{Name: "countersign", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			switch {
			case a.Kind == api.ResolveEntryPoint:
				return api.OnResolveResult{Path: entrySpace, Namespace: entrySpace}, nil
			case a.Namespace == entrySpace:
				return api.OnResolveResult{Path: authorFile, Namespace: authorSpace}, nil
			case a.Path == module.Name:
				return api.OnResolveResult{Path: module.Name, Namespace: sdkSpace}, nil
			}
			return api.OnResolveResult{Errors: []api.Message{{Text: noModule(a.Path, module), Detail: Imports}}}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: ".*"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			source := api.OnLoadResult{Loader: api.LoaderJS}
			switch a.Namespace {
			case entrySpace:
				source.Contents = new(entry)
				if in == sdk.HealthCheckScript {
					source.Contents = new(judged)
				}
			case authorSpace:
				source.Contents, source.Loader = &s.text, api.LoaderTS
			case sdkSpace:
				source.Contents = &module.Source
			default:
				return source, fmt.Errorf("there is no module %s", a.Path)
			}
			return source, nil
		})
	}}
}

// bundling converts an error of the bundler, which counts columns in bytes from 0, to a diagnostic.
func (s *script) bundling(m api.Message) Diagnostic {
	rule := Syntax
	if m.Detail == Imports {
		rule = Imports
	}
	place := shim.Span{Line: 1, Column: 1, EndLine: 1, EndColumn: 1}
	if l := m.Location; l != nil {
		start := min(max(l.Column, 0), len(l.LineText))
		stop := min(start+max(l.Length, 0), len(l.LineText))
		place = s.place(shim.Span{
			Line: l.Line, Column: 1 + units(l.LineText[:start]), EndLine: l.Line, EndColumn: 1 + units(l.LineText[:stop]),
		})
	}
	return at(place, rule, explain(m.Text))
}
