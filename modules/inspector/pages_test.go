package inspector_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/principal"
)

// What a filter lets through is found behind however many turns it leaves out, a page at a time, and each once.
func TestAFilterLooksThroughTurnsAPageAtATime(t *testing.T) {
	t.Parallel()
	server, _ := mounted(t)
	server.SignIn("root", principal.Principal{Kind: principal.User, ID: uuid.New(), Name: "root", Rules: []string{principal.Admin}})
	conversation := uuid.New()
	server.Exec(t, `INSERT INTO ai_conversations (id, owner_id) VALUES ($1, $1)`, conversation)
	// The oldest one, one in the middle and the newest one are on another model, failed, and took long.
	server.Exec(
		t,
		`INSERT INTO ai_turns (id, conversation_id, kind, message_id, assistant_message_id, status, principal_kind, principal_id, session_id,
			connection_id, model, permission_mode, claim, created_at, finished_at)
		SELECT gen_random_uuid(), $1, 'message', 'm' || n, 'a' || n, CASE WHEN n % 12000 = 0 THEN 'failed' ELSE 'done' END, 'user', $1, $1, $1,
			CASE WHEN n % 12000 = 0 THEN 'another' ELSE 'model' END, 'approve', 1, now() - n * interval '1 minute',
			now() - n * interval '1 minute' + CASE WHEN n % 12000 = 0 THEN interval '5 minutes' ELSE interval '5 seconds' END
		FROM generate_series(0, 24000) n`,
		conversation,
	)
	list := func(query string) (found, pages int) {
		t.Helper()
		seen := map[uuid.UUID]bool{}
		for cursor := ""; pages < 500; {
			page := apitest.Decode[struct {
				Turns      []struct{ ID uuid.UUID }
				NextCursor string
			}](t, server.Do(t, "root", http.MethodGet, "/api/ai/turns?limit=200&"+query+"&cursor="+url.QueryEscape(cursor), nil))
			pages++
			for _, turn := range page.Turns {
				require.False(t, seen[turn.ID], "twice")
				seen[turn.ID] = true
			}
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		return len(seen), pages
	}
	for query, want := range map[string]int{
		"model=another": 3, "slowSeconds=60": 3, "status=failed": 3, "status=failed&model=model": 0, "status=stopped": 0, "status=running": 0,
		"connectionId=" + uuid.NewString(): 0,
	} {
		found, pages := list(query)
		require.Equal(t, want, found, query)
		require.LessOrEqual(t, pages, 4, query)
	}
	found, pages := list("status=done&principalId=" + conversation.String())
	require.Equal(t, 23998, found)
	require.LessOrEqual(t, pages, 125)
}
