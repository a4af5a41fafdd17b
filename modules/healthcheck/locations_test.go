package healthcheck_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
)

// locations makes locations as probes do at their start.
func (a *app) locations(t testing.TB, names ...string) {
	t.Helper()
	for i, name := range names {
		_, err := a.DB.Conn(t.Context()).Exec(t.Context(),
			`INSERT INTO check_locations (id, name, name_key, labels) VALUES ($1, $2, lower($2), '{"cloud": "ours"}')`, i+1, name)
		require.NoError(t, err)
	}
}

// runsAt are the rows that engines run for a check, by location and whether they run.
func (a *app) runsAt(t testing.TB, check uuid.UUID) (rows []string) {
	t.Helper()
	found, err := a.DB.Conn(t.Context()).Query(t.Context(), `
		SELECT format('%s %s shard %s', CASE WHEN s.id = s.target THEN 'itself' ELSE o.name END, s.runs,
			CASE WHEN s.shard < -1 THEN (-s.shard / 4)::text WHEN s.shard = -1 THEN 'none' ELSE 'main' END)
		FROM check_schedule s LEFT JOIN check_location_targets l ON l.id = s.id LEFT JOIN check_locations o ON o.id = l.location
		WHERE s.check_id = $1 ORDER BY l.location NULLS FIRST`, check)
	require.NoError(t, err)
	for found.Next() {
		var row string
		require.NoError(t, found.Scan(&row))
		rows = append(rows, row)
	}
	require.NoError(t, found.Err())
	return rows
}

// state sets how a check is from a location, as an engine does.
func (a *app) state(t testing.TB, name string, status int, reason string) {
	t.Helper()
	_, err := a.DB.Conn(t.Context()).Exec(t.Context(), `
		INSERT INTO check_states (target, status, since_ms, last_slot, reason)
		SELECT l.id, $2, 1, 1, $3 FROM check_location_targets l JOIN check_locations o ON o.id = l.location WHERE o.name = $1
		ON CONFLICT (target) DO UPDATE SET status = excluded.status, reason = excluded.reason`, name, status, reason)
	require.NoError(t, err)
}

