package conversation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/conversation"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
)

// say adds messages to a conversation, in turn of its person and of the assistant.
func say(t *testing.T, db *store.DB, of uuid.UUID, contents ...string) {
	t.Helper()
	for i, content := range contents {
		exec(
			t,
			db,
			`INSERT INTO ai_messages (conversation_id, id, turn_id, role, content, parts, metadata) VALUES ($1, $2, $3, $4, $5, '[]', '{}')`,
			of,
			fmt.Sprintf("m%d", i),
			uuid.New(),
			[]string{"user", "assistant"}[i%2],
			content,
		)
	}
}

func search(t *testing.T, s *conversation.Service, p principal.Principal, query string) conversation.Found {
	t.Helper()
	found, err := s.Search(t.Context(), p, query, rest.Page{})
	require.NoError(t, err)
	return found
}

func ids(found conversation.Found) []uuid.UUID {
	all := []uuid.UUID{}
	for _, hit := range found.Hits {
		all = append(all, hit.Conversation.ID)
	}
	return all
}

func shown(pieces []conversation.Piece) string {
	var b strings.Builder
	for _, piece := range pieces {
		if piece.Hit {
			b.WriteString("[" + piece.Text + "]")
		} else {
			b.WriteString(piece.Text)
		}
	}
	return b.String()
}

func TestAChatIsFoundByWhatWasSaidInIt(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	p := person()
	titled := create(t, s, p, conversation.Settings{Title: new("Owner of Größe service")})
	said := create(t, s, p, conversation.Settings{Title: new("Something else")})
	say(t, db, said.ID, "Who runs payments-api?", "The **Payments** API belongs to the platform team.", "And reports?", "Nobody.")
	apart := create(t, s, p, conversation.Settings{Title: new("Words apart")})
	say(t, db, apart.ID, "payments", "platform")
	_, err := s.Archive(t.Context(), p, titled.ID)
	require.NoError(t, err)

	for query, want := range map[string][]uuid.UUID{
		"PAYMENTS_API": {said.ID}, "paym plat": {said.ID}, "payments": {apart.ID, said.ID}, "größe": {titled.ID}, "GRÖ own": {titled.ID},
		"aymen": {}, "payments platform nobody": {}, "'; DROP --": {}, "' | 'x": {}, "\\ :* & !": {}, "  ": {}, "payments:*": {apart.ID, said.ID},
	} {
		require.Equal(t, want, ids(search(t, s, p, query)), query)
	}

	hit := search(t, s, p, "api")
	require.Len(t, hit.Hits, 1)
	require.Equal(t, int64(2), hit.Hits[0].Messages)
	require.Equal(t, "m1", hit.Hits[0].Message.ID, "the latest")
	require.Equal(t, "assistant", hit.Hits[0].Message.Role)
	require.Equal(t, "The **Payments** [API] belongs to the platform team.", shown(hit.Hits[0].Message.Snippet))
	require.Empty(t, hit.Corrected)
	byTitle := search(t, s, p, "größe").Hits[0]
	require.Nil(t, byTitle.Message)
	require.NotNil(t, byTitle.Conversation.ArchivedAt)
}

func TestNobodyFindsWhatOthersHaveSaid(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	p, other := person(), person()
	mine, theirs := create(
		t,
		s,
		p,
		conversation.Settings{Title: new("Canary")},
	), create(
		t,
		s,
		other,
		conversation.Settings{Title: new("Canary")},
	)
	say(t, db, mine.ID, "the canary sings")
	say(t, db, theirs.ID, "the canary sings")
	require.Equal(t, []uuid.UUID{mine.ID}, ids(search(t, s, p, "canary")))
	require.Equal(t, []uuid.UUID{theirs.ID}, ids(search(t, s, other, "canary")))
	// Also when the marks of two owners are the same.
	exec(t, db, `UPDATE ai_messages SET words = ai_words($1, content)`, p.ID)
	require.Equal(t, []uuid.UUID{mine.ID}, ids(search(t, s, p, "sings")))
	stranger := search(t, s, person(), "canry")
	require.Empty(t, stranger.Hits)
	require.Empty(t, stranger.Corrected)
}

func TestWhatIsReplacedOrErasedIsNotFound(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	p := person()
	c := create(t, s, p, conversation.Settings{})
	say(t, db, c.ID, "forgotten", "answer", "kept")
	exec(t, db, `UPDATE ai_messages SET replaced_at = now() WHERE id IN ('m0', 'm1')`)
	require.Empty(t, search(t, s, p, "forgotten").Hits)
	require.Empty(t, search(t, s, p, "forgoten").Hits, "nor by a slip")
	require.Len(t, search(t, s, p, "kept").Hits, 1)
	require.Zero(t, count(t, db, `SELECT count(*) FROM ai_messages WHERE replaced_at IS NOT NULL AND words IS NOT NULL`))

	exec(t, db, `DELETE FROM ai_conversations WHERE id = $1`, c.ID)
	require.Empty(t, search(t, s, p, "kept").Hits)
	require.Empty(t, search(t, s, p, "kep").Hits)
}

func TestASlipIsPutRight(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	p := person()
	c := create(t, s, p, conversation.Settings{Title: new("Gateway")})
	say(t, db, c.ID, "Restart the payments service")
	for query, want := range map[string]string{"paymnets": "payments", "restart paymets": "restart payments", "gatewya": "gateway"} {
		found := search(t, s, p, query)
		require.Equal(t, []uuid.UUID{c.ID}, ids(found), query)
		require.Equal(t, want, found.Corrected)
	}
	for _, query := range []string{"xq", "zebra", "paymnets zebra"} {
		found := search(t, s, p, query)
		require.Empty(t, found.Hits, query)
		require.Empty(t, found.Corrected)
	}
}

func TestASearchIsReadPageByPage(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	p := person()
	exec(t, db, `INSERT INTO ai_conversations (id, owner_id, permission_mode, title, updated_at)
		SELECT gen_random_uuid(), $1, 'approve', 'Report ' || n, '2026-01-01T00:00:00Z'::timestamptz + (n / 3) * interval '1 s' FROM generate_series(1, 25) n`, p.ID)
	seen := map[uuid.UUID]bool{}
	at := rest.Page{Limit: 10}
	pages := 0
	for more := true; more; pages++ {
		found, err := s.Search(t.Context(), p, "rep", at)
		require.NoError(t, err)
		for _, id := range ids(found) {
			require.False(t, seen[id])
			seen[id] = true
		}
		at.Cursor, more = found.NextCursor, found.NextCursor != ""
	}
	require.Len(t, seen, 25)
	require.Equal(t, 3, pages)
	_, err := s.Search(t.Context(), p, "rep", rest.Page{Cursor: "x"})
	refused(t, err, problem.Invalid)
}

func TestASnippetShowsThePlace(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	p := person()
	c := create(t, s, p, conversation.Settings{})
	say(t, db, c.ID, strings.Repeat("filling words\n", 400)+"the İstanbul gateway is down "+strings.Repeat("and so on ", 400))
	hit := search(t, s, p, "gateway dow")
	require.Len(t, hit.Hits, 1)
	text := shown(hit.Hits[0].Message.Snippet)
	require.Contains(t, text, "İstanbul [gateway] is [dow]n and")
	require.True(t, strings.HasPrefix(text, "…") && strings.HasSuffix(text, "…"))
	require.Less(t, len(text), 220)
}
