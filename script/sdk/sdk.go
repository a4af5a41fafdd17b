// Package sdk is the API for authors of scripts: the TypeScript modules with their declarations, the globals of the
// sandbox, and the environment variables of shell scripts.
//
// The declaration files are the single source. The editor mounts them, the assistant reads them through Describe, and
// the type checker checks against them. The Go types of this package are the runner's values, and a test compares the
// two.
package sdk

import (
	_ "embed"
	"slices"
	"strings"

	"countersign/internal/problem"
)

// Context is the kind of a script. It determines the script's input and result.
type Context string

// The contexts.
const (
	HealthCheckScript Context = "healthcheck-script"
	HealthCheckShell  Context = "healthcheck-shell"
	ActionScript      Context = "automation-action-script"
	ActionShell       Context = "automation-action-shell"
	CustomTool        Context = "custom-tool"
)

// Contexts lists every context.
func Contexts() []Context {
	return []Context{HealthCheckScript, HealthCheckShell, ActionScript, ActionShell, CustomTool}
}

// Language is the language of a script.
type Language string

// The languages.
const (
	TypeScript Language = "typescript"
	Shell      Language = "shell"
)

// Module is a module that a TypeScript script can import.
type Module struct {
	// Name is the import specifier, such as "@countersign/sdk/healthcheck".
	Name string
	// Helper is the function that types the default export, "" when there is none.
	Helper string
	// File is the declaration file, Source the JavaScript behind it.
	File   File
	Source string
}

// File is a declaration file.
type File struct {
	Name string
	Text string
}

// Description is the documentation of a context for authors and models.
type Description struct {
	Context  Context  `json:"context"  enum:"healthcheck-script,healthcheck-shell,automation-action-script,automation-action-shell,custom-tool"`
	Language Language `json:"language" enum:"typescript,shell"`
	// SDKModule and Helper are the imports of a TypeScript script.
	SDKModule string `json:"sdkModule,omitempty"`
	Helper    string `json:"helper,omitempty"`
	// Declarations are the .d.ts files of the module and the globals, one after the other; for shell, its commands and the
	// table of the environment variables as text.
	Declarations string `json:"declarations"`
	// ShellEnv are the environment variables of a shell script.
	ShellEnv []Variable `json:"shellEnv,omitempty" nullable:"false"`
	// StarterExample is a complete, runnable script. The tool studio has a schema for the arguments of that of custom
	// tools (web/src/agents/studio/draft.ts).
	StarterExample string `json:"starterExample"`
	// AllowsManagedPackages says whether a script may import packages besides the SDK. It is false everywhere.
	AllowsManagedPackages bool `json:"allowsManagedPackages"`
}

// Variable is an environment variable, or a family of them when its name holds a part in angle brackets.
type Variable struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

var (
	//go:embed declarations/globals.d.ts
	globals string
	//go:embed declarations/healthcheck.d.ts
	healthCheckDeclarations string
	//go:embed declarations/automation.d.ts
	automationDeclarations string
	//go:embed declarations/tool.d.ts
	toolDeclarations string
	//go:embed declarations/modules.d.ts
	moduleDeclarations string
	//go:embed runtime/healthcheck.js
	healthCheckSource string
	//go:embed runtime/automation.js
	automationSource string
	//go:embed runtime/tool.js
	toolSource string
	//go:embed runtime/toolcall.js
	toolEntry string
	//go:embed starters/healthcheck.ts
	healthCheckStarter string
	//go:embed starters/automation.ts
	automationStarter string
	//go:embed starters/tool.ts
	toolStarter string
	//go:embed starters/healthcheck.sh
	healthCheckShellStarter string
	//go:embed starters/automation.sh
	automationShellStarter string
	//go:embed shell.txt
	shellNotes string
)

// Globals returns the declarations of the globals that every script has.
func Globals() File { return File{"globals.d.ts", globals} }

// ToolGlobals is the same for custom tools, which have no network.
func ToolGlobals() File {
	before, _, _ := strings.Cut(globals, "type HeadersInit")
	return File{"globals-tool.d.ts", before}
}

// HealthCheckModule returns the module of health checks.
func HealthCheckModule() Module {
	return Module{
		"@countersign/sdk/healthcheck", "defineHealthCheck", File{"healthcheck.d.ts", healthCheckDeclarations}, healthCheckSource,
	}
}

// AutomationModule returns the module of actions of automations.
func AutomationModule() Module {
	return Module{"@countersign/sdk/automation", "defineAction", File{"automation.d.ts", automationDeclarations}, automationSource}
}

// ToolModule returns the module of custom tools. It has types only.
func ToolModule() Module {
	return Module{Name: "@countersign/sdk/tool", File: File{"tool.d.ts", toolDeclarations}, Source: toolSource}
}

// ToolEntry returns the module that the sandbox runs for a custom tool: it imports the author's module, script.ts,
// calls the action of the input {args, secrets, action}, and returns {result} or {refused}, which package script
// decodes.
func ToolEntry() string { return toolEntry }

// ParseContext parses the name of a context.
func ParseContext(name string) (Context, error) {
	if c := Context(name); slices.Contains(Contexts(), c) {
		return c, nil
	}
	names := make([]string, 0, len(Contexts()))
	for _, c := range Contexts() {
		names = append(names, string(c))
	}
	return "", problem.InvalidInput("This context does not exist.",
		problem.Issue{Path: "context", Message: "must be one of " + strings.Join(names, ", ")})
}

// Language returns the language of the scripts of a context.
func (c Context) Language() Language {
	if c == HealthCheckShell || c == ActionShell {
		return Shell
	}
	return TypeScript
}

// Module returns the one module that a TypeScript script of the context can import. Shell has none.
func (c Context) Module() (Module, bool) {
	switch c {
	case HealthCheckScript:
		return HealthCheckModule(), true
	case ActionScript:
		return AutomationModule(), true
	case CustomTool:
		return ToolModule(), true
	default:
		return Module{}, false
	}
}

// Files returns the declaration files of a TypeScript context: the module, then the globals, then other modules. Shell
// has none.
func (c Context) Files() []File {
	m, ok := c.Module()
	switch {
	case c == CustomTool:
		return []File{m.File, ToolGlobals(), {"modules.d.ts", moduleDeclarations}}
	case ok:
		return []File{m.File, Globals()}
	}
	return nil
}

// Starter returns a complete, runnable script.
func (c Context) Starter() string {
	switch c {
	case HealthCheckScript:
		return healthCheckStarter
	case HealthCheckShell:
		return healthCheckShellStarter
	case ActionScript:
		return automationStarter
	case ActionShell:
		return automationShellStarter
	case CustomTool:
		return toolStarter
	}
	return ""
}

// Describe returns the documentation of a context.
func Describe(c Context) (Description, error) {
	if _, err := ParseContext(string(c)); err != nil {
		return Description{}, err
	}
	d := Description{Context: c, Language: c.Language(), StarterExample: c.Starter()}
	if m, ok := c.Module(); ok {
		d.SDKModule, d.Helper = m.Name, m.Helper
		texts := make([]string, 0, len(c.Files()))
		for _, f := range c.Files() {
			texts = append(texts, f.Text)
		}
		d.Declarations = strings.Join(texts, "\n")
		return d, nil
	}
	d.ShellEnv = c.Variables()
	var table strings.Builder
	table.WriteString(shellNotes)
	for _, v := range d.ShellEnv {
		table.WriteString("# " + v.Description + "\n" + v.Name + "\n")
	}
	d.Declarations = table.String()
	return d, nil
}