func TestACheckRunsFromTheLocationsThatItNames(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.locations(t, "Frankfurt", "Oregon")
	shop := a.system(t, "Shop")
	c := a.check(t, door("Front", "example.org", object{"assignToSystemId": shop}))
	require.Empty(t, c.Locations)
	require.Empty(t, c.LocationRule)
	require.Equal(t, []string{"itself t shard main"}, a.runsAt(t, c.ID))

	c = decode[healthcheck.Check](
		t,
		a.Do(t, "root", http.MethodPatch, at(checks, c.ID), object{"locations": []string{"oregon", "Frankfurt", "MAIN"}}),
	)
	require.Equal(t, []string{"main", "Frankfurt", "Oregon"}, c.Locations, "by the names that they have")
	require.Equal(t, "majority", c.LocationRule)
	all := []string{"itself f shard none", "main t shard main", "Frankfurt t shard 1", "Oregon t shard 2"}
	require.Equal(t, all, a.runsAt(t, c.ID))
	status := decode[healthcheck.SystemStatus](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil))
	require.Len(t, status.Targets, 1)
	require.Equal(t, healthcheck.Unknown, status.Targets[0].Status)
	require.Equal(t, "Unknown from 3 of 3", status.Targets[0].Reason[:len("Unknown from 3 of 3")])
	require.Len(t, status.Targets[0].Locations, 3)

	// The rule decides, and a change of it at once.
	a.state(t, "main", 1, "")
	a.state(t, "Frankfurt", 3, "5 runs in a row failed: It was refused")
	a.state(t, "Oregon", 1, "")
	for _, rule := range []struct{ name, status, reason string }{
		{"any", "unhealthy", "Down from 1 of 3: Frankfurt: 5 runs in a row failed: It was refused"},
		{"all", "degraded", "Down from 1 of 3: Frankfurt: 5 runs in a row failed: It was refused"},
	} {
		a.ok(t, a.Do(t, "root", http.MethodPatch, at(checks, c.ID), object{"locationRule": rule.name}))
		status = decode[healthcheck.SystemStatus](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil))
		require.Equal(t, rule.status, string(status.Targets[0].Status))
		require.Equal(t, rule.reason, status.Targets[0].Reason)
		require.Equal(t, rule.status, string(status.Status))
	}
	require.Equal(t, []string{"main", "Frankfurt", "Oregon"}, []string{
		status.Targets[0].Locations[0].Name, status.Targets[0].Locations[1].Name, status.Targets[0].Locations[2].Name,
	})
	require.Equal(t, healthcheck.Unhealthy, status.Targets[0].Locations[1].Status)

	// Runs are found by location, and a run at once is made from each.
	refused := a.Do(t, "root", http.MethodGet, fmt.Sprintf("/api/healthcheck/targets/%d/runs", status.Targets[0].ID), nil)
	require.Contains(t, refused.Body, fmt.Sprintf("%d for Oregon", status.Targets[0].Locations[2].ID))
	a.ok(t, a.Do(t, "root", http.MethodGet, fmt.Sprintf("/api/healthcheck/targets/%d/runs", status.Targets[0].Locations[2].ID), nil))
	a.ok(t, a.Do(t, "root", http.MethodGet, fmt.Sprintf("/api/healthcheck/targets/%d/period", status.Targets[0].ID), nil))
	a.asked = nil
	a.ok(t, a.Do(t, "root", http.MethodPost, at(checks, c.ID)+"/run-now", object{"systemId": shop}))
	require.Len(t, a.asked, 3)

	// A location that leaves no longer counts, and comes back without its former state.
	a.ok(t, a.Do(t, "root", http.MethodPatch, at(checks, c.ID), object{"locations": []string{"main", "Oregon"}}))
	require.Equal(t, []string{"itself f shard none", "main t shard main", "Frankfurt f shard 1", "Oregon t shard 2"}, a.runsAt(t, c.ID))
	status = decode[healthcheck.SystemStatus](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil))
	require.Equal(t, healthcheck.Healthy, status.Targets[0].Status)
	require.Len(t, status.Targets[0].Locations, 2)
	a.ok(t, a.Do(t, "root", http.MethodPut, at(checks, c.ID)+"/paused", object{"paused": true}))
	require.NotContains(t, a.runsAt(t, c.ID), "Oregon t shard 2")
	a.ok(t, a.Do(t, "root", http.MethodPut, at(checks, c.ID)+"/paused", object{"paused": false}))
	a.ok(t, a.Do(t, "root", http.MethodPatch, at(checks, c.ID), object{"locations": []string{"main", "Frankfurt", "Oregon"}}))
	require.Equal(t, all, a.runsAt(t, c.ID))
	status = decode[healthcheck.SystemStatus](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil))
	require.Equal(t, healthcheck.Unknown, status.Targets[0].Status)

	// The main location alone is no choice.
	c = decode[healthcheck.Check](t, a.Do(t, "root", http.MethodPatch, at(checks, c.ID), object{"locations": []string{"main"}}))
	require.Empty(t, c.Locations)
	require.Contains(t, a.runsAt(t, c.ID), "itself t shard main")
	require.NotContains(t, a.runsAt(t, c.ID), "main t shard main")
}

func TestWrongLocationsAreRefused(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.locations(t, "Frankfurt")
	for _, c := range []struct {
		change object
		says   string
	}{
		{object{"locations": []string{"Frankfurt", "Atlantis"}}, "names no location; there are main, Frankfurt."},
		{object{"locations": []string{"Frankfurt", "frankfurt"}}, "is there twice"},
		{object{"locationRule": "any"}, "needs locations"},
	} {
		refused := a.Do(t, "root", http.MethodPost, checks, door("Front", "example.org", c.change))
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status, refused.Body)
		require.Contains(t, refused.Body, c.says)
	}
	_, err := a.DB.Conn(t.Context()).Exec(t.Context(), `INSERT INTO check_workers (id) VALUES ('a process of the version before')`)
	require.NoError(t, err)
	refused := a.Do(t, "root", http.MethodPost, checks, door("Front", "example.org", object{"locations": []string{"Frankfurt"}}))
	require.Equal(t, http.StatusConflict, refused.Status, refused.Body)
	a.ok(t, a.Do(t, "root", http.MethodPost, checks, door("Front", "example.org")))
}

