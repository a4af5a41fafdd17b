package attack_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

// Sight is that of the moment in which something is told: what was taken from somebody while their stream is open is told no more.
func TestAnOpenStreamTellsByTheRightsOfNow(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	role := p.Role(t, "catalog.system.manage", "ai.proposal.manage")
	ada, bob := p.Person(t, role, p.Role(t, "ai.chat.read")), p.Person(t, role)
	mark := func(c *apptest.Client, s apptest.Changes, ref string) {
		t.Helper()
		p.Exec(t, `INSERT INTO feed_events (person_id, kind, ref) VALUES ($1, 'conversation', $2)`, c.ID, ref)
		s.Hears(t, "conversation", `{"id":"`+ref+`"}`)
	}
	open := idOf(t, ada.Call(t, http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Open"}))
	heard := bob.Changes(t, "")
	mark(bob, heard, "begin")
	p.Exec(t, `DELETE FROM user_roles WHERE user_id = $1`, bob.ID)
	p.Exec(t, `UPDATE roles SET rules = '{}' WHERE name = 'users'`)
	ada.Patch(t, "/api/catalog/systems/"+open, map[string]any{"description": "Changed"}, nil)
	card := ada.Propose(t, "catalog.updateSystem", map[string]any{"id": open, "description": "Proposed"})
	ada.Delete(t, "/api/catalog/systems/"+open)
	adas := ada.Changes(t, "")
	mark(ada, adas, "after")
	mark(bob, heard, "end")
	for _, e := range heard.Events {
		require.NotContains(t, e.Chunk, open)
		require.NotContains(t, e.Chunk, card.ProposalID.String())
	}
	// Nor do those learn of it who come back and name a moment.
	back := bob.Changes(t, heard.Events[0].ID)
	mark(bob, back, "back")
	for _, said := range back.Said() {
		require.NotContains(t, said, open)
		require.NotContains(t, said, card.ProposalID.String())
	}
	// Who signs out elsewhere hears nothing that comes after it.
	again := bob.SignInAgain(t, p)
	p.Exec(
		t,
		`DELETE FROM sessions WHERE user_id = $1 AND id <> $2::uuid`,
		bob.ID,
		p.Column(t, `SELECT id::text FROM sessions WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1`, bob.ID)[0],
	)
	p.Exec(t, `INSERT INTO feed_events (person_id, kind, ref) VALUES ($1, 'conversation', 'too late')`, bob.ID)
	for _, stream := range []apptest.Changes{heard, back} {
		stream.BreaksOff(t)
		for _, said := range stream.Said() {
			require.NotContains(t, said, "too late")
		}
	}
	require.Equal(t, http.StatusOK, again.Call(t, http.MethodGet, "/api/me", nil).Status)

	// Somebody who has a password of somebody else's hears nothing before they change it.
	p.Exec(t, `UPDATE users SET must_change_password = true WHERE id = $1`, ada.ID)
	ada.Refused(t, problem.OwnPassword, http.MethodGet, "/api/events", nil)
}

// One person has so many streams and no more, whatever they name as the moment from which on they want to hear.
func TestNobodyTakesAllStreams(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_MAX_OPEN_STREAMS": "3"}})
	ada, bob := p.Person(t), p.Person(t)
	for _, last := range []string{"", "-1", "99999999999999999999"} {
		ada.Changes(t, last)
	}
	e := ada.Refused(t, problem.Throttled, http.MethodGet, "/api/events", nil)
	require.Positive(t, e.RetryAfter)
	for _, last := range []string{"0", "x", "253402300799999", "253402300800000", "-9223372036854775808"} {
		stream := bob.Changes(t, last)
		require.Equal(t, []string{"reset {}"}, stream.Said(), last)
		stream.Close()
	}
}
