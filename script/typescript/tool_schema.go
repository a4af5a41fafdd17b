package typescript

import (
	"cmp"
	"encoding/json"

	"countersign/script/arguments"
)

const (
	codeSchema  = "args_schema_invalid"
	codeKeyword = "args_schema_keyword"
)

// readSchema diagnoses a schema and converts it to types.
func readSchema(raw json.RawMessage) ([]ToolDiagnostic, ArgsTypes) {
	if len(raw) == 0 {
		return nil, ArgsTypes{}
	}
	schema, issues := arguments.Parse(raw)
	found := make([]ToolDiagnostic, 0, len(issues))
	usable := true
	for _, i := range issues {
		d := atStart(codeSchema, "args_schema, at "+cmp.Or(i.Pointer, "its top")+": "+explain(i.Message), i.Hint)
		if i.Warning {
			d.Code, d.Severity = codeKeyword, Warning
		} else {
			usable = false
		}
		found = append(found, d)
	}
	if !usable {
		return found, ArgsTypes{}
	}
	types := ArgsTypes{Loose: schema.Types(arguments.Any), Strict: schema.Types(arguments.Unknown)}
	if types.Loose == types.Strict {
		types.Strict = ""
	}
	if len(types.Loose) > maxTypes {
		return append(
			found,
			atStart(codeSchema, "args_schema is too large to be compared with the parameter.", "Shorten its lists of values."),
		), ArgsTypes{}
	}
	return found, types
}

// maxTypes bounds the types of a schema, in bytes.
const maxTypes = 256 << 10
