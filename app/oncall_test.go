package app_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/healthcheck"
	"countersign/modules/incident"
	"countersign/modules/oncall"
)

// step is a step of a policy that calls one person.
func step(seconds int, person uuid.UUID) map[string]any {
	return map[string]any{"delaySeconds": seconds, "targets": []any{map[string]any{"kind": "person", "id": person}}}
}

// A check fails, an incident is proposed in a chat and applied, three people are called one after another, the third takes
// it on before the fourth is called, and those who were called hear of the end.
func TestAnIncidentCallsPeopleUntilOneAcknowledges(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_CHECK_EGRESS_ALLOW": "127.0.0.0/8"}})
	warm(t, p)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	t.Cleanup(page.Close)
	shop := newSystem(t, p.Admin, "Shop")
	role := p.Role(t, incident.Manage)
	first, second, third, fourth := p.Person(t, role), p.Person(t, role), p.Person(t, role), p.Person(t, role)
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
	require.Equal(t, 3, p.Count(t, `SELECT count(*) FROM notify_deliveries d JOIN notifications n ON n.id = d.notification_id
		WHERE n.about_id = $1 AND n.topic = 'incident.called'`, id), "each person has one message")

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
	apptest.Eventually(t, "the end is told", func() bool {
		return p.Count(t, `SELECT count(*) FROM notifications WHERE about_id = $1 AND phase = 'recovery'`, id) == 1
	})

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
