package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// phrases are the functions of the templates in scenes/. They accept any tool result.
var phrases = template.FuncMap{
	"json":    func(v any) (string, error) { text, err := json.Marshal(v); return string(text), err },
	"bold":    func(v any) string { return bold(plainText(v)) },
	"clean":   func(v any) string { return clean(plainText(v)) },
	"code":    func(v any) string { return "`" + strings.ReplaceAll(plainText(v), "`", "") + "`" },
	"trim":    func(v any) string { return strings.TrimSpace(plainText(v)) },
	"stem":    func(v any) string { return strings.TrimRight(clean(plainText(v)), ".") },
	"lower":   func(v any) string { return strings.ToLower(plainText(v)) },
	"upper":   func(v any) string { return strings.ToUpper(plainText(v)) },
	"begin":   func(v any) string { return capitalized(plainText(v)) },
	"bare":    func(v any) string { return bare(plainText(v)) },
	"topic":   func(v any) string { return topicOf(plainText(v)) },
	"address": address,
	// httpStatus is the collector of a health check that expects a status of an address, 200 when none is given.
	"httpStatus": func(v, code any) []any {
		expected, err := strconv.Atoi(plainText(code))
		if err != nil {
			expected = 200
		}
		return []any{object{
			"collectorId": "healthcheck-http.request", "config": object{"url": address(v)},
			"assertions": []any{object{"field": "statusCode", "operator": "equals", "value": expected}},
		}}
	},
	"seconds": seconds, "every": every, "checkTimeout": checkTimeout,
	"status": status, "checkState": checkState, "checkStates": checkStates, "statuses": statuses,
	"among": among, "worst": worst, "tally": tally, "unchecked": unchecked,
	"list":   func(v any) string { return clean(join(texts(v), "and")) },
	"commas": func(v any) string { return clean(strings.Join(texts(v), ", ")) },
	"quoted": quoted,
	"names":  texts,
	"ids":    func(v any) []string { return members(v, "id") },
	"union":  union,
	"single": func(v any) []any { return []any{v} },
	"having": having, "without": without, "beginning": beginningWith,
	"distinct": func(v any, member string) []string {
		return slices.Compact(slices.Sorted(slices.Values(members(v, member))))
	},
	"count":  func(v any) int { return len(texts(v)) },
	"are":    func(v any, noun string) string { return counted(len(listed(v)), noun) },
	"number": func(v any, noun string) string { return number(len(listed(v)), noun) },
	"has":    func(v any, name string) bool { o, _ := v.(object); _, ok := o[name]; return ok },
	"more":   func(v any) bool { return result{value: v}.truncated() },
	"says":   func(v any, words string) bool { return mentions(plainText(v), words) },
	"reason": func(v any, status any) string {
		return strings.TrimSpace(strings.TrimPrefix(plainText(v), fmt.Sprint(status)))
	},
	"sample":   sample,
	"systems":  systemTable,
	"contacts": contacts,
	"links":    links,
	"custom":   customTool,
	"asks":     asks,
	"fitted":   fitted,
	"parameter": func(agent, id, name any) string {
		known, _ := parameter(customTool(agent, id), name)
		return known
	},
	"entries": func(v any, name string) []any { return objects(result{value: v}.list(name)) },
}

func plainText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64, bool, int:
		return fmt.Sprint(v)
	}
	return strings.Join(texts(v), ", ")
}

// listed returns a value as a list.
func listed(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	case names:
		return listed([]string(v))
	case []string:
		list := make([]any, len(v))
		for i, text := range v {
			list[i] = text
		}
		return list
	case string:
		if v == "" {
			return nil
		}
	}
	return []any{v}
}

// texts returns the names in a list.
func texts(v any) []string {
	return members(v, "name", "title", "teamName", "label", "url", "userName", "email", "id")
}

func members(v any, of ...string) []string {
	found := []string{}
	for _, element := range listed(v) {
		switch e := element.(type) {
		case string:
			found = append(found, e)
		case object:
			if s := entry(e).text(of...); s != "" {
				found = append(found, s)
			}
		}
	}
	return found
}

