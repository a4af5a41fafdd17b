package app_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

// What policies of other tools ask for holds in chats too: a change that comes under one is a card that its people can
// decide about, and never half of an automatic one.
func TestAChatAsksWhatThePolicyOfAnotherToolAsksFor(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tool   string
		policy map[string]any
		// second says that it takes two, made that an owner whom a new system is made with asks as well.
		second, made bool
	}{
		"while anything takes two, an owner takes two":    {"catalog.deleteSystem", map[string]any{"twoPerson": true}, true, false},
		"where grants take two, so does an owner":         {"auth.setGrants", map[string]any{"twoPerson": true}, true, true},
		"where grants always ask, so does an owner":       {"auth.setGrants", map[string]any{"alwaysConfirm": true}, false, true},
		"what is made with an owner asks as an owner set": {"catalog.setSystemOwner", map[string]any{"alwaysConfirm": true}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := apptest.Start(t, apptest.Options{})
			owner := p.Person(t, p.Role(t, "catalog.system.manage"))
			var team struct{ ID uuid.UUID }
			p.Admin.Post(t, "/api/teams", map[string]any{"name": "Reliability"}, &team)
			second := p.Second(t)
			system := newSystem(t, owner, "Payments API").String()
			setPolicy(t, p, test.tool, test.policy)
			requests := []string{`tool=catalog.setSystemOwner input={"id":"` + system + `","teamId":"` + team.ID.String() + `"} text=hi`}
			if test.made {
				requests = append(requests, `tool=catalog.createSystem input={"name":"Orders API","ownerTeamId":"`+team.ID.String()+`"} text=hi`)
			}
			for _, request := range requests {
				chat := owner.Conversation(t, apptest.Settings{"permissionMode": "auto"})
				card := chat.Perform(t, request).Card(t, "proposal")
				require.Equal(t, test.second, card.TwoPerson, request)
				require.NotEmpty(t, card.WhyConfirm, request)
				require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals WHERE automatic`))
				if test.second {
					second.Apply(t, card.ProposalID)
				} else {
					owner.Apply(t, card.ProposalID)
				}
				chat.Idle(t)
			}
			require.Equal(t, len(requests), p.Count(t, `SELECT count(*) FROM relation_tuples WHERE subject_id = $1 AND relation = 'owner'`, team.ID))
		})
	}
}

// Where the effect of a tool is switched off, neither a chat nor an application gets a proposal that nobody could apply.
func TestWhatIsOffByThePolicyOfAnotherToolIsNotProposed(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	owner := p.Person(t, p.Role(t, "catalog.system.manage", "catalog.group.manage"))
	var group, team struct{ ID uuid.UUID }
	owner.Post(t, "/api/catalog/groups", map[string]any{"name": "Shop"}, &group)
	p.Admin.Post(t, "/api/teams", map[string]any{"name": "Reliability"}, &team)
	setPolicy(t, p, "catalog.removeSystemFromGroup", map[string]any{"enabled": false})
	setPolicy(t, p, "catalog.setSystemOwner", map[string]any{"enabled": false})
	for name, input := range map[string]string{
		"catalog.deleteGroup":  `{"id":"` + group.ID.String() + `"}`,
		"catalog.createSystem": `{"name":"Orders API","ownerTeamId":"` + team.ID.String() + `"}`,
	} {
		chat := owner.Conversation(t, nil)
		said := chat.Perform(t, `tool=`+name+` input=`+input+` text="I cannot."`)
		require.Contains(t, said.Text(), "I cannot.")
		require.Equal(
			t,
			problem.Forbidden,
			owner.Refused(
				t,
				problem.Forbidden,
				http.MethodPost,
				"/api/ai/tools/"+name+"/propose",
				map[string]any{"input": json.RawMessage(input)},
			).Code,
		)
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals`))
	var made struct{ ID uuid.UUID }
	owner.Post(t, "/api/catalog/systems", map[string]any{"name": "Without an owner"}, &made)
}
