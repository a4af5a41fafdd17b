package healthcheck_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check/heartbeat"
	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
)

// job makes a check and lets its target be a job's, whose address is given to who may change the check.
func (a *app) job(t testing.TB, name string, system uuid.UUID) (path string, target int32) {
	t.Helper()
	c := a.check(t, door(name, "example.org", object{"assignToSystemId": system}))
	a.Exec(t, `UPDATE health_checks SET strategy = 'healthcheck-heartbeat.heartbeat' WHERE id = $1`, c.ID)
	for _, planned := range a.planned(t, c.ID) {
		target = planned.ID
	}
	return at(checks, c.ID) + "/heartbeats", target
}

// A job keeps calling in at the old address for a day, or no more at once, and only the last one before counts.
func TestTheAddressOfAJobIsReplaced(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	list, target := a.job(t, "Nightly", a.system(t, "Backups"))
	listed := func() healthcheck.Calling {
		return decode[struct{ Heartbeats []healthcheck.Calling }](t, a.Do(t, "root", http.MethodGet, list, nil)).Heartbeats[0]
	}
	replace := func(body object) healthcheck.NewAddress {
		return decode[healthcheck.NewAddress](t, a.Do(t, "root", http.MethodPost, list+"/"+strconv.Itoa(int(target))+"/rotate-token", body))
	}
	hears := func(url string) bool {
		answer := a.Do(t, "", http.MethodPost, url[len("https://countersign.example.org"):], nil)
		require.Contains(t, []int{http.StatusOK, http.StatusNotFound}, answer.Status, answer.Body)
		return answer.Status == http.StatusOK
	}
	first := listed().URL
	require.True(t, hears(first))
	second := replace(object{})
	require.NotEqual(t, first, second.URL)
	require.WithinDuration(t, time.Now().Add(24*time.Hour), second.FormerUntil, time.Hour)
	require.True(t, hears(first), "the job is not changed yet")
	require.True(t, hears(second.URL))
	require.Empty(t, listed().URL, "it was shown once")
	require.NotNil(t, listed().ReplacedAt)
	require.True(t, second.FormerUntil.Equal(*listed().FormerUntil))

	third := replace(object{"atOnce": true})
	require.False(t, hears(first), "two before")
	require.False(t, hears(second.URL), "a stranger knew it")
	require.True(t, hears(third.URL))
	fourth := replace(object{})
	a.Exec(t, `UPDATE check_heartbeat_tokens SET former_until = now() - interval '1 second' WHERE target = $1`, target)
	require.False(t, hears(third.URL), "its day is over")
	require.True(t, hears(fourth.URL))
	other := heartbeat.New(a.DB, []byte("another key")).Token(target, 3)
	require.False(t, hears("https://countersign.example.org/api/heartbeats/"+other))

	var entries, kept int
	require.NoError(
		t,
		a.DB.Conn(
			t.Context(),
		).QueryRow(
			t.Context(),
			`SELECT (SELECT count(*) FROM ai_audit_entries WHERE operation = 'replace-heartbeat-address'),
		(SELECT count(*) FROM ai_audit_entries WHERE strpos(summary || coalesce(fields::text, ''), $1) > 0)`,
			fourth.URL,
		).Scan(
			&entries,
			&kept,
		),
	)
	require.Equal(t, 3, entries)
	require.Zero(t, kept, "no address is on record")
}

// Only who may change the check and sees the system replaces an address; to others there is none.
func TestWhoReplacesAnAddress(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	vault, team := a.system(t, "Vault"), a.team(t, "Vault people")
	list, target := a.job(t, "Settlement", vault)
	a.grant(t, "catalog.system", vault, true, map[uuid.UUID]access.Level{team: access.View})
	a.Person("reader", healthcheck.Read, catalog.SystemRead)
	a.Person("writer", healthcheck.Manage, healthcheck.Read, catalog.SystemRead)
	a.member("insider", []uuid.UUID{team}, healthcheck.Manage, healthcheck.Read, catalog.SystemRead)
	path := func(id int32) string { return list + "/" + strconv.Itoa(int(id)) + "/rotate-token" }
	a.Do(t, "reader", http.MethodPost, path(target), object{}).Refused(t, problem.Forbidden)
	hidden, missing := a.Do(
		t,
		"writer",
		http.MethodPost,
		path(target),
		object{},
	), a.Do(
		t,
		"writer",
		http.MethodPost,
		path(target+1000),
		object{},
	)
	require.Equal(t, http.StatusNotFound, hidden.Status)
	require.Equal(t, problemDetail(t, missing, ""), problemDetail(t, hidden, ""))
	require.Equal(t, http.StatusOK, a.Do(t, "insider", http.MethodPost, path(target), object{}).Status)
	plain := a.check(t, door("Plain", "example.org", object{"assignToSystemId": a.system(t, "Shop")}))
	for _, planned := range a.planned(t, plain.ID) {
		a.Do(
			t,
			"root",
			http.MethodPost,
			at(checks, plain.ID)+"/heartbeats/"+strconv.Itoa(int(planned.ID))+"/rotate-token",
			object{},
		).Refused(
			t,
			problem.NotFound,
		)
	}
}
