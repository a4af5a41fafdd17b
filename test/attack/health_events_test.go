package attack_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// Whoever may see how a system fares hears that it fares otherwise, by the one stream of a browser that asks for it, and nobody else
// does: neither who sees the system but not how it fares, nor who may see how systems fare but not this one.
func TestHealthEventsReachOnlyPeopleWhoSeeTheSystem(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_STREAM_HEARTBEAT": "100ms"}})
	p.Exec(t, `UPDATE roles SET rules = '{}' WHERE name = 'users'`)
	status := p.Role(t, "healthcheck.healthcheck.status.read")
	sees := p.Role(t, "catalog.system.read")
	viewer, granted, blind := p.Person(t, status, sees), p.Person(t, status), p.Person(t, sees)
	system := func(name string) string {
		return idOf(t, p.Admin.Call(t, http.MethodPost, "/api/catalog/systems", map[string]any{"name": name}))
	}
	shop, vault := system("Shop"), system("Vault")
	p.Exec(t, `INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id) VALUES
		('catalog.system', $1, 'private', 'public', $2), ('catalog.system', $1, 'viewer', 'user', $3)`, vault, uuid.Nil, granted.ID)
	happens := func(id string) {
		p.Exec(
			t,
			`INSERT INTO events (type, subject, payload) VALUES ('healthcheck.system_health_changed', 'system:' || $1::text, '{"reason": "canary"}')`,
			id,
		)
	}
	listen := func(c *apptest.Client, last string) apptest.Changes {
		return apptest.Changes{Stream: c.Stream(t, http.MethodGet, "/api/events?health="+last, nil)}
	}
	const hearing, deaf = `{"every":100,"health":true}`, `{"every":100}`
	viewers, granteds, blinds := listen(viewer, "0"), listen(granted, "0"), listen(blind, "0")
	unasked := viewer.Changes(t, "")
	for _, s := range []apptest.Changes{viewers, granteds} {
		s.Hears(t, "health", "{}")
		s.Hears(t, "ping", hearing)
	}
	blinds.Hears(t, "ping", deaf)

	happens(vault)
	granteds.Hears(t, "health", one(vault))
	happens(shop)
	heard := viewers.Hears(t, "health", one(shop))
	require.NotContains(t, viewers.Said(), "health "+one(vault), "it comes after the one that is hidden")

	// What is taken away while a stream is open is told no more, and what is given back begins anew.
	p.Exec(t, `DELETE FROM user_roles WHERE user_id = $1 AND role_id = $2`, viewer.ID, status)
	p.Exec(t, `DELETE FROM relation_tuples WHERE object_id = $1 AND subject_id = $2`, vault, granted.ID)
	viewers.Hears(t, "ping", deaf)
	until := len(viewers.Events)
	happens(vault)
	happens(shop)
	witness := listen(p.Admin, heard.ID)
	witness.Hears(t, "health", one(shop))
	p.Exec(
		t,
		`INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id) VALUES ('catalog.system', $1, 'viewer', 'user', $2)`,
		shop,
		granted.ID,
	)
	happens(shop)
	granteds.Hears(t, "health", one(shop))
	p.Exec(t, `INSERT INTO user_roles (user_id, role_id) VALUES ($1, $2)`, viewer.ID, status)
	viewers.Hears(t, "health", "{}")
	viewers.Hears(t, "ping", hearing)
	for _, e := range viewers.Events[until:] {
		require.NotContains(t, e.Chunk, shop, "while the right was away")
	}
	require.Len(t, filter(granteds.Said(), "health "+one(vault)), 1, "before the grant was taken away, and not after")

	// Who comes back hears what was missed, of what is theirs, and not that anything may have changed.
	again := listen(viewer, heard.ID)
	again.Hears(t, "health", one(shop))
	again.Hears(t, "ping", hearing)
	require.NotContains(t, again.Said(), "health {}")
	require.NotContains(t, again.Said(), "health "+one(vault))
	for _, s := range []apptest.Changes{blinds, unasked} {
		// A heartbeat after it tells what there is to tell.
		for _, who := range []uuid.UUID{blind.ID, viewer.ID} {
			p.Exec(t, `INSERT INTO feed_events (person_id, kind, ref) VALUES ($1, 'conversation', 'end')`, who)
		}
		s.Hears(t, "conversation", `{"id":"end"}`)
		s.Hears(t, "ping", deaf)
		for _, said := range s.Said() {
			require.NotContains(t, said, "health")
		}
	}
	for _, s := range []apptest.Changes{viewers, granteds, again} {
		for _, said := range s.Said() {
			require.NotContains(t, said, "canary")
		}
	}
	// Rows of the log of changes are not written for it.
	require.Zero(t, p.Count(t, `SELECT count(*) FROM feed_events WHERE kind NOT IN ('conversation', 'proposal', 'record')`))
}

func one(id string) string { return `{"id":"` + id + `"}` }

func filter(all []string, want string) (some []string) {
	for _, s := range all {
		if s == want {
			some = append(some, s)
		}
	}
	return some
}
