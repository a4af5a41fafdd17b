package app_test

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/notice"
	"countersign/internal/problem"
	"countersign/modules/healthcheck"
	"countersign/modules/incident"
	"countersign/modules/notification/channel/channeltest"
	"countersign/modules/oncall"
)

// step is a step of a policy that calls one person.
func step(seconds int, person uuid.UUID) map[string]any {
	return map[string]any{"delaySeconds": seconds, "targets": []any{map[string]any{"kind": "person", "id": person}}}
}

// channelsOf sets up channels of a person beside the e-mail address of the account.
func channelsOf(t *testing.T, c *apptest.Client, receiver *channeltest.Receiver, kinds ...string) {
	t.Helper()
	for _, kind := range kinds {
		in := map[string]any{"kind": kind, "name": "My " + kind, "url": receiver.URL + "/" + kind}
		if kind == "push" {
			key, err := ecdh.P256().GenerateKey(rand.Reader)
			require.NoError(t, err)
			in["p256dh"] = base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())
			in["auth"] = base64.RawURLEncoding.EncodeToString(make([]byte, 16))
		}
		c.Post(t, "/api/notifications/channels", in, nil)
	}
}

// timelineOf are the steps and messages of an incident's timeline, oldest first.
func timelineOf(t *testing.T, c *apptest.Client, id uuid.UUID) (calls []incident.EscalationStep, notices []incident.Notified) {
	t.Helper()
	var page struct{ Entries []incident.Entry }
	c.Get(t, "/api/incidents/"+id.String()+"/timeline?limit=100", &page)
	slices.Reverse(page.Entries)
	for _, e := range page.Entries {
		if e.Call != nil {
			calls = append(calls, *e.Call)
		}
		if e.Notice != nil {
			notices = append(notices, *e.Notice)
		}
	}
	return calls, notices
}

