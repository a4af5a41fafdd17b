package typescript

import (
	"context"
	"encoding/json"

	"countersign/problem"
)

// ToolSource is a custom tool as its author writes it. ArgsSchema is a JSON schema of the arguments ("{}" takes anything).
type ToolSource struct {
	ID, Source string
	ArgsSchema json.RawMessage
}

// ToolDiagnostic is one finding, in the author's TypeScript. Lines and columns count from 1, columns in UTF-16 code units; the end
// is exclusive.
type ToolDiagnostic struct {
	Code      string   `json:"code"`
	Severity  Severity `json:"severity" enum:"error,warning"`
	Message   string   `json:"message"`
	Line      int      `json:"line"`
	Column    int      `json:"column"`
	EndLine   int      `json:"end_line"`
	EndColumn int      `json:"end_column"`
	Hint      string   `json:"hint,omitempty"`
}

// Capabilities are what a tool can reach. DynamicSecretRefs is set whenever SecretRefs may be incomplete.
type Capabilities struct {
	SecretRefs        []string           `json:"secret_refs" nullable:"false"`
	DynamicSecretRefs bool               `json:"dynamic_secret_refs"`
	Reasons           []CapabilityReason `json:"reasons,omitempty" nullable:"false"`
	Modules           []string           `json:"modules" nullable:"false"`
	Actions           []string           `json:"actions" nullable:"false"`
}

// CapabilityReason is a place for which DynamicSecretRefs is set.
type CapabilityReason struct {
	Message string `json:"message"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

// CompiledTool is a custom tool as the sandbox runs it. JS is "" when a diagnostic is an error.
type CompiledTool struct {
	Diagnostics  []ToolDiagnostic
	Capabilities Capabilities
	JS           string
	SourceMap    []byte
	Compiler     string
	Checked      bool
	Reason       Reason
}

// ToolCompiler is the identity of what CompileTool makes of a source.
func ToolCompiler() string { return "" }

// CompileTool compiles a custom tool.
func (c *Compiler) CompileTool(context.Context, ToolSource) (CompiledTool, error) {
	return CompiledTool{}, problem.Errorf(problem.Unavailable, "Tools cannot be compiled yet.")
}
