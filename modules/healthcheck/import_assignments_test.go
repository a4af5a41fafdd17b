package healthcheck_test

import (
	"fmt"
	"math/rand/v2"
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

func (a *app) importing(t testing.TB, body object) healthcheck.ImportReport {
	t.Helper()
	return decode[healthcheck.ImportReport](t, a.Do(t, "root", http.MethodPost, importPath, body))
}

func (a *app) assignments(t testing.TB, id uuid.UUID) []healthcheck.Assignment {
	t.Helper()
	return decode[struct{ Systems []healthcheck.Assignment }](
		t, a.Do(t, "root", http.MethodGet, at(checks, id)+"/systems", nil)).Systems
}

// An export holds what its checks are assigned to: imported elsewhere it makes the same checks of the same systems, whatever these are,
// and an export from there is the same text.
func TestAnExportRestoresAssignments(t *testing.T) {
	t.Parallel()
	here, there := newApp(t), newApp(t)
	random := rand.New(rand.NewPCG(1, 38))
	places := map[*app][]uuid.UUID{}
	for _, a := range []*app{here, there} {
		places[a] = []uuid.UUID{a.environment(t, "Production", object{}), a.environment(t, "Staging", object{})}
	}
	var systems []uuid.UUID
	for i := range 4 {
		systems = append(systems, here.system(t, fmt.Sprintf("System %d", i), places[here]...))
	}
	// This one is there already, and the others are created.
	there.system(t, "system 0", places[there]...)
	for i := range 8 {
		made := here.check(t, door(fmt.Sprintf("Door %d", i), "example.org"))
		for _, system := range systems {
			choice := object{}
			switch random.IntN(4) {
			case 0:
				continue
			case 1:
				choice["environmentIds"] = []uuid.UUID{}
			case 2:
				choice["environmentIds"] = places[here][random.IntN(2):]
			}
			if random.IntN(2) == 0 {
				choice["thresholds"] = object{"degradedAfter": 1 + random.IntN(2), "unhealthyAfter": 3 + random.IntN(4)}
			}
			if random.IntN(3) == 0 {
				choice["enabled"] = false
			}
			here.assign(t, made.ID, system, choice)
		}
	}
	for _, format := range []string{"json", "yaml"} {
		exported := here.Do(t, "root", http.MethodGet, exportPath+"?format="+format, nil).Body
		same := here.preview(t, exported)
		require.Equal(t, 8, same.Unchanged, exported)
		elsewhere := there.preview(t, exported)
		require.True(t, elsewhere.Valid, "%+v", elsewhere)
		if format == "json" {
			require.Equal(t, 8, elsewhere.Created)
			there.importing(t, object{"document": exported, "expected": elsewhere.Fingerprint})
		} else {
			require.Equal(t, 8, elsewhere.Unchanged, "nothing is left to do")
		}
	}
	again := there.Do(t, "root", http.MethodGet, exportPath+"?format=yaml", nil).Body
	wanted := here.Do(t, "root", http.MethodGet, exportPath+"?format=yaml", nil).Body
	// The one that was there keeps its own spelling.
	require.Equal(t, strings.ToLower(wanted), strings.ToLower(again))
}

// An assigned system is the one of its name, one that the caller chooses, none, or a new one; and a check that runs nowhere says so.
func TestAnImportAssignsToTheSystemsThatItNames(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop, other := a.system(t, "Shop"), a.system(t, "Other")
	content := document(t,
		door("A", "example.org", object{"assignments": []object{{"system": "shop"}, {"system": "Bank"}}}),
		door("B", "example.org", object{"assignments": []object{{"system": "Bank", "enabled": false}}}),
		door("C", "example.org"),
	)
	report := a.preview(t, content)
	require.True(t, report.Valid)
	require.Equal(t, []string{"Bank created 2", "shop found 1"}, systemOutcomes(report))
	require.Equal(t, []bool{false, false, true}, []bool{report.Checks[0].Idle, report.Checks[1].Idle, report.Checks[2].Idle})
	require.Zero(t, a.Count(t, `SELECT count(*) FROM catalog_systems WHERE name = 'Bank'`), "a preview stores nothing")

	choices := []object{{"name": "BANK", "systemId": other}, {"name": "shop"}}
	done := a.importing(t, object{"document": content, "systems": choices})
	require.Equal(t, []string{"Bank chosen 2", "shop left 1"}, systemOutcomes(done))
	assigned := a.assignments(t, *done.Checks[0].ID)
	require.Len(t, assigned, 1)
	require.Equal(t, "Other", assigned[0].SystemName)
	require.Len(t, assigned[0].Targets, 1, "it runs")
	require.False(t, *a.assignments(t, *done.Checks[1].ID)[0].Enabled)

	// Assignments that the document does not name stay, and one that is there changes.
	changed := document(t, door("B", "example.org", object{"assignments": []object{{"system": "Other"}, {"system": "Shop"}}}))
	report = a.preview(t, changed)
	require.Equal(t, []string{"B updated"}, outcomes(report))
	require.Equal(t, []string{"assignments"}, report.Checks[0].Changes)
	a.importing(t, object{"document": changed, "expected": report.Fingerprint})
	require.Equal(t, []string{"B unchanged"}, outcomes(a.preview(t, changed)))
	ids := map[uuid.UUID]bool{}
	for _, one := range a.assignments(t, *done.Checks[1].ID) {
		ids[one.SystemID] = *one.Enabled
	}
	require.Equal(t, map[uuid.UUID]bool{shop: true, other: true}, ids)

	wrong := document(t, door("D", "example.org", object{"assignments": []object{
		{"system": "Shop", "environments": []string{"Moon"}}, {"system": "Shop2", "thresholds": object{"unhealthyAfter": 1000}},
	}}))
	refused := a.Do(t, "root", http.MethodPost, importPath, object{"document": wrong}).Refused(t, problem.Invalid)
	require.Contains(t, refused.Error(), "assignments[0].environments[0]")
	require.Contains(t, refused.Error(), "assignments[1].thresholds.unhealthyAfter")
	require.Zero(t, a.Count(t, `SELECT count(*) FROM catalog_systems WHERE name = 'Shop2'`))
	a.Do(t, "root", http.MethodPost, previewPath, object{"document": content, "systems": []object{{"name": "Nowhere"}}}).
		Refused(t, problem.Invalid)
	twice := document(t, door("D", "example.org", object{"assignments": []object{{"system": "Shop"}, {"system": "SHOP"}}}))
	a.Do(t, "root", http.MethodPost, previewPath, object{"document": twice}).Refused(t, problem.Invalid)
}

// Assigning and creating systems by an import needs what it needs elsewhere, and an import is no way to find hidden systems.
func TestAnImportAssignsOnlyWhatTheCallerMayChange(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	seen, hidden := a.system(t, "Seen"), a.system(t, "Hidden")
	team := a.team(t, "Door people")
	a.grant(t, "catalog.system", seen, true, map[uuid.UUID]access.Level{team: access.View})
	a.grant(t, "catalog.system", hidden, true, map[uuid.UUID]access.Level{})
	a.member("writer", []uuid.UUID{team}, healthcheck.Read, healthcheck.Manage)
	a.member("maker", []uuid.UUID{}, healthcheck.Read, healthcheck.Manage, catalog.SystemManage)
	refusal := func(who, system string) string {
		content := document(t, door("New", "example.org", object{"assignments": []object{{"system": system}}}))
		r := decode[healthcheck.ImportReport](t, a.Do(t, who, http.MethodPost, previewPath, object{"document": content}))
		require.False(t, r.Valid)
		require.GreaterOrEqual(t, a.Do(t, who, http.MethodPost, importPath, object{"document": content}).Status, 400)
		return r.Checks[0].Errors[0].Message
	}
	require.Contains(t, refusal("writer", "Seen"), "catalog.system.manage")
	require.Equal(t, refusal("writer", "Nothing"), refusal("writer", "Hidden"))
	require.NotContains(t, refusal("maker", "Hidden"), hidden.String())
	chosen := object{
		"document": document(t, door("New", "example.org", object{"assignments": []object{{"system": "X"}}})),
		"systems":  []object{{"name": "X", "systemId": hidden}},
	}
	r := decode[healthcheck.ImportReport](t, a.Do(t, "writer", http.MethodPost, previewPath, chosen))
	require.Equal(t, []string{"X refused 1"}, systemOutcomes(r))
	exported := a.Do(t, "writer", http.MethodGet, exportPath, nil)
	require.NotContains(t, exported.Body, "Hidden")
}

func systemOutcomes(r healthcheck.ImportReport) (all []string) {
	for _, s := range r.Systems {
		all = append(all, fmt.Sprintf("%s %s %d", s.Name, s.Outcome, s.Checks))
	}
	return all
}
