package assertion

import (
	"slices"
	"strings"
)

// Type is what kind of value an assertion is about: a JSON type, or what a path finds in a document.
type Type string

// The types.
const (
	Number  Type = "number"
	String  Type = "string"
	Boolean Type = "boolean"
	Array   Type = "array"
	// Path is for values that a JSONPath finds: whatever they are, they are compared as the value of the assertion asks for it.
	Path Type = "jsonPath"
	// Threshold is a time in milliseconds that must stay below something.
	Threshold Type = "timeThreshold"
	// Other values, such as objects, can have no assertion but by a path.
	Other Type = "object"
)

// TypeOf is the type for the JSON types that a schema names.
func TypeOf(types ...string) Type {
	for _, t := range types {
		switch t {
		case "integer", "number":
			return Number
		case "string":
			return String
		case "boolean":
			return Boolean
		case "array":
			return Array
		}
	}
	return Other
}

// Takes says what value an operator is given.
type Takes string

// What operators take.
const (
	Nothing  Takes = "nothing"
	ANumber  Takes = "number"
	AText    Takes = "string"
	APattern Takes = "pattern"
	ACount   Takes = "count"  // a whole number that is not negative
	AScalar  Takes = "scalar" // a text, a number, true, false or null
)

// Operator is one way to judge a value.
type Operator struct {
	ID string `json:"id"`
	// Words stand between the field and the value in a sentence.
	Words string `json:"words"`
	Takes Takes  `json:"takes"`
}

var ordering = []Operator{
	{"lessThan", "is less than", ANumber},
	{"lessThanOrEqual", "is at most", ANumber},
	{"greaterThan", "is greater than", ANumber},
	{"greaterThanOrEqual", "is at least", ANumber},
}

// table is the one list of operators.
var table = map[Type][]Operator{
	Number: slices.Concat([]Operator{{"equals", "equals", ANumber}, {"notEquals", "does not equal", ANumber}}, ordering),
	String: {
		{"equals", "equals", AText},
		{"notEquals", "does not equal", AText},
		{"contains", "contains", AText},
		{"startsWith", "starts with", AText},
		{"endsWith", "ends with", AText},
		{"matches", "matches", APattern},
		{"isEmpty", "is empty", Nothing},
	},
	Boolean: {{"isTrue", "is true", Nothing}, {"isFalse", "is false", Nothing}},
	Array: {
		{"includes", "includes", AScalar},
		{"notIncludes", "does not include", AScalar},
		{"lengthEquals", "has a length of", ACount},
		{"lengthGreaterThan", "has a length greater than", ACount},
		{"lengthLessThan", "has a length less than", ACount},
		{"isEmpty", "is empty", Nothing},
		{"isNotEmpty", "is not empty", Nothing},
		{"exists", "exists", Nothing},
		{"notExists", "does not exist", Nothing},
	},
	Threshold: ordering[:2],
	Path: slices.Concat([]Operator{
		{"equals", "equals", AScalar},
		{"notEquals", "does not equal", AScalar},
		{"contains", "contains", AScalar},
		{"startsWith", "starts with", AText},
		{"endsWith", "ends with", AText},
		{"matches", "matches", APattern},
		{"exists", "exists", Nothing},
		{"notExists", "does not exist", Nothing},
	}, ordering),
}

// Table is every operator by type, for catalogs and forms.
func Table() map[Type][]Operator {
	all := make(map[Type][]Operator, len(table))
	for t, operators := range table {
		all[t] = slices.Clone(operators)
	}
	return all
}

// Operators are those for a field, or for what a path finds in it.
func Operators(f Field, path bool) []Operator {
	return slices.Clone(table[f.judgedAs(path)])
}

func (f Field) judgedAs(path bool) Type {
	switch {
	case path:
		return Path
	case f.Type == Number && f.Unit == "ms":
		return Threshold
	default:
		return f.Type
	}
}

func find(operators []Operator, id string) (Operator, bool) {
	i := slices.IndexFunc(operators, func(o Operator) bool { return o.ID == id })
	if i < 0 {
		return Operator{}, false
	}
	return operators[i], true
}

func list(operators []Operator) string {
	ids := make([]string, len(operators))
	for i, o := range operators {
		ids[i] = o.ID
	}
	return strings.Join(ids, ", ")
}
