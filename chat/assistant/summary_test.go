package assistant_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
	"countersign/model"
)

func TestAConversationIsSummarizedUntilHalfTheRoomIsFree(t *testing.T) {
	t.Parallel()
	tokens := []int{150, 150, 50, 50, 50, 50, 50, 50}
	cuts := []bool{true, false, true, false, true, false, true, false}
	require.Zero(t, assistant.Compaction(tokens, cuts, 600))
	require.Equal(t, 4, assistant.Compaction(tokens, cuts, 550), "two exchanges go, so that the rest takes about half")
	require.Equal(t, 6, assistant.Compaction(tokens, cuts, 100), "the newest exchange stays, however large")
	require.Zero(t, assistant.Compaction([]int{100_000}, []bool{true}, 10), "the only row stays")
	require.Zero(t, assistant.Compaction(nil, nil, 10))
}

func TestASummaryIsMadeOfWhatWasSaid(t *testing.T) {
	t.Parallel()
	rows := [][]model.Message{
		{{Role: model.RoleUser, Content: "Who owns Payments?"}},
		{
			{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{Name: "catalog_getSystem", Arguments: `{"id":"secret argument"}`}}},
			{Role: model.RoleTool, Content: "a large result"},
			{Role: model.RoleAssistant, Content: "Platform."},
		},
	}
	system, user, taken := assistant.Summary("They work on Payments.", rows)
	require.Equal(t, 2, taken)
	require.True(t, strings.HasPrefix(system, "You summarize a conversation"))
	require.Contains(t, user, "They work on Payments.")
	require.Contains(t, user, "Person: Who owns Payments?\nAssistant: [used tools: catalog_getSystem]\nAssistant: Platform.\n")
	require.NotContains(t, user, "secret argument")
	require.NotContains(t, user, "a large result")
}

// What does not fit into one call is left for the next one.
func TestASummaryTakesAsManyRowsAsFit(t *testing.T) {
	t.Parallel()
	row := []model.Message{{Role: model.RoleUser, Content: strings.Repeat("x", 3_900)}}
	_, user, taken := assistant.Summary("", [][]model.Message{row, row, row, row, row, row, row, row})
	require.Equal(t, 6, taken)
	require.LessOrEqual(t, len(user), 24_000)
	huge := []model.Message{{Role: model.RoleUser, Content: strings.Repeat("é", 100_000)}}
	_, user, taken = assistant.Summary("", [][]model.Message{huge})
	require.Equal(t, 1, taken)
	require.LessOrEqual(t, len([]rune(user)), 24_000)
}
