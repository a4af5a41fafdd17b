package typescript

import (
	"strings"

	"github.com/microsoft/typescript-go/shim"
	"github.com/microsoft/typescript-go/shim/analysis"

	"countersign/script/sdk"
)

// ArgsTypes are what a schema says of the arguments of a tool, as declarations of the type ArgsSchema. In Strict, what the
// schema leaves open is unknown, in Loose it is any. Both are "" without a schema.
type ArgsTypes struct {
	Loose  string `json:"loose,omitempty"`
	Strict string `json:"strict,omitempty"`
}

const (
	codeMismatch = "args_schema_mismatch"
	codeOpen     = "args_schema_open"
)

// claims is a source that calls the default action with what the schema allows. The type checker finds out whether it may.
func claims(read analysis.Result, args ArgsTypes) string {
	d := read.Default
	if args.Loose == "" || d == nil || len(d.Parameters) == 0 {
		return ""
	}
	for _, f := range read.Findings {
		if !f.Warning && strings.HasPrefix(f.Code, "ast_") {
			return ""
		}
	}
	call := "(args);\n"
	if len(d.Parameters) > 1 {
		call = "(args, ctx);\n"
	}
	block := func(declarations string) string {
		return "function prove(ctx: CustomToolContext) {\n" + declarations + "\nlet args!: ArgsSchema;\ntool.actions.default" + call + "}\n"
	}
	// The second call has the higher line.
	return "import tool from \"./script\";\nimport type { CustomToolContext } from \"" + sdk.ToolModule().Name + "\";\n" +
		block(args.Loose) + strings.Replace(block(args.Strict), "function prove", "function proveMore", 1)
}

// unfit makes diagnostics of the calls that the type checker refuses.
func unfit(found []shim.Diagnostic, read analysis.Result) []ToolDiagnostic {
	const notAssignable = 2345
	var list []ToolDiagnostic
	loose := false
	for _, d := range found {
		if d.Code != notAssignable || read.Default == nil {
			continue
		}
		context := strings.Contains(firstLine(d.Message), "'CustomToolContext'")
		switch {
		case context && len(read.Default.Parameters) > 1:
			list = append(list, diagnosticAt(read.Default.Parameters[1], codeType, "The context of a tool does not fit this parameter: "+reasons(d.Message), "Its type is CustomToolContext."))
		case context:
		case strings.Contains(firstLine(d.Message), "'ArgsSchema'") && !loose:
			// What the loose types do not fit, the strict ones do not either.
			w := diagnosticAt(read.Default.Parameters[0], codeMismatch, "args_schema allows arguments that this parameter does not take: "+reasons(d.Message),
				"Make the schema and the type of the parameter say the same.")
			loose = true
			list = append(list, w)
		}
	}
	return list
}

func firstLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return line
}

// reasons is what a message says below its first line, in one line.
func reasons(message string) string {
	_, below, found := strings.Cut(message, "\n")
	if !found {
		below = message
	}
	var list []string
	for line := range strings.Lines(below) {
		list = append(list, strings.TrimSuffix(strings.TrimSpace(line), "."))
	}
	return explain(strings.Join(list, ": ") + ".")
}
