package incident_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/modules/incident"
)

// A program that has only its key finds the incident that an earlier run of it opened, and resolves that one.
func TestAnIncidentIsFoundByItsKey(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments := a.system(t, "Payments")
	key := "monitor " + payments.String()
	query := "?state=open&dedupeKey=" + url.QueryEscape(key)
	first := a.open(t, "Slow", payments, object{"dedupeKey": key})
	a.open(t, "Other", payments, object{"dedupeKey": key + " other"})
	require.Equal(t, []string{"Slow"}, a.titles(t, "bob", query))
	require.True(t, a.move(t, "bob", first.ID, "resolve", object{}).Changed)
	require.Empty(t, a.titles(t, "bob", query))
	require.Equal(t, []string{"Slow"}, a.titles(t, "bob", "?state=resolved&dedupeKey="+url.QueryEscape(key)))
	refused(t, problem.Forbidden, a.Do(t, "reader", http.MethodGet, incidents+query, nil))
}

// A moment is the same instant in whichever zone it was written, and one without an offset is refused.
func TestAMomentIsAnInstant(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments := a.system(t, "Payments")
	for _, written := range []string{"2026-06-01T04:00:00-06:00", "2026-06-01T12:00:00+02:00", "2026-06-01T10:00:00Z"} {
		one := a.open(t, "Slow", payments, object{"startedAt": written})
		require.Equal(t, "2026-06-01T10:00:00Z", a.get(t, "reader", one.ID).StartedAt.UTC().Format(time.RFC3339))
		require.Equal(t, "2026-06-01T10:00:00Z", a.timeline(t, "reader", one.ID, "?limit=100").first(t, "began").UTC().Format(time.RFC3339))
	}
	local := input("Slow", payments, object{"startedAt": "2026-06-01T10:00:00"})
	refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPost, incidents, local))
}

// first is when the first entry of a kind was.
func (p timelinePage) first(t testing.TB, kind string) time.Time {
	t.Helper()
	for _, e := range p.Entries {
		if e.Kind == kind {
			return e.At
		}
	}
	t.Fatalf("no entry is of the kind %s", kind)
	return time.Time{}
}

// Imported incidents stand in the list where they were, between others.
func TestImportedIncidentsStandWhereTheyWere(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments := a.system(t, "Payments")
	a.open(t, "Today", payments)
	a.open(t, "A week ago", payments, object{"startedAt": time.Now().Add(-7 * 24 * time.Hour)})
	past := func(title string, days int) object {
		at := time.Now().Add(-time.Duration(days) * 24 * time.Hour)
		return object{
			"dedupeKey": title, "title": title, "severity": "minor", "systemIds": []uuid.UUID{payments},
			"startedAt": at, "resolvedAt": at.Add(time.Hour),
		}
	}
	a.bring(t, object{"incidents": []any{past("Years ago", 900), past("Yesterday", 1)}})
	require.Equal(t, []string{"Today", "Yesterday", "A week ago", "Years ago"}, a.titles(t, "reader", ""))
	require.Equal(t, []string{"Yesterday", "Years ago"}, a.titles(t, "reader", "?state=resolved"))
}

// Texts are text, whatever they look like, and what cannot be seen or followed is refused.
func TestBadTextsOfIncidentsAreRefused(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments := a.system(t, "Payments")
	many := make([]uuid.UUID, 10_000)
	for i := range many {
		many[i] = uuid.New()
	}
	for name, more := range map[string]object{
		"empty title":     {"title": ""},
		"blank title":     {"title": " \u2003\t"},
		"invisible title": {"title": "\u200b\u2060"},
		"control title":   {"title": "Slow\u0000"},
		"two lines":       {"title": "Slow\nSubject: Other"},
		"many systems":    {"systemIds": many},
		"control update":  {"initialMessage": "Slow\u001b[31m"},
	} {
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity},
			a.Do(t, "ada", http.MethodPost, incidents, input("Slow", payments, more)).Status, name)
	}
	one := a.open(t, "<script>alert(1)</script>", payments)
	require.Equal(t, "<script>alert(1)</script>", a.get(t, "reader", one.ID).Title)
	for _, address := range []string{"javascript:alert(1)", "data:text/html,x", "https://user:secret@example.org", "//example.org"} {
		refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPost, at(one.ID, "links"), object{"url": address}))
	}
	require.Len(t, a.titles(t, "reader", ""), 1)
	require.Equal(t, incident.Investigating, a.get(t, "reader", one.ID).Status)
}
