// Package assertion defines assertions about results: operators, compilation at save time, evaluation, and wording. It has no
// side effects.
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

// Assertion is a condition on a result. Value is absent for operators without a value.
type Assertion struct {
	Field    string          `json:"field"`
	JSONPath string          `json:"jsonPath,omitempty"`
	Operator string          `json:"operator"`
	Value    json.RawMessage `json:"value,omitempty"`
}

// AlwaysHolds reports whether no text could fail the assertion, as every one contains the empty text.
func (a Assertion) AlwaysHolds() bool {
	switch Canonical(a.Operator) {
	case "contains", "startsWith", "endsWith", "matches":
		return string(a.Value) == `""`
	default:
		return false
	}
}

// Field is a member of a result that assertions can refer to.
type Field struct {
	Name string
	Type Type
	// Unit is the unit of a number, such as ms.
	Unit string
	// JSONPath reports that the field is a JSON document in a text, from which paths can select values.
	JSONPath bool
	// LowerNames reports that all names of that document are in lower case, as those of headers, which have no case.
	LowerNames bool
	// Index is the index of the field in the struct of the result.
	Index []int
}

// Words formats the assertion, such as: statusCode equals 200.
func Words(a Assertion) string {
	return phrase(a, func(o Operator) string { return o.Words })
}

// Expectation formats the assertion as the object of "Expected", such as: statusCode = 200, or: body to contain "ok".
func Expectation(a Assertion) string {
	return phrase(a, func(o Operator) string { return expectations[o.ID] })
}

// expectations are the operators in an Expectation.
var expectations = map[string]string{
	"equals":             "=",
	"notEquals":          "!=",
	"lessThan":           "<",
	"lessThanOrEqual":    "<=",
	"greaterThan":        ">",
	"greaterThanOrEqual": ">=",
	"contains":           "to contain",
	"notContains":        "not to contain",
	"startsWith":         "to start with",
	"endsWith":           "to end with",
	"matches":            "to match",
	"notMatches":         "not to match",
	"isEmpty":            "to be empty",
	"isNotEmpty":         "not to be empty",
	"isTrue":             "to be true",
	"isFalse":            "to be false",
	"includes":           "to include",
	"notIncludes":        "not to include",
	"oneOf":              "to be one of",
	"notOneOf":           "to be none of",
	"between":            "to be between",
	"lengthEquals":       "length =",
	"lengthGreaterThan":  "length >",
	"lengthLessThan":     "length <",
	"exists":             "to exist",
	"notExists":          "not to exist",
}

// phrase joins the field, the operator and the value of an assertion.
func phrase(a Assertion, wording func(Operator) string) string {
	var b strings.Builder
	b.WriteString(a.Field)
	if a.JSONPath != "" {
		b.WriteString(" at " + a.JSONPath)
	}
	words, takes := a.Operator, AScalar
	for _, t := range []Type{Path, Array, String, Number, Boolean} {
		if o, ok := find(table[t], a.Operator); ok {
			words, takes = wording(o), o.Takes
			break
		}
	}
	b.WriteString(" " + words)
	if takes != Nothing && len(a.Value) > 0 {
		b.WriteString(" " + string(a.Value))
	}
	return b.String()
}
