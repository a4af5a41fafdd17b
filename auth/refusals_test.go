package auth_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/auth"
)

const refusedSignIns = `SELECT count(*) FROM ai_audit_entries WHERE action = 'sign-in-failed'`

// settle does the chore that makes entries of what was counted.
func (a *app) settle(t *testing.T) {
	t.Helper()
	for _, chore := range a.Chores() {
		if chore.Name == "settle refusals" {
			require.NoError(t, chore.Do(t.Context()))
			return
		}
	}
	t.Fatal("there is no such chore")
}

func (a *app) windowEnds(t *testing.T) {
	t.Helper()
	a.exec(t, `UPDATE auth_refusals SET since = since - interval '11 minutes'`)
}

func TestRefusedSignInsAreOnRecordWithoutFloodingIt(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle = auth.Throttle{PerPair: 1000, PerAccount: 1000, PerAddress: 1000} })
	ada := a.user(t, "ada@example.org")
	for range 30 {
		require.Equal(t, http.StatusUnauthorized, a.login(t, "ada@example.org", "wrong horse", from("192.0.2.1:999")).status)
	}
	require.Equal(t, 1, a.count(t, refusedSignIns), "the first one at once")
	require.Equal(t, 1, a.count(t, refusedSignIns+` AND object_id = $1`, ada.ID.String()))
	require.Equal(t, 1, a.count(t, `SELECT count(*) FROM ai_audit_personal WHERE strpos(data, '192.0.2.1') > 0 AND person_id = $1`, ada.ID))
	a.settle(t)
	require.Equal(t, 1, a.count(t, refusedSignIns), "its window is open")
	a.windowEnds(t)
	a.settle(t)
	require.Equal(t, 2, a.count(t, refusedSignIns))
	require.Equal(t, 1, a.count(t, refusedSignIns+` AND summary LIKE '29 more sign-ins%'`), "the others together")
	a.windowEnds(t)
	a.settle(t)
	require.Equal(t, 2, a.count(t, refusedSignIns))

	require.Equal(t, http.StatusUnauthorized, a.login(t, "my-password-by-mistake", "wrong horse").status)
	require.Zero(t, a.count(t, `SELECT count(*) FROM ai_audit_entries e LEFT JOIN ai_audit_personal p ON p.entry_id = e.id
		WHERE strpos(concat_ws(' ', e.*, p.data), 'mistake') > 0`), "what is no account may be anything")
	require.Equal(t, 0, a.count(t, `SELECT count(*) FROM ai_audit_entries WHERE action = 'signed-in'`))
	require.Equal(t, http.StatusOK, a.login(t, "ada@example.org", goodPassword).status)
	require.Equal(t, 1, a.count(t, `SELECT count(*) FROM ai_audit_entries WHERE action = 'signed-in' AND principal_id = $1`, ada.ID))
}

func TestManySourcesOfRefusalsAreCountedTogether(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle = auth.Throttle{PerPair: 1000} })
	a.exec(t, `INSERT INTO auth_refusals (bucket, kind, address) SELECT int4send(n), 'sign-in-failed', '' FROM generate_series(1, 200) n`)
	for n := range 5 {
		require.Equal(t, http.StatusUnauthorized, a.login(t, "nobody@example.org", "wrong horse", from(fmt.Sprintf("192.0.2.%d:999", n))).status)
	}
	require.Equal(t, 1, a.count(t, refusedSignIns))
	require.Equal(t, 1, a.count(t, `SELECT count(*) FROM auth_refusals WHERE address = 'many addresses' AND more = 4`))
}

func TestRefusedTokensAreOnRecord(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(o *auth.Options) { o.Throttle = auth.Throttle{PerPair: 1000} })
	_, token := a.application(t, "Robot")
	for range 20 {
		require.Equal(
			t,
			http.StatusUnauthorized,
			a.do(t, http.MethodGet, "/api/me", nil, bearer(token[:len(token)-4]+"AAAA"), from("192.0.2.7:999")).status,
		)
	}
	require.Eventually(t, func() bool {
		return a.count(t, `SELECT coalesce(sum(more), -1) FROM auth_refusals WHERE kind = 'token-refused'`) == 19
	}, time.Minute, 20*time.Millisecond)
	require.Equal(t, 1, a.count(t, `SELECT count(*) FROM ai_audit_entries WHERE action = 'token-refused'`))
	require.Equal(t, 1, a.count(t, `SELECT count(*) FROM ai_audit_personal WHERE strpos(data, '192.0.2.7') > 0`))
}