// union adds the elements that are missing in a list.
func union(some, more any) []string {
	all := []string{}
	for _, text := range append(texts(some), texts(more)...) {
		if text = strings.ToLower(text); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// having returns the entries whose list contains a name.
func having(list any, member string, name any) []any {
	return slices.DeleteFunc(slices.Clone(listed(list)), func(e any) bool {
		o, _ := e.(object)
		return !slices.Contains(texts(o[member]), plainText(name))
	})
}

// without returns the entries whose list is empty.
func without(list any, member string) []any {
	return slices.DeleteFunc(slices.Clone(listed(list)), func(e any) bool {
		o, _ := e.(object)
		return len(texts(o[member])) > 0
	})
}

// beginningWith returns the entries whose name begins with some letters, in any case.
func beginningWith(list any, letters string) []any {
	letters = strings.ToLower(letters)
	return slices.DeleteFunc(slices.Clone(listed(list)), func(e any) bool {
		o, _ := e.(object)
		return !strings.HasPrefix(strings.ToLower(plainText(o["name"])), letters)
	})
}

// systemTable renders a Markdown table of systems with their owners.
func systemTable(v any) string {
	lines := []string{"| System | Owner | Description |", "| --- | --- | --- |"}
	for _, system := range listed(v) {
		o, _ := system.(object)
		e := entry(o)
		lines = append(lines, "| "+clean(e.text("name"))+" | "+clean(join(texts(o["owners"]), "and"))+" | "+clean(e.text("description"))+" |")
	}
	return strings.Join(lines, "\n")
}

// contacts lists people, numbers and addresses of a system in Markdown, each with its purpose: "On call: +1 555 010 0102".
func contacts(v any) []string {
	found := []string{}
	for _, e := range entries(listed(v)) {
		who, what := e.text("userName", "email", "address", "userEmail"), clean(e.text("label"))
		if !plainURL.MatchString(who) { // which is a link as it stands
			who = clean(who)
		}
		if who != "" && what != "" {
			who = what + ": " + who
		}
		if who = cmp.Or(who, what); who != "" {
			found = append(found, who)
		}
	}
	return found
}

var plainURL = regexp.MustCompile(`^https?://[\w.:/#?=&%~+@-]+$`)

// links renders pages about a system as links.
func links(v any) string {
	found := []string{}
	for _, e := range entries(listed(v)) {
		name, at := clean(e.text("label", "url")), e.text("url")
		if strings.HasPrefix(at, "https://") || strings.HasPrefix(at, "http://") {
			name = "[" + name + "](<" + strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "").Replace(at) + ">)"
		}
		found = append(found, name)
	}
	return strings.Join(found, ", ")
}

// address shortens a URL as people write it.
func address(v any) string {
	at := strings.TrimRight(plainText(v), ".,;:!?)*`")
	if at != "" && !strings.Contains(at, "://") {
		at = "https://" + at
	}
	return at
}

const maxSample = 600

// sample quotes the beginning of a response.
func sample(v any) string {
	text := strings.TrimSpace(plainText(v))
	if len(text) > maxSample {
		text = strings.ToValidUTF8(text[:maxSample], "") + " …"
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence
}

// link renders a clickable prompt: the chat page puts it into its message box.
func link(prompt string) string {
	return "[" + clean(prompt) + "](/chat?prompt=" + strings.ReplaceAll(url.QueryEscape(prompt), "+", "%20") + ")"
}

func quoted(v any) string {
	all := texts(v)
	for i, text := range all {
		all[i] = "“" + text + "”"
	}
	return join(all, "and")
}

// join lists words as prose does: "a, b and c".
func join(words []string, last string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

// clean escapes text from the catalog for a line of Markdown.
func clean(text string) string {
	return markdown.Replace(space.ReplaceAllString(strings.TrimSpace(text), " "))
}

var markdown = strings.NewReplacer("|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "<", "&lt;")

// bold marks a name.
func bold(name string) string { return "**" + clean(name) + "**" }

// counted returns "is 1 system" or "are 3 systems".
func counted(n int, noun string) string {
	if n == 1 {
		return "is " + number(n, noun)
	}
	return "are " + number(n, noun)
}

func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

const topicWords = 6

// topicOf returns the subject of a sentence: its first significant words.
func topicOf(text string) string {
	words := subjects(text)
	return capitalized(strings.Join(words[:min(len(words), topicWords)], " "))
}
