package sdk

import "encoding/json"

// ToolInput is what the module of a compiled custom tool is called with.
type ToolInput struct {
	// Args are the arguments as JSON of the caller, checked against the tool's schema.
	Args any `json:"args"`
	// Secrets are the placeholders of the secrets that the tool may refer to, by name.
	Secrets map[string]string `json:"secrets"`
	// Action is the name of the action, "default" for one that a model calls. Without one the module is loaded and nothing is called: the
	// names of its actions are the result.
	Action string `json:"action"`
}

// MarshalJSON writes absent secrets as none.
func (i ToolInput) MarshalJSON() ([]byte, error) {
	type plain ToolInput
	i.Secrets = present(i.Secrets)
	return json.Marshal(plain(i))
}

// ToolImports are the modules that a custom tool can import, by name.
func ToolImports() []string { return []string{ToolModule().Name} }
