package incident_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/incident"
)

const importing = incidents + "/import"

func (a *app) bring(t testing.TB, body object) incident.ImportReport {
	t.Helper()
	return apitest.Decode[incident.ImportReport](t, a.Do(t, "ada", http.MethodPost, importing, body))
}

// page is an incident as Statuspage answers with it: created when it was written down, long after it was over.
const page = `{"page": {"id": "p"}, "incident": {"id": "abc", "page_id": "p", "name": "Webhooks are late", "status": "resolved",
	"impact": "major", "created_at": "2018-12-05T11:41:39.867Z", "started_at": "2016-01-28T10:23:03.000Z",
	"resolved_at": "2016-01-28T12:03:00.000Z", "shortlink": "http://example.org/x", "incident_updates": [
	{"status": "resolved", "body": "All is well.", "created_at": "2018-12-05T11:41:39.867Z", "display_at": "2016-01-28T12:03:00.000Z"},
	{"status": "investigating", "body": "Still <b>late</b>.", "created_at": "2016-01-28T11:00:00.000Z", "display_at": null},
	{"status": "investigating", "body": "We look at it.", "created_at": "2016-01-28T10:20:00.000Z", "display_at": null}]}}`

// Imported incidents have their own times, a second import changes nothing, and a dry run stores nothing.
func TestImportedIncidentsKeepTheirTimes(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments := a.system(t, "Payments")
	body := object{"statuspage": page, "systemIds": []uuid.UUID{payments}, "dryRun": true}
	tried := a.bring(t, body)
	require.Equal(t, 1, tried.Created)
	require.Nil(t, tried.Results[0].ID)
	require.Empty(t, a.titles(t, "ada", ""))

	body["dryRun"] = false
	first := a.bring(t, body)
	require.Equal(t, incident.ImportReport{Created: 1, Results: first.Results}, first)
	one := a.get(t, "reader", *first.Results[0].ID)
	require.Equal(t, incident.Major, one.Severity)
	require.Equal(t, incident.Resolved, one.Status)
	require.Equal(t, "2016-01-28T10:20:00Z", one.StartedAt.UTC().Format(time.RFC3339), "an update was the first to tell of it")
	require.Equal(t, "2016-01-28T12:03:00Z", one.ResolvedAt.UTC().Format(time.RFC3339))
	told := a.updates(t, "reader", one.ID)
	require.Equal(t, []string{"resolved", "", "investigating"}, []string{told[0].StatusChange, told[1].StatusChange, told[2].StatusChange})
	require.Equal(t, "Still <b>late</b>.", told[1].Message)
	require.True(t, told[0].CreatedAt.Equal(*one.ResolvedAt))
	types, _ := a.events(t, "ada", one.ID)
	require.Empty(t, types, "nobody is called for what is over")

	again := a.bring(t, body)
	require.Equal(t, 1, again.Unchanged)
	require.Equal(t, one.ID, *again.Results[0].ID)
	require.Equal(t, one, a.get(t, "reader", one.ID))
	require.Len(t, a.updates(t, "reader", one.ID), 3)
}

// Texts from another product are content from outside for the assistant, whoever has brought them.
func TestTextsOfImportsAreFromOutside(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments := a.system(t, "Payments")
	own := a.open(t, "Own", payments)
	taints := func(tool string, input object) bool {
		t.Helper()
		output, err := a.Tool(t, tool).Run(t.Context(), a.Caller("ada"), encoded(t, input))
		require.NoError(t, err)
		if a.Tool(t, tool).Taints(output) {
			require.Equal(t, "imported incidents and alerts", a.Tool(t, tool).Origin(nil, output))
			return true
		}
		return false
	}
	require.False(t, taints("incident.list", object{}))
	past := *a.bring(t, object{"statuspage": page, "systemIds": []uuid.UUID{payments}}).Results[0].ID
	require.True(t, a.get(t, "reader", past).Imported)
	require.True(t, taints("incident.list", object{}))
	require.False(t, taints("incident.list", object{"state": "open"}))
	for id, outside := range map[uuid.UUID]bool{own.ID: false, past: true} {
		require.Equal(t, outside, taints("incident.get", object{"id": id}))
		require.Equal(t, outside, taints("incident.brief", object{"id": id}))
	}
}

