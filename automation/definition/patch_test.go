package definition_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/automation/definition"
	"countersign/internal/problem"
)

func patch(t *testing.T, text string, edits ...definition.Edit) string {
	t.Helper()
	out, err := definition.Patch([]byte(text), edits)
	require.NoError(t, err)
	return string(out)
}

func set(path, value string) definition.Edit {
	return definition.Edit{Path: path, Value: json.RawMessage(value)}
}

// A form changes one field of a text with forty comments: the bytes of every other line stay.
func TestAChangedFieldLeavesAllOtherBytes(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("# 0\nname:   Spaces   stay # 1\n\n\nmode: single   # 2\ntriggers:\n- event:  incident.created\n  # 3\nactions:\n")
	for i := range 12 {
		fmt.Fprintf(
			&text,
			"\n  # a%d\n  - id: s%d   # b%d\n\n    action: automation.log # c%d\n    config: {message: 'ä %d',   level: info}\n",
			i,
			i,
			i,
			i,
			i,
		)
	}
	author := text.String()
	require.GreaterOrEqual(t, strings.Count(author, "#"), 40)
	for _, c := range []struct{ path, value, old, now string }{
		{"mode", `"queued"`, "mode: single   # 2", "mode: queued   # 2"},
		{"name", `"Other: name"`, "name:   Spaces   stay # 1", "name:   'Other: name' # 1"},
		{"actions[7].config.message", `"it's"`, "{message: 'ä 7',", "{message: 'it''s',"},
		{"actions[7].config.level", `"warning"`, "'ä 7',   level: info}", "'ä 7',   level: warning}"},
		{"actions[3].id", `"no"`, "- id: s3   # b3", `- id: "no"   # b3`},
		{"actions[3].id", `null`, "- id: s3   # b3", `- id: null   # b3`},
		{"triggers[0].event", `"incident.resolved"`, "- event:  incident.created\n", "- event:  incident.resolved\n"},
	} {
		got := patch(t, author, set(c.path, c.value))
		require.Equal(t, strings.Replace(author, c.old, c.now, 1), got, c.path)
		require.NotEqual(t, author, got)
		windows := patch(t, "\ufeff"+strings.ReplaceAll(author, "\n", "\r\n"), set(c.path, c.value))
		require.Equal(t, "\ufeff"+strings.ReplaceAll(got, "\n", "\r\n"), windows)
	}
	require.Equal(t, author, patch(t, author, set("mode", `"single"`)), "nothing to change")
	require.Equal(t, author, patch(t, author))
}

func TestMembersAndElementsComeAndGo(t *testing.T) {
	t.Parallel()
	const author = `name: a # one
# about triggers
triggers:
  - event: x # two
    filter: >-
      a &&
      b

  # about the second
  - id: t2
    event: y
limits: {steps: 5, minutes: 6}
list: [1, 2, 3]
text: |
  one
  two

# about actions
actions:
- delay: 5
- stop: done
  # inside
  id: s
`
	for name, c := range map[string]struct {
		edit     definition.Edit
		old, now string
	}{
		"new member":          {set("mode", `"queued"`), "  id: s\n", "  id: s\nmode: queued\n"},
		"new inner member":    {set("triggers[0].for", `"5m"`), "      b\n", "      b\n    for: 5m\n"},
		"new flow member":     {set("limits.effects", `7`), "minutes: 6}", "minutes: 6, effects: 7}"},
		"new object":          {set("triggers[1].window", `{"after":"08:00"}`), "    event: y\n", "    event: y\n    window:\n      after: 08:00\n"},
		"gone member":         {definition.Edit{Path: "name"}, "name: a # one\n", ""},
		"gone folded text":    {definition.Edit{Path: "triggers[0].filter"}, "    filter: >-\n      a &&\n      b\n", ""},
		"gone first member":   {definition.Edit{Path: "triggers[1].id"}, "- id: t2\n    event", "- event"},
		"gone before comment": {definition.Edit{Path: "actions[1].stop"}, "- stop: done\n  # inside", "- # inside"},
		"gone flow member":    {definition.Edit{Path: "limits.steps"}, "{steps: 5, minutes", "{minutes"},
		"gone last flow":      {definition.Edit{Path: "limits.minutes"}, ", minutes: 6", ""},
		"gone only member":    {definition.Edit{Path: "actions[0].delay"}, "- delay: 5", "- {}"},
		"new last element":    {set("actions[2]", `{"delay":"1m"}`), "  id: s\n", "  id: s\n- delay: 1m\n"},
		"new first element":   {definition.Edit{Path: "actions[0]", Insert: true, Value: json.RawMessage(`{"id":"x","delay":1}`)}, "- delay: 5\n", "- id: x\n  delay: 1\n- delay: 5\n"},
		"new element between": {definition.Edit{Path: "actions[1]", Insert: true, Value: json.RawMessage(`{"delay":1}`)}, "- delay: 5\n", "- delay: 5\n- delay: 1\n"},
		"new flow element":    {set("list[3]", `4`), "2, 3]", "2, 3, 4]"},
		"first flow element":  {definition.Edit{Path: "list[0]", Insert: true, Value: json.RawMessage(`0`)}, "[1,", "[0, 1,"},
		"gone flow element":   {definition.Edit{Path: "list[1]"}, "1, 2, 3", "1, 3"},
		"gone element":        {definition.Edit{Path: "triggers[0]"}, "  - event: x # two\n    filter: >-\n      a &&\n      b\n", ""},
		"gone last element":   {definition.Edit{Path: "actions[1]"}, "- stop: done\n  # inside\n  id: s\n", ""},
		"folded to text":      {set("triggers[0].filter", `"c"`), "filter: >-\n      a &&\n      b\n", "filter: c\n"},
		"literal text":        {set("text", `"three\nfour\n"`), "one\n  two\n", "three\n  four\n"},
		"text to object":      {set("name", `{"x":[1]}`), "name: a # one", "name:\n  x:\n    - 1 # one"},
		"list to text":        {set("actions", `"x"`), "actions:\n- delay: 5\n- stop: done\n  # inside\n  id: s\n", "actions: x\n"},
		"list to nothing":     {set("actions", `[]`), "actions:\n- delay: 5\n- stop: done\n  # inside\n  id: s\n", "actions: []\n"},
		"whole object":        {set("limits", `{"steps":5,"minutes":9}`), "minutes: 6", "minutes: 9"},
		"missing on the way":  {set("retry.attempts", `3`), "  id: s\n", "  id: s\nretry:\n  attempts: 3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, author, c.old)
			require.Equal(t, strings.Replace(author, c.old, c.now, 1), patch(t, author, c.edit))
		})
	}
	for _, e := range []definition.Edit{{Path: "nothing"}, {Path: "actions[9]"}, set("actions[9]", "1"), set("name.x", "1"), set("a..b", "1"), set("name", "{")} {
		_, err := definition.Patch([]byte(author), []definition.Edit{e})
		require.Equal(t, problem.Invalid, problem.As(err).Code, e.Path)
	}
	_, err := definition.Patch([]byte("a: [\n"), []definition.Edit{set("a", "1")})
	require.Equal(t, problem.Invalid, problem.As(err).Code)
}

