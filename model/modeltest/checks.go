package modeltest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// place formats a location as providers write it.
func place(format string, at ...any) string { return fmt.Sprintf(format, at...) }

// eachCall finds a call that breaks a rule.
func eachCall(broken func(at string, c Call) []string) func(*Request) []string {
	return func(r *Request) []string {
		for i, m := range r.Messages {
			for j, c := range m.Calls {
				if what := broken(place("messages[%d].tool_calls[%d]", i, j), c); what != nil {
					return what
				}
			}
		}
		return nil
	}
}

// eachMessage finds a message that breaks a rule.
func eachMessage(broken func(i int, m Message) []string) func(*Request) []string {
	return func(r *Request) []string {
		for i, m := range r.Messages {
			if what := broken(i, m); what != nil {
				return what
			}
		}
		return nil
	}
}

// has finds a member of the body.
func has(name string) func(*Request) []string {
	return func(r *Request) []string {
		if _, ok := r.Members[name]; ok {
			return []string{name}
		}
		return nil
	}
}

// unknown finds a member of the body outside a list.
func unknown(names ...string) func(*Request) []string {
	return func(r *Request) []string {
		for name := range r.Members {
			if !slices.Contains(names, name) {
				return []string{name}
			}
		}
		return nil
	}
}

// unanswered finds calls without results directly behind them: their ids, and the place of the message there.
func unanswered(r *Request) []string {
	for i, m := range r.Messages {
		if len(m.Calls) == 0 {
			continue
		}
		open, next := map[string]bool{}, i+1
		for ; next < len(r.Messages) && r.Messages[next].Role == "tool"; next++ {
			open[r.Messages[next].CallID] = true
		}
		var ids []string
		for _, c := range m.Calls {
			if !open[c.ID] {
				ids = append(ids, c.ID)
			}
		}
		if ids != nil {
			return []string{strings.Join(ids, ", "), strconv.Itoa(next), strconv.Itoa(i)}
		}
	}
	return nil
}

// orphaned finds a result without its call before it.
func orphaned(r *Request) []string {
	var open []string
	for i, m := range r.Messages {
		if m.Role != "tool" {
			open = nil
			for _, c := range m.Calls {
				open = append(open, c.ID)
			}
			continue
		}
		if !slices.Contains(open, m.CallID) {
			return []string{strconv.Itoa(i)}
		}
	}
	return nil
}

// follows finds a message of one role behind one of another.
func follows(role, before string) func(*Request) []string {
	return func(r *Request) []string {
		for i := 1; i < len(r.Messages); i++ {
			if r.Messages[i].Role == role && r.Messages[i-1].Role == before {
				return found
			}
		}
		return nil
	}
}

// toolNames finds an offered tool whose name does not have the form.
func toolNames(form *regexp.Regexp) func(*Request) []string {
	return func(r *Request) []string {
		for i, t := range r.Tools {
			if !form.MatchString(t.Name) {
				return []string{place("tools[%d].function.name", i), strconv.Itoa(len(t.Name)), strconv.Itoa(i)}
			}
		}
		return nil
	}
}

// callNames finds a call whose name does not have the form.
func callNames(form *regexp.Regexp) func(*Request) []string {
	return eachCall(func(at string, c Call) []string {
		if form.MatchString(c.Name) {
			return nil
		}
		return []string{at + ".function.name", strconv.Itoa(len(c.Name))}
	})
}

// argumentsNotObject finds a call whose arguments are not a JSON object.
var argumentsNotObject = eachCall(func(_ string, c Call) []string {
	var object map[string]any
	if json.Unmarshal([]byte(c.Arguments), &object) != nil {
		return found
	}
	return nil
})

// eachSchema finds a schema at any depth that breaks a rule. at is its location as Google writes it.
func eachSchema(broken func(at string, schema map[string]any) []string) func(*Request) []string {
	return func(r *Request) []string {
		for i, t := range r.Tools {
			if what := walkSchema(
				place("GenerateContentRequest.tools[0].function_declarations[%d].parameters", i),
				t.Parameters,
				broken,
			); what != nil {
				return what
			}
		}
		return nil
	}
}

func walkSchema(at string, value any, broken func(string, map[string]any) []string) []string {
	schema, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	if what := broken(at, schema); what != nil {
		return what
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		if what := walkSchema(at+".properties["+name+"]", property, broken); what != nil {
			return what
		}
	}
	if what := walkSchema(at+".items", schema["items"], broken); what != nil {
		return what
	}
	if what := walkSchema(at+".additionalProperties", schema["additionalProperties"], broken); what != nil {
		return what
	}
	for _, union := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := schema[union].([]any)
		for i, one := range list {
			if what := walkSchema(place("%s.%s[%d]", at, union, i), one, broken); what != nil {
				return what
			}
		}
	}
	return nil
}
