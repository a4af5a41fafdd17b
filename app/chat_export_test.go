package app_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

func TestAChatIsDownloadedAsMarkdown(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := p.Person(t, p.Role(t, "ai.chat.read", "catalog.system.read", "catalog.system.manage"))
	chat := ada.Conversation(t, nil)
	chat.Perform(t, `tool=catalog.listSystems text="There are **none** yet. <img src=x onerror=alert(1)> ![x](https://evil.example/?q=1)"`)
	card := chat.Perform(t, createSystem).Card(t, "proposal")
	ada.Patch(t, "/api/ai/conversations/"+chat.ID.String(), map[string]any{"title": "Payments & more"}, nil)
	path := "/api/ai/conversations/" + chat.ID.String() + "/markdown"

	answer := ada.Call(t, http.MethodGet, path, nil)
	require.Equal(t, http.StatusOK, answer.Status, string(answer.Body))
	require.Equal(t, "text/markdown; charset=utf-8", answer.Header.Get("Content-Type"))
	require.Equal(t, `attachment; filename="payments-more.md"`, answer.Header.Get("Content-Disposition"))
	written := string(answer.Body)
	require.True(t, strings.HasPrefix(written, "# Payments \\& more\n"), written)
	for _, words := range []string{"There are **none** yet. &lt;img src=x onerror=alert(1)> !\\[x](https://evil.example/?q=1)", "- Outcome: waits for a decision\n"} {
		require.Contains(t, written, words)
	}

	require.Regexp(t, `(?m)^- Tool: List systems, (under 0\.1|\d+\.\d) s$`, written)

	t.Log("what became of a proposal is said, not what its card said when the answer was written")
	ada.Apply(t, card.ProposalID)
	require.Contains(t, string(ada.Call(t, http.MethodGet, path, nil).Body), "- Outcome: applied · decided by ")

	t.Log("a chat of somebody else is not there, whatever rules they hold, and applications and strangers get nothing")
	for _, who := range []*apptest.Client{p.Person(t, p.Role(t, "ai.chat.read")), p.Admin} {
		who.Refused(t, problem.NotFound, http.MethodGet, path, nil)
	}
	p.Application(t, p.Role(t, "ai.chat.read")).Refused(t, problem.Forbidden, http.MethodGet, path, nil)
	p.Anonymous().Refused(t, problem.Unauthorized, http.MethodGet, path, nil)
	ada.Refused(t, problem.NotFound, http.MethodGet, "/api/ai/conversations/5bd2d1a8-6f0e-4f43-9d0f-3a4b57a1f0ce/markdown", nil)
}

func TestALongChatIsDownloadedWhole(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	chat.Perform(t, `text="First."`)
	p.Exec(t, `INSERT INTO ai_messages (conversation_id, id, turn_id, role, content, parts, metadata)
		SELECT $1, 'm' || n, gen_random_uuid(), 'user', '', jsonb_build_array(jsonb_build_object('type', 'text', 'text', 'Message ' || n || '.')), '{}' FROM generate_series(1, 120) n`, chat.ID)
	written := string(p.Admin.Call(t, http.MethodGet, "/api/ai/conversations/"+chat.ID.String()+"/markdown", nil).Body)
	require.Equal(t, 122, strings.Count(written, "\n## "))
	require.True(t, strings.HasSuffix(written, "> Message 120.\n"), written[len(written)-200:])
}

// The operation reads the end of a long chat, and by its cursor all of it.
func TestALongChatIsReadPageByPage(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	p.Exec(t, `INSERT INTO ai_messages (conversation_id, id, turn_id, role, content, parts, metadata)
		SELECT $1, 'm' || n, gen_random_uuid(), 'user', '', '[]', '{}' FROM generate_series(1, 450) n`, chat.ID)
	type page struct {
		Messages   []struct{ ID string }
		NextCursor string
	}
	path := "/api/ai/conversations/" + chat.ID.String()
	read := func(query string) page {
		var found page
		require.NoError(t, json.Unmarshal(p.Admin.Call(t, http.MethodGet, path+query, nil).Body, &found))
		return found
	}
	newest := read("")
	require.Len(t, newest.Messages, 200)
	require.Equal(t, "m450", newest.Messages[199].ID)
	before := read("?limit=500&cursor=" + newest.NextCursor)
	require.Len(t, before.Messages, 250)
	require.Equal(t, "m1", before.Messages[0].ID)
	require.Equal(t, "m250", before.Messages[249].ID)
	require.Empty(t, before.NextCursor)
	p.Admin.Refused(t, problem.Invalid, http.MethodGet, path+"?cursor=nonsense", nil)
}
