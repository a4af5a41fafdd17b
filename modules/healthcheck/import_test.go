package healthcheck_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
)

const (
	importPath  = "/api/healthcheck/import"
	previewPath = importPath + "/preview"
	exportPath  = "/api/healthcheck/export"
)

// document is the text of a document of these checks.
func document(t testing.TB, checks ...object) string {
	t.Helper()
	raw, err := json.Marshal(object{"version": 1, "checks": checks})
	require.NoError(t, err)
	return string(raw)
}

func (a *app) preview(t testing.TB, document string) healthcheck.ImportReport {
	t.Helper()
	return decode[healthcheck.ImportReport](t, a.Do(t, "root", http.MethodPost, previewPath, object{"document": document}))
}

func outcomes(r healthcheck.ImportReport) (all []string) {
	for _, c := range r.Checks {
		all = append(all, c.Name+" "+c.Outcome)
	}
	return all
}

// What was exported is imported again, in either form: nothing changes where it came from, and elsewhere the same checks are made.
func TestAnExportIsImported(t *testing.T) {
	t.Parallel()
	here, there := newApp(t), newApp(t)
	kept := uuid.NewString()
	here.check(t, door("Front door", "example.org", object{
		"description": "The one\nto the street.", "paused": true, "keptFields": []string{kept + ".answers"},
		"collectors": []object{{"id": kept, "collectorId": "test-door.knock", "config": object{"times": 3}, "assertions": []object{
			{"field": "words", "operator": "contains", "value": "yes: no"}, {"field": "open", "operator": "isTrue"},
		}}},
	}))
	here.check(t, door("Back door", "{{ system.name }}.example.org"))
	for _, format := range []string{"json", "yaml"} {
		answer := here.Do(t, "root", http.MethodGet, exportPath+"?format="+format, nil)
		require.Equal(t, http.StatusOK, answer.Status)
		require.Contains(t, answer.Header.Get("Content-Disposition"), "health-checks."+format)
		same := here.preview(t, answer.Body)
		require.Equal(t, []string{"Back door unchanged", "Front door unchanged"}, outcomes(same), answer.Body)
		require.Equal(t, []string{"Back door created", "Front door created"}, outcomes(there.preview(t, answer.Body)), "a preview stores nothing")
	}
	yaml := here.Do(t, "root", http.MethodGet, exportPath+"?format=yaml", nil).Body
	require.True(t, strings.HasPrefix(yaml, "version: 1\nchecks:\n"), yaml)
	done := decode[healthcheck.ImportReport](t, there.Do(t, "root", http.MethodPost, importPath, object{"document": yaml}))
	require.Equal(t, 2, done.Created)
	made := decode[healthcheck.Check](t, there.Do(t, "root", http.MethodGet, at(checks, *done.Checks[1].ID), nil))
	require.True(t, made.Paused)
	require.Equal(t, "The one\nto the street.", made.Description)
	require.Equal(t, []string{kept + ".answers"}, made.Kept)
	require.JSONEq(t, `"yes: no"`, string(made.Collectors[0].Assertions[0].Value))
	one := there.Do(t, "root", http.MethodGet, at(checks, made.ID)+"/export", nil)
	require.Contains(t, one.Body, `"Front door"`)
	require.NotContains(t, one.Body, "Back door")
}

// One check that is refused keeps all others out, and each says what is wrong with it.
func TestAnImportIsDoneWhollyOrNotAtAll(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	stays := a.check(t, door("Stays", "example.org"))
	changes := a.check(t, door("Changes", "example.org"))
	twisted := door("Twisted", "example.org", object{"config": object{"hots": "example.org"}})
	content := document(
		t,
		door("New", "example.org"),
		twisted,
		door("changes", "example.net"),
		door("Stays", "example.org", object{"collectors": []object{
			{"collectorId": "test-door.knock", "assertions": []object{{"field": "answers", "operator": "greaterThan", "value": 0}}},
		}}),
	)
	report := a.preview(t, content)
	require.Equal(t, []string{"New created", "Twisted refused", "changes updated", "Stays unchanged"}, outcomes(report))
	require.False(t, report.Valid)
	require.Equal(t, []string{"name", "config"}, report.Checks[2].Changes)
	require.Contains(t, fmt.Sprint(report.Checks[1].Errors), "host", "it says which member was meant")
	refused := a.Do(t, "root", http.MethodPost, importPath, object{"document": content}).Refused(t, problem.Invalid)
	require.Contains(t, refused.Issues[0].Path, "checks[1].config")
	list := decode[struct{ Checks []healthcheck.Check }](t, a.Do(t, "root", http.MethodGet, checks, nil)).Checks
	require.Len(t, list, 2)
	require.Equal(t, changes.Revision, list[0].Revision)

	good := document(t, door("New", "example.org"), door("Changes", "example.net"))
	report = a.preview(t, good)
	a.ok(t, a.Do(t, "root", http.MethodPatch, at(checks, changes.ID), object{"intervalSeconds": 30}))
	a.Do(t, "root", http.MethodPost, importPath, object{"document": good, "expected": report.Fingerprint}).Refused(t, problem.Precondition)
	report = a.preview(t, good)
	require.Equal(t, []string{"intervalSeconds", "config"}, report.Checks[1].Changes)
	a.ok(t, a.Do(t, "root", http.MethodPost, importPath, object{"document": good, "expected": report.Fingerprint}))
	require.Equal(t, []string{"New unchanged", "Changes unchanged"}, outcomes(a.preview(t, good)))
	kept := decode[healthcheck.Check](t, a.Do(t, "root", http.MethodGet, at(checks, stays.ID), nil))
	require.Equal(t, stays.Revision, kept.Revision, "what is not named stays")
}

