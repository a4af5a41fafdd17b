// Package sdk is what the authors of scripts write against: the TypeScript modules with their declarations, the globals
// of the sandbox, and the environment variables of shell scripts.
//
// The declaration files are the single source. The editor mounts them, the assistant reads them through Describe, and
// the type checker checks against them. The Go types of this package are what the runner really passes, and a test holds
// the two together.
package sdk

import (
	_ "embed"
	"slices"
	"strings"

	"countersign/problem"
)

// Context is where a script lives. It decides what the script is told and may return.
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

// Language is what a script is written in.
type Language string

// The languages.
const (
	TypeScript Language = "typescript"
	Shell      Language = "shell"
)

// Module is a module that a TypeScript script can import.
type Module struct {
	// Name is what the import names, such as "@countersign/sdk/healthcheck".
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

// Description is what an author, or a model that writes for one, has to know about a context.
type Description struct {
	Context  Context  `json:"context"  enum:"healthcheck-script,healthcheck-shell,automation-action-script,automation-action-shell,custom-tool"`
	Language Language `json:"language" enum:"typescript,shell"`
	// SDKModule and Helper are what a TypeScript script imports.
	SDKModule string `json:"sdkModule,omitempty"`
	Helper    string `json:"helper,omitempty"`
	// Declarations are the .d.ts files of the module and the globals, one after the other; for shell, its commands and the
	// table of the environment variables as text.
	Declarations string `json:"declarations"`
	// ShellEnv are the environment variables of a shell script.
	ShellEnv []Variable `json:"shellEnv,omitempty" nullable:"false"`
	// StarterExample is a whole script that runs. The tool studio has a schema for the arguments of that of custom tools
	// (web/src/agents/studio/draft.ts).
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

// Globals is the declaration file of what every script can use without an import.
func Globals() File { return File{"globals.d.ts", globals} }

// ToolGlobals is the same for custom tools, which have no network.
func ToolGlobals() File {
	before, _, _ := strings.Cut(globals, "type HeadersInit")
	return File{"globals-tool.d.ts", before}
}

// HealthCheckModule is the module of health checks.
func HealthCheckModule() Module {
	return Module{
		"@countersign/sdk/healthcheck", "defineHealthCheck", File{"healthcheck.d.ts", healthCheckDeclarations}, healthCheckSource,
	}
}

// AutomationModule is the module of actions of automations.
func AutomationModule() Module {
	return Module{"@countersign/sdk/automation", "defineAction", File{"automation.d.ts", automationDeclarations}, automationSource}
}

// ToolModule is the module of custom tools. It has types only.
func ToolModule() Module {
	return Module{Name: "@countersign/sdk/tool", File: File{"tool.d.ts", toolDeclarations}, Source: toolSource}
}

// ToolEntry is the module that the sandbox runs for a custom tool: it imports the module of its author, script.ts, calls the action of
// the input {args, secrets, action}, and answers {result} or {refused}, which package script reads.
func ToolEntry() string { return toolEntry }

// ParseContext reads the name of a context.
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

// Language is the language of the scripts of a context.
func (c Context) Language() Language {
	if c == HealthCheckShell || c == ActionShell {
		return Shell
	}
	return TypeScript
}

// Module is the one module that a TypeScript script of the context can import. There is none for shell.
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

// Files are the declaration files of a TypeScript context: the module, then the globals, then other modules. There are none
// for shell.
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

// Starter is a whole script that runs.
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

// Describe says what an author has to know about a context.
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
