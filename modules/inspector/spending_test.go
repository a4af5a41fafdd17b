package inspector_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/modules/inspector"
	"countersign/tool/spend"
)

var (
	ada, grace    = uuid.UUID{1}, uuid.UUID{2}
	large, little = uuid.UUID{0xa}, uuid.UUID{0xb}
	analysts      = uuid.UUID{0xc}
)

// company has two people, a team and two connections.
type company struct{ nobodys }

func (company) Names(context.Context, []uuid.UUID) (map[uuid.UUID]string, error) {
	return map[uuid.UUID]string{ada: "Ada", grace: "Grace"}, nil
}

func (company) TeamNames(context.Context, []uuid.UUID) (map[uuid.UUID]string, error) {
	return map[uuid.UUID]string{analysts: "Analysts"}, nil
}

func (company) IsApplication(context.Context, uuid.UUID) (bool, error) { return false, nil }

func (company) Connections(context.Context) ([]inspector.Connection, error) {
	return []inspector.Connection{
		{ID: large, Name: "Large", Cap: spend.Cap{Tokens: 1000, Window: time.Hour}, Enabled: true},
		{ID: little, Name: "Little", Enabled: true},
	}, nil
}

type house struct{ *apitest.Server }

func newHouse(t *testing.T) house {
	t.Helper()
	server := apitest.New(t)
	server.Mount(t, inspector.New(inspector.Options{
		DB: server.DB, Conversations: company{}, Names: company{}, Known: func(string) bool { return false },
		Spend: spend.New(server.DB), Teams: company{}, Connections: company{},
	}))
	// Older calls than this installation.
	server.Exec(t, `UPDATE sweeps SET through = '2026-01-01T00:00:00Z' WHERE name = 'spend buckets'`)
	server.SignIn("ada", principal.Principal{Kind: principal.User, ID: ada})
	server.SignIn("grace", principal.Principal{Kind: principal.User, ID: grace, Rules: []string{inspector.ChatRead, "ai.connection.manage"}})
	server.SignIn("operator", principal.Principal{Kind: principal.User, ID: uuid.UUID{3}, Rules: []string{inspector.Read}})
	return house{server}
}

func (h house) used(t *testing.T, who, connection uuid.UUID, tokens int, at string) {
	t.Helper()
	h.Exec(
		t,
		`INSERT INTO ai_spend (id, connection_id, principal_kind, principal_id, purpose, reserved, input_tokens, output_tokens, status, model, cost_micros, created_at, settled_at)
		VALUES (gen_random_uuid(), $1, 'user', $2, 'answer', 0, $3, 0, 'settled', 'm', $3::bigint * 10, $4::timestamptz, now())`,
		connection,
		who,
		tokens,
		at,
	)
}

func (h house) report(t *testing.T, by, path string, query url.Values) inspector.SpendReport {
	t.Helper()
	answer := h.Do(t, by, http.MethodGet, path+"?"+query.Encode(), nil)
	require.Equal(t, http.StatusOK, answer.Status, answer.Body)
	return apitest.Decode[inspector.SpendReport](t, answer)
}

const (
	everybodys = "/api/ai/spend/report"
	own        = "/api/ai/spend/own"
)

func days(from, to string, more ...string) url.Values {
	v := url.Values{"from": {from}, "to": {to}}
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v
}

func TestWhoMaySeeWhatWasSpent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.used(t, ada, large, 100, "2026-03-10T12:00:00Z")
	h.used(t, grace, large, 30, "2026-03-10T12:00:00Z")
	h.used(t, grace, little, 7, "2026-03-11T12:00:00Z")
	query := days("2026-03-10", "2026-03-11", "split", "person")
	for who, status := range map[string]int{"ada": http.StatusForbidden, "grace": http.StatusForbidden, "": http.StatusUnauthorized, "operator": http.StatusOK} {
		require.Equal(t, status, h.Do(t, who, http.MethodGet, everybodys+"?"+query.Encode(), nil).Status, who)
	}
	all := h.report(t, "operator", everybodys, query)
	require.Len(t, all.Series, 2)
	require.Equal(t, "Ada", all.Series[0].Name)
	require.Equal(t, int64(100), all.Series[0].Total.Tokens)
	require.Equal(t, int64(7), all.Series[1].Slots[1].Tokens)
	require.Empty(t, all.Limits, "a limit is one person's")
	for _, path := range []string{own, own + "?principalId=" + ada.String()} {
		require.Equal(t, http.StatusUnauthorized, h.Do(t, "", http.MethodGet, path, nil).Status)
	}
	query.Set("principalId", ada.String())
	require.Equal(t, int64(100), h.report(t, "operator", everybodys, query).Series[0].Total.Tokens)
	mine := h.Do(t, "grace", http.MethodGet, own+"?"+query.Encode(), nil)
	require.Equal(t, http.StatusOK, mine.Status, mine.Body)
	require.NotContains(t, mine.Body, ada.String(), "nobody asks for somebody else this way")
	query.Del("principalId")
	query.Set("split", "connection")
	hers := h.report(t, "grace", own, query)
	require.Len(t, hers.Series, 2)
	require.Equal(t, "Large", hers.Series[0].Name)
	require.Equal(t, int64(30), hers.Series[0].Total.Tokens)
	require.Equal(t, int64(300), hers.Series[0].Total.CostMicros)
	require.Equal(t, []inspector.SpendLimit{{ConnectionID: large, ConnectionName: "Large", Tokens: 1000, WindowMinutes: 60}}, hers.Limits)
	query.Set("connectionId", little.String())
	hers = h.report(t, "grace", own, query)
	require.Len(t, hers.Series, 1)
	require.Empty(t, hers.Limits)
}

