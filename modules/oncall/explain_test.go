package oncall_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/notice"
	"countersign/internal/problem"
	"countersign/modules/oncall"
)

// explained asks as bob.
func (a *app) explained(t testing.TB, query string) oncall.Explanation {
	t.Helper()
	return apitest.Decode[oncall.Explanation](t, a.Do(t, "bob", http.MethodGet, "/api/oncall/explain?"+query, nil))
}

// sentences are those of the steps and people of an explanation.
func sentences(e oncall.Explanation) string {
	lines := []string{e.Text}
	for _, s := range e.Steps {
		lines = append(lines, s.Text)
	}
	for _, p := range e.People {
		lines = append(lines, p.Reason+"| "+p.Text)
	}
	return strings.Join(lines, "\n")
}

// mail gives people a channel.
func (a *app) mail(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		p := a.Principal(name)
		a.Exec(t, `INSERT INTO users (id, email, name, password_hash) VALUES ($1, $2, $3, 'x')`, p.ID, name+"@example.com", name)
	}
}

func TestASimulatedRunSaysWhoIsCalledWhen(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.mail(t, "ada", "bob")
	a.clock.follow(func() time.Time { return start })
	system := uuid.New()
	query := "systemIds=" + system.String() + "&severity=major"
	require.Equal(t, oncall.ReasonNoPolicy, a.explained(t, query).Reason)
	a.policy(t, "Critical", object{"severities": []string{"critical"}}, step(0, a.person("ada")))
	e := a.explained(t, query)
	require.Equal(t, oncall.ReasonSeverity, e.Reason)
	require.Contains(t, e.Text, "the policy Critical is for critical incidents, and this one is major")

	s := a.schedule(t, "Weeks", a.layer("ada", "bob"))
	hours := step(300, a.person("bob"))
	hours["hours"] = "mon-fri 12:00-12:30"
	a.policy(t, "All", object{"default": true}, step(0, object{"kind": "schedule", "id": s.ID}), hours, step(60, a.person("cleo")))
	said := sentences(a.explained(t, query))
	require.Contains(t, said, "All calls in 3 steps until a person acknowledges.")
	require.Contains(t, said, "Step 1 at 2026-03-27 10:00:00 UTC calls bob by email.")
	require.Contains(t, said, "Step 2 at 2026-03-27 12:00:00 UTC calls bob by email: it waits for mon-fri 12:00-12:30, UTC.")
	require.Contains(t, said, "Step 3 at 2026-03-27 12:01:00 UTC calls nobody: cleo has no channel.")
	require.Contains(t, said, "noChannel| cleo has no channel for calls.")
	require.Contains(t, said, "notOnCall| ada is not on call in Weeks when the step is taken.")
	require.Contains(t, said, "| bob is called by step 1 at 2026-03-27 10:00:00 UTC.")
	require.Contains(
		t,
		sentences(a.explained(t, query+"&personId="+a.Principal("root").ID.String())),
		"notNamed| The policy does not name root.",
	)
	// A week later ada is on call.
	require.Contains(t, sentences(a.explained(t, query+"&at=2026-04-03T10:00:00Z")), "Step 1 at 2026-04-03 10:00:00 UTC calls ada by email.")
	a.incidents.mute(notice.Mute{System: system, Until: start.Add(time.Hour), Reason: "maintenance 1"})
	require.Contains(
		t,
		sentences(a.explained(t, query)),
		"Step 1 at 2026-03-27 11:00:00 UTC calls bob by email: it is held by maintenance 1.",
	)
	// Names come with the ids of their records, so that a chat knows whose text they are.
	e = a.explained(t, query)
	require.Equal(t, []oncall.Named{*e.Policy, {ID: s.ID, Name: "Weeks"}}, e.Sources)
	a.incidents.mute()
	require.Zero(t, a.Count(t, `SELECT count(*) FROM notifications`), "a simulated run tells nobody")

	// An incident says what was done, and who is not called any more.
	i := a.incident(t, "major")
	a.incidents.blind[a.Principal("bob").ID] = true
	require.Contains(t, sentences(a.explained(t, "incidentId="+i.ID.String())), "notSeen| bob may not see the incident and gets no message.")
	a.clock.follow(nil)
	a.escalation(t, i, map[time.Duration]func(){time.Minute: a.acknowledge(i.ID, "ada")})
	e = a.explained(t, "incidentId="+i.ID.String())
	require.Equal(t, oncall.ReasonAcknowledged, e.Reason)
	said = sentences(e)
	require.Contains(t, said, "Nobody is called any more. Acknowledged by ada.")
	require.Contains(t, said, "Step 1 was taken at ")
	require.Contains(t, said, "acknowledged| Nobody is called any more. Acknowledged by ada.")
	a.incidents.change(i.ID, func(i *oncall.Incident) { i.Open = false })
	require.Equal(t, oncall.ReasonResolved, a.explained(t, "incidentId="+i.ID.String()).Reason)

	shown := apitest.Decode[oncall.Escalation](t, a.Do(t, "bob", http.MethodGet, "/api/oncall/escalations/"+i.ID.String(), nil))
	require.Equal(t, "acknowledged", shown.State)
	require.Len(t, shown.Calls, 1)
	refused(t, problem.NotFound, a.Do(t, "bob", http.MethodGet, "/api/oncall/escalations/"+uuid.NewString(), nil))
	refused(t, problem.Forbidden, a.Do(t, "outsider", http.MethodGet, "/api/oncall/explain?"+query, nil))
	refused(t, problem.Invalid, a.Do(t, "bob", http.MethodGet, "/api/oncall/explain", nil))
}