func TestParallelInItsShortFormIsPatched(t *testing.T) {
	t.Parallel()
	require.Equal(t, "actions:\n  - parallel:\n      - delay: 7 # x\n",
		patch(t, "actions:\n  - parallel:\n      - delay: 5 # x\n", set("actions[0].parallel.branches[0].delay", "7")))
}

func TestADefinitionWithoutATextGetsOne(t *testing.T) {
	t.Parallel()
	d, issues := compile(t, whole(t))
	require.Empty(t, issues)
	text := definition.Text(d)
	again, issues := definition.Compile(text, catalog())
	require.Empty(t, messages(issues), string(text))
	require.True(t, definition.Equal(d, again), string(text))
	require.Equal(t, string(text), string(definition.Text(again)))
	var stored definition.Definition
	raw, err := json.Marshal(d)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &stored))
	require.True(t, definition.Equal(d, stored))
	require.Equal(t, string(text), string(definition.Text(stored)))
}

func TestTextsAreTheSameThatDoTheSame(t *testing.T) {
	t.Parallel()
	one, issues := compile(t, head+`  - action: incident.create
    config: {title: a, systemIds: [b]}
    timeout: 60s
  - condition: {and: [trigger.subject == "x", "true"]}
uses_state: [0190b1de-0000-7000-8000-000000000001, 0190b1de-0000-7000-8000-000000000002]
`)
	require.False(t, definition.Failed(issues), messages(issues))
	two, issues := compile(t, `uses_state: [0190b1de-0000-7000-8000-000000000002, 0190b1de-0000-7000-8000-000000000001]
mode: single
max_runs: 10
conditions: []
triggers: [{id: t1, enabled: true, for: {minutes: 5}, event: healthcheck.system_degraded}, {event: incident.created}]
actions:
  - {timeout: 1m, action: incident.create, continue_on_error: false, config: {systemIds: [b], title: a}}
  - condition: ["trigger.subject == \"x\"", "true"]
name: Test
`)
	require.False(t, definition.Failed(issues), messages(issues))
	require.True(t, definition.Equal(one, two))
	two.MaxRuns = 11
	require.False(t, definition.Equal(one, two))
}

// Whatever a text is and whatever value is set in it, the result has that value or the text is refused.
func FuzzPatch(f *testing.F) {
	f.Add(whole(f), "actions[0].config.title", `"x: y"`)
	f.Add("a: [1, {b: 'c'}] # x\nd: |\n  e\n", "a[1].b", `{"x":[1,"\n"]}`)
	f.Add("- - a\n  - b: c\n-\n  d: e\n", "[0][1].b", `null`)
	f.Add("\"a\" : >+\n\n  x\n\nb: \n", "b", `"{{ x }}"`)
	f.Fuzz(func(t *testing.T, text, path, value string) {
		if len(text) > 4000 || !json.Valid([]byte(value)) {
			return
		}
		out, err := definition.Patch([]byte(text), []definition.Edit{set(path, value)})
		if err != nil {
			if problem.As(err).Code != problem.Invalid {
				t.Fatal(err)
			}
			return
		}
		again, err := definition.Patch(out, []definition.Edit{set(path, value)})
		if err != nil || string(again) != string(out) {
			t.Fatalf("%q: %v\n%s\n%s", text, err, out, again)
		}
	})
}
