package healthcheck_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
)

// A system with a check of which nothing is known is no healthy one, wherever its status is shown, counted or asked for.
func TestAPartlyUnknownSystemIsFoundByItsStatus(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop, mail := a.system(t, "Shop"), a.system(t, "Mail")
	good := a.check(t, door("Good", "example.org"))
	secret := a.check(t, door("Secret", "example.org", object{"assignToSystemId": shop}))
	a.ran(t, secret.ID, 0, "3 runs in a row could not be made: The secret PAGE is not there")
	a.assign(t, good.ID, shop, object{})
	a.assign(t, good.ID, mail, object{})
	a.ran(t, good.ID, 1, "")
	// Whatever changes the targets of a system that has run settles its status.
	a.Exec(t, `INSERT INTO check_system_states (system_id, since_ms) VALUES ($1, 1), ($2, 1)`, shop, mail)
	settle := a.check(t, door("Other", "example.org", object{"assignToSystemId": shop}))
	a.assign(t, settle.ID, mail, object{})
	a.ok(t, a.Do(t, "root", http.MethodDelete, at(checks, settle.ID), nil))

	const reason = "Healthy, 1 of 2 unknown, Secret: 3 runs in a row could not be made: The secret PAGE is not there."
	page := decode[healthcheck.SystemStatus](t, a.Do(t, "root", http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil))
	require.Equal(t, healthcheck.PartlyUnknown, page.Status)
	require.Equal(t, reason, page.Reason)
	require.Equal(t, "3 runs in a row could not be made: The secret PAGE is not there", page.Targets[1].Reason)

	board := func(who, filter string) []healthcheck.BoardRow {
		t.Helper()
		return decode[struct{ Systems []healthcheck.BoardRow }](t, a.Do(t, who, http.MethodGet, "/api/healthcheck/board"+filter, nil)).Systems
	}
	rows := board("root", "?status=partly-unknown")
	require.Len(t, rows, 1)
	require.Equal(t, "Shop", rows[0].SystemName)
	require.Equal(t, reason, rows[0].Reason)
	rows = board("root", "?status=healthy")
	require.Len(t, rows, 1)
	require.Equal(t, "Mail", rows[0].SystemName)

	a.Person("viewer", healthcheck.StatusRead, catalog.SystemRead)
	rows = board("viewer", "?status=partly-unknown")
	require.Len(t, rows, 1)
	require.Equal(t, "Healthy, 1 of 2 unknown, Secret: 3 runs in a row could not be made.", rows[0].Reason)

	var found struct {
		Systems []struct{ SystemName, Status, Reason string }
	}
	require.NoError(t, json.Unmarshal([]byte(a.Call(t, "root", "healthcheck.status", object{"status": "partly-unknown"})), &found))
	require.Len(t, found.Systems, 1)
	require.Equal(t, reason, found.Systems[0].Reason)

	// A paused check counts for nothing.
	a.ok(t, a.Do(t, "root", http.MethodPut, at(checks, secret.ID)+"/paused", object{"paused": true}))
	require.Empty(t, board("root", "?status=partly-unknown"))
	require.Len(t, board("root", "?status=healthy"), 2)

	// Nor does an assigned check that has not run yet make a system healthy.
	a.check(t, door("New", "example.org", object{"assignToSystemId": shop}))
	rows = board("root", "?status=partly-unknown")
	require.Len(t, rows, 1)
	require.Equal(t, "Healthy, 1 of 2 unknown, New: there is no result yet.", rows[0].Reason)
}
