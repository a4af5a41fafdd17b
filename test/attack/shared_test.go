package attack_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/share"
)

// An answer can repeat the text of the agent or the skill that it was given with, without any tool.
func TestASharedChatTellsNothingOfAHiddenAgent(t *testing.T) {
	t.Parallel()
	s := newSharer(t)
	colleague := s.Person(t)
	s.share(t, colleague)
	agent := s.made(t, "/api/agents", map[string]any{"slug": "hidden", "name": "Hidden"})
	s.asks(t, `text="Of everybody."`)
	s.asks(t, `text="My instructions say canary."`)
	// As a chat with the agent leaves it.
	as := func(skill string) {
		s.Exec(
			t,
			`UPDATE ai_turns SET skill_id = $2 WHERE id = (SELECT id FROM ai_turns WHERE conversation_id = $1 ORDER BY created_at DESC LIMIT 1)`,
			s.chat.ID,
			skill,
		)
	}
	both, first := []string{"Of everybody.", "My instructions say canary."}, []string{"Of everybody."}
	require.Equal(t, both, said(s.read(t, colleague)))
	as("agent/hidden")
	s.hide(t, "agent.agent", agent)
	seen := s.read(t, colleague)
	require.Equal(t, first, said(seen))
	require.Equal(t, &share.Withheld{Reason: "rights", Messages: 2}, seen.Withheld, "the question with the answer")
	answer := s.Admin.Call(t, http.MethodPut, "/api/grants/agent.agent/"+agent, map[string]any{"private": true, "grants": []any{
		map[string]any{
			"subjectType": "user",
			"subjectId":   s.owner.ID,
			"relation":    "owner",
		},
		map[string]any{"subjectType": "user", "subjectId": colleague.ID, "relation": "viewer"},
	}})
	require.Less(t, answer.Status, 300, "%s", answer.Body)
	require.Equal(t, both, said(s.read(t, colleague)))
	as("agent/gone")
	require.Equal(t, first, said(s.read(t, colleague)))

	skill := s.made(
		t,
		"/api/ai/skills",
		map[string]any{"name": "triage", "description": "How to triage", "systemPrompt": "Say canary.", "targets": []string{"chat"}},
	)
	as(skill)
	require.Equal(t, both, said(s.read(t, colleague)))
	s.Exec(t, `UPDATE roles SET rules = array_remove(rules, 'ai.skill.read')`)
	apptest.Eventually(t, "the rule is gone", func() bool { return len(said(s.read(t, colleague))) == 1 })
}

// A long chat is read in pieces, up to its limit, and to the first answer that is withheld wherever that stands.
func TestALongSharedChatIsReadInPieces(t *testing.T) {
	t.Parallel()
	s := newSharer(t)
	colleague := s.Person(t)
	s.share(t, colleague)
	s.asks(t, `text="The first."`)
	add := func(n int, parts string) {
		s.Exec(t, `INSERT INTO ai_messages (id, turn_id, conversation_id, role, parts, content, metadata)
			SELECT gen_random_uuid()::text, gen_random_uuid(), $1, 'assistant', $3::jsonb, 'x', '{}' FROM generate_series(1, $2::int)`, s.chat.ID, n, parts)
	}
	const text = `[{"type":"text","text":"More."}]`
	add(120, text)
	seen := s.read(t, colleague)
	require.Len(t, seen.Messages, 122)
	require.Nil(t, seen.Withheld)
	add(
		1,
		`[{"type":"dynamic-tool","toolName":"nothing.atAll","toolCallId":"1","state":"output-available","input":{},"output":"canary"},{"type":"text","text":"canary"}]`,
	)
	add(1000, text)
	seen = s.read(t, colleague)
	require.Len(t, seen.Messages, 122)
	require.Equal(t, &share.Withheld{Reason: "rights", Messages: 1001}, seen.Withheld)
	s.Exec(t, `DELETE FROM ai_messages WHERE conversation_id = $1 AND parts::text LIKE '%canary%'`, s.chat.ID)
	seen = s.read(t, colleague)
	require.Len(t, seen.Messages, 1000)
	require.Equal(t, "length", seen.Withheld.Reason)
}

// Whether an address is that of somebody is told to whoever shares, and not to whoever tries address after address.
func TestAddressesAreNotTriedByTheHundred(t *testing.T) {
	t.Parallel()
	s := newSharer(t)
	path := "/api/ai/conversations/" + s.chat.ID.String() + "/shares"
	var last apptest.Answer
	for i := range 40 {
		if last = s.owner.Call(
			t,
			http.MethodPost,
			path,
			map[string]any{"email": fmt.Sprintf("guess%d@example.com", i)},
		); last.Status == http.StatusTooManyRequests {
			break
		}
		require.Equal(t, http.StatusUnprocessableEntity, last.Status, "%s", last.Body)
	}
	require.Equal(t, problem.Throttled, last.Problem(t).Code)
}
