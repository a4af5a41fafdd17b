package model

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// repair makes an object of arguments where only one object can be meant. The schema of the tool decides about it as
// about any other.
func (c *partialCall) repair(tools []Tool) {
	c.splitName(tools)
	if object, ok := onlyObject(c.arguments, 0); ok {
		c.arguments = c.withoutCall(object, tools)
	}
}

// withoutCall returns the arguments of a call that was written whole into its arguments: {"name": ..., "arguments": ...}.
func (c *partialCall) withoutCall(object []byte, tools []Tool) []byte {
	var members map[string]json.RawMessage
	if !bytes.Contains(object, c.name) || json.Unmarshal(object, &members) != nil || len(members) != 2 {
		return object
	}
	types := propertyTypes(string(c.name), tools)
	var name string
	if json.Unmarshal(members["name"], &name) != nil || name != string(c.name) || types["name"] != nil {
		return object
	}
	for _, member := range []string{"arguments", "parameters"} {
		if inner, ok := onlyObject(members[member], 0); ok && types[member] == nil {
			return inner
		}
	}
	return object
}

// onlyObject finds the object in arguments that models and gateways have wrapped: in a JSON string, a list of one, a
// code fence, or with further brackets, or words beside it that say nothing. "null" is no arguments.
func onlyObject(text []byte, depth int) ([]byte, bool) {
	const deepest = 3
	text = bytes.Trim(text, space+"\uFEFF\u200b\u00a0")
	if len(text) == 0 || depth == deepest {
		return nil, false
	}
	switch {
	case string(text) == "null":
		return []byte("{}"), true
	case text[0] == '{' && json.Valid(text):
		return text, true
	case text[0] == '{':
		for _, repaired := range []func([]byte) ([]byte, bool){withoutRest, singleBraces} {
			if object, ok := repaired(text); ok {
				return object, true
			}
		}
		tidy := tidied(text)
		return tidy, json.Valid(tidy)
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
	}
	if found := wrappedObject.FindSubmatch(text); found != nil {
		return onlyObject(bytes.TrimRight(found[2], string(found[1])+space), depth+1)
	}
	return nil, false
}

// wrappedObject is code with the language of its fence, a word for the arguments, or a quotation. The end may be missing.
var wrappedObject = regexp.MustCompile("(?is)^(```|~~~|`+|'|)(?:(?:json|arguments)\\b *[:=]?|[a-z]*)\\s*([{\\[\"].*)$")

// singleBraces removes the second pair of braces around an object, which templates with escaped braces teach.
func singleBraces(text []byte) ([]byte, bool) {
	inner, opened := bytes.CutPrefix(text, []byte("{"))
	inner, closed := bytes.CutSuffix(inner, []byte("}"))
	inner = bytes.Trim(inner, space)
	return inner, opened && closed && len(inner) > 0 && inner[0] == '{' && json.Valid(inner)
}

// withoutRest drops what stands behind a complete object and says nothing: closing brackets and quotes, marks of templates,
// a comma, or words.
func withoutRest(text []byte) ([]byte, bool) {
	object, rest, ok := firstJSON(string(text))
	if !ok {
		return nil, false
	}
	rest = string(withoutEndMarks([]byte(rest)))
	closing := strings.Trim(trimWrappers(strings.Replace(rest, "</function>", "", 1)), "]}"+space)
	return object, len(withoutEndMarks([]byte(closing))) == 0 || plainRest.MatchString(rest)
}

// plainRest are words, none of which may be a further argument.
var plainRest = regexp.MustCompile("^\\s*(?:[,;]|`{1,3}|~~~)?(?:\\s+[^{}\\[\\]\"'`:=,;0-9]*)?$|^ *// [^{}\\[\\]\"'`:=,;0-9]*$")

// tidied removes commas before closing brackets, and escapes line breaks and tabs in strings.
func tidied(text []byte) []byte {
	tidy := make([]byte, 0, len(text)+16)
	quoted, comma := false, -1
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quoted && b == '\\' && i+1 < len(text):
			i++
			tidy = append(tidy, b, text[i])
			continue
		case quoted && b < ' ':
			tidy = append(tidy, escaped[b]...)
			continue
		case b == '"':
			quoted, comma = !quoted, -1
		case quoted || strings.IndexByte(space, b) >= 0:
		case b == ',':
			comma = len(tidy)
		case (b == '}' || b == ']') && comma >= 0:
			tidy = append(tidy[:comma], tidy[comma+1:]...)
			comma = -1
		default:
			comma = -1
		}
		tidy = append(tidy, text[i])
	}
	return tidy
}

// escaped are control characters that models leave in strings; others stay, so that the text is no JSON.
var escaped = map[byte]string{'\n': `\n`, '\r': `\r`, '\t': `\t`}

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
