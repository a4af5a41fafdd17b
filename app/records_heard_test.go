package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/app/apptest/declaredtest"
)

// Records declare with their table what pages read again: what is made, changed and deleted, a part of it too.
func TestChangesOfRecordsAreHeard(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	known := declaredtest.Load(t)
	for kind, c := range map[string]struct{ record, path, part string }{
		"ai.skill":            {record: "skill", path: "/api/ai/skills/"},
		"ai.memory":           {record: "memory", path: "/api/ai/memories/", part: "set-memory-always-inject"},
		"auth.team":           {record: "team", path: "/api/teams/", part: "add-team-member"},
		"catalog.system":      {record: "system", path: "/api/catalog/systems/", part: "add-system-link"},
		"catalog.group":       {record: "group", path: "/api/catalog/groups/", part: "add-group-member"},
		"catalog.environment": {record: "environment", path: "/api/catalog/environments/"},
	} {
		scope := known.NewScope(t, p, nil)
		window := p.Admin.Changes(t, "")
		id := scope.ID(c.record)
		heard := `{"type":"` + kind + `","id":"` + id + `"}`
		window.Hears(t, "record", heard)
		change := func(operation, method string) {
			answer := scope.Prepare(method, *known.Operations[operation].Change).Send(t)
			require.Less(t, answer.Status, http.StatusMultipleChoices, "%s: %s", operation, answer.Body)
			window.Hears(t, "record", heard)
			// A marker comes after all of this change.
			p.Exec(t, `INSERT INTO feed_events (person_id, kind, ref) VALUES ($1, 'conversation', $2)`, p.Admin.ID, kind+operation)
			window.Hears(t, "conversation", `{"id":"`+kind+operation+`"}`)
		}
		change("update-"+c.record, http.MethodPatch)
		switch {
		case c.part == "":
		case strings.HasPrefix(c.part, "add-system"):
			change(c.part, http.MethodPost)
		default:
			change(c.part, http.MethodPut)
		}
		change("delete-"+c.record, http.MethodDelete)
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM pg_proc WHERE proname = 'feed_change'`))
}
