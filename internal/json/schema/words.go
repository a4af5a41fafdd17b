package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/text/search"
)

// typeWords are the JSON types in messages.
var typeWords = map[string]string{
	"string": "a text", "object": "an object", "array": "a list", "null": "null", "boolean": "true or false",
	"integer": "a whole number", "number": "a number",
}

func wrongType(types []string, value any) string {
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = typeWords[t]
	}
	is := typeWords[typeOf(value)]
	if number, ok := value.(json.Number); ok {
		is = clipped(number.String())
	}
	message := "must be " + strings.Join(words, " or ") + ", not " + is
	if value == nil {
		message += "; leave it out"
	}
	return message
}

// unknown is the message about a member that a closed object does not have.
func (n *Node) unknown(name string) string {
	names := slices.Sorted(maps.Keys(n.properties))
	if len(names) == 0 {
		return "is not known here. There are no members"
	}
	return "is not known here." + search.Hint(name, names) + " Known are " + strings.Join(names, ", ")
}

// permitted is the message about a value that the schema does not list; text is the value, if it is one.
func (n *Node) permitted(text string) string {
	if n.constant {
		return "must be " + n.shown[0]
	}
	const most = 20
	more := ""
	if len(n.shown) > most {
		more = fmt.Sprintf(" and %d more", len(n.shown)-most)
	}
	message := "must be one of " + strings.Join(n.shown[:min(len(n.shown), most)], ", ") + more
	if near := search.Hint(text, n.shown); near != "" && text != "" {
		message += "." + near
	}
	return message
}

// amount is the message about a number of things outside its bounds, "" within.
func amount(have int, low, high *int, noun string) string {
	switch {
	case low != nil && *low == 1 && have == 0 && noun == "character":
		return "must not be empty"
	case low != nil && have < *low:
		return fmt.Sprintf("must have at least %s, not %d", plural(*low, noun), have)
	case high != nil && have > *high:
		return fmt.Sprintf("must have at most %s, not %d", plural(*high, noun), have)
	}
	return ""
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func plainNumber(n *big.Rat) string {
	if n.IsInt() {
		return n.Num().String()
	}
	f, _ := n.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// shownValues are values in messages: texts as they are where there is nothing but texts, else as JSON.
func shownValues(values []any) []string {
	texts := !slices.ContainsFunc(values, func(v any) bool { text, ok := v.(string); return !ok || text == "" })
	shown := make([]string, len(values))
	for i, v := range values {
		if text, ok := v.(string); ok && texts {
			shown[i] = clipped(text)
			continue
		}
		raw, err := json.Marshal(v)
		if err != nil {
			raw = []byte("a value")
		}
		shown[i] = clipped(string(raw))
	}
	return shown
}

// memberPath returns the path of a member. A name that is no plain word is in brackets.
func memberPath(path, name string) string {
	name = clipped(name)
	plain := name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	})
	switch {
	case !plain:
		return path + "[" + strconv.Quote(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

func itemPath(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
