package assistant_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
	"countersign/model"
)

// secret is that of the keys of a conversation's content.
var secret = []byte("0123456789")

// A search ends within its bounds, and what it withholds is accepted: exactly the refused content when that is one
// part, and all of it at least when there are several.
func TestASearchFindsRefusedContent(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		n := 1 + random.IntN(64)
		suspects := make([]assistant.Suspect, n)
		for i := range suspects {
			suspects[i].Key = fmt.Sprint(i)
		}
		refused := map[string]bool{}
		for range 1 + random.IntN(3) {
			refused[fmt.Sprint(random.IntN(n))] = true
		}
		s, going := assistant.NewSearch(suspects, []int{1, n, 1 + random.IntN(n)}[random.IntN(3)])
		var withheld []string
		tries, paid := 0, 0
		for going {
			tries++
			withheld = s.Withheld()
			accepted := !slices.ContainsFunc(suspects, func(x assistant.Suspect) bool {
				return refused[x.Key] && !slices.Contains(withheld, x.Key)
			})
			if accepted {
				paid++
			}
			if accepted && s.Settles() {
				break
			}
			s, going = s.Next(accepted)
		}
		require.True(t, going, "it was found")
		require.LessOrEqual(t, tries, 16)
		require.LessOrEqual(t, paid, 5)
		for key := range refused {
			require.Contains(t, withheld, key)
		}
		if len(refused) == 1 && len(withheld) > 1 {
			require.ElementsMatch(t, withheld, s.Suspected(), "the others may be harmless")
		}
		if !s.Final {
			require.Empty(t, s.Suspected())
		}
		if len(refused) == 1 && !s.Final {
			require.Len(t, withheld, 1)
		}
	}
}

// What is refused without any of the suspects is the message itself, or the request: one further request finds out.
func TestASearchGivesUpOnTheMessageItself(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 40} {
		s, going := assistant.NewSearch(make([]assistant.Suspect, n), n)
		require.True(t, going)
		_, going = s.Next(false)
		require.False(t, going)
	}
	_, going := assistant.NewSearch(nil, 1)
	require.False(t, going)
}

// A provider that refuses results also without their content gets neither them nor their calls.
func TestASearchFoldsCallsWhoseResultsAreRefused(t *testing.T) {
	t.Parallel()
	for n := range 9 {
		suspects := []assistant.Suspect{{Key: "said", Role: model.RoleUser}}
		for i := range n {
			suspects = append([]assistant.Suspect{{Key: fmt.Sprint(i), Tool: "ai_getDoc", Role: model.RoleTool}}, suspects...)
		}
		s, going := assistant.NewSearch(suspects, 1)
		tries := 0
		for going {
			tries++
			accepted := n > 0 && slices.Contains(s.Withheld(), "0/call")
			if accepted && s.Settles() {
				break
			}
			s, going = s.Next(accepted)
		}
		require.Equal(t, n > 0, going)
		require.LessOrEqual(t, tries, 16)
		if n > 0 {
			require.True(t, assistant.Suspect{Key: "0"}.IsWithheld(s.Withheld()))
			require.Equal(t, s.Final, len(s.Withheld()) > 1)
		}
	}
}

func TestFoldedCallsAreLeftOutWithTheirResults(t *testing.T) {
	t.Parallel()
	call := func(ids ...string) (m model.Message) {
		m.Role = model.RoleAssistant
		for _, id := range ids {
			m.ToolCalls = append(m.ToolCalls, model.ToolCall{ID: id, Name: "ai_getDoc", Arguments: "{}"})
		}
		return m
	}
	result := func(id string) model.Message {
		return model.Message{Role: model.RoleTool, ToolCallID: id, Content: "It says " + id}
	}
	messages := []model.Message{
		{Role: model.RoleUser, Content: "Read"},
		call("a", "b"), result("a"), result("b"), call("c"), result("c"),
		{Role: model.RoleAssistant, Content: "So it is."},
		{Role: model.RoleUser, Content: "And now?"},
	}
	before := slices.Clone(messages)
	keys := map[string]bool{}
	for _, s := range assistant.Suspects(messages, nil, nil, secret) {
		if s.Tool != "" {
			keys[s.Key+"/call"] = true
		}
	}
	require.Len(t, keys, 3)
	all := assistant.FoldedCalls(messages, keys, secret)
	require.Equal(t, map[string]bool{"a": true, "b": true, "c": true}, all)
	require.Empty(t, assistant.FoldedCalls(messages, keys, []byte("another")))
	require.Len(t, assistant.Suspects(messages, nil, keys, secret), 4, "results are not searched again")
	folded := assistant.Fold(messages, all)
	for _, m := range folded {
		require.NotEqual(t, model.RoleTool, m.Role)
		require.Empty(t, m.ToolCalls)
		require.NotContains(t, m.Content, "It says")
		require.NotEmpty(t, m.Content)
	}
	require.Equal(t, before, messages, "what is stored stays")
	some := assistant.Fold(messages, map[string]bool{"a": true})
	require.Len(t, some, len(messages))
	require.Equal(t, []model.ToolCall{{ID: "b", Name: "ai_getDoc", Arguments: "{}"}}, some[1].ToolCalls)
	require.Equal(t, result("b"), some[2], "a result follows its call")
	require.Contains(t, some[3].Content, "refuses to read it")
	require.Equal(t, messages, assistant.Fold(messages, nil))
}

func TestWithheldContentKeepsThePairsOfCallsAndResults(t *testing.T) {
	t.Parallel()
	history := conversation("ucau", 40)
	for i := range history {
		history[i].Content += fmt.Sprint(i)
	}
	suspects := assistant.Suspects(history, nil, nil, secret)
	require.Len(t, suspects, 4, "all but the message that is answered")
	require.Equal(t, assistant.Suspect{Key: suspects[0].Key, Tool: "ai_getDoc", Role: model.RoleTool}, suspects[0], "results come first")
	keys := map[string]bool{}
	for _, s := range suspects {
		keys[s.Key] = true
	}
	before := slices.Clone(history)
	sent := slices.Clone(history)
	assistant.Withhold(sent, keys, len(sent)-1, secret)
	require.Equal(t, before[len(before)-1], sent[len(sent)-1])
	for i, m := range sent[:len(sent)-1] {
		require.NotContains(t, m.Content, "xxx")
		require.Equal(t, before[i].ToolCallID, m.ToolCallID)
		require.Len(t, m.ToolCalls, len(before[i].ToolCalls))
	}
	require.Equal(t, before, history, "what is stored stays")
	require.Empty(t, assistant.Suspects(history, nil, keys, secret), "nothing is searched again")

	// The context that the product adds to a message makes it no other.
	history[0].Content = assistant.WithContext(history[0].Content, "<context>\nIt is noon.\n</context>")
	require.Empty(t, assistant.Suspects(history, nil, keys, secret))
	require.Len(t, assistant.Suspects(history, nil, keys, []byte("another")), 4, "keys of another conversation are others")
}