func encoded(t testing.TB, v any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

func TestAnImportTakesEachByItself(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments := a.system(t, "Payments")
	past := func(key string, more object) object {
		one := object{
			"dedupeKey": key, "title": "Past " + key, "severity": "minor", "systemIds": []uuid.UUID{payments},
			"startedAt": "2020-01-02T03:04:05+01:00", "resolvedAt": "2020-01-02T04:04:05+01:00",
		}
		maps.Copy(one, more)
		return one
	}
	report := a.bring(t, object{"incidents": []any{
		past("a", nil),
		past("b", object{"resolvedAt": "2019-01-02T04:04:05Z", "title": "\u200b"}),
		past("c", object{"systemIds": []uuid.UUID{uuid.New()}}),
		past("d", object{"resolvedAt": nil, "status": "monitoring"}),
		past("a", object{"title": "The same key"}),
		past("e", object{"updates": []any{object{"message": "Later.", "at": time.Now().Add(time.Hour)}}}),
		past("f", object{"startedAt": "0001-01-02T03:04:05Z"}),
	}})
	results := []string{}
	for _, r := range report.Results {
		results = append(results, r.Result)
	}
	require.Equal(t, []string{"created", "refused", "refused", "created", "unchanged", "refused", "refused"}, results)
	require.Equal(t, "incidents[1].title", report.Results[1].Issues[0].Path)
	require.Equal(t, "incidents[1].resolvedAt", report.Results[1].Issues[1].Path)
	require.Equal(t, "incidents[2].systemIds[0]", report.Results[2].Issues[0].Path)
	require.Equal(t, "incidents[5].updates[0].at", report.Results[5].Issues[0].Path)
	require.Equal(t, []string{"Past a", "Past d"}, sorted(a.titles(t, "reader", "")))
	types, _ := a.events(t, "ada", *report.Results[3].ID)
	require.Equal(t, []string{"incident.created"}, types, "one that is open is one like others")

	for name, body := range map[string]object{
		"nothing":        {},
		"both":           {"statuspage": page, "incidents": []any{past("g", nil)}},
		"no systems":     {"statuspage": page},
		"no JSON":        {"statuspage": "no", "systemIds": []uuid.UUID{payments}},
		"no incidents":   {"statuspage": "{}", "systemIds": []uuid.UUID{payments}},
		"wrong types":    {"statuspage": `[{"id": 1}]`, "systemIds": []uuid.UUID{payments}},
		"deeply nested":  {"statuspage": strings.Repeat("[", 20_000), "systemIds": []uuid.UUID{payments}},
		"not the format": {"statuspage": `{"incidents": {}}`, "systemIds": []uuid.UUID{payments}},
	} {
		refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPost, importing, body))
		require.NotEmpty(t, name)
	}
	refused(t, problem.Forbidden, a.Do(t, "reader", http.MethodPost, importing, object{"incidents": []any{past("h", nil)}}))
}

// An end that is given lies between the start and now.
func TestAnEndCanBeGiven(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	started := time.Now().Add(-3 * time.Hour).UTC().Truncate(time.Second)
	one := a.open(t, "Slow", a.system(t, "Payments"), object{"startedAt": started})
	for name, end := range map[string]time.Time{"before": started.Add(-time.Second), "later": time.Now().Add(time.Hour)} {
		refusal := refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPost, at(one.ID, "resolve"), object{"resolvedAt": end}))
		require.Equal(t, "resolvedAt", refusal.Issues[0].Path, name)
	}
	ended := started.Add(time.Hour)
	moved := a.move(t, "ada", one.ID, "resolve", object{"resolvedAt": ended, "message": "It was over."})
	require.True(t, moved.ResolvedAt.Equal(ended))
	require.True(t, a.updates(t, "reader", one.ID)[0].CreatedAt.Equal(ended))
}

// A report that updates the first incident changes what it names, and nothing when it says the same.
func TestAReportUpdatesTheFirstIncident(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments, search := a.system(t, "Payments"), a.system(t, "Search")
	key := object{"dedupeKey": "k", "onDuplicate": "update", "description": "Disks"}
	first := a.open(t, "Slow", payments, key)
	same := a.open(t, "Slow", payments, key)
	require.False(t, same.Created)
	require.False(t, same.Updated)
	require.Equal(t, first.Revision, same.Revision)
	worse := a.open(t, "Slower", search, object{
		"dedupeKey": "k", "onDuplicate": "update", "severity": "critical", "healthOverride": "degraded", "initialMessage": "More of it.",
	})
	require.True(t, worse.Updated)
	require.Equal(t, first.ID, worse.ID)
	one := a.get(t, "reader", first.ID)
	require.Equal(t, "Slower", one.Title)
	require.Equal(t, incident.Critical, one.Severity)
	require.Equal(t, "Disks", one.Description)
	require.Len(t, one.Systems, 2)
	require.Equal(t, incident.Degraded, one.HealthOverride)
	require.Equal(t, "More of it.", a.updates(t, "reader", first.ID)[0].Message)
	kept := a.open(t, "Another", payments, object{"dedupeKey": "k"})
	require.False(t, kept.Updated)
	require.Equal(t, "Slower", kept.Title)
	body, err := json.Marshal(input("No key", payments, object{"onDuplicate": "update"}))
	require.NoError(t, err)
	refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPost, incidents, json.RawMessage(body)))
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}
