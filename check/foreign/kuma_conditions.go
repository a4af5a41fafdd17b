package foreign

import (
	"regexp"
	"strconv"
	"strings"
)

// conditionField is the field that a variable of a condition stands for.
type conditionField struct {
	// text is the field that texts are compared with, at path; "" for a variable that cannot be said.
	text, path string
	// number is the field that numbers are compared with, where it is another one.
	number string
	// values reports that the field is a list, of which one value has to be equal.
	values bool
}

// textConditions and numberConditions are the operators of conditions.
var (
	textConditions = map[string]string{
		"equals": "equals", "not_equals": "notEquals", "contains": "contains", "not_contains": "notContains", "starts_with": "startsWith",
		"ends_with": "endsWith",
	}
	numberConditions = map[string]string{
		"num_equals": "equals", "num_not_equals": "notEquals", "lt": "lessThan", "gt": "greaterThan", "lte": "lessThanOrEqual",
		"gte": "greaterThanOrEqual",
	}
)

// conditions converts the conditions of a monitor by its variables, and reports whether there are some. A monitor of which none can be
// said is left out.
func (e *kumaMonitor) conditions(fields map[string]conditionField) bool {
	v := e.object.get("conditions")
	if v != nil && v.kind == scalar && strings.HasPrefix(v.text, "[") {
		parsed, err := e.monitor.nested(v.text)
		if err != nil {
			e.leave(v.line, "conditions", "are no JSON")
			return false
		}
		parsed.shift(v.line - parsed.line)
		v = parsed
	}
	if v == nil || v.kind != list || len(v.items) == 0 {
		return false
	}
	if e.all(v, fields) == 0 {
		e.drop(v.line, "none of its conditions can be said here")
	}
	return true
}

// all converts a group, and returns how many of its conditions are kept.
func (e *kumaMonitor) all(group *value, fields map[string]conditionField) (kept int) {
	e.monitor.spend(len(group.items))
	alternatives := false
	for i, item := range group.items {
		alternatives = alternatives || i > 0 && textOf(item, "andOr") == "or"
	}
	if alternatives {
		if !e.any(group, fields) {
			e.leave(group.line, "conditions", "Conditions joined by or are kept where each compares the same variable for equality")
			return 0
		}
		return len(group.items)
	}
	for _, item := range group.items {
		if children := item.at("children"); children != nil && textOf(item, "type") == "group" {
			kept += e.all(children, fields)
			continue
		}
		if e.compare(item, fields) {
			kept++
			continue
		}
		e.leave(item.line, "conditions", "%s %s %s cannot be said here", shown(textOf(item, "variable")), shown(textOf(item, "operator")),
			shown(textOf(item, "value")))
	}
	return kept
}

// any converts conditions of which one has to hold.
func (e *kumaMonitor) any(group *value, fields map[string]conditionField) bool {
	name := textOf(group.items[0], "variable")
	field := fields[name]
	var all []string
	for i, item := range group.items {
		if textOf(item, "variable") != name || textOf(item, "operator") != "equals" || i > 0 && textOf(item, "andOr") != "or" {
			return false
		}
		all = append(all, textOf(item, "value"))
	}
	if field.text == "" || field.values || len(all) > maxAlternatives {
		return false
	}
	e.assert(field.text, field.path, "oneOf", all)
	return true
}

// compare converts one condition.
func (e *kumaMonitor) compare(item *value, fields map[string]conditionField) bool {
	field, operator, expected := fields[textOf(item, "variable")], textOf(item, "operator"), textOf(item, "value")
	if field.text == "" {
		return false
	}
	if field.values {
		if operator == "equals" {
			e.assert(field.text, "", "includes", expected)
		}
		return operator == "equals"
	}
	if said := textConditions[operator]; said != "" {
		e.assert(field.text, field.path, said, expected)
		return true
	}
	pattern := regexp.QuoteMeta(expected)
	switch operator {
	case "not_starts_with":
		e.assert(field.text, field.path, "notMatches", "(?s)^"+pattern)
		return true
	case "not_ends_with":
		e.assert(field.text, field.path, "notMatches", "(?s)"+pattern+"$")
		return true
	}
	n, err := strconv.ParseFloat(expected, 64)
	said := numberConditions[operator]
	if err != nil || said == "" || field.number == "" && field.path == "" {
		return false
	}
	e.assert(orText(field.number, field.text), field.path, said, n)
	return true
}

// textOf is a member that is a text or a number; "" for none.
func textOf(v *value, key string) string {
	if m := v.at(key); m != nil && m.kind == scalar {
		return m.text
	}
	return ""
}
