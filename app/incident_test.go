package app_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/modules/healthcheck"
	"countersign/modules/incident"
)

// A check fails, an incident is proposed in a chat and applied, its system shows the override, a colleague takes it on, and
// with its end the system is as its check says.
func TestAnIncidentIsLedFromTheChat(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_CHECK_EGRESS_ALLOW": "127.0.0.0/8"}})
	warm(t, p)
	var status atomic.Int64
	status.Store(http.StatusOK)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(status.Load())) }))
	t.Cleanup(page.Close)
	shop := newSystem(t, p.Admin, "Shop")
	p.Admin.Post(t, "/api/healthcheck/checks", map[string]any{
		"name": "Shop page", "strategyId": "healthcheck-http.http", "config": map[string]any{}, "intervalSeconds": 1,
		"assignToSystemId": shop, "collectors": []any{map[string]any{
			"collectorId": "healthcheck-http.request", "config": map[string]any{"url": page.URL},
			"assertions": []any{map[string]any{"field": "statusCode", "operator": "equals", "value": http.StatusOK}},
		}},
	}, nil)
	fares := func() (s healthcheck.SystemStatus) {
		p.Admin.Get(t, "/api/healthcheck/systems/"+shop.String(), &s)
		return s
	}
	apptest.Eventually(t, "the shop is healthy", func() bool { return fares().Status == healthcheck.Healthy })
	status.Store(http.StatusServiceUnavailable)
	apptest.Eventually(t, "the failure is noticed", func() bool { return fares().Status != healthcheck.Healthy })

	chat := p.Admin.Conversation(t, nil)
	turn := chat.Perform(t, `r1.tool=incident.list r1.input={"state":"open"} r2.tool=incident.create r2.input=`+encode(t, map[string]any{
		"title": "The shop is down", "severity": "critical", "systemIds": []string{shop.String()}, "healthOverride": "unhealthy",
		"startedAt": "2026-01-02T03:04:05+01:00",
	})+` text=Done.`)
	card := turn.Card(t, "proposal")
	require.Equal(t, "Open the critical incident The shop is down on Shop", card.Summary)
	require.Zero(t, p.Count(t, `SELECT count(*) FROM incidents`), "nothing happens before a person has decided")
	p.Admin.Apply(t, card.ProposalID)
	var open struct{ Incidents []incident.Listed }
	p.Admin.Get(t, "/api/incidents?state=open", &open)
	require.Len(t, open.Incidents, 1)
	one := open.Incidents[0]
	require.Equal(t, "2026-01-02T02:04:05Z", one.StartedAt.UTC().Format("2006-01-02T15:04:05Z07:00"))
	require.Equal(t, healthcheck.Unhealthy, fares().Status)
	require.Equal(t, "Open incident", fares().Overrides[0].Label)

	// The shop answers again, and the open incident keeps it unhealthy.
	status.Store(http.StatusOK)
	apptest.Eventually(t, "the check passes", func() bool { return fares().Targets[0].Status == healthcheck.Healthy })
	require.Equal(t, healthcheck.Unhealthy, fares().Status)
	require.Contains(t, fares().Reason, "The shop is down")

	colleague := p.Person(t, p.Role(t, incident.Manage))
	window := colleague.Changes(t, "")
	var moved incident.Moved
	colleague.Post(t, "/api/incidents/"+one.ID.String()+"/acknowledge", nil, &moved)
	require.True(t, moved.Changed)
	require.Equal(t, colleague.ID, moved.Acknowledged.ByID)
	window.Hears(t, "record", `{"type":"incident.incident","id":"`+one.ID.String()+`"}`)
	resolve := colleague.Propose(t, "incident.resolve", map[string]any{"id": one.ID, "message": "A disk was full."})
	colleague.Apply(t, resolve.ProposalID)
	require.Equal(t, healthcheck.Healthy, fares().Status)
	require.Empty(t, fares().Overrides)
	var ended incident.Incident
	p.Person(t).Get(t, "/api/incidents/"+one.ID.String(), &ended)
	require.Equal(t, incident.Resolved, ended.Status)
	require.Empty(t, ended.DedupeKey)

	// One page tells the story: what the check saw, what was changed and proposed, and how it went on.
	var line struct{ Entries []incident.Entry }
	p.Admin.Get(t, "/api/incidents/"+one.ID.String()+"/timeline?limit=100", &line)
	var story []string
	for _, e := range line.Entries {
		switch {
		case e.State != nil:
			story = append(story, e.State.Kind)
		case e.Health != nil && e.Health.CheckID != nil:
			require.Equal(t, "Shop page", e.Health.CheckName)
			story = append(story, "check "+e.Health.After)
		case e.Health != nil:
			story = append(story, "system "+e.Health.After)
		case e.Proposal != nil:
			require.Equal(t, "applied", e.Proposal.Status)
			story = append(story, e.Proposal.Summary)
		case e.Change != nil:
			story = append(story, e.Change.Object.Type)
		default:
			story = append(story, e.Kind)
		}
	}
	slices.Reverse(story)
	// The check alone may have made it unhealthy before.
	require.Contains(t, story, "system unhealthy")
	for _, part := range []string{
		"began", "catalog.system", "healthcheck.healthcheck", "check healthy", "system healthy", "check degraded", "system degraded",
		"Open the critical incident The shop is down on Shop", "opened", "acknowledged",
		"Resolve the incident The shop is down", "update",
	} {
		i := slices.Index(story, part)
		require.GreaterOrEqual(t, i, 0, "%s in %v", part, story)
		story = slices.Delete(story, 0, i)
	}
}
