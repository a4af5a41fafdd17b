package demo

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// hashed matches the hash that the wire name of a custom tool can end with.
var hashed = regexp.MustCompile(`^_[0-9a-f]{16}$`)

// wire returns the wire name of a tool: a custom tool's name can be followed by a hash.
func (t *turn) wire(name string) string {
	if t.offered[name] {
		return name
	}
	is := func(other string) bool {
		rest, begins := strings.CutPrefix(other, name)
		return begins && hashed.MatchString(rest)
	}
	for other := range t.offered {
		if is(other) {
			return other
		}
	}
	for _, s := range t.steps {
		if is(s.tool) {
			return s.tool
		}
	}
	return name
}

// customTool is a tool of an agent as agent.get describes it, empty when there is none.
func customTool(agent, id any) object {
	a, _ := agent.(object)
	for _, one := range listed(a["tools"]) {
		if o, ok := one.(object); ok && strings.EqualFold(entry(o).text("id"), plainText(id)) {
			return o
		}
	}
	return object{}
}

// asks reports whether each call of a tool needs approval.
func asks(agent, id any) bool {
	made := customTool(agent, id)
	a, _ := agent.(object)
	spec, _ := a["spec"].(object)
	tools, _ := spec["tools"].(object)
	rule, _ := tools[entry(made).text("id")].(object)
	return entry(made).text("effect") != "read" || rule["requires_approval"] == true
}

// parameter returns an argument of a tool as its schema spells it, with its schema.
func parameter(made object, name any) (string, object) {
	schema, _ := made["argsSchema"].(object)
	properties, _ := schema["properties"].(object)
	for known, about := range properties {
		if strings.EqualFold(known, plainText(name)) {
			o, _ := about.(object)
			return known, o
		}
	}
	return plainText(name), nil
}

// fitted converts values that a person lists to the schema of an argument.
func fitted(agent, id, name, values any) any {
	_, about := parameter(customTool(agent, id), name)
	all := texts(values)
	if about["type"] != "array" {
		return scalar(about["type"], strings.Join(all, ", "))
	}
	items, _ := about["items"].(object)
	list := make([]any, len(all))
	for i, text := range all {
		list[i] = scalar(items["type"], text)
	}
	return list
}

// scalar converts a text to a type; it stays a text if that fails.
func scalar(kind any, text string) any {
	kinds := texts(kind)
	if n, err := strconv.ParseFloat(text, 64); err == nil && (slices.Contains(kinds, "number") || slices.Contains(kinds, "integer")) {
		return n
	}
	if yes, err := strconv.ParseBool(strings.ToLower(text)); err == nil && slices.Contains(kinds, "boolean") {
		return yes
	}
	return text
}