// A check fails, an incident is proposed in a chat and applied, three people are called one after another by e-mail, a webhook
// whose receiver fails first, ntfy and web push, the third takes it on before the fourth is called, and those who were called
// hear of the end. Each message arrives once.
func TestAnIncidentCallsPeopleUntilOneAcknowledges(t *testing.T) {
	t.Parallel()
	p, mails, receiver := notified(t)
	var hooks atomic.Int64
	receiver.Answer(func(_ int, _ http.ResponseWriter, post channeltest.Post) int {
		if post.Path == "/webhook" && hooks.Add(1) == 1 {
			return http.StatusInternalServerError
		}
		return http.StatusCreated
	})
	warm(t, p)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	t.Cleanup(page.Close)
	shop := newSystem(t, p.Admin, "Shop")
	role := p.Role(t, incident.Manage)
	first, second, third, fourth := p.Person(t, role), p.Person(t, role), p.Person(t, role), p.Person(t, role)
	channelsOf(t, second, receiver, "webhook")
	channelsOf(t, third, receiver, "ntfy", "push")
	var policy oncall.Policy
	p.Admin.Post(t, "/api/oncall/policies", map[string]any{
		"name": "Everything", "default": true, "steps": []any{step(0, first.ID), step(1, second.ID), step(1, third.ID), step(3600, fourth.ID)},
	}, &policy)
	require.Empty(t, policy.Warnings)
	p.Admin.Post(t, "/api/healthcheck/checks", map[string]any{
		"name": "Shop page", "strategyId": "healthcheck-http.http", "config": map[string]any{}, "intervalSeconds": 1,
		"assignToSystemId": shop, "collectors": []any{map[string]any{
			"collectorId": "healthcheck-http.request", "config": map[string]any{"url": page.URL},
			"assertions": []any{map[string]any{"field": "statusCode", "operator": "equals", "value": http.StatusOK}},
		}},
	}, nil)
	apptest.Eventually(t, "the failure is noticed", func() bool {
		var s healthcheck.SystemStatus
		p.Admin.Get(t, "/api/healthcheck/systems/"+shop.String(), &s)
		return s.Status == healthcheck.Unhealthy || s.Status == healthcheck.Degraded
	})

	chat := p.Admin.Conversation(t, nil)
	card := chat.Perform(t, `r1.tool=incident.create r1.input=`+encode(t, map[string]any{
		"title": "The shop is down", "severity": "critical", "systemIds": []string{shop.String()},
	})+` text=Done.`).Card(t, "proposal")
	p.Admin.Apply(t, card.ProposalID)
	id := uuid.MustParse(p.Column(t, `SELECT id::text FROM incidents`)[0])
	escalation := func() (e oncall.Escalation) {
		p.Admin.Get(t, "/api/oncall/escalations/"+id.String(), &e)
		return e
	}
	apptest.Eventually(t, "three steps are taken", func() bool {
		return p.Count(t, `SELECT count(*) FROM oncall_calls WHERE incident_id = $1`, id) == 3
	})
	require.Equal(t, []string{first.ID.String(), second.ID.String(), third.ID.String()},
		p.Column(t, `SELECT people[1]::text FROM oncall_calls WHERE incident_id = $1 ORDER BY step`, id))
	now := escalation()
	require.Equal(t, "waiting", now.State)
	require.WithinDuration(t, now.Calls[0].TakenAt.Add(time.Hour), *now.DueAt, 5*time.Second)
	apptest.Eventually(t, "all messages have arrived", func() bool { return len(mails.Letters()) == 3 && len(receiver.Accepted()) == 3 })
	addresses, paths := map[string]int{}, map[string]int{}
	for _, letter := range mails.Letters() {
		addresses[letter.To[0]]++
	}
	for _, post := range receiver.Accepted() {
		paths[post.Path]++
	}
	require.Len(t, addresses, 3, "each has one letter")
	require.Equal(t, map[string]int{"/webhook": 1, "/": 1, "/push": 1}, paths, "ntfy has its topic in the body")
	require.Equal(t, int64(2), hooks.Load(), "the webhook was repeated")

	began := time.Now()
	third.Post(t, "/api/incidents/"+id.String()+"/acknowledge", nil, nil)
	apptest.Eventually(t, "the escalation ends", func() bool { return escalation().State == "acknowledged" })
	t.Logf("the escalation ended %v after the acknowledgement", time.Since(began))
	require.Contains(t, escalation().Reason, "Acknowledged by ")
	workflow := p.Column(t, `SELECT workflow_id FROM oncall_escalations WHERE incident_id = $1`, id)[0]
	ended(t, p, workflow)
	require.Zero(t, p.Count(t, `SELECT count(*) FROM notify_deliveries d JOIN notifications n ON n.id = d.notification_id
		WHERE n.about_id = $1 AND d.state = 'waiting' AND n.phase = 'problem'`, id))
	require.Equal(t, 3, p.Count(t, `SELECT count(*) FROM events WHERE type = 'oncall.escalated'`))

	third.Post(t, "/api/incidents/"+id.String()+"/resolve", map[string]any{}, nil)
	apptest.Eventually(t, "the end is delivered to all who were called", func() bool {
		return len(mails.Letters()) >= 6 && len(receiver.Accepted()) >= 6
	})
	require.Len(t, mails.Letters(), 6)
	require.Len(t, receiver.Accepted(), 6)
	require.Equal(t, "Resolved: The shop is down", mails.Letters()[5].Header.Get("Subject"))
	toldInTimelines(t, p, id, first, third)

	// Reopened, it calls again, from the first step.
	third.Post(t, "/api/incidents/"+id.String()+"/reopen", map[string]any{}, nil)
	apptest.Eventually(t, "the first person is called again", func() bool {
		return p.Count(t, `SELECT count(*) FROM oncall_calls WHERE incident_id = $1 AND run = 2`, id) > 0
	})
	require.Equal(t, "waiting", escalation().State)
	third.Post(t, "/api/incidents/"+id.String()+"/resolve", map[string]any{}, nil)
	apptest.Eventually(t, "the escalation ends with the incident", func() bool { return escalation().State == "resolved" })
	third.Refused(t, problem.Conflict, http.MethodPost, "/api/incidents/"+id.String()+"/acknowledge", nil)
	require.Equal(t, "resolved", escalation().State)
}

// toldInTimelines checks the timelines and the brief: a manager sees who was called by which channel, a reader who was called and
// the messages to themselves, and nobody an address.
func toldInTimelines(t *testing.T, p *apptest.Product, id uuid.UUID, first, third *apptest.Client) {
	t.Helper()
	apptest.Eventually(t, "all outcomes are recorded", func() bool {
		return p.Count(t, `SELECT count(*) FROM notify_deliveries WHERE state = 'waiting'`) == 0
	})
	calls, notices := timelineOf(t, third, id)
	require.Len(t, calls, 3)
	require.Equal(t, []int{1, 2, 3}, []int{calls[0].Step, calls[1].Step, calls[2].Step})
	require.Len(t, calls[0].People, 1)
	require.Len(t, notices, 4, "three steps and the end")
	require.Equal(t, notice.Recovery, notices[3].Phase)
	require.Equal(t, []int{1, 2, 3, 6}, []int{notices[0].Sent, notices[1].Sent, notices[2].Sent, notices[3].Sent})
	require.Equal(t, calls[0].People[0], notices[0].Receivers[0].Person)
	reader := p.Person(t)
	calls, notices = timelineOf(t, reader, id)
	require.Len(t, calls, 3)
	require.Empty(t, notices, "the messages to others are not for readers")
	var called struct{ Output json.RawMessage }
	first.Post(t, "/api/ai/tools/incident.brief/call", map[string]any{"input": map[string]any{"id": id}}, &called)
	brief := string(called.Output)
	require.LessOrEqual(t, len(brief), 4000)
	for _, part := range []string{"Step 1 of Everything called ", "email to ", "webhook to ", "push to ", "On-call (end)"} {
		require.Contains(t, brief, part)
	}
	require.NotContains(t, brief, "127.0.0.1")
}
