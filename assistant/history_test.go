package assistant_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/assistant"
	"countersign/model"
)

// conversation makes a history from one letter a message: u for a person, a for an answer, c for an answer that calls a
// tool together with its result.
func conversation(script string, chars int) []model.Message {
	var history []model.Message
	text := strings.Repeat("x", chars)
	for i, letter := range script {
		id := fmt.Sprint("call_", i)
		switch letter {
		case 'u':
			history = append(history, model.Message{Role: model.RoleUser, Content: text})
		case 'c':
			history = append(history,
				model.Message{Role: model.RoleAssistant, Content: text, ToolCalls: []model.ToolCall{{ID: id, Name: "ai_getDoc", Arguments: "{}"}}},
				model.Message{Role: model.RoleTool, ToolCallID: id, Content: text})
		default:
			history = append(history, model.Message{Role: model.RoleAssistant, Content: text})
		}
	}
	return history
}

func TestAConversationThatFitsIsShownWhole(t *testing.T) {
	t.Parallel()
	history := conversation("uaucaua", 400)
	require.Equal(t, history, assistant.Window(history, 1_000, 0))
	require.Empty(t, assistant.Window(nil, 1_000, 0))
}

func TestOldMessagesAreLeftOutBeforeAPersonsMessage(t *testing.T) {
	t.Parallel()
	history := conversation("uccauauca", 4_000)
	// Room for about three messages of a thousand tokens.
	window := assistant.ReplyTokens + assistant.SchemaTokens + 4_500
	shown := assistant.Window(history, 0, window)
	require.Equal(t, conversation("uca", 4_000)[0], shown[0])
	require.Len(t, shown, 4, "the newest question, its tool call with the result, and the answer")
}

func TestTheNewestMessageIsAlwaysShown(t *testing.T) {
	t.Parallel()
	history := conversation("uau", 400_000)
	shown := assistant.Window(history, 0, 8_000)
	require.Equal(t, history[2:], shown)

	// A turn that has grown too long is shown whole: its calls and results belong together.
	running := conversation("uaucc", 40_000)
	require.Equal(t, running[2:], assistant.Window(running, 0, 8_000))
}

func FuzzWindowNeverSeparatesACallFromItsResult(f *testing.F) {
	f.Add("uaucacua", 4_000, 20_000)
	f.Add("ccc", 100, 1)
	f.Add("aaau", 10_000, 12_000)
	f.Add("", 0, 0)
	f.Fuzz(func(t *testing.T, script string, chars, window int) {
		history := conversation(script[:min(len(script), 40)], max(chars, 0)%20_000)
		shown := assistant.Window(history, 500, window)
		require.Equal(t, history[len(history)-len(shown):], shown, "the end of the conversation")
		calls := map[string]bool{}
		for _, m := range shown {
			for _, c := range m.ToolCalls {
				calls[c.ID] = true
			}
			if m.Role == model.RoleTool {
				require.True(t, calls[m.ToolCallID], "a result without its call")
			}
		}
		if len(shown) < len(history) {
			require.Equal(t, model.RoleUser, shown[0].Role)
		}
		if len(history) > 0 {
			require.NotEmpty(t, shown)
		}
	})
}

func TestTokensAreEstimatedFromCharacters(t *testing.T) {
	t.Parallel()
	require.Equal(t, 4, assistant.MessageTokens(model.Message{}))
	require.Equal(t, 5, assistant.MessageTokens(model.Message{Content: "four"}))
	require.Equal(t, 6, assistant.MessageTokens(model.Message{Content: "éééé!"}), "characters, not bytes")
	withCall := model.Message{ToolCalls: []model.ToolCall{{Name: "ai_getDoc", Arguments: `{"a":12}`}}}
	require.Equal(t, 9, assistant.MessageTokens(withCall))
	require.Equal(t, 14, assistant.EstimateTokens([]model.Message{withCall, {Content: "x"}}))
}
