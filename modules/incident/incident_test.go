package incident_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/check/health"
	"countersign/internal/note"
	"countersign/internal/problem"
	"countersign/modules/incident"
)

func TestAnIncidentGoesFromReportToEnd(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments := a.system(t, "Payments")
	started := time.Now().Add(-time.Hour).UTC().Truncate(time.Second)
	opened := a.open(t, "  Payments are slow ", payments, object{"startedAt": started, "initialMessage": "We look at it."})
	require.True(t, opened.Created)
	require.Equal(t, "Payments are slow", opened.Title)
	require.Equal(t, incident.Investigating, opened.Status)
	require.True(t, started.Equal(opened.StartedAt), "it began before it was opened")
	require.Equal(t, []incident.System{{ID: payments, Name: "Payments"}}, opened.Systems)

	a.say(t, "ada", opened.ID, object{"message": "The database is full.", "statusChange": "identified"})
	require.Equal(t, incident.Identified, a.get(t, "reader", opened.ID).Status)
	acknowledged := a.move(t, "bob", opened.ID, "acknowledge", nil)
	require.True(t, acknowledged.Changed)
	require.Equal(t, "bob", acknowledged.Acknowledged.ByName)
	again := a.move(t, "ada", opened.ID, "acknowledge", nil)
	require.False(t, again.Changed)
	require.Equal(t, "bob", again.Acknowledged.ByName, "the first one counts")
	require.Equal(t, acknowledged.Revision, again.Revision)

	resolved := a.move(t, "ada", opened.ID, "resolve", object{"message": "There is room again."})
	require.True(t, resolved.Changed)
	require.NotNil(t, resolved.ResolvedAt)
	require.False(t, a.move(t, "bob", opened.ID, "resolve", object{"message": "Twice."}).Changed)
	late := refused(t, problem.Conflict, a.Do(t, "bob", http.MethodPost, at(opened.ID, "acknowledge"), nil))
	require.Equal(t, "resolved", late.Extra["incidentStatus"])
	require.Equal(t, incident.Resolved, a.get(t, "reader", opened.ID).Status)

	var told []string
	for _, u := range a.updates(t, "reader", opened.ID) {
		told = append(told, u.Message+" "+u.StatusChange)
	}
	require.Equal(t, []string{"There is room again. resolved", "The database is full. identified", "We look at it. "}, told)
	reopened := a.move(t, "ada", opened.ID, "reopen", object{"status": "monitoring"})
	require.True(t, reopened.Changed)
	require.Nil(t, reopened.ResolvedAt)
	require.Equal(t, incident.Monitoring, reopened.Status)
	require.False(t, a.move(t, "ada", opened.ID, "reopen", object{}).Changed)
	types, payloads := a.events(t, "reader", opened.ID)
	require.Equal(t, []string{
		"incident.created", "incident.updated", "incident.updated", "incident.acknowledged", "incident.resolved", "incident.reopened",
	}, types)
	require.Equal(t, "identified", payloads[2].Status)
	require.Equal(t, "resolved", payloads[5].StatusBefore)
}

// Two processes resolve and acknowledge at the same time: an acknowledgement that comes late changes nothing.
func TestALateAcknowledgementDoesNotReopen(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments := a.system(t, "Payments")
	for range 50 {
		one := a.open(t, "Slow", payments)
		race(
			func() { a.Do(t, "ada", http.MethodPost, at(one.ID, "resolve"), object{}) },
			func() { a.Do(t, "bob", http.MethodPost, at(one.ID, "acknowledge"), nil) },
		)
		require.Equal(t, incident.Resolved, a.get(t, "reader", one.ID).Status)
		types, _ := a.events(t, "reader", one.ID)
		require.Equal(t, "incident.resolved", types[len(types)-1])
	}
}

func race(parts ...func()) {
	var begin, end sync.WaitGroup
	begin.Add(1)
	for _, part := range parts {
		end.Go(func() {
			begin.Wait()
			part()
		})
	}
	begin.Done()
	end.Wait()
}

