package typescript

import "encoding/json"

// readSchema says what is wrong with a schema, and what it means as types.
func readSchema(schema json.RawMessage) ([]ToolDiagnostic, ArgsTypes) {
	return nil, ArgsTypes{}
}