// An import is no way around what creating and changing need.
func TestAnImportNeedsWhatItsChangesNeed(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Exec(
		t,
		`INSERT INTO vault_secrets (id, name, description, value_sealed, updated_by_kind, updated_by_id) VALUES (gen_random_uuid(), 'DOOR', '', 'x', 'user', gen_random_uuid())`,
	)
	team := a.team(t, "Door people")
	hidden, visible := a.check(t, door("Hidden", "example.org")), a.check(t, door("Visible", "example.org"))
	a.grant(t, "healthcheck.healthcheck", hidden.ID, true, map[uuid.UUID]access.Level{team: access.Edit})
	a.grant(t, "healthcheck.healthcheck", visible.ID, true, map[uuid.UUID]access.Level{team: access.View})
	a.member("writer", []uuid.UUID{}, healthcheck.Read, healthcheck.Manage, catalog.SystemRead)
	a.member("looker", []uuid.UUID{team}, healthcheck.Read, healthcheck.Manage, catalog.SystemRead)
	refusal := func(who, content string) string {
		r := decode[healthcheck.ImportReport](t, a.Do(t, who, http.MethodPost, previewPath, object{"document": content}))
		require.False(t, r.Valid, "%s %s", who, content)
		require.GreaterOrEqual(t, a.Do(t, who, http.MethodPost, importPath, object{"document": content}).Status, 400)
		return r.Checks[0].Errors[0].Message
	}
	require.Contains(
		t,
		refusal(
			"writer",
			document(t, door("Mine", "example.org", object{"config": object{"host": "example.org", "password": "${{ secrets.DOOR }}"}})),
		),
		"vault.secret.read",
	)
	taken := refusal("writer", document(t, door("Hidden", "example.net")))
	require.Contains(t, taken, "is taken")
	require.NotContains(t, taken, hidden.ID.String())
	require.Contains(t, refusal("looker", document(t, door("Visible", "example.net"))), "Visible")
	exported := a.Do(t, "writer", http.MethodGet, exportPath, nil)
	require.NotContains(t, exported.Body, "Hidden")
}

func TestWhatIsNoDocumentIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, want string }{
		"nothing":            {"", "empty"},
		"text":               {"just words", "object"},
		"broken JSON":        {`{"version": 1,`, "JSON"},
		"newer":              {`{"version": 2, "checks": []}`, "version 1"},
		"without a version":  {`{"checks": []}`, "version"},
		"unknown member":     {"version: 1\nchecks: []\nmore: 1", "more"},
		"unknown in a check": {"version: 1\nchecks:\n- name: A\n  systems: [x]", "checks[0].systems"},
		"wrong type":         {"version: 1\nchecks:\n- name: 7", "checks[0].name"},
		"anchors":            {"version: 1\nchecks: &a [*a]", "anchor"},
		"merge":              {"version: 1\n<<: {checks: []}", "name is no text"},
		"twice":              {"version: 1\nversion: 1\nchecks: []", "second time"},
		"two documents":      {"version: 1\nchecks: []\n---\nversion: 1", "second document"},
		"a tag":              {"version: 1\nchecks: !!binary aGk=", "tag"},
		"no number":          {"version: .inf\nchecks: []", "number"},
		"too deep":           {"version: 1\nchecks: " + strings.Repeat("[", 40) + strings.Repeat("]", 40), "levels deep"},
		"too long":           {strings.Repeat("a", healthcheck.MaxDocumentBytes+1), "bytes"},
	} {
		_, err := healthcheck.ReadDocument(c.content)
		require.Error(t, err, name)
		require.True(t, problem.Is(err, problem.Invalid), name)
		require.Contains(t, err.Error(), c.want, name)
	}
}

// Whatever is read as a document can be written and read again, in both forms, and is the same.
func FuzzDocument(f *testing.F) {
	f.Add(
		"version: 1\nchecks:\n- name: A\n  strategyId: s\n  intervalSeconds: 60\n  collectors:\n  - collectorId: c\n    config: {a: 1.50, b: \"yes\", c: null}\n    assertions: [{field: x, operator: equals, value: 0x10}]\n",
	)
	f.Add(
		`{"version":1,"checks":[{"name":"A","strategyId":"s","intervalSeconds":1,"collectors":[{"collectorId":"c","config":{"t":"a\nb"}}]}]}`,
	)
	f.Add("version: 1\nchecks: []\n")
	f.Fuzz(func(t *testing.T, content string) {
		d, err := healthcheck.ReadDocument(content)
		if err != nil {
			require.True(t, problem.Is(err, problem.Invalid), "%v", err)
			return
		}
		want, err := json.Marshal(d)
		require.NoError(t, err)
		for _, format := range []string{"json", "yaml"} {
			written, err := d.As(format)
			require.NoError(t, err)
			if len(written) > healthcheck.MaxDocumentBytes {
				continue
			}
			again, err := healthcheck.ReadDocument(string(written))
			require.NoError(t, err, "%s", written)
			got, err := json.Marshal(again)
			require.NoError(t, err)
			require.JSONEq(t, string(want), string(got), "%s", written)
		}
	})
}
