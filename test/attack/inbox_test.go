package attack_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

type inbox struct {
	Proposals  []struct{ ProposalID uuid.UUID }
	NextCursor string
}

// However many proposals there are that one may not see, those that one may are found: pages go on behind them, and
// nobody has more than so many of them.
func TestNobodysInboxIsHidden(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_MAX_WAITING_PROPOSALS": "3"}})
	p.Second(t)
	role := p.Role(t, "catalog.system.manage")
	honest, flooder, second := p.Person(t, role), p.Person(t, role), p.Person(t, role)
	open := idOf(t, honest.Call(t, http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Payments"}))
	private := idOf(t, flooder.Call(t, http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Private"}))
	hide(t, p, "catalog.system", private, flooder)
	p.Admin.Patch(t, "/api/ai/policies/catalog.updateSystem", map[string]any{"twoPerson": true}, nil)
	change := func(by *apptest.Client, id string, headers ...apptest.Header) apptest.Answer {
		return by.Call(t, http.MethodPatch, "/api/catalog/systems/"+id, map[string]any{"description": uuid.NewString()}, headers...)
	}
	var wanted struct{ ProposalID uuid.UUID }
	change(honest, open).Decode(t, &wanted)

	for range 3 {
		require.Equal(t, http.StatusAccepted, change(flooder, private).Status)
	}
	before := p.Count(t, `SELECT count(*) FROM ai_proposals`)
	body := map[string]any{"description": "one more"}
	e := flooder.Refused(t, problem.Throttled, http.MethodPatch, "/api/catalog/systems/"+private, body)
	require.Contains(t, e.Detail, "Of your proposals 3 wait for a decision")
	flooder.Refused(
		t,
		problem.Throttled,
		http.MethodPost,
		"/api/ai/tools/catalog.updateSystem/propose",
		map[string]any{"input": map[string]any{"id": private, "description": "one more"}},
	)
	require.Equal(t, before, p.Count(t, `SELECT count(*) FROM ai_proposals`))
	var mine inbox
	flooder.Get(t, "/api/ai/proposals?status=proposed", &mine)
	flooder.Post(t, "/api/ai/proposals/"+mine.Proposals[0].ProposalID.String()+"/decline", nil, nil)
	require.Equal(t, http.StatusAccepted, change(flooder, private).Status, "what is decided about waits no more")
	require.Equal(t, http.StatusAccepted, change(honest, open).Status, "others have theirs")

	// Many accounts together, newer than what is looked for.
	p.Exec(t, `WITH calls AS (
			INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status)
			SELECT gen_random_uuid(), 'user', gen_random_uuid(), 'api', 'catalog.updateSystem', 'mutate', '',
				'proposed' FROM generate_series(1, 2100) RETURNING id, principal_id
		)
		INSERT INTO ai_proposals (id, principal_kind, principal_id, principal_name, tool_name, effect, summary, payload, diff,
			revision, automatic, two_person, nonce_salt, status, created_at, expires_at)
		SELECT id, 'user', principal_id, 'Somebody', 'catalog.updateSystem', 'mutate', 'Change it', jsonb_build_object('id', $1::text, 'description', 'New'), '[]', '"1"', false, true, '\x00', 'proposed', now() + interval '1 second', now() + interval '1 hour'
		FROM calls`, private)
	seen := map[uuid.UUID]bool{}
	pages, cursor := 0, ""
	for pages == 0 || cursor != "" {
		var page inbox
		second.Get(t, "/api/ai/proposals?status=proposed&limit=1&cursor="+cursor, &page)
		for _, c := range page.Proposals {
			require.False(t, seen[c.ProposalID], "one proposal is on two pages")
			seen[c.ProposalID] = true
		}
		cursor = page.NextCursor
		pages++
		require.Less(t, pages, 10)
	}
	require.True(t, seen[wanted.ProposalID])
	require.Len(t, seen, 2, "and nothing else")
	second.Refused(t, problem.Invalid, http.MethodGet, "/api/ai/proposals?cursor=x", nil)
}
