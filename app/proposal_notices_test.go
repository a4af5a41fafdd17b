package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/notice"
	"countersign/modules/notification"
	"countersign/tool/proposal"
)

// A proposal that waits is delivered to those who may decide about it, with a link, and what waits of that ends with the decision.
func TestAWaitingProposalNotifiesItsDeciders(t *testing.T) {
	t.Parallel()
	p, mails, _ := notified(t)
	const use, manage = "ai.chat.read", "catalog.system.manage"
	ada := p.Person(t, p.Role(t, use, "catalog.system.read", manage))
	second := p.Person(t, p.Role(t, use, "catalog.system.read", manage))
	// Neither may decide: one lacks the rule of the tool, the other one the rule about proposals of others.
	p.Person(t, p.Role(t, use, "catalog.system.read", proposal.ManageRule))
	reader := p.Person(t, p.Role(t, use, "catalog.system.read"))
	deliveries := func(who *apptest.Client) []notification.Delivery {
		var log struct{ Deliveries []notification.Delivery }
		who.Get(t, "/api/notifications/deliveries", &log)
		return log.Deliveries
	}
	stopped := func(who *apptest.Client, reason string) {
		t.Helper()
		apptest.Eventually(t, "the delivery is stopped", func() bool {
			list := deliveries(who)
			return len(list) > 0 && list[0].State == notice.Stopped && list[0].Reason == reason
		})
	}

	// The proposer decides alone, and has the card in front of them for a minute.
	card := ada.Conversation(t, nil).Perform(t, `tool=catalog.createSystem input={"name":"Ledger"}`).Card(t, "proposal")
	apptest.Eventually(t, "a delivery waits", func() bool { return len(deliveries(ada)) == 1 })
	require.Equal(t, notice.Waiting, deliveries(ada)[0].State)
	require.InDelta(t, 60, deliveries(ada)[0].NextAt.Sub(deliveries(ada)[0].CreatedAt).Seconds(), 1)
	p.Exec(t, `UPDATE notify_deliveries SET next_at = now()`)
	apptest.Eventually(t, "the proposer is notified", func() bool { return len(mails.Letters()) == 1 })
	token := ada.Proposal(t, card.ProposalID).Token
	require.NotEmpty(t, token)
	letter := mails.Letters()[0]
	require.Equal(t, "Waiting for a decision: "+card.Summary, letter.Header.Get("Subject"))
	body := strings.ReplaceAll(letter.Body, "=\r\n", "")
	require.Contains(t, body, "/proposals?proposal=3D"+card.ProposalID.String())
	require.NotContains(t, body, token[:20])
	ada.Apply(t, card.ProposalID)
	card = ada.Conversation(t, nil).Perform(t, `tool=catalog.createSystem input={"name":"Journal"}`).Card(t, "proposal")
	apptest.Eventually(t, "a delivery waits", func() bool { return len(deliveries(ada)) == 2 })
	ada.Apply(t, card.ProposalID)
	stopped(ada, "Accepted by "+card.Proposer.Name+".")

	// A second person decides: that is not the proposer, and they are notified at once.
	setPolicy(t, p, "catalog.updateSystem", map[string]any{"twoPerson": true})
	shop := newSystem(t, p.Admin, "Shop")
	change := `tool=catalog.updateSystem input={"id":"` + shop.String() + `","name":"Store"}`
	card = ada.Conversation(t, nil).Perform(t, change).Card(t, "proposal")
	require.True(t, card.TwoPerson)
	apptest.Eventually(t, "the administrator and the second person are notified", func() bool { return len(mails.Letters()) == 3 })
	require.Equal(t, notice.Sent, deliveries(second)[0].State)
	require.Equal(t, "proposal", deliveries(second)[0].AboutKind)
	require.Len(t, deliveries(ada), 2)
	require.Empty(t, deliveries(reader))
	require.Zero(t, p.Count(t, `SELECT count(*) FROM notify_deliveries WHERE person_id NOT IN ($1, $2, $3)`, ada.ID, second.ID, p.Admin.ID))
	require.Equal(t, proposal.Applied, second.Apply(t, card.ProposalID).Status)

	// A person with a delay of their own gets no message about a proposal that is decided, withdrawn or expired by then.
	var own struct{ Channels []notification.Channel }
	second.Get(t, "/api/notifications/channels", &own)
	second.Call(t, http.MethodPut, "/api/notifications/preferences", map[string]any{
		"rules": []any{map[string]any{"channelId": own.Channels[0].ID, "afterSeconds": 600}},
	})
	waits := func() uuid.UUID {
		known := len(deliveries(second))
		id := ada.Propose(t, "catalog.updateSystem", map[string]any{"id": shop, "name": "Name " + uuid.NewString()}).ProposalID
		apptest.Eventually(t, "a delivery waits", func() bool { return len(deliveries(second)) == known+1 })
		return id
	}
	second.Post(t, "/api/ai/proposals/"+waits().String()+"/decline", nil, nil)
	stopped(second, "Declined by "+second.Proposal(t, card.ProposalID).DecidedBy.Name+".")
	p.Exec(t, `UPDATE ai_proposals SET status = 'expired', finished_at = now() WHERE id = $1`, waits())
	stopped(second, "Nobody decided in time.")
}
