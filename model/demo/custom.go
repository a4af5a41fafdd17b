package demo

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// hashed is how the wire name of a tool that people have made can end.
var hashed = regexp.MustCompile(`^_[0-9a-f]{16}$`)

// wire is the name of a tool as it is offered: what people have called a tool can be followed by a hash.
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

// asks reports that somebody decides about each call of a tool.
func asks(agent, id any) bool {
	made := customTool(agent, id)
	a, _ := agent.(object)
	spec, _ := a["spec"].(object)
	tools, _ := spec["tools"].(object)
	rule, _ := tools[entry(made).text("id")].(object)
	return entry(made).text("effect") != "read" || rule["requires_approval"] == true
}

// parameter is an argument of a tool as its schema spells it, with what the schema says of it.
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

// fitted are values as a person lists them, as the schema of an argument wants them.
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

// scalar is a text as a value of a type, and the text itself where it is none.
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
