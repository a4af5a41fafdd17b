package model_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

func person(text string) model.Message { return model.Message{Role: model.RoleUser, Content: text} }

func said(text string) model.Message { return model.Message{Role: model.RoleAssistant, Content: text} }

func calls(ids ...string) model.Message {
	m := model.Message{Role: model.RoleAssistant}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, model.ToolCall{ID: id, Name: "list", Arguments: "{}"})
	}
	return m
}

func result(id string) model.Message {
	return model.Message{Role: model.RoleTool, ToolCallID: id, Content: "[]"}
}

// What every provider takes is sent as it is.
func TestAValidHistoryStaysAsItIs(t *testing.T) {
	t.Parallel()
	history := []model.Message{
		{
			Role:    model.RoleSystem,
			Content: "Be brief.",
		},
		person("List"),
		calls("call_1", "call_2"),
		result("call_1"),
		result("call_2"),
		said("Done."),
		person("Thanks"),
	}
	for range 2 {
		require.Equal(t, history, model.ValidHistory(history, "a", "m"))
	}
}

func TestHistoriesAreMadeValid(t *testing.T) {
	t.Parallel()
	own := func(field, text string) *model.ReplayData {
		return &model.ReplayData{From: "a", Model: "m", Field: field, Text: text}
	}
	late := func(m model.Message, k *model.ReplayData) model.Message { m.ReplayData = k; return m }
	named := func(name, arguments string) model.Message {
		m := calls("c")
		m.ToolCalls[0].Name, m.ToolCalls[0].Arguments = name, arguments
		return m
	}
	stopped := result("c")
	stopped.Content = `{"error":{"code":"stopped","message":"This call did not run: the turn ended before."}}`
	for name, test := range map[string]struct {
		lessons   []model.Quirk
		from, got []model.Message
	}{
		"reasoning goes back to its connection": {
			nil,
			[]model.Message{person("a"), late(calls("c"), own("reasoning_content", "Hm")), result("c")},
			[]model.Message{person("a"), late(calls("c"), own("reasoning_content", "Hm")), result("c")},
		},
		"and to no other connection": {
			nil,
			[]model.Message{person("a"), late(calls("c"), &model.ReplayData{
				From: "b", Model: "m", Field: "reasoning_content", Text: "Hm",
			}), result("c")},
			[]model.Message{person("a"), calls("c"), result("c")},
		},
		"and to no other model": {
			nil,
			[]model.Message{person("a"), late(calls("c"), &model.ReplayData{
				From: "a", Model: "n", Field: "reasoning_content", Text: "Hm",
			}), result("c")},
			[]model.Message{person("a"), calls("c"), result("c")},
		},
		"a provider that refuses it is spared": {
			[]model.Quirk{"no_reasoning"},
			[]model.Message{person("a"), late(calls("c"), own("reasoning", "Hm")), result("c")},
			[]model.Message{person("a"), calls("c"), result("c")},
		},
		"an answer without words": {
			nil,
			[]model.Message{person("a"), said(" \n"), person("b")},
			[]model.Message{person("a"), person("b")},
		},
		"a call without a result": {
			nil,
			[]model.Message{person("a"), calls("c"), person("b")},
			[]model.Message{person("a"), calls("c"), stopped, person("b")},
		},
		"a result without a call": {
			nil,
			[]model.Message{person("a"), result("c"), calls("d"), result("x"), result("d")},
			[]model.Message{person("a"), calls("d"), result("d")},
		},
		"results in the order of the calls": {
			nil,
			[]model.Message{person("a"), calls("c", "d"), result("d"), result("c")},
			[]model.Message{person("a"), calls("c", "d"), result("c"), result("d")},
		},
		"a name with marks in it": {
			nil,
			[]model.Message{person("a"), named("list<|channel|>commentary", "{}"), result("c")},
			[]model.Message{person("a"), named("list", "{}"), result("c")},
		},
		"no name": {
			nil,
			[]model.Message{person("a"), named("", "{}"), result("c")},
			[]model.Message{person("a"), named("unnamed", "{}"), result("c")},
		},
		"arguments that are no object": {
			nil,
			[]model.Message{person("a"), named("list", `["x"]`), result("c")},
			[]model.Message{person("a"), named("list", "{}"), result("c")},
		},
		"nothing from the person first": {
			nil,
			[]model.Message{said("Done."), person("b")},
			[]model.Message{person("Continue."), said("Done."), person("b")},
		},
		"the last word": {
			nil,
			[]model.Message{person("a"), said("Done.")},
			[]model.Message{person("a"), said("Done."), person("Continue.")},
		},
		"a turn that ended with a card": {
			[]model.Quirk{"strict_turns"},
			[]model.Message{person("a"), calls("c"), result("c"), person("b")},
			[]model.Message{person("a"), calls("c"), result("c"), said("I stopped here and waited for the person."), person("b")},
		},
		"a turn that answered a decision": {
			[]model.Quirk{"strict_turns"},
			[]model.Message{person("a"), said("Done."), said("Applied."), person("b")},
			[]model.Message{person("a"), said("Done."), person("Continue."), said("Applied."), person("b")},
		},
		"no system role": {
			[]model.Quirk{"no_system_role"},
			[]model.Message{{Role: model.RoleSystem, Content: "Be brief."}, person("a")},
			[]model.Message{person("Be brief.\n\na")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := mustJSON(t, test.from)
			require.Equal(t, test.got, model.ValidHistory(test.from, "a", "m", test.lessons...))
			require.JSONEq(t, before, mustJSON(t, test.from), "the conversation itself stays")
		})
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}

// A conversation that moves to another connection has its ids mapped, each time to the same ones. Its own ids come back to
// the connection that made them, signatures within them included.
func TestCallIDsAreMapped(t *testing.T) {
	t.Parallel()
	long := "call_x__thought__" + strings.Repeat("Abc/+=", 80)
	answer := calls("call_OURS", "functions.list:0")
	answer.ReplayData = &model.ReplayData{From: "a", Model: "m", Calls: []model.CallReplayData{{ID: long}, {ID: "functions.list:0"}}}
	history := []model.Message{
		person("a"),
		answer,
		result("call_OURS"),
		result("functions.list:0"),
		calls("call_OURS"),
		result("call_OURS"),
		person("b"),
	}

	home := model.ValidHistory(history, "a", "m")
	require.Equal(t, []string{long, "functions.list:0", "call_OURS"}, idsOf(t, home))
	away := idsOf(t, model.ValidHistory(history, "b", "m"))
	require.Equal(t, "call_OURS", away[0])
	require.Regexp(t, `^call_[a-zA-Z0-9]{24}$`, away[1])
	require.Regexp(t, `^call_[a-zA-Z0-9]{24}$`, away[2], "an id that is there already")
	require.Equal(t, away, idsOf(t, model.ValidHistory(history, "b", "m")))
	require.Equal(t, away[:2], idsOf(t, model.ValidHistory(history[:4], "b", "m")), "what comes later changes nothing before")
	for _, id := range idsOf(t, model.ValidHistory(history, "c", "m", "short_call_ids")) {
		require.Regexp(t, `^[a-zA-Z0-9]{9}$`, id)
	}
}

// idsOf are the ids of the calls; each result must have that of its call.
func idsOf(t *testing.T, history []model.Message) []string {
	t.Helper()
	var ids []string
	for i, m := range history {
		for n, c := range m.ToolCalls {
			ids = append(ids, c.ID)
			require.Equal(t, c.ID, history[i+1+n].ToolCallID)
		}
	}
	return ids
}

func TestPlainNames(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"catalog_listSystems":              "catalog_listSystems",
		"list<|channel|>commentary":        "list",
		"functions.list":                   "list",
		"<|channel|>":                      "unnamed",
		"":                                 "unnamed",
		"list systems!":                    "list_systems_",
		"...":                              "unnamed",
		"catalog_listSystems<|constrain|>": "catalog_listSystems",
		strings.Repeat("x", 80):            strings.Repeat("x", 64),
	} {
		require.Equal(t, want, model.PlainName(from), from)
	}
}

