package assistant_test

import (
	"slices"
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
	system, user, taken := assistant.Summary("They work on Payments.", rows, 0, 6_000)
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
	row := []model.Message{{Role: model.RoleUser, Content: strings.Repeat("abc ", 975)}}
	rows := [][]model.Message{row, row, row, row, row, row, row, row}
	_, user, taken := assistant.Summary("", rows, 0, 6_000)
	require.Equal(t, 6, taken)
	require.LessOrEqual(t, tokens(user), 6_000)
	huge := []model.Message{{Role: model.RoleUser, Content: strings.Repeat("é", 100_000)}}
	_, user, taken = assistant.Summary("", [][]model.Message{huge}, 0, 6_000)
	require.Equal(t, 1, taken)
	require.LessOrEqual(t, tokens(user), 6_000)
}

// Prompt, notes, transcript and reply of a summary are within every window, with notes as long as they may become.
func TestASummaryFitsIntoItsWindow(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("The replica listens on port 6543. ", 200), strings.Repeat("主库在法兰克福。", 600)} {
		rows := slices.Repeat([][]model.Message{{{Role: model.RoleUser, Content: text}}}, 30)
		for _, window := range []int{4_096, 6_000, 8_192, 32_768, 0} {
			reply := assistant.SummaryTokens(window) + 1_000
			earlier := assistant.CleanSummary(strings.Repeat(text, 20), window)
			system, user, taken := assistant.Summary(earlier, rows, window, assistant.SummaryInput(window, reply))
			require.Positive(t, taken)
			if window > 0 {
				require.LessOrEqual(t, tokens(system)+tokens(user)+reply, window)
			}
			require.Contains(t, user, earlier, "what is known stays")
			require.Contains(t, user, "Person: ")
		}
	}
}

func tokens(s string) int { return assistant.MessageTokens(model.Message{Content: s}) }
