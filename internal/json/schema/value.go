package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

func typeOf(value any) string {
	switch value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case nil:
		return "null"
	}
	return "number"
}

func isOf(name string, value any) bool {
	if name != "integer" {
		return typeOf(value) == name
	}
	number, ok := value.(json.Number)
	if !ok {
		return false
	}
	exact, ok := rational(number)
	return ok && exact.IsInt()
}

// identityOf is equal for equal values, whatever the order of members and the spelling of numbers.
func identityOf(value any) string {
	var b strings.Builder
	identify(&b, value)
	return b.String()
}

func identify(b *strings.Builder, value any) {
	switch v := value.(type) {
	case map[string]any:
		b.WriteByte('{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(strconv.Quote(name) + ":")
			identify(b, v[name])
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for _, item := range v {
			identify(b, item)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case json.Number:
		if exact, ok := rational(v); ok {
			b.WriteString(exact.RatString())
			return
		}
		b.WriteString(string(v))
	case string:
		b.WriteString(strconv.Quote(v))
	default:
		fmt.Fprint(b, v)
	}
}
