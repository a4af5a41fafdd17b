package check

import "encoding/json"

// Schema is the closed JSON schema of a config or of a result, with what forms, charts and templates have to know in members
// x-secret, x-template, x-editor, x-unit, x-chart, x-label, x-keep, x-ephemeral, x-jsonpath, made of the struct tag check:
//
//	Password string `json:"password,omitempty" jsonschema:"description=..." check:"secret"`
//	Query    string `json:"query" check:"editor=sql,template"`
//	DaysLeft int    `json:"daysRemaining" check:"chart=line,unit=days,label=Days left,keep"`
type Schema struct {
	raw json.RawMessage
}

// ConfigSchema describes the config C.
func ConfigSchema[C any]() *Schema { return &Schema{} }

// ResultSchema describes the result R.
func ResultSchema[R any]() *Schema { return &Schema{} }

// JSON is the schema as clients get it.
func (s *Schema) JSON() json.RawMessage { return s.raw }
