package demo

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// result is a tool result, decoded leniently: the rules should survive a member that is renamed or added.
type result struct {
	value   any
	failure *failure
}

// failure is a tool's error in the conversation.
type failure struct {
	Code    string  `json:"code"`
	Message string  `json:"message"`
	Issues  []issue `json:"issues"`
}

type issue struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// readResult reads the content of a tool message. Text around the JSON, such as
// a warning about untrusted content, is skipped.
func readResult(content string) result {
	begin, end := strings.IndexAny(content, "{["), strings.LastIndexAny(content, "}]")
	if begin < 0 || end < begin {
		return result{value: content}
	}
	var value any
	if json.Unmarshal([]byte(content[begin:end+1]), &value) != nil {
		return result{value: content}
	}
	var envelope struct {
		Error json.RawMessage `json:"error"`
	}
	if _, ok := value.(object); ok {
		_ = json.Unmarshal([]byte(content[begin:end+1]), &envelope)
	}
	if len(envelope.Error) > 0 && string(envelope.Error) != "null" {
		f := &failure{}
		if json.Unmarshal(envelope.Error, f) != nil {
			_ = json.Unmarshal(envelope.Error, &f.Message)
		}
		return result{value: value, failure: f}
	}
	return result{value: value}
}

// carriedOut returns the result of an approved call, which stands behind the decision.
func (r result) carriedOut() result {
	members, ok := r.value.(object)
	if answer, has := members["result"]; ok && has && members["status"] == "applied" {
		text, err := json.Marshal(answer)
		if err == nil {
			return readResult(string(text))
		}
	}
	return r
}

// explain describes a failure to a person. The messages of tools are whole sentences made for people.
func (f *failure) explain() string {
	intro := "That didn't work. "
	switch {
	case mentions(f.Code, "forbidden", "denied", "unauthorized"):
		intro = "I'm not allowed to do that. "
	case mentions(f.Code, "budget", "spend", "throttled", "rate", "limit"):
		intro = "I have to pause here, because a limit is reached. "
	}
	var text strings.Builder
	text.WriteString(intro + strings.TrimSpace(f.Message))
	for _, i := range f.Issues {
		text.WriteString("\n- ")
		if i.Path != "" {
			text.WriteString("`" + strings.ReplaceAll(i.Path, "`", "") + "`: ")
		}
		text.WriteString(i.Message)
	}
	return strings.TrimSpace(text.String())
}

// refuses returns the member of optional that input has and an issue is about.
func (f *failure) refuses(input object, optional []string) string {
	for _, name := range optional {
		if _, ok := input[name]; ok && f.issueAt(name) != "" {
			return name
		}
	}
	return ""
}

func (f *failure) issueAt(name string) string {
	for _, i := range f.Issues {
		if strings.Trim(i.Path, "/.$") == name {
			return strings.TrimSuffix(i.Message, ".")
		}
	}
	return ""
}

// entry is one object of a result.
type entry object

// list returns the objects of a result: those of the named member, else those
// of the first member that is a list.
func (r result) list(names ...string) []entry {
	if list, ok := r.value.([]any); ok {
		return entries(list)
	}
	members, ok := r.value.(object)
	if !ok {
		return nil
	}
	for _, name := range append(names, "items") {
		if list, ok := members[name].([]any); ok {
			return entries(list)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if list, ok := members[name].([]any); ok {
			return entries(list)
		}
	}
	return nil
}

// entry returns a result that is one object, or the member of that name.
func (r result) entry(name string) entry {
	members, _ := r.value.(object)
	if inner, ok := members[name].(object); ok {
		return inner
	}
	return members
}

// truncated reports whether the list is incomplete.
func (r result) truncated() bool {
	members, _ := r.value.(object)
	_, cut := members["_truncated"]
	more, _ := members["more"].(bool)
	return cut || more
}

func entries(list []any) []entry {
	found := make([]entry, 0, len(list))
	for _, element := range list {
		if members, ok := element.(object); ok {
			found = append(found, members)
		}
	}
	return found
}

// text returns the first of the named members that is a non-empty string.
func (e entry) text(names ...string) string {
	for _, name := range names {
		if s, ok := e[name].(string); ok && s != "" {
			return s
		}
	}
	return ""
}