// Reports of the same trouble in the same instant make one incident, and all get it.
func TestReportsInTheSameInstantMakeOneIncident(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments := a.system(t, "Payments")
	for n := range 30 {
		key := object{"dedupeKey": "payments " + strings.Repeat("x", n+1)}
		answers := make([]apitest.Answer, 3)
		report := func(i int, as string) func() {
			return func() { answers[i] = a.Do(t, as, http.MethodPost, incidents, input("Slow", payments, key)) }
		}
		race(report(0, "ada"), report(1, "bob"), report(2, "root"))
		statuses, ids := []int{}, map[uuid.UUID]bool{}
		for _, answer := range answers {
			o := apitest.Decode[incident.Opened](t, answer)
			require.Equal(t, o.Created, answer.Status == http.StatusCreated)
			statuses, ids[o.ID] = append(statuses, answer.Status), true
		}
		slices.Sort(statuses)
		require.Equal(t, []int{200, 200, 201}, statuses)
		require.Len(t, ids, 1)
	}
	require.Equal(t, 30, a.Count(t, `SELECT count(*) FROM incidents`))
}

// A source of alerts writes to the incident of its key, so nobody else gives an incident such a key.
func TestTheKeysOfSourcesOfAlertsAreTheirs(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments, key := a.system(t, "Payments"), object{"dedupeKey": "alert/" + uuid.NewString() + "/0"}
	own := a.open(t, "Slow", payments)
	a.Do(t, "root", http.MethodPost, incidents, input("Slow", payments, key)).Refused(t, problem.Invalid)
	a.Do(t, "root", http.MethodPatch, incidents+"/"+own.ID.String(), key).Refused(t, problem.Invalid)
	brought := a.bring(t, object{"incidents": []object{{
		"dedupeKey": key["dedupeKey"], "title": "Old", "severity": "minor", "systemIds": []uuid.UUID{payments},
		"startedAt": "2026-01-02T03:04:05Z",
	}}})
	require.Equal(t, "refused", brought.Results[0].Result)
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM incidents`))
}

func TestAKeyIsFreeAgainWhenItsIncidentHasEnded(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments, key := a.system(t, "Payments"), object{"dedupeKey": "disk"}
	first := a.open(t, "First", payments, key)
	require.Equal(t, first.ID, a.open(t, "Second", payments, key).ID)
	a.move(t, "ada", first.ID, "resolve", object{})
	second := a.open(t, "Second", payments, key)
	require.True(t, second.Created)
	taken := refused(t, problem.Conflict, a.Do(t, "ada", http.MethodPost, at(first.ID, "reopen"), object{}))
	require.Equal(t, second.ID.String(), taken.Extra["duplicateOf"])
	third := a.open(t, "Third", payments)
	taken = refused(t, problem.Conflict, a.Do(t, "ada", http.MethodPatch, at(third.ID), key))
	require.Equal(t, second.ID.String(), taken.Extra["duplicateOf"])
	a.hide(t, payments, "bob")
	hidden := a.system(t, "Search")
	taken = refused(t, problem.Conflict, a.Do(t, "ada", http.MethodPost, incidents, input("Fourth", hidden, key)))
	require.NotContains(t, taken.Extra, "duplicateOf", "ada does not see that one")
}

func TestNullClearsAFieldOfAnIncident(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	one := a.open(t, "Slow", a.system(t, "Payments"), object{
		"description": "Since the morning.", "healthOverride": "degraded", "dedupeKey": "k", "suppressNotifications": true,
	})
	changed := apitest.Decode[incident.Incident](t, a.Do(t, "ada", http.MethodPatch, at(one.ID), object{
		"description": nil, "healthOverride": nil, "dedupeKey": nil, "suppressNotifications": nil,
	}))
	require.Empty(t, changed.Description)
	require.Equal(t, incident.NoOverride, changed.HealthOverride)
	require.Empty(t, changed.DedupeKey)
	require.False(t, changed.SuppressNotifications)
	refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPatch, at(one.ID), object{"title": nil}))
	same := apitest.Decode[incident.Incident](t, a.Do(t, "ada", http.MethodPatch, at(one.ID), object{"title": "Slow"}))
	require.Equal(t, changed.Revision, same.Revision, "a change without effect keeps the revision")
}

func TestBadInputOfIncidentsIsRefused(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments := a.system(t, "Payments")
	many := make([]uuid.UUID, 10_000)
	for i := range many {
		many[i] = uuid.New()
	}
	for name, more := range map[string]object{
		"empty title":       {"title": " \t "},
		"invisible title":   {"title": "\u200b\u2060"},
		"control character": {"title": "Slow\u0007"},
		"two lines":         {"title": "Slow\nand slower"},
		"no system":         {"systemIds": []uuid.UUID{}},
		"unknown system":    {"systemIds": []uuid.UUID{uuid.New()}},
		"10,000 systems":    {"systemIds": many},
		"unknown severity":  {"severity": "huge"},
		"ended":             {"status": "resolved"},
		"unknown override":  {"healthOverride": "healthy"},
		"future":            {"startedAt": time.Now().Add(time.Hour)},
		"no offset":         {"startedAt": "2026-01-02T03:04:05"},
		"unknown member":    {"priority": 1},
		"long message":      {"initialMessage": strings.Repeat("x", note.MaxMessage+1)},
	} {
		answer := a.Do(t, "ada", http.MethodPost, incidents, input("Slow", payments, more))
		require.Equal(t, problem.Invalid.Status(), answer.Status, "%s: %s", name, answer.Body)
	}
	one := a.open(t, "Slow", payments)
	for _, address := range []string{
		"javascript:alert(1)", "data:text/html,x", "//example.org", "https://", "https://a:b@example.org/", "https://exa mple.org",
	} {
		refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPost, at(one.ID, "links"), object{"url": address}))
	}
	for _, message := range []string{"", " \n ", "\u200b", "bell \u0007"} {
		refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPost, at(one.ID, "updates"), object{"message": message}))
	}
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM incidents`))
	require.Zero(t, a.Count(t, `SELECT count(*) FROM notes`)+a.Count(t, `SELECT count(*) FROM note_links`))
}

