package model

import (
	"bytes"
	"encoding/json"
	"strings"
)

// repair makes an object of arguments where only one object can be meant. The schema of the tool decides about it as
// about any other.
func (c *partialCall) repair(tools []Tool) {
	c.splitName(tools)
	if object, ok := onlyObject(c.arguments, 0); ok {
		c.arguments = object
	}
}

// onlyObject finds the object in arguments that models and gateways have wrapped: in a JSON string, a list of one, a
// code fence, or with further closing brackets. "null" is no arguments.
func onlyObject(text []byte, depth int) ([]byte, bool) {
	const deepest = 3
	text = bytes.TrimSpace(text)
	if len(text) == 0 || depth == deepest {
		return nil, false
	}
	switch {
	case string(text) == "null":
		return []byte("{}"), true
	case text[0] == '{' && json.Valid(text):
		return text, true
	case text[0] == '{':
		return withoutExtraBrackets(text)
	case text[0] == '"':
		var inner string
		if json.Unmarshal(text, &inner) != nil || inner == "" {
			return nil, false
		}
		return onlyObject([]byte(inner), depth+1)
	case text[0] == '[':
		var list []json.RawMessage
		if json.Unmarshal(text, &list) != nil || len(list) != 1 {
			return nil, false
		}
		return onlyObject(list[0], depth+1)
	case bytes.HasPrefix(text, fence) && bytes.HasSuffix(text, fence) && len(text) > 2*len(fence):
		inner := text[len(fence) : len(text)-len(fence)]
		if line := bytes.IndexByte(inner, '\n'); line >= 0 && !bytes.ContainsAny(inner[:line], "{[\"") {
			inner = inner[line:] // the language of the fence
		}
		return onlyObject(inner, depth+1)
	}
	return nil, false
}

var fence = []byte("```")

// withoutExtraBrackets drops closing brackets behind a complete object.
func withoutExtraBrackets(text []byte) ([]byte, bool) {
	object, rest, ok := firstJSON(string(text))
	return object, ok && strings.Trim(rest, "]}"+space) == ""
}

// splitName moves arguments that a model has written into the name, in the tags of GLM, to the arguments.
func (c *partialCall) splitName(tools []Tool) {
	at := bytes.Index(c.name, []byte("<arg_key>"))
	if at <= 0 || !isEmptyObject(c.arguments) && len(bytes.TrimSpace(c.arguments)) > 0 {
		return
	}
	name := bytes.TrimSpace(c.name[:at])
	if arguments, ok := taggedArguments(string(c.name[at:]), string(name), tools); ok {
		c.name, c.arguments = name, arguments
	}
}
