package typescript

import (
	"regexp"
	"slices"
	"strings"

	"github.com/microsoft/typescript-go/shim"
	"github.com/microsoft/typescript-go/shim/analysis"

	"countersign/script/sdk"
)

// ArgsTypes are the schema's types of a tool's arguments, as declarations of the type ArgsSchema. Unconstrained values
// are unknown in Strict, any in Loose. Both are "" without a schema.
type ArgsTypes struct {
	Loose  string `json:"loose,omitempty"`
	Strict string `json:"strict,omitempty"`
}

const (
	codeMismatch = "args_schema_mismatch"
	codeOpen     = "args_schema_open"
)

// claims returns a source that calls the default action with the schema's types. The type checker decides whether it is
// valid.
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
	block := func(name, declarations string) string {
		if declarations == "" {
			return ""
		}
		return "function " + name + "(ctx: CustomToolContext) {\n" + declarations + "let args!: ArgsSchema;\ntool.actions.default" + call + "}\n"
	}
	return "import tool from \"./script\";\nimport type { CustomToolContext } from \"" + sdk.ToolModule().Name + "\";\n" +
		block("prove", args.Loose) + block(proveMore, args.Strict)
}

const (
	// proveMore is the name of the function that uses the strict types.
	proveMore = "proveMore"
	// argsColumn and ctxColumn are the columns of the arguments in the calls.
	argsColumn = len("tool.actions.default(") + 1
	ctxColumn  = argsColumn + len("args, ")
)

// unfit converts the calls that the type checker refuses to diagnostics. A mismatch of the strict types alone is a
// warning: the schema leaves the value open.
func unfit(found []shim.Diagnostic, read analysis.Result, source string) []ToolDiagnostic {
	if read.Default == nil {
		return nil
	}
	before, _, _ := strings.Cut(source, "function "+proveMore)
	strict := strings.Count(before, "\n") + 1
	mismatch := false
	var list []ToolDiagnostic
	for _, d := range found {
		// Other errors, such as a missing third parameter, do not concern argument types.
		if d.Column != argsColumn && d.Column != ctxColumn || !slices.Contains([]int{2345, 2322, 2559, 2739, 2740, 2741}, d.Code) {
			continue
		}
		switch {
		case d.Column == ctxColumn && d.Line >= strict:
		case d.Column == ctxColumn:
			list = append(
				list,
				diagnosticAt(
					read.Default.Parameters[1],
					codeType,
					"The context of a tool does not fit this parameter: "+reasons(d.Message),
					"Its type is CustomToolContext.",
				),
			)
		case d.Line < strict:
			mismatch = true
			list = append(
				list,
				diagnosticAt(
					read.Default.Parameters[0],
					codeMismatch,
					"args_schema allows arguments that this parameter does not take: "+reasons(d.Message),
					"Make the schema and the type of the parameter say the same.",
				),
			)
		case !mismatch:
			open := diagnosticAt(read.Default.Parameters[0], codeOpen, "args_schema leaves open what this parameter expects: "+reasons(d.Message),
				"Say it in the schema, so that other arguments are refused before the tool is called.")
			open.Severity = Warning
			list = append(list, open)
		}
	}
	return list
}

var twoTypes = regexp.MustCompile(`^Argument of type '(.*)' is not assignable to parameter of type '(.*)'\.?$`)

// reasons joins the details of a message, below its first line, into one line.
func reasons(message string) string {
	_, below, found := strings.Cut(message, "\n")
	if !found {
		if m := twoTypes.FindStringSubmatch(message); m != nil {
			return "the schema allows " + m[1] + ", the parameter takes " + explain(m[2]) + "."
		}
		below = message
	}
	var list []string
	for line := range strings.Lines(below) {
		list = append(list, strings.TrimSuffix(strings.TrimSpace(line), "."))
	}
	return explain(strings.Join(list, ": ") + ".")
}