func TestListsOfIncidentsAreFiltered(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments, search := a.system(t, "Payments"), a.system(t, "Search")
	ago := func(hours int) object { return object{"startedAt": time.Now().Add(-time.Duration(hours) * time.Hour)} }
	a.open(t, "Old", payments, ago(3))
	over := a.open(t, "Over", payments, ago(2), object{"severity": "critical", "description": "The Größe of a disk."})
	a.open(t, "New", search, ago(1))
	a.move(t, "ada", over.ID, "resolve", object{})
	for query, want := range map[string][]string{
		"":                               {"New", "Over", "Old"},
		"?state=open":                    {"New", "Old"},
		"?state=resolved":                {"Over"},
		"?status=investigating":          {"New", "Old"},
		"?severity=critical":             {"Over"},
		"?systemId=" + payments.String(): {"Over", "Old"},
		"?query=GR%C3%96SSE":             {"Over"},
		"?query=%25":                     {},
		"?state=open&systemId=" + search.String() + "&query=ne": {"New"},
	} {
		require.Equal(t, want, a.titles(t, "reader", query), query)
	}
	refused(t, problem.NotFound, a.Do(t, "reader", http.MethodGet, incidents+"?systemId="+uuid.NewString(), nil))
}

func TestOverridesOfIncidentsEndWithThem(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments, search := a.system(t, "Payments"), a.system(t, "Search")
	is := func(system uuid.UUID, want health.Status, because string) {
		t.Helper()
		status, reason := a.status(t, system)
		require.Equal(t, want, status, reason)
		require.Contains(t, reason, because)
	}
	slow := a.open(t, "Slow", payments, object{"healthOverride": "degraded"})
	is(payments, health.Degraded, "The incident Slow is open.")
	down := a.open(t, "Down", payments, object{"healthOverride": "unhealthy"})
	is(payments, health.Unhealthy, "Down")
	a.Do(t, "ada", http.MethodPatch, at(slow.ID), object{"title": "Slower", "systemIds": []uuid.UUID{payments, search}})
	is(search, health.Degraded, "Slower")
	a.move(t, "ada", down.ID, "resolve", object{})
	is(payments, health.Degraded, "Slower")
	a.Do(t, "ada", http.MethodPatch, at(slow.ID), object{"systemIds": []uuid.UUID{search}})
	is(payments, health.Unknown, "")
	a.move(t, "ada", down.ID, "reopen", object{})
	is(payments, health.Unhealthy, "Down")
	a.move(t, "ada", down.ID, "merge", object{"into": slow.ID})
	is(payments, health.Degraded, "Slower")
	require.Equal(t, http.StatusNoContent, a.Do(t, "ada", http.MethodDelete, at(slow.ID), nil).Status)
	is(payments, health.Unknown, "")
	is(search, health.Unknown, "")
	require.Zero(t, a.Count(t, `SELECT count(*) FROM check_overrides`))
}

