package assistant_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
	"countersign/model"
)

// manyTools are the search and so many other tools, some of them of an MCP server.
func manyTools(n int) []assistant.Ability {
	all := []assistant.Ability{{Reads: true, Tool: model.Tool{Name: assistant.SearchTool}}}
	for i := range n {
		name := fmt.Sprintf("catalog_tool%03d", i)
		if i >= n/3 {
			name = fmt.Sprintf("mcp_github_tool%03d", i)
		}
		all = append(all, assistant.Ability{Reads: true, Tool: model.Tool{
			Name:        name,
			Description: "Does something useful.",
			Parameters:  json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}}}`),
		}})
	}
	return all
}

func TestNoMoreToolsAreOfferedThanProvidersTake(t *testing.T) {
	t.Parallel()
	for _, window := range []int{32_000, 128_000, 1_000_000} {
		for _, searching := range []bool{true, false} {
			all := manyTools(300)
			if !searching {
				all = all[1:]
			}
			offer := offerOf(all, nil, window)
			require.LessOrEqual(t, len(offer.Tools), assistant.DefaultMaxTools)
			require.Greater(t, len(offer.Tools), 60, "there is room for many")
			require.Equal(t, searching, offer.Searching)
			if searching {
				require.Zero(t, offer.Dropped, "the search finds the others")
			} else {
				require.Equal(t, 300, offer.Dropped+len(offer.Tools))
			}
		}
	}
	require.Len(t, offerOf(manyTools(128), nil, 1_000_000).Tools, 128, "all of them, without a search")
	require.Len(t, offerUpTo(500, manyTools(300), nil, 1_000_000).Tools, 300, "a connection may take more")
}

// Tools that the search has found are offered beside those that stand in every request, the last found first.
func TestFoundToolsHaveTheirPlaceAmongTheMost(t *testing.T) {
	t.Parallel()
	const most = 40
	all := manyTools(300)
	var messages []model.Message
	for i := 299; i > 250; i-- {
		messages = append(messages,
			model.Message{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: fmt.Sprint(i), Name: assistant.SearchTool, Arguments: "{}"}}},
			model.Message{Role: model.RoleTool, ToolCallID: fmt.Sprint(i), Content: fmt.Sprintf(`{"tools":[{"name":"mcp_github_tool%03d"}]}`, i)})
	}
	offer := offerUpTo(most, all, messages, 128_000)
	require.Len(t, offer.Tools, most)
	require.Equal(t, 30, offer.Always)
	require.Equal(t, assistant.SearchTool, offer.Tools[0].Name)
	names := strings.Join(offer.Names(), " ")
	require.Contains(t, names, "mcp_github_tool251", "the last one found")
	require.NotContains(t, names, "mcp_github_tool299", "the first one found")
}

// offerOf is the offer for a conversation with these messages, at most as many tools as most providers take.
func offerOf(all []assistant.Ability, messages []model.Message, window int) assistant.Offer {
	return offerUpTo(assistant.DefaultMaxTools, all, messages, window)
}

func offerUpTo(most int, all []assistant.Ability, messages []model.Message, window int) assistant.Offer {
	return assistant.ChooseTools(most, all, window).Offer(func() []model.Message { return messages })
}
