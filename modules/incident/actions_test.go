package incident_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/incident"
)

func TestAutomationsActOnIncidents(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	system := a.system(t, "Payments")
	seen := []string{systemRead, incident.Read}
	count := func(query string, args ...any) func() int {
		return func() int { return a.Count(t, query, args...) }
	}
	updates := count(`SELECT count(*) FROM notes`)
	on := func(config object, effects func() int) func() apitest.Acting {
		return func() apitest.Acting {
			config["incidentId"] = a.open(t, "Slow", system).ID
			return apitest.Acting{Config: config, Sees: seen, Effects: effects}
		}
	}
	a.ConformActions(t, a.module.Actions(), map[string]func() apitest.Acting{
		"incident.create": func() apitest.Acting {
			return apitest.Acting{
				Config: input("Payments are down", system, object{"initialMessage": "The checks fail."}), Sees: seen,
				Effects: count(`SELECT count(*) FROM incidents`),
			}
		},
		"incident.resolve":       on(object{"message": "All is well."}, count(`SELECT count(*) FROM incidents WHERE status = 'resolved'`)),
		"incident.acknowledge":   on(object{}, count(`SELECT count(*) FROM incidents WHERE acknowledged_at IS NOT NULL`)),
		"incident.update":        on(object{"severity": "critical"}, count(`SELECT count(*) FROM incidents WHERE severity = 'critical'`)),
		"incident.add_update":    on(object{"message": "We are looking."}, updates),
		"incident.update_status": on(object{"status": "monitoring"}, updates),
		"incident.add_link":      on(object{"url": "https://tickets.example.com/7"}, count(`SELECT count(*) FROM note_links`)),
	})
}

// The result says what became of a call, for the steps after it.
func TestAResultIsTheIncidentAsItIsNow(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	system := a.system(t, "Payments")
	actions := map[string]int{}
	for i, one := range a.module.Actions() {
		actions[one.ID] = i
	}
	act := func(id string, config any) (string, string, error) {
		r, err := a.Act(t.Context(), t, a.module.Actions()[actions[id]], uuid.NewString(), config, systemRead, incident.Manage)
		return string(r.Artifacts["incident"]), r.Summary, err
	}
	config := input("Down", system, object{"dedupeKey": "payments"})
	opened, summary, err := act("incident.create", config)
	require.NoError(t, err)
	require.Equal(t, "Opened the incident Down", summary)
	again, summary, err := act("incident.create", config)
	require.NoError(t, err)
	require.Equal(t, "Found Down", summary)
	require.JSONEq(t, opened, again)
	id := apitest.Decode[struct {
		Incidents []struct{ ID uuid.UUID }
	}](t, a.Do(t, "ada", http.MethodGet, incidents, nil)).Incidents[0].ID
	require.JSONEq(
		t,
		`{"incidentId":"`+id.String()+`","status":"investigating","severity":"major","systemIds":["`+system.String()+`"]}`,
		opened,
	)

	resolved, summary, err := act("incident.resolve", object{"incidentId": id})
	require.NoError(t, err)
	require.Equal(t, "Resolved the incident Down", summary)
	require.Contains(t, resolved, `"status":"resolved"`)
	_, summary, err = act("incident.resolve", object{"incidentId": id})
	require.NoError(t, err)
	require.Equal(t, "Nothing to do for Down", summary)
	_, _, err = act("incident.resolve", object{"incidentId": "x"})
	require.ErrorContains(t, err, "incidentId")
	_, _, err = act("incident.resolve", object{"id": id})
	require.Equal(t, []problem.Issue{{Path: "id", Message: "is called incidentId"}}, problem.As(err).Issues)
}
