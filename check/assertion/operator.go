package assertion

import (
	"slices"
	"strings"
)

// Type is the type of the value of an assertion: a JSON type, or a value that a path selects.
type Type string

// The types.
const (
	Number  Type = "number"
	String  Type = "string"
	Boolean Type = "boolean"
	Array   Type = "array"
	// Path is the type of values that a JSONPath selects; they are compared by the type of the assertion's value.
	Path Type = "jsonPath"
	// Threshold is a time in milliseconds with an upper limit.
	Threshold Type = "timeThreshold"
	// Other types, such as objects, can only be asserted by a path.
	Other Type = "object"
)

// TypeOf returns the type for the JSON types of a schema.
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

// Takes is the type of an operator's value.
type Takes string

// Values of Takes.
const (
	Nothing  Takes = "nothing"
	ANumber  Takes = "number"
	AText    Takes = "string"
	APattern Takes = "pattern"
	ACount   Takes = "count"  // a whole number that is not negative
	AScalar  Takes = "scalar" // a text, a number, true, false or null
	ARange   Takes = "range"  // two numbers in a list: the least and the greatest
	AList    Takes = "list"   // a list of scalars
)

// Operator compares a result with the value of an assertion.
type Operator struct {
	ID string `json:"id"`
	// Words are the operator in a sentence, between field and value.
	Words string `json:"words"`
	Takes Takes  `json:"takes"`
}

var ordering = []Operator{
	{"lessThan", "is less than", ANumber},
	{"lessThanOrEqual", "is at most", ANumber},
	{"greaterThan", "is greater than", ANumber},
	{"greaterThanOrEqual", "is at least", ANumber},
	{"between", "is between", ARange},
}

var membership = []Operator{{"oneOf", "is one of", AList}, {"notOneOf", "is none of", AList}}

var lengths = []Operator{
	{"lengthEquals", "has a length of", ACount},
	{"lengthGreaterThan", "has a length greater than", ACount},
	{"lengthLessThan", "has a length less than", ACount},
}

// aliases are other names of operators, which configurations may use.
var aliases = map[string]string{"in": "oneOf", "notIn": "notOneOf"}

// table is the list of operators by type.
var table = map[Type][]Operator{
	Number: slices.Concat([]Operator{{"equals", "equals", ANumber}, {"notEquals", "does not equal", ANumber}}, membership, ordering),
	String: slices.Concat([]Operator{
		{"equals", "equals", AText},
		{"notEquals", "does not equal", AText},
	}, membership, []Operator{
		{"contains", "contains", AText},
		{"notContains", "does not contain", AText},
		{"startsWith", "starts with", AText},
		{"endsWith", "ends with", AText},
		{"matches", "matches", APattern},
		{"notMatches", "does not match", APattern},
		{"isEmpty", "is empty", Nothing},
	}, lengths),
	Boolean: {{"isTrue", "is true", Nothing}, {"isFalse", "is false", Nothing}},
	Array: slices.Concat([]Operator{
		{"includes", "includes", AScalar},
		{"notIncludes", "does not include", AScalar},
	}, lengths, []Operator{
		{"isEmpty", "is empty", Nothing},
		{"isNotEmpty", "is not empty", Nothing},
		{"exists", "exists", Nothing},
		{"notExists", "does not exist", Nothing},
	}),
	Threshold: ordering[:2],
	Path: slices.Concat([]Operator{
		{"equals", "equals", AScalar},
		{"notEquals", "does not equal", AScalar},
	}, membership, []Operator{
		{"contains", "contains", AScalar},
		{"notContains", "does not contain", AScalar},
		{"startsWith", "starts with", AText},
		{"endsWith", "ends with", AText},
		{"matches", "matches", APattern},
		{"notMatches", "does not match", APattern},
		{"exists", "exists", Nothing},
		{"notExists", "does not exist", Nothing},
	}, ordering, lengths),
}

// Table returns a copy of the operators by type, for catalogs and forms.
func Table() map[Type][]Operator {
	all := make(map[Type][]Operator, len(table))
	for t, operators := range table {
		all[t] = slices.Clone(operators)
	}
	return all
}

// Operators returns the operators of a field, or of the values that a path selects in it.
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

// Canonical returns the id of an operator for one of its names.
func Canonical(name string) string {
	if known, ok := aliases[name]; ok {
		return known
	}
	return name
}

func find(operators []Operator, id string) (Operator, bool) {
	id = Canonical(id)
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