var (
	plainName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	plainID   = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,40}$`)
	shortID   = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)
)

// Whatever is stored, what is sent keeps every rule.
func FuzzHistory(f *testing.F) {
	for _, seed := range [][]model.Message{
		{person("a"), calls("c", "c"), result("c"), person("b")},
		{said("x"), result("d"), calls("", "functions.x:0"), result(""), said(" ")},
		{{Role: model.RoleUser, ToolCalls: []model.ToolCall{{ID: "x"}}, ToolCallID: "y"}, {Role: model.RoleSystem}, calls("c")},
		{person("a"), {
			Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "c", Name: "a b", Arguments: "["}},
			ReplayData: &model.ReplayData{
				From: "a", Model: "m", Field: "reasoning_details", Blocks: "[",
				Calls: []model.CallReplayData{{ID: "\"", Extra: `{"id":1}`}},
			},
		}},
	} {
		raw, err := json.Marshal(seed)
		require.NoError(f, err)
		f.Add(raw, uint32(0))
		f.Add(raw, ^uint32(0))
	}
	f.Fuzz(func(t *testing.T, raw []byte, which uint32) {
		var history []model.Message
		if json.Unmarshal(raw, &history) != nil {
			return
		}
		for i := range history {
			if !slices.Contains([]string{model.RoleSystem, model.RoleUser, model.RoleAssistant, model.RoleTool}, history[i].Role) {
				history[i].Role = model.RoleUser
			}
		}
		var lessons []model.Quirk
		for i, l := range model.Quirks() {
			if which&(1<<i) != 0 {
				lessons = append(lessons, l)
			}
		}
		sent := model.ValidHistory(history, "a", "m", lessons...)
		require.Equal(t, sent, model.ValidHistory(history, "a", "m", lessons...), "the same each time")
		followsTheRules(t, sent, lessons)
	})
}

func followsTheRules(t *testing.T, sent []model.Message, lessons []model.Quirk) {
	t.Helper()
	short, strict := slices.Contains(lessons, "short_call_ids"), slices.Contains(lessons, "strict_turns")
	seen := map[string]bool{}
	begun := false
	for i := 0; i < len(sent); i++ {
		m := sent[i]
		require.NotEqual(t, model.RoleTool, m.Role, "a result without its call")
		require.Empty(t, m.ToolCallID)
		if m.Role == model.RoleSystem {
			require.NotContains(t, lessons, model.Quirk("no_system_role"))
		} else {
			require.True(t, begun || m.Role == model.RoleUser, "the person begins")
			begun = true
		}
		require.True(t, len(m.ToolCalls) > 0 || strings.TrimSpace(m.Content) != "", "a message without words")
		if k := m.ReplayData; k != nil {
			require.Equal(t, "a m", k.From+" "+k.Model)
			require.True(t, k.Blocks == "" || k.Text != "" || json.Valid([]byte(k.Blocks)))
			require.True(t, k.Field == "" || !slices.Contains(lessons, "no_reasoning"))
		}
		for n, c := range m.ToolCalls {
			require.Equal(t, model.RoleAssistant, m.Role)
			require.Regexp(t, plainName, c.Name)
			require.True(t, json.Valid([]byte(c.Arguments)) && strings.HasPrefix(strings.TrimSpace(c.Arguments), "{"))
			require.False(t, seen[c.ID], "an id twice")
			seen[c.ID] = true
			native := m.ReplayData != nil && n < len(m.ReplayData.Calls) && m.ReplayData.Calls[n].ID == c.ID
			require.True(t, short && shortID.MatchString(c.ID) || !short && (native || plainID.MatchString(c.ID)), c.ID)
			require.Less(t, i+1+n, len(sent), "a call without result")
			require.Equal(t, model.RoleTool, sent[i+1+n].Role)
			require.Equal(t, c.ID, sent[i+1+n].ToolCallID)
		}
		i += len(m.ToolCalls)
		if next := i + 1; strict && next < len(sent) && m.Role != model.RoleSystem {
			require.False(t, m.Role == model.RoleUser && sent[next].Role == model.RoleUser, "the person twice")
			require.False(t, m.Role == model.RoleAssistant && len(m.ToolCalls) == 0 && sent[next].Role == model.RoleAssistant, "the assistant twice")
			require.False(t, len(m.ToolCalls) > 0 && sent[next].Role == model.RoleUser, "the person after a result")
		}
	}
	require.False(t, len(sent) > 0 && sent[len(sent)-1].Role == model.RoleAssistant, "the assistant has the last word")
}
