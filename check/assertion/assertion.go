// Package assertion holds what has to be true of a result: which operators there are, how an assertion is compiled when it is saved,
// how it is judged, and what it is in words. It is pure.
package assertion

import (
	"encoding/json"
	"strings"
)

// Limits of one assertion.
const (
	MaxPattern = 1_000 // characters of a regular expression
	MaxPath    = 300   // characters of a path
	MaxValue   = 4_000 // bytes of a value
)

// Assertion is what has to be true of a result. Value is absent where the operator takes none.
type Assertion struct {
	Field    string          `json:"field"`
	JSONPath string          `json:"jsonPath,omitempty"`
	Operator string          `json:"operator"`
	Value    json.RawMessage `json:"value,omitempty"`
}

// Field is a member of a result that assertions can be about.
type Field struct {
	Name string
	Type Type
	// Unit is that of a number, such as ms.
	Unit string
	// JSONPath says that it is a text with a document in which paths can find values.
	JSONPath bool
	// Index leads to it in the struct of the result.
	Index []int
}

// Words is the assertion as a sentence, such as: statusCode equals 200.
func Words(a Assertion) string {
	var b strings.Builder
	b.WriteString(a.Field)
	if a.JSONPath != "" {
		b.WriteString(" at " + a.JSONPath)
	}
	words, takes := a.Operator, AScalar
	for _, t := range []Type{Path, Array, String, Number, Boolean} {
		if o, ok := find(table[t], a.Operator); ok {
			words, takes = o.Words, o.Takes
			break
		}
	}
	b.WriteString(" " + words)
	if takes != Nothing && len(a.Value) > 0 {
		b.WriteString(" " + string(a.Value))
	}
	return b.String()
}
