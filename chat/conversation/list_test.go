package conversation_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/conversation"
	"countersign/internal/problem"
	"countersign/internal/rest"
)

// A person finds every conversation, however many there are, also those that were touched in the same moment.
func TestAListIsReadPageByPage(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	p, other := person(), person()
	create(t, s, other, conversation.Settings{})
	_, err := db.Conn(t.Context()).Exec(t.Context(), `INSERT INTO ai_conversations (id, owner_id, permission_mode, updated_at, archived_at)
		SELECT gen_random_uuid(), $1, 'approve', '2026-01-01T00:00:00Z'::timestamptz + (n / 7) * interval '1 microsecond',
			CASE WHEN n % 3 = 0 THEN '2026-02-01T00:00:00Z'::timestamptz + (n / 7) * interval '1 s' END
		FROM generate_series(1, 600) n`, p.ID)
	require.NoError(t, err)
	for name, list := range map[string]struct {
		page func(rest.Page) ([]conversation.Conversation, rest.Next, error)
		all  int
	}{
		"open": {func(at rest.Page) ([]conversation.Conversation, rest.Next, error) { return s.List(t.Context(), p, at) }, 400},
		"archived": {func(at rest.Page) ([]conversation.Conversation, rest.Next, error) {
			return s.Archived(t.Context(), p, at)
		}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := map[uuid.UUID]bool{}
			at, pages := rest.Page{Limit: 130}, 0
			var last conversation.Conversation
			for more := true; more; pages++ {
				found, next, err := list.page(at)
				require.NoError(t, err)
				for _, c := range found {
					require.False(t, seen[c.ID], "listed once")
					seen[c.ID] = true
					if name == "open" && len(seen) > 1 {
						require.False(t, c.UpdatedAt.After(last.UpdatedAt), "the latest first")
					}
					last = c
				}
				at.Cursor, more = next.NextCursor, next.NextCursor != ""
			}
			require.Len(t, seen, list.all)
			require.Equal(t, (list.all+129)/130, pages)
			for _, wrong := range []string{"x", "MSAy", "LTEgMDAwMDAwMDAtMDAwMC0wMDAwLTAwMDAtMDAwMDAwMDAwMDAw"} {
				_, _, err := list.page(rest.Page{Cursor: wrong})
				refused(t, err, problem.Invalid)
			}
		})
	}
}
