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
