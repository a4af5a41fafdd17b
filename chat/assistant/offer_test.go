package assistant_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
	"countersign/model"
)

// registry is so many tools of about 200 tokens each, with those that most turns need among them.
func registry(n int) []assistant.Ability {
	var all []assistant.Ability
	for i := range n {
		all = append(
			all,
			assistant.Ability{
				Tool: model.Tool{
					Name:        fmt.Sprintf("box_tool%03d", i),
					Description: "Does it.",
					Parameters:  json.RawMessage(`{"x":"` + strings.Repeat("x", 650) + `"}`),
				},
			},
		)
	}
	for _, name := range []string{"ai_askOperator", "ai_getDoc", "ai_searchDocs", assistant.SearchTool} {
		all = append(
			all,
			assistant.Ability{Tool: model.Tool{Name: name, Description: "Is needed.", Parameters: json.RawMessage(`{}`)}, Reads: true},
		)
	}
	slices.SortFunc(all, func(a, b assistant.Ability) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// found is a step in which the model searched for tools and found these.
func found(id string, names ...string) []model.Message {
	type hit struct {
		Name string `json:"name"`
	}
	result := map[string][]hit{}
	for _, name := range names {
		result["tools"] = append(result["tools"], hit{name})
	}
	raw, _ := json.Marshal(result)
	return []model.Message{
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: id, Name: assistant.SearchTool, Arguments: `{"query":"x"}`}}},
		{Role: model.RoleTool, ToolCallID: id, Content: string(raw)},
	}
}

func TestToolsThatFitAreOfferedAll(t *testing.T) {
	t.Parallel()
	o := offerOf(registry(30), nil, 64_000)
	require.False(t, o.Searching)
	require.Len(t, o.Tools, 33, "without the search, which there is no need for")
	require.NotContains(t, o.Names(), assistant.SearchTool)
}

// What a conversation comes upon is offered behind what was there, so that requests begin alike, and comes from the records
// alone.
func TestFoundToolsAreAppended(t *testing.T) {
	t.Parallel()
	all := registry(90)
	o := offerOf(all, nil, 16_000)
	require.True(t, o.Searching)
	require.Contains(t, o.Names(), assistant.SearchTool)
	require.Contains(t, o.Names(), "ai_askOperator")
	require.LessOrEqual(t, assistant.ToolTokens(o.Tools), assistant.SchemaShare(16_000)/2)

	talk := found("a", "box_tool040", "box_tool007", "nobody_may")
	first := offerOf(all, talk, 16_000)
	require.Equal(
		t,
		append(o.Names(), "box_tool007", "box_tool040"),
		first.Names(),
		"what the person may not use is not offered, whatever a result says",
	)
	talk = append(
		talk,
		model.Message{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "b", Name: "box_tool012", Arguments: "{}"}}},
		model.Message{Role: model.RoleTool, ToolCallID: "b", Content: "{}"},
	)
	second := offerOf(all, append(talk, found("c", "box_tool055", "box_tool040")...), 16_000)
	require.Equal(t, append(first.Names(), "box_tool012", "box_tool055"), second.Names())
	require.Equal(t, o.Always, second.Always)
	require.Equal(t, second, offerOf(all, append(talk, found("c", "box_tool055", "box_tool040")...), 16_000))
}

// When a conversation has found too many, those go that it has not used for longest.
func TestTheToolsThatWereFoundLongestAgoGo(t *testing.T) {
	t.Parallel()
	all := registry(90)
	var talk []model.Message
	for i := range 30 {
		talk = append(talk, found(fmt.Sprint(i), fmt.Sprintf("box_tool%03d", i))...)
	}
	o := offerOf(all, talk, 16_000)
	require.LessOrEqual(t, assistant.ToolTokens(o.Tools), assistant.SchemaShare(16_000))
	require.Contains(t, o.Names(), "box_tool029")
	require.NotContains(t, o.Names(), "box_tool000")
	talk = append(talk, model.Message{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "z", Name: "box_tool000", Arguments: "{}"}}})
	require.Contains(t, offerOf(all, talk, 16_000).Names(), "box_tool000")
}

// Results that are no result of a search, or hold anything else, offer nothing.
func TestOnlyASearchOffersTools(t *testing.T) {
	t.Parallel()
	all := registry(90)
	before := offerOf(all, nil, 16_000).Names()
	talk := found("a", "box_tool040")
	for _, content := range []string{"", "{", `{"tools":5}`, `{"error":{"code":"invalid"}}`, "no", assistant.Elided} {
		talk[1].Content = content
		require.Equal(t, before, offerOf(all, talk, 16_000).Names(), content)
	}
	talk = found("a", "box_tool040")
	talk[0].ToolCalls[0].Name = "ai_getDoc"
	require.Equal(t, before, offerOf(all, talk, 16_000).Names(), "a page that looks like one")
}

// Without the search, what fits is offered.
func TestWithoutTheSearchWhatFitsIsOffered(t *testing.T) {
	t.Parallel()
	all := slices.DeleteFunc(registry(90), func(a assistant.Ability) bool { return a.Name == assistant.SearchTool })
	o := offerOf(all, nil, 16_000)
	require.False(t, o.Searching)
	require.InDelta(t, assistant.SchemaShare(16_000), assistant.ToolTokens(o.Tools), 250)
}

// However many tools people write, and whatever they call them, the reads of the product are offered before those.
func TestToolsOfPeopleTakeNoRoomOfTheProducts(t *testing.T) {
	t.Parallel()
	all := registry(90)
	for i := range all {
		all[i].Reads = true
	}
	for _, window := range []int{8_192, 16_000, 32_000} {
		before := offerOf(all, nil, window).Names()
		crowded := slices.Clone(all)
		for i := range 40 {
			crowded = append(
				crowded,
				assistant.Ability{Tool: model.Tool{Name: fmt.Sprintf("agent_aaa_tool%02d", i), Parameters: json.RawMessage(`{}`)}, Reads: true},
			)
		}
		slices.SortFunc(crowded, func(a, b assistant.Ability) int { return strings.Compare(a.Name, b.Name) })
		require.Equal(t, before, offerOf(crowded, nil, window).Names()[:len(before)], "%d tokens", window)
	}
}