func TestAnIncidentIsMergedIntoAnother(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments, search := a.system(t, "Payments"), a.system(t, "Search")
	kept, twin, third := a.open(t, "Kept", payments), a.open(t, "Twin", search), a.open(t, "Third", search)
	require.True(t, a.move(t, "ada", third.ID, "merge", object{"into": twin.ID}).Changed)
	merged := a.move(t, "ada", twin.ID, "merge", object{"into": kept.ID})
	require.True(t, merged.Changed)
	require.Equal(t, incident.Resolved, merged.Status)
	require.Equal(t, kept.ID, *merged.DuplicateOf)
	require.Equal(t, kept.ID, *a.get(t, "reader", third.ID).DuplicateOf, "its duplicates follow")
	require.Len(t, a.get(t, "reader", kept.ID).Systems, 2)
	require.False(t, a.move(t, "ada", twin.ID, "merge", object{"into": kept.ID}).Changed)
	refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPost, at(kept.ID, "merge"), object{"into": kept.ID}))
	refused(t, problem.Conflict, a.Do(t, "ada", http.MethodPost, at(kept.ID, "merge"), object{"into": twin.ID}))
	require.Nil(t, a.move(t, "ada", twin.ID, "reopen", object{}).DuplicateOf)
	a.hide(t, payments)
	a.hide(t, search, "reader")
	require.Len(t, a.get(t, "reader", kept.ID).Systems, 1, "it has a system that they see")
}

// A system that is deleted while its incident is merged joins no other one.
func TestAMergeTakesNoSystemThatIsGone(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments, search := a.system(t, "Payments"), a.system(t, "Search")
	kept, twin := a.open(t, "Kept", search), a.open(t, "Twin", payments, object{"systemIds": []uuid.UUID{payments, search}})
	answer := make(chan apitest.Answer, 1)
	require.NoError(t, a.DB.InTx(t.Context(), func(ctx context.Context) error {
		if _, err := a.DB.Conn(ctx).Exec(ctx, `SELECT FROM catalog_systems WHERE id = $1 FOR NO KEY UPDATE`, payments); err != nil {
			return err
		}
		go func() { answer <- a.Do(t, "ada", http.MethodPost, at(twin.ID, "merge"), object{"into": kept.ID}) }()
		require.Eventually(t, func() bool {
			return a.Count(t, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
		}, time.Minute, 5*time.Millisecond, "the merge waits for the deletion")
		if err := a.module.OnRemoved(ctx, "catalog.system", payments); err != nil {
			return err
		}
		_, err := a.DB.Conn(ctx).Exec(ctx, `DELETE FROM catalog_systems WHERE id = $1`, payments)
		return err
	}))
	require.True(t, apitest.Decode[incident.Moved](t, <-answer).Changed)
	require.Zero(t, a.Count(t, `SELECT count(*) FROM incident_systems WHERE system_id = $1`, payments))
}

func TestBulkOperationsSayWhatHappenedToEach(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments, hidden := a.system(t, "Payments"), a.system(t, "Hidden")
	one, two, secret := a.open(t, "One", payments), a.open(t, "Two", payments), a.open(t, "Secret", hidden)
	a.hide(t, hidden)
	a.move(t, "ada", two.ID, "resolve", object{})
	bulk := func(as, part string, ids ...uuid.UUID) []string {
		t.Helper()
		answer := a.Do(t, as, http.MethodPost, incidents+"/"+part, object{"ids": ids})
		var results []string
		for _, r := range apitest.Decode[struct{ Results []incident.Result }](t, answer).Results {
			word := r.Result
			if !r.Changed {
				word += " before"
			}
			results = append(results, word)
		}
		return results
	}
	require.Equal(t, []string{"resolved", "resolved before", "notFound before", "notFound before"},
		bulk("ada", "bulk-resolve", one.ID, two.ID, secret.ID, uuid.New(), one.ID))
	require.Equal(t, []string{"deleted", "notFound before"}, bulk("ada", "bulk-delete", one.ID, secret.ID))
	refused(t, problem.Forbidden, a.Do(t, "reader", http.MethodPost, incidents+"/bulk-delete", object{"ids": []uuid.UUID{two.ID}}))
	require.Equal(t, []string{"Two"}, a.titles(t, "reader", ""))
}
