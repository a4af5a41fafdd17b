package assistant_test

import (
	"slices"
	"sort"
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
	made := assistant.Summary("They work on Payments.", rows, 0, 6_000, false)
	require.Equal(t, 2, made.Rows)
	require.False(t, made.IsClipped)
	require.True(t, strings.HasPrefix(made.System, "You summarize a conversation"))
	user := made.User
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
	made := assistant.Summary("", rows, 0, 6_000, false)
	require.Equal(t, 6, made.Rows)
	require.False(t, made.IsClipped)
	require.LessOrEqual(t, tokens(made.User), 6_000)
	long := []model.Message{
		{Role: model.RoleUser, Content: strings.Repeat("abc ", 2_500) + "the pager is 4711 " + strings.Repeat("abc ", 2_500)},
	}
	made = assistant.Summary("", [][]model.Message{row, long, row}, 0, 6_000, false)
	require.Equal(t, 1, made.Rows, "a long message is summarized whole, by itself")
	made = assistant.Summary("", [][]model.Message{long, row}, 0, 6_000, false)
	require.Equal(t, 1, made.Rows)
	require.False(t, made.IsClipped)
	require.Contains(t, made.User, "the pager is 4711")
	huge := []model.Message{{Role: model.RoleUser, Content: strings.Repeat("é", 100_000)}}
	made = assistant.Summary("", [][]model.Message{huge}, 0, 6_000, false)
	require.Equal(t, 1, made.Rows)
	require.True(t, made.IsClipped, "what does not fit is said to be cut")
	require.LessOrEqual(t, tokens(made.User), 6_000)
}

// Prompt, notes, transcript and reply of a summary are within every window, with notes as long as they may become.
func TestASummaryFitsIntoItsWindow(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("The replica listens on port 6543. ", 200), strings.Repeat("主库在法兰克福。", 600)} {
		rows := slices.Repeat([][]model.Message{{{Role: model.RoleUser, Content: text}}}, 30)
		for _, window := range []int{4_096, 6_000, 8_192, 32_768, 0} {
			reply := assistant.SummaryTokens(window) + 1_000
			earlier := longestNotes(text, window)
			made := assistant.Summary(earlier, rows, window, assistant.SummaryInput(window, reply), false)
			require.Positive(t, made.Rows)
			if window > 0 {
				require.LessOrEqual(t, tokens(made.System)+tokens(made.User)+reply, window)
			}
			require.Contains(t, made.User, earlier, "what is known stays")
			require.Contains(t, made.User, "Person: ")
		}
	}
}

// longestNotes are as long as a summary may be in a window.
func longestNotes(text string, window int) string {
	notes := []rune(strings.Repeat(text, 20))
	end := sort.Search(len(notes), func(n int) bool {
		_, fits := assistant.CleanSummary(string(notes[:n+1]), window)
		return !fits
	})
	return string(notes[:end])
}

// Notes that are longer than they may be are no summary: nothing is cut out of them.
func TestNotesThatAreTooLongDoNotFit(t *testing.T) {
	t.Parallel()
	notes, fits := assistant.CleanSummary("  They spoke. \n", 4_096)
	require.True(t, fits)
	require.Equal(t, "They spoke.", notes)
	_, fits = assistant.CleanSummary(strings.Repeat("word ", 3*assistant.SummaryTokens(4_096)), 4_096)
	require.False(t, fits)
}

func tokens(s string) int { return assistant.MessageTokens(model.Message{Content: s}) }
