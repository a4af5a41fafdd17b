package attack_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

// What somebody may not see is not even said to have changed: neither that it was made, nor that it was changed,
// proposed about, or deleted.
func TestNobodyHearsOfWhatTheyMayNotSee(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	role := p.Role(t, "catalog.system.manage", "ai.proposal.manage")
	owner, stranger := p.Person(t, role), p.Person(t, role)
	listens := stranger.Changes(t, "")
	owners := owner.Changes(t, "")
	record := func(id string) string { return `{"type":"catalog.system","id":"` + id + `"}` }
	create := func(name string) string {
		return idOf(t, owner.Call(t, http.MethodPost, "/api/catalog/systems", map[string]any{"name": name}))
	}

	open := create("Open")
	listens.Hears(t, "record", record(open))
	private := create("Private")
	listens.Hears(t, "record", record(private))
	grants := []any{map[string]any{"subjectType": "user", "subjectId": owner.ID, "relation": "owner"}}
	p.Countersign(t, p.Admin.Call(t, http.MethodPut, "/api/grants/catalog.system/"+private, map[string]any{"private": true, "grants": grants}))
	apptest.Eventually(t, "it is private", func() bool {
		return stranger.Call(t, http.MethodGet, "/api/catalog/systems/"+private, nil).Status == http.StatusNotFound
	})
	// From here on. What was said before it was private may still be on its way; it is over with what is said of another one.
	marker := create("Marker")
	listens.Hears(t, "record", record(marker))
	heard := len(listens.Events)

	chat := owner.Conversation(t, nil)
	owner.Patch(t, "/api/catalog/systems/"+private, map[string]any{"description": "Changed"}, nil)
	owners.Hears(t, "record", record(private))
	card := owner.Propose(t, "catalog.updateSystem", map[string]any{"id": private, "description": "Proposed"})
	owners.Hears(t, "proposal", `{"id":"`+card.ProposalID.String()+`"}`)
	var memory struct{ ID uuid.UUID }
	owner.Post(t, "/api/ai/memories", map[string]any{"scope": "user", "recallHint": "Mine", "content": "Mine"}, &memory)
	owner.Delete(t, "/api/ai/memories/"+memory.ID.String())
	owners.Hears(t, "record", `{"type":"ai.memory","id":"`+memory.ID.String()+`"}`)
	owner.Delete(t, "/api/catalog/systems/"+private)
	owners.Hears(t, "record", record(private))
	owner.Delete(t, "/api/catalog/systems/"+marker)
	listens.Hears(t, "record", record(marker))
	for _, e := range listens.Events[heard:] {
		for what, id := range map[string]string{
			"the private system": private, "its proposal": card.ProposalID.String(), "a memory of somebody else": memory.ID.String(), "a chat of somebody else": chat.ID.String(),
		} {
			require.NotContains(t, e.Chunk, id, what)
		}
	}

	// Nor by coming back to what was missed.
	again := stranger.Changes(t, listens.Events[0].ID)
	for _, said := range again.Said() {
		for _, id := range []string{card.ProposalID.String(), memory.ID.String(), chat.ID.String(), private} {
			require.NotContains(t, said, id)
		}
	}
	// Who has no rule hears of no record, also not that one has gone.
	nobody := p.Person(t)
	p.Exec(t, `UPDATE roles SET rules = '{}' WHERE name = 'users'`)
	listens = nobody.Changes(t, "")
	last := create("Last")
	owners.Hears(t, "record", record(last))
	owner.Delete(t, "/api/catalog/systems/"+last)
	owners.Hears(t, "record", record(last))
	p.Exec(t, `INSERT INTO feed_events (person_id, kind, ref) VALUES ($1, 'conversation', 'the end')`, nobody.ID)
	listens.Hears(t, "conversation", `{"id":"the end"}`)
	require.Equal(t, []string{"reset {}", `conversation {"id":"the end"}`}, listens.Said())
}

// The stream is for people at their pages. Whatever else acts for them, or for nobody, is refused.
func TestProgramsHaveNoStreamOfChanges(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := p.Person(t)
	const path = "/api/events"
	p.Anonymous().Refused(t, problem.Unauthorized, http.MethodGet, path, nil)
	p.Application(t).Refused(t, problem.Forbidden, http.MethodGet, path, nil)
	for name, token := range map[string]string{
		"a chat token": chatToken(t, ada), "a program's": connects(t, p, ada, "countersign:read").access,
	} {
		status := p.Bearer(ada.ID, token).Call(t, http.MethodGet, path, nil).Status
		require.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, status, name)
	}
	ada.Refused(t, problem.Unauthorized, http.MethodGet, path+"?person="+p.Admin.ID.String(), nil)
	require.Equal(
		t,
		http.StatusUnauthorized,
		ada.Call(t, http.MethodGet, path, nil, apptest.Header{Name: "Countersign-Person", Value: p.Admin.ID.String()}).Status,
	)
}