func TestLocationsAreListedWithTheirProbes(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.locations(t, "Frankfurt", "Oregon")
	a.check(t, door("Front", "example.org", object{"locations": []string{"Frankfurt"}}))
	a.check(t, door("Back", "example.org"))
	_, err := a.DB.Conn(t.Context()).Exec(t.Context(), `
		INSERT INTO check_claims (shard, location, claimed_to) SELECT -4 - i, 1, extract(epoch FROM clock_timestamp()) * 1000 + 60000
		FROM generate_series(0, 3) i`)
	require.NoError(t, err)
	_, err = a.DB.Conn(t.Context()).Exec(t.Context(), `
		INSERT INTO check_workers (id, location, heard_at, seen_at, version) VALUES
			('a', 1, now() - interval '1 minute', clock_timestamp(), '1.2'),
			('b', 2, now() - interval '1 minute', now() - interval '1 minute', '1.1')`)
	require.NoError(t, err)
	list := apitest.Decode[struct{ Locations []healthcheck.Location }](
		t,
		a.Do(t, "root", http.MethodGet, "/api/healthcheck/locations", nil),
	).Locations
	require.Len(t, list, 3)
	frankfurt := list[1]
	require.NotNil(t, frankfurt.LastSeen)
	frankfurt.LastSeen = nil
	require.Equal(t, healthcheck.Location{
		ID: 1, Name: "Frankfurt", Labels: map[string]string{"cloud": "ours"}, Alive: true, Processes: 1, Versions: []string{"1.2"}, Checks: 1,
	}, frankfurt)
	require.Equal(t, healthcheck.Location{
		ID: 2, Name: "Oregon", Labels: map[string]string{"cloud": "ours"}, Versions: []string{},
	}, list[2])
	require.Equal(t, 1, list[0].Checks)

	// A private check does not count for others.
	hidden := a.check(t, door("Vault", "example.org", object{"locations": []string{"Oregon"}}))
	a.grant(t, "healthcheck.healthcheck", hidden.ID, true, nil)
	a.member("reader", []uuid.UUID{}, healthcheck.StatusRead)
	list = apitest.Decode[struct{ Locations []healthcheck.Location }](
		t,
		a.Do(t, "reader", http.MethodGet, "/api/healthcheck/locations", nil),
	).Locations
	require.Equal(t, []int{1, 1, 0}, []int{list[0].Checks, list[1].Checks, list[2].Checks})
}

// A further location is another network, in which a name may be another host: it is for those who may use the secrets that go there.
func TestAGuardedCheckMovesForThoseWhoMayUseSecrets(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.locations(t, "Frankfurt", "Oregon")
	a.secret(t, "DOOR", "swordfish")
	a.Person("writer", healthcheck.Read, healthcheck.Manage, catalog.SystemRead)
	c, plain := a.check(t, door("Front", "example.org", with("example.org", reference))), a.check(t, door("Back", "example.org"))
	move := func(who string, id uuid.UUID, names ...string) int {
		return a.Do(t, who, http.MethodPatch, at(checks, id), object{"locations": names}).Status
	}
	require.Equal(t, http.StatusOK, move("writer", plain.ID, "Oregon"))
	require.Equal(t, http.StatusForbidden, move("writer", c.ID, "Oregon"))
	require.Equal(t, http.StatusForbidden, move("writer", c.ID, "main", "oregon"))
	require.Equal(t, http.StatusOK, move("root", c.ID, "main", "Oregon", "Frankfurt"))
	require.Equal(t, http.StatusOK, move("writer", c.ID, "main", "oregon"), "fewer are not further")
	require.Equal(t, http.StatusForbidden, move("writer", c.ID, "Frankfurt"))
}

