package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/notification"
	"countersign/tool/proposal"
)

// A message to subscribers is proposed with how many it reaches, and goes to those who see the system.
func TestAMessageReachesSubscribers(t *testing.T) {
	t.Parallel()
	p, mails, receiver := notified(t)
	shop := newSystem(t, p.Admin, "Shop")
	follower, other := p.Person(t), p.Person(t)
	for _, who := range []*apptest.Client{follower, other} {
		who.Call(t, http.MethodPut, "/api/notifications/subscriptions/system/"+shop.String(), nil)
	}
	follower.Post(t, "/api/notifications/channels", map[string]any{"kind": "webhook", "name": "Hook", "url": receiver.URL + "/hook"}, nil)
	const send = "healthcheck.notifySystemSubscribers"
	card := p.Admin.Conversation(t, nil).
		Perform(t, `tool=`+send+` input={"systemId":"`+shop.String()+`","message":"We restart at noon."}`).Card(t, "proposal")
	require.Equal(t, "It goes to 2 people: 2 by e-mail, 1 by webhook.", card.Effects[0])
	require.Equal(t, proposal.Applied, p.Admin.Apply(t, card.ProposalID).Status)
	apptest.Eventually(t, "both get it", func() bool { return len(mails.Letters()) == 2 && len(receiver.Accepted()) == 1 })
	require.Equal(t, "Message about Shop", mails.Letters()[0].Header.Get("Subject"))
	require.Contains(t, string(receiver.Accepted()[0].Body), "We restart at noon.")

	// The card shows all of the text to the person who decides.
	var open struct{ ID uuid.UUID }
	p.Admin.Post(
		t,
		"/api/incidents",
		map[string]any{"title": "Slow", "severity": "minor", "systemIds": []uuid.UUID{newSystem(t, p.Admin, "Stock")}},
		&open,
	)
	long := strings.Repeat("We restart at noon.\n", 90) + "Call +1 555 0100."
	for name, input := range map[string]map[string]any{
		send: {"systemId": shop, "message": long}, "incident.addUpdate": {"incidentId": open.ID, "message": long},
	} {
		require.Equal(t, long, p.Admin.Propose(t, name, input).Diff[0].After, name)
	}

	// A person sends ten messages at will. The one that was applied counts.
	messages := "/api/notifications/messages/system/" + shop.String()
	for range 9 {
		p.Admin.Post(t, messages, map[string]any{"message": "Once more."}, nil)
	}
	p.Admin.Refused(t, problem.Throttled, http.MethodPost, messages, map[string]any{"message": "And again."})
	sender := p.Person(t, p.Role(t, "notification.send", "catalog.system.read"))
	sender.Post(t, messages, map[string]any{"message": "From another person."}, nil)
	apptest.Eventually(t, "eleven messages are delivered", func() bool { return len(receiver.Accepted()) == 11 })

	// Nobody writes without the rule, and nothing is proposed where nobody would get it.
	lacking := p.Person(t, p.Role(t, "ai.chat.read", "catalog.system.read"))
	lacking.Refused(
		t,
		problem.Forbidden,
		http.MethodPost,
		"/api/notifications/messages/system/"+shop.String(),
		map[string]any{"message": "Hi."},
	)
	var group struct{ ID string }
	p.Admin.Post(t, "/api/catalog/groups", map[string]any{"name": "Shops"}, &group)
	p.Admin.Refused(t, problem.Invalid, http.MethodPost, "/api/ai/tools/healthcheck.notifyGroupSubscribers/propose",
		map[string]any{"input": map[string]any{"groupId": group.ID, "message": "Hi."}})

	// A person tests a channel of their own in a chat, and sees how that ended.
	var own struct{ Channels []notification.Channel }
	follower.Get(t, "/api/notifications/channels", &own)
	hook := own.Channels[1].ID
	require.Contains(t, follower.Propose(t, "notification.test", map[string]any{}).Effects[1], "Hook ("+hook.String()+")")
	test := follower.Propose(t, "notification.test", map[string]any{"channelId": hook})
	require.Equal(t, proposal.Applied, follower.Apply(t, test.ProposalID).Status)
	require.Len(t, receiver.Accepted(), 12)
	follower.Get(t, "/api/notifications/channels", &own)
	require.Equal(t, "sent", string(own.Channels[1].Test.Result))
}