// A day is one of the reader's time zone, also where clocks are changed in it.
func TestDaysAreThoseOfTheReader(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.used(t, ada, large, 1, "2026-03-28T22:59:59Z") // 23:59 of the 28th in Vienna
	h.used(t, ada, large, 2, "2026-03-28T23:00:00Z") // 0:00 of the 29th, when clocks go forward
	h.used(t, ada, large, 4, "2026-03-29T21:59:59Z")
	h.used(t, ada, large, 8, "2026-03-29T22:00:00Z")
	tokens := func(query url.Values) (all []int64) {
		r := h.report(t, "ada", own, query)
		require.Len(t, r.Series, 1)
		for _, slot := range r.Series[0].Slots {
			all = append(all, slot.Tokens)
		}
		return all
	}
	require.Equal(t, []int64{1, 6, 8}, tokens(days("2026-03-28", "2026-03-30", "zone", "Europe/Vienna")))
	require.Equal(t, []int64{3, 12}, tokens(days("2026-03-28", "2026-03-29")))
	require.Equal(t, []int64{1, 6, 8}, tokens(days("2026-03-28", "2026-03-30", "zone", "Europe/Vienna", "split", "none")))
	require.Len(t, tokens(days("2026-03-29", "2026-03-29", "zone", "Europe/Vienna", "step", "hour")), 23)
	require.Equal(t, []int64{7, 8}, tokens(days("2026-03-25", "2026-03-30", "zone", "Europe/Vienna", "step", "week")), "weeks begin on Monday")
	require.Equal(t, []int64{0, 15}, tokens(days("2026-02-25", "2026-03-30", "step", "month")))
	h.used(t, ada, large, 16, "2026-03-29T18:29:59Z") // 23:59 in Kolkata
	require.Equal(t, []int64{0, 19, 12}, tokens(days("2026-03-28", "2026-03-30", "zone", "Asia/Kolkata")), "half hours are told apart")
}

// In some countries clocks go forward at midnight, so that a day begins at one o'clock.
func TestADayWithoutAMidnightMovesNoOther(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for zone, c := range map[string]struct {
		query url.Values
		want  []string
	}{
		"America/Santiago": {days("2025-09-06", "2025-09-09"), []string{"2025-09-06T04:00:00Z", "2025-09-07T04:00:00Z", "2025-09-08T03:00:00Z", "2025-09-09T03:00:00Z"}},
		"Africa/Cairo":     {days("2025-04-24", "2025-04-27"), []string{"2025-04-23T22:00:00Z", "2025-04-24T22:00:00Z", "2025-04-25T21:00:00Z", "2025-04-26T21:00:00Z"}},
	} {
		c.query.Set("zone", zone)
		var starts []string
		for _, at := range h.report(t, "ada", own, c.query).Starts {
			starts = append(starts, at.Format(time.RFC3339))
		}
		require.Equal(t, c.want, starts, zone)
	}
}

func TestARangeOfSpendIsBounded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for name, query := range map[string]url.Values{
		"no days":        {},
		"no day":         days("yesterday", "2026-03-01"),
		"backwards":      days("2026-03-02", "2026-03-01"),
		"years":          days("2020-01-01", "2026-03-01", "step", "month"),
		"many days":      days("2026-01-01", "2026-08-01"),
		"many hours":     days("2026-01-01", "2026-01-06", "step", "hour"),
		"no zone":        days("2026-03-01", "2026-03-02", "zone", "Mars/Olympus"),
		"the server's":   days("2026-03-01", "2026-03-02", "zone", "Local"),
		"a file":         days("2026-03-01", "2026-03-02", "zone", "../../etc/passwd"),
		"no split":       days("2026-03-01", "2026-03-02", "split", "password"),
		"no step":        days("2026-03-01", "2026-03-02", "step", "second"),
		"no connection":  days("2026-03-01", "2026-03-02", "connectionId", "1 OR 1=1"),
		"beyond numbers": days("99999-03-01", "99999-03-02"),
		"no year after":  days("9999-12-31", "9999-12-31"),
		"no year before": days("0000-01-01", "0000-01-03", "step", "week"),
	} {
		answer := h.Do(t, "ada", http.MethodGet, own+"?"+query.Encode(), nil)
		require.Equal(t, http.StatusUnprocessableEntity, answer.Status, "%s: %s", name, answer.Body)
	}
}