func TestLocationsAreInDocuments(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.locations(t, "Frankfurt", "Oregon")
	body := door("Front", "example.org", object{"locations": []string{"Frankfurt", "Oregon"}, "locationRule": "any"})
	c := a.check(t, body)
	exported := decode[healthcheck.Document](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/export", nil))
	require.Equal(t, []string{"Frankfurt", "Oregon"}, exported.Checks[0].Locations)
	require.Equal(t, "any", exported.Checks[0].LocationRule)
	report := decode[healthcheck.ImportReport](
		t,
		a.Do(t, "root", http.MethodPost, "/api/healthcheck/import", object{"document": document(t, body)}),
	)
	require.Equal(t, 1, report.Unchanged, report)
	body["locations"] = []string{"Frankfurt"}
	report = decode[healthcheck.ImportReport](
		t,
		a.Do(t, "root", http.MethodPost, "/api/healthcheck/import", object{"document": document(t, body)}),
	)
	require.Equal(t, []string{"locations"}, report.Checks[0].Changes)
	read := decode[healthcheck.Check](t, a.Do(t, "root", http.MethodGet, at(checks, c.ID), nil))
	require.Equal(t, []string{"Frankfurt"}, read.Locations)
}

// A location has the name that people give it, in checks and in reasons; its probes know another one. It is removed when nothing uses it.
func TestALocationIsRenamedAndRemoved(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.locations(t, "Frankfurt", "Oregon")
	a.Person("keeper", healthcheck.LocationManage)
	a.Person("author", healthcheck.StatusRead, healthcheck.Manage, healthcheck.Read, catalog.SystemRead)
	shop := a.system(t, "Shop")
	c := a.check(t, door("Front", "example.org", object{"assignToSystemId": shop, "locations": []string{"main", "Frankfurt"}}))
	a.state(t, "main", 1, "")
	a.state(t, "Frankfurt", 3, "It was refused")
	const path = "/api/healthcheck/locations"
	at := func(id int) string { return fmt.Sprintf("%s/%d", path, id) }
	name := func(name string) object { return object{"name": name} }

	a.Do(t, "author", http.MethodPatch, at(1), name("Mine")).Refused(t, problem.Forbidden)
	a.Do(t, "author", http.MethodDelete, at(2), nil).Refused(t, problem.Forbidden)
	a.Do(t, "keeper", http.MethodPatch, at(0), name("Home")).Refused(t, problem.Conflict)
	a.Do(t, "keeper", http.MethodPatch, at(9), name("Home")).Refused(t, problem.NotFound)
	a.Do(t, "keeper", http.MethodPatch, at(1), name("oregon")).Refused(t, problem.Conflict)
	a.Do(t, "keeper", http.MethodPatch, at(1), name("Two\nlines")).Refused(t, problem.Invalid)
	a.ok(t, a.Do(t, "keeper", http.MethodPatch, at(1), name("Germany")))
	a.ok(t, a.Do(t, "keeper", http.MethodPatch, at(1), name("Germany")))

	renamed := decode[healthcheck.Check](t, a.Do(t, "root", http.MethodGet, checks+"/"+c.ID.String(), nil))
	require.Equal(t, []string{"main", "Germany"}, renamed.Locations)
	require.Equal(t, c.Revision+1, renamed.Revision, "a form that was opened before is outdated")
	require.Equal(t, []string{"itself f shard none", "main t shard main", "Germany t shard 1"}, a.runsAt(t, c.ID), "it runs as before")
	page := decode[healthcheck.SystemStatus](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil))
	require.Equal(t, "Down from 1 of 2: Germany: It was refused", page.Targets[0].Reason)
	require.Equal(
		t,
		1,
		a.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE object_type = 'healthcheck.location'`),
		"the second time changed nothing",
	)

	// The name of its probes stays theirs.
	a.Do(t, "keeper", http.MethodPatch, at(2), name("frankfurt")).Refused(t, problem.Conflict)

	a.Do(t, "keeper", http.MethodDelete, at(1), nil).Refused(t, problem.Conflict)
	there := page.Targets[0].Locations[1].ID
	slot := time.Now().Add(-time.Minute).UnixMilli()
	a.Exec(
		t,
		`INSERT INTO check_results (target, slot, late_ms, took_us, held, verdict, cause, code) VALUES ($1, $2, 0, 2000, 0, 1, 1, 0)`,
		there,
		slot,
	)
	a.ok(t, a.Do(t, "root", http.MethodPatch, checks+"/"+c.ID.String(), object{"locations": []string{"main"}}))
	former := func() healthcheck.FormerLocation {
		t.Helper()
		page := decode[healthcheck.SystemStatus](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil))
		require.Len(t, page.Targets[0].Former, 2, "also main, which it ran from beside the other")
		return page.Targets[0].Former[1]
	}
	left := former()
	require.Equal(t, healthcheck.FormerLocation{ID: there, Name: "Germany", Until: left.Until}, left)
	require.WithinDuration(t, time.Now(), left.Until, time.Minute)
	a.Exec(
		t,
		`INSERT INTO check_workers (id, heard_at, seen_at, holds, flushes, location) VALUES ('probe', now(), clock_timestamp() + interval '1 minute', 0, 0, 1)`,
	)
	a.Do(t, "keeper", http.MethodDelete, at(1), nil).Refused(t, problem.Conflict)
	a.Exec(t, `UPDATE check_workers SET seen_at = now() - interval '1 minute'`)
	a.ok(t, a.Do(t, "keeper", http.MethodDelete, at(1), nil))
	a.Do(t, "keeper", http.MethodDelete, at(1), nil).Refused(t, problem.NotFound)
	list := decode[struct{ Locations []healthcheck.Location }](t, a.Do(t, "root", http.MethodGet, path, nil)).Locations
	require.Len(t, list, 2)
	require.Equal(t, "Oregon", list[1].Name)
	t.Log("its past runs stay, under its name")
	left.Removed = true
	require.Equal(t, left, former())
	runs := decode[struct{ Runs []healthcheck.Run }](
		t,
		a.Do(t, "root", http.MethodGet, fmt.Sprintf("/api/healthcheck/targets/%d/runs", there), nil),
	).Runs
	require.Len(t, runs, 1)
	require.Equal(t, slot, runs[0].Slot)
	a.Do(t, "keeper", http.MethodGet, fmt.Sprintf("/api/healthcheck/targets/%d/runs", there), nil).Refused(t, problem.Forbidden)
	a.Do(t, "root", http.MethodPatch, checks+"/"+c.ID.String(), object{"locations": []string{"Germany"}}).Refused(t, problem.Invalid)
	a.ok(t, a.Do(t, "keeper", http.MethodPatch, at(2), name("Germany")))
	a.ok(t, a.Do(t, "root", http.MethodPatch, checks+"/"+c.ID.String(), object{"locations": []string{"main", "Germany"}}))
	require.Equal(t, []string{"itself f shard none", "main t shard main", "Germany\n1 f shard 1", "Germany t shard 2"}, a.runsAt(t, c.ID))
}

// A check that names a label runs from every location with it, also from those that come later.
func TestACheckRunsFromTheLocationsWithALabel(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.locations(t, "Frankfurt", "Oregon", "Paris")
	label := func(name, labels string) {
		a.Exec(t, `UPDATE check_locations SET labels = $2::jsonb WHERE name = $1`, name, labels)
	}
	label("Frankfurt", `{"region": "eu", "cloud": "ours"}`)
	label("Oregon", `{"region": "us"}`)
	label("Paris", `{}`)
	follow := a.module.Chores()[0].Do
	shop := a.system(t, "Shop")
	body := func(locations ...string) object { return object{"locations": locations} }
	c := a.check(t, door("Front", "example.org", object{"assignToSystemId": shop}, body("region=eu", "Oregon", "main")))
	require.Equal(t, []string{"main", "Oregon", "region=eu"}, c.Locations)
	at := func(names ...string) (rows []string) {
		rows = []string{"itself f shard none"}
		for _, name := range names {
			rows = append(rows, map[string]string{
				"main": "main t shard main", "Frankfurt": "Frankfurt t shard 1", "Oregon": "Oregon t shard 2", "Paris": "Paris t shard 3",
				"no Frankfurt": "Frankfurt f shard 1", "removed Paris": "Paris\n3 f shard 3",
			}[name])
		}
		return rows
	}
	require.Equal(t, at("main", "Frankfurt", "Oregon"), a.runsAt(t, c.ID))
	require.NoError(t, follow(t.Context()))
	require.Equal(t, at("main", "Frankfurt", "Oregon"), a.runsAt(t, c.ID))

	label("Paris", `{"region": "eu"}`)
	require.NoError(t, follow(t.Context()))
	require.Equal(t, at("main", "Frankfurt", "Oregon", "Paris"), a.runsAt(t, c.ID))
	// A check that cannot be planned is named, and keeps no other from following, wherever it stands among them.
	broken := a.check(t, door("Broken", "example.org", object{"assignToSystemId": shop}, body("region=eu")))
	last := a.check(t, door("Last", "example.org", object{"assignToSystemId": shop}, body("region=eu")))
	a.Exec(t, `CREATE FUNCTION refuse_location() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''not this one''; END'`)
	var target int32
	require.NoError(
		t,
		a.DB.Conn(t.Context()).QueryRow(t.Context(), `SELECT id FROM check_targets WHERE check_id = $1`, broken.ID).Scan(&target),
	)
	a.Exec(t, fmt.Sprintf(`CREATE TRIGGER refuse_location BEFORE UPDATE ON check_location_targets FOR EACH ROW
		WHEN (OLD.target = %d) EXECUTE FUNCTION refuse_location()`, target))
	label("Frankfurt", `{"region": "other"}`)
	err := follow(t.Context())
	require.ErrorContains(t, err, broken.ID.String())
	require.ErrorContains(t, err, "not this one")
	require.NotContains(t, err.Error(), last.ID.String())
	require.Equal(t, []string{"itself f shard none", "Frankfurt f shard 1", "Paris t shard 3"}, a.runsAt(t, last.ID))
	require.Equal(t, []string{"itself f shard none", "Frankfurt t shard 1", "Paris t shard 3"}, a.runsAt(t, broken.ID))
	a.Exec(t, `DROP TRIGGER refuse_location ON check_location_targets`)
	require.NoError(t, follow(t.Context()))
	require.Equal(t, []string{"itself f shard none", "Frankfurt f shard 1", "Paris t shard 3"}, a.runsAt(t, broken.ID))
	require.Equal(t, at("main", "no Frankfurt", "Oregon", "Paris"), a.runsAt(t, c.ID))
	list := decode[struct{ Locations []healthcheck.Location }](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/locations", nil)).Locations
	require.Equal(t, []int{1, 0, 1, 3}, []int{list[0].Checks, list[1].Checks, list[2].Checks, list[3].Checks})

	// What a label has chosen does not keep a location.
	a.Person("keeper", healthcheck.LocationManage)
	a.Do(t, "keeper", http.MethodDelete, "/api/healthcheck/locations/2", nil).Refused(t, problem.Conflict)
	a.ok(t, a.Do(t, "keeper", http.MethodDelete, "/api/healthcheck/locations/3", nil))
	require.Equal(t, at("main", "no Frankfurt", "Oregon", "removed Paris"), a.runsAt(t, c.ID))

	a.Do(t, "root", http.MethodPatch, checks+"/"+c.ID.String(), body("region=asia")).Refused(t, problem.Invalid)
	a.ok(t, a.Do(t, "root", http.MethodPatch, checks+"/"+c.ID.String(), object{"name": "Renamed"}))
	a.ok(t, a.Do(t, "root", http.MethodPatch, checks+"/"+c.ID.String(), body("region=other", "region=us")))
	require.Equal(
		t,
		[]string{"itself f shard none", "main f shard main", "Frankfurt t shard 1", "Oregon t shard 2", at("removed Paris")[1]},
		a.runsAt(t, c.ID),
	)

	// A label can come to stand for another host, so it needs the right to secrets where a name does.
	a.Exec(t, `INSERT INTO vault_secrets (id, name, description, value_sealed, updated_by_kind, updated_by_id)
		VALUES (gen_random_uuid(), 'DOOR', '', 'x', 'user', gen_random_uuid())`)
	guarded := a.check(t, door("Guarded", "example.org", object{"config": object{"host": "example.org", "password": "${{ secrets.DOOR }}"}}))
	a.Person("author", healthcheck.Manage, healthcheck.Read)
	a.Do(t, "author", http.MethodPatch, checks+"/"+guarded.ID.String(), body("region=us")).Refused(t, problem.Forbidden)
}
