package attack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// The second person sees of each subject who it is and what it gets: of two people with one name, and of one person with two relations.
func TestACardShowsEveryGrant(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	bob, sleeper, friend := p.Person(t), p.Person(t), p.Person(t)
	for _, one := range []*apptest.Client{bob, sleeper} {
		p.Admin.Patch(t, "/api/users/"+one.ID.String(), map[string]any{"name": "Bob"}, nil)
	}
	robot := p.Application(t)
	var team struct{ ID uuid.UUID }
	p.Admin.Post(t, "/api/teams", map[string]any{"name": "Reliability"}, &team)
	grant := func(to *apptest.Client, relation string) map[string]any {
		return map[string]any{"subjectType": "user", "subjectId": to.ID, "relation": relation}
	}
	p.Admin.Patch(t, "/api/ai/policies/catalog.deleteSystem", map[string]any{"twoPerson": true, "anyway": true}, nil)
	second := p.Second(t)
	for name, test := range map[string]struct {
		had, wanted []any
		shown       map[string]string
	}{
		"two people of one name": {
			had:    []any{grant(bob, "owner"), grant(sleeper, "editor")},
			wanted: []any{grant(bob, "owner"), grant(sleeper, "owner"), grant(friend, "viewer")},
			shown:  map[string]string{sleeper.ID.String(): "owner", friend.ID.String(): "viewer"},
		},
		"a team and an application": {
			had: []any{},
			wanted: []any{
				map[string]any{"subjectType": "team", "subjectId": team.ID, "relation": "owner"},
				map[string]any{"subjectType": "application", "subjectId": robot.ID, "relation": "viewer"},
			},
			shown: map[string]string{team.ID.String(): "owner", robot.ID.String(): "viewer"},
		},
		"one person, two relations": {
			had:    []any{},
			wanted: []any{grant(sleeper, "owner"), grant(sleeper, "viewer")},
			shown:  map[string]string{sleeper.ID.String(): "owner and viewer"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var system struct {
				ID uuid.UUID `json:"id"`
			}
			p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": name}, &system)
			put := func(grants []any) apptest.Answer {
				return p.Admin.Call(
					t,
					http.MethodPut,
					"/api/grants/catalog.system/"+system.ID.String(),
					map[string]any{"private": false, "grants": grants},
				)
			}
			if len(test.had) > 0 {
				p.Countersign(t, put(test.had))
			}
			answer := put(test.wanted)
			require.Equal(t, http.StatusAccepted, answer.Status, "%s", answer.Body)
			var waits struct {
				ProposalID uuid.UUID `json:"proposalId"`
			}
			answer.Decode(t, &waits)
			card := second.Proposal(t, waits.ProposalID)
			require.Len(t, card.Diff, len(test.shown), "%v", card.Diff)
			for id, relation := range test.shown {
				found := ""
				for _, change := range card.Diff {
					if strings.Contains(change.Path, id) {
						found, _ = change.After.(string)
						require.Contains(t, change.Path, " ("+id+")", "by name and id")
					}
				}
				require.Equal(t, relation, found, "%v", card.Diff)
			}
		})
	}
}
