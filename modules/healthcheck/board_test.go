package healthcheck_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
)

const boardPath = "/api/healthcheck/board"

// board reads a page of the board.
func (a *app) board(t testing.TB, who string, query ...string) healthcheck.Board {
	t.Helper()
	return decode[healthcheck.Board](t, a.Do(t, who, http.MethodGet, boardPath+"?"+strings.Join(query, "&"), nil))
}

// is stores the status of a system as the engine does.
func (a *app) is(t testing.TB, system uuid.UUID, status int) {
	t.Helper()
	a.Exec(t, `INSERT INTO check_system_states (system_id, status, since_ms, target, reason) VALUES ($1, $2, 1000, -1, '')
		ON CONFLICT (system_id) DO UPDATE SET status = excluded.status`, system, status)
}

// rows are the systems of boards, each as its status and name.
func rows(boards ...healthcheck.Board) []string {
	list := []string{}
	for _, b := range boards {
		for _, row := range b.Systems {
			list = append(list, string(row.Status)+" "+row.SystemName)
		}
	}
	return list
}

func TestTheBoardBeginsWithTheWorstAndCountsAll(t *testing.T) { //nolint:tparallel // its parts share one board, one after the other
	t.Parallel()
	a := newApp(t)
	ids := map[string]uuid.UUID{}
	for name, status := range map[string]int{"api": 1, "Blog": 3, "cart": 0, "Desk": 2, "edge": 3, "feed": 1, "Gate": 0, "hub": 4} {
		ids[name] = a.system(t, name)
		if status > 0 {
			a.is(t, ids[name], status)
		}
	}
	want := []string{
		"unhealthy Blog", "unhealthy edge", "degraded Desk", "unknown cart", "unknown Gate", "partly-unknown hub", "healthy api", "healthy feed",
	}
	counts := healthcheck.BoardCounts{Unhealthy: 2, Degraded: 1, Unknown: 2, PartlyUnknown: 1, Healthy: 2}
	whole := a.board(t, "root")
	require.Equal(t, want, rows(whole))
	require.Equal(t, counts, whole.Counts)
	require.Empty(t, whole.NextCursor)
	require.False(t, whole.Partial)

	t.Run("pages have the same order, and each counts all", func(t *testing.T) {
		var pages []healthcheck.Board
		for cursor := ""; len(pages) == 0 || cursor != ""; cursor = pages[len(pages)-1].NextCursor {
			pages = append(pages, a.board(t, "root", "limit=2", "cursor="+cursor))
		}
		require.Len(t, pages, 4)
		require.Equal(t, want, rows(pages...))
		for _, page := range pages {
			require.Equal(t, counts, page.Counts)
		}
	})
	t.Run("a status filters the rows, not the counts", func(t *testing.T) {
		for _, status := range []string{"unhealthy", "degraded", "unknown", "partly-unknown", "healthy"} {
			got := a.board(t, "root", "status="+status)
			require.Equal(t, slices.DeleteFunc(slices.Clone(want), func(row string) bool { return !strings.HasPrefix(row, status+" ") }), rows(got))
			require.Equal(t, counts, got.Counts)
		}
		first := a.board(t, "root", "status=unhealthy", "limit=1")
		require.Equal(t, want[:1], rows(first))
		require.Equal(t, want[1:2], rows(a.board(t, "root", "status=unhealthy", "limit=1", "cursor="+first.NextCursor)))
	})
	t.Run("a search narrows the counts too", func(t *testing.T) {
		got := a.board(t, "root", "query=ed")
		require.Equal(t, []string{"unhealthy edge", "healthy feed"}, rows(got))
		require.Equal(t, healthcheck.BoardCounts{Unhealthy: 1, Healthy: 1}, got.Counts)
		require.Empty(t, rows(a.board(t, "root", "query=nowhere")))
	})
	t.Run("a system that has recovered stands among the healthy ones", func(t *testing.T) {
		page := a.board(t, "root", "limit=3")
		a.is(t, ids["Blog"], 1)
		defer a.is(t, ids["Blog"], 3)
		rest := a.board(t, "root", "cursor="+page.NextCursor)
		require.Equal(t, append(slices.Clone(want[3:7]), "healthy Blog", "healthy feed"), rows(rest))
		require.Equal(t, "unhealthy edge", rows(a.board(t, "root"))[0])
	})
	for _, cursor := range []string{"nonsense!", "bm9uc2Vuc2U", url.QueryEscape("YQpiCmM")} {
		a.Do(t, "root", http.MethodGet, boardPath+"?cursor="+cursor, nil).Refused(t, problem.Invalid)
	}
	a.Do(t, "root", http.MethodGet, boardPath+"?limit=1001", nil).Refused(t, problem.Invalid)
	a.Do(t, "root", http.MethodGet, boardPath+"?status=green", nil).Refused(t, problem.Invalid)
}

func TestTheBoardNamesTagsAndGroupsThatTheReaderSees(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop, mail, bank := a.system(t, "Shop"), a.system(t, "Mail"), a.system(t, "Bank")
	a.ok(t, a.Do(t, "root", http.MethodPatch, at(systemsPath, shop), object{"tags": []string{"web", "eu"}}))
	a.ok(t, a.Do(t, "root", http.MethodPatch, at(systemsPath, bank), object{"tags": []string{"eu"}}))
	group := func(name string, systems ...uuid.UUID) uuid.UUID {
		body := object{"name": name, "systemIds": systems}
		return decode[catalog.Group](t, a.Do(t, "root", http.MethodPost, "/api/catalog/groups", body)).ID
	}
	open, secret := group("Zone one", shop, mail), group("Canary group", shop, bank)
	team := a.team(t, "Bankers")
	a.grant(t, "catalog.group", secret, true, map[uuid.UUID]access.Level{team: access.View})
	a.grant(t, "catalog.system", bank, true, map[uuid.UUID]access.Level{team: access.View})
	a.member("banker", []uuid.UUID{team}, healthcheck.StatusRead, catalog.SystemRead, catalog.GroupRead)
	a.is(t, bank, 3)
	a.Person("viewer", healthcheck.StatusRead, catalog.SystemRead, catalog.GroupRead)
	a.Person("plain", healthcheck.StatusRead, catalog.SystemRead)

	all := a.board(t, "banker")
	require.Equal(t, []string{"unhealthy Bank", "unknown Mail", "unknown Shop"}, rows(all))
	require.Equal(t, []healthcheck.BoardGroup{{ID: secret, Name: "Canary group"}, {ID: open, Name: "Zone one"}}, all.Groups)
	require.Equal(t, []uuid.UUID{secret, open}, all.Systems[2].GroupIDs)
	require.ElementsMatch(t, []string{"web", "eu"}, all.Systems[2].Tags)

	seen := a.board(t, "viewer")
	require.Equal(t, []string{"unknown Mail", "unknown Shop"}, rows(seen))
	require.Equal(t, healthcheck.BoardCounts{Unknown: 2}, seen.Counts, "what one may not see is not counted")
	require.Equal(t, []healthcheck.BoardGroup{{ID: open, Name: "Zone one"}}, seen.Groups)
	require.Equal(t, []uuid.UUID{open}, seen.Systems[1].GroupIDs)
	require.Empty(t, a.board(t, "plain").Groups)

	require.Equal(t, []string{"unknown Mail", "unknown Shop"}, rows(a.board(t, "banker", "groupId="+open.String())))
	require.Equal(t, []string{"unhealthy Bank", "unknown Shop"}, rows(a.board(t, "banker", "tag=eu")))
	require.Equal(t, []string{"unknown Shop"}, rows(a.board(t, "banker", "tag=eu", "groupId="+open.String())))
	a.Do(t, "viewer", http.MethodGet, boardPath+"?groupId="+secret.String(), nil).Refused(t, problem.NotFound)
	a.Do(t, "viewer", http.MethodGet, boardPath+"?groupId=one", nil).Refused(t, problem.Invalid)
}

func TestThePastOfSystemsIsOfThoseOneSees(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop, hidden := a.system(t, "Shop"), a.system(t, "Hidden")
	team := a.team(t, "Keepers")
	a.grant(t, "catalog.system", hidden, true, map[uuid.UUID]access.Level{team: access.View})
	a.Person("viewer", healthcheck.StatusRead, catalog.SystemRead)
	a.member("keeper", []uuid.UUID{team}, healthcheck.StatusRead, catalog.SystemRead)
	type past struct{ Systems []healthcheck.BoardPast }
	read := func(who string, ids ...uuid.UUID) past {
		list := make([]string, len(ids))
		for i, id := range ids {
			list[i] = id.String()
		}
		return decode[past](t, a.Do(t, who, http.MethodGet, boardPath+"/past?systemIds="+strings.Join(list, ","), nil))
	}
	got := read("viewer", hidden, shop, uuid.New())
	require.Len(t, got.Systems, 1)
	require.Equal(t, shop, got.Systems[0].SystemID)
	require.Len(t, got.Systems[0].Days, 90)
	require.Len(t, got.Systems[0].Latency, 24)
	require.Len(t, read("keeper", hidden, shop, shop).Systems, 2)
	many := strings.Repeat(","+shop.String(), 101)[1:]
	a.Do(t, "root", http.MethodGet, boardPath+"/past?systemIds="+many, nil).Refused(t, problem.Invalid)
	a.Do(t, "root", http.MethodGet, boardPath+"/past", nil).Refused(t, problem.Invalid)
	a.Do(t, "root", http.MethodGet, boardPath+"/past?systemIds=shop", nil).Refused(t, problem.Invalid)
}

func TestACheckSaysWhereItFailsAndWhy(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop, mail, bank := a.system(t, "Shop", a.environment(t, "Canary place", nil)), a.system(t, "Mail"), a.system(t, "Bank")
	c := a.check(t, door("Front", "example.org"))
	for _, system := range []uuid.UUID{shop, mail, bank} {
		a.assign(t, c.ID, system, object{})
	}
	state := func(place string, status, since int, reason string) {
		a.Exec(t, `INSERT INTO check_states (target, status, since_ms, last_slot, reason) VALUES ($1, $2, $3, 90000, $4)
			ON CONFLICT (target) DO UPDATE SET status = excluded.status, since_ms = excluded.since_ms, reason = excluded.reason`,
			a.planned(t, c.ID)[place].ID, status, since, reason)
	}
	type failing struct {
		Targets []healthcheck.FailingTarget
		More    bool
	}
	read := func(who string) failing {
		return decode[failing](t, a.Do(t, who, http.MethodGet, at(checks, c.ID)+"/failing", nil))
	}
	require.Empty(t, read("root").Targets, "what has not run fails nowhere")
	state("Shop/Canary place", 3, 60_000, "5 runs in a row failed: canary words")
	state("Mail/", 1, 10_000, "")
	state("Bank/", 2, 20_000, "2 of 5 runs failed: canary words")
	got := read("root")
	require.Len(t, got.Targets, 2)
	require.False(t, got.More)
	require.Equal(t, "Shop", got.Targets[0].SystemName, "the worst comes first")
	require.Equal(t, "Canary place", got.Targets[0].Environment.Name)
	require.Equal(t, "5 runs in a row failed: canary words", got.Targets[0].Reason)
	require.Equal(t, time.UnixMilli(60_000).UTC(), got.Targets[0].Since.UTC())
	require.Equal(t, time.UnixMilli(90_000).UTC(), got.Targets[0].LastRun.UTC())
	require.Equal(t, "Bank", got.Targets[1].SystemName)
	state("Mail/", 3, 10_000, "It is closed")
	require.Equal(t, "Mail", read("root").Targets[0].SystemName, "then what has failed longest")

	a.Person("viewer", healthcheck.StatusRead, catalog.SystemRead)
	require.Equal(t, "5 runs in a row failed", read("viewer").Targets[1].Reason)
	require.Empty(t, read("viewer").Targets[1].Environment.Name)
	a.Person("blind", healthcheck.StatusRead)
	require.Empty(t, read("blind").Targets)
	a.grant(t, "healthcheck.healthcheck", c.ID, true, nil)
	a.Do(t, "viewer", http.MethodGet, at(checks, c.ID)+"/failing", nil).Refused(t, problem.NotFound)
	a.Do(t, "viewer", http.MethodGet, at(checks, uuid.New())+"/failing", nil).Refused(t, problem.NotFound)
}

// fillBoard adds systems, each with five checks of its own, a group and two tags: one in a hundred is unhealthy, two are
// degraded.
func (a *app) fillBoard(t testing.TB, systems int) {
	t.Helper()
	a.Exec(t, `INSERT INTO catalog_systems (id, name, name_key, description, metadata, tags)
		SELECT gen_random_uuid(), 'System ' || n, 'system ' || lpad(n::text, 6, '0'), 'Serves customers.', '{}', ARRAY['t' || n % 7, 'r' || n % 3]
		FROM generate_series(1, $1::integer) n`, systems)
	a.Exec(t, `INSERT INTO catalog_groups (id, name, name_key, description, metadata)
		SELECT gen_random_uuid(), 'Group ' || n, 'group ' || n, '', '{}' FROM generate_series(0, 39) n`)
	a.Exec(t, `INSERT INTO catalog_group_systems (group_id, system_id)
		SELECT g.id, s.id FROM catalog_systems s JOIN catalog_groups g ON g.name = 'Group ' || right(s.name_key, 6)::integer % 40`)
	a.Exec(t, `INSERT INTO health_checks (id, name, name_key, description, strategy, definition, interval_seconds)
		SELECT gen_random_uuid(), s.name || ' ' || c, s.name_key || ' ' || c, '', 'test-door.door', '{}', 60
		FROM catalog_systems s, generate_series(1, 5) c`)
	a.Exec(t, `INSERT INTO check_targets (check_id, system_id, shard, interval_ms, phase_ms, active, scope)
		SELECT c.id, s.id, 0, 60000, 0, true, '{}' FROM health_checks c JOIN catalog_systems s ON c.name_key LIKE s.name_key || ' %'`)
	a.Exec(t, `INSERT INTO check_states (target, status, since_ms, last_slot, reason)
		SELECT id, 1, 1000, 1000, '' FROM check_targets`)
	a.Exec(t, `INSERT INTO check_system_states (system_id, status, since_ms, target, reason)
		SELECT s.id, CASE WHEN n.n % 100 = 0 THEN 3 WHEN n.n % 50 = 1 THEN 2 ELSE 1 END, 1000, t.id,
		       CASE WHEN n.n % 50 < 2 THEN 'The check ' || s.name || ' 1 is unhealthy: 5 runs in a row failed: ' ||
		            'Expected statusCode = 200, got 503.' ELSE '' END
		FROM catalog_systems s JOIN LATERAL (SELECT min(id) AS id FROM check_targets t WHERE t.system_id = s.id) t ON true,
		     LATERAL (SELECT right(s.name_key, 6)::integer AS n) n`)
	a.Exec(t, `ANALYZE`)
}

// A board of a thousand systems is one answer that is small enough to be read again whenever something changes.
func TestABoardOfAThousandSystemsIsOneSmallAnswer(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.fillBoard(t, 1000)
	answer := a.Do(t, "root", http.MethodGet, boardPath+"?limit=1000", nil)
	got := decode[healthcheck.Board](t, answer)
	require.Len(t, got.Systems, 1000)
	require.Equal(t, healthcheck.BoardCounts{Unhealthy: 10, Degraded: 20, Healthy: 970}, got.Counts)
	require.Len(t, got.Groups, 40)
	require.Equal(t, 5, got.Systems[0].Checks)
	require.Equal(t, healthcheck.Unhealthy, got.Systems[9].Status)
	require.Equal(t, healthcheck.Degraded, got.Systems[10].Status)
	require.Less(t, len(answer.Body), 400_000)
}

// Beyond ten thousand systems a board is ordered part by part, and none is out of reach.
func TestABoardBeyondItsWindowReachesEverySystem(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Exec(t, `INSERT INTO catalog_systems (id, name, name_key, description, metadata, tags)
		SELECT gen_random_uuid(), 'System ' || lpad(n::text, 6, '0'), 'system ' || lpad(n::text, 6, '0'), '', '{}', '{}'
		FROM generate_series(1, 10003) n`)
	a.Exec(t, `INSERT INTO check_system_states (system_id, status, since_ms, reason)
		SELECT id, 3, 1000, '' FROM catalog_systems WHERE name IN ('System 010000', 'System 010002')`)
	first := a.board(t, "root", "status=unhealthy")
	require.True(t, first.Partial)
	require.Equal(t, []string{"unhealthy System 010000"}, rows(first))
	require.Equal(t, healthcheck.BoardCounts{Unhealthy: 1, Unknown: 9999}, first.Counts)
	second := a.board(t, "root", "status=unhealthy", "cursor="+first.NextCursor)
	require.Equal(t, []string{"unhealthy System 010002"}, rows(second))
	require.True(t, second.Partial)
	require.Empty(t, second.NextCursor)

	seen := map[uuid.UUID]bool{}
	var cursor string
	for range 11 {
		page := a.board(t, "root", "limit=1000", "cursor="+cursor)
		for _, row := range page.Systems {
			seen[row.SystemID] = true
		}
		cursor = page.NextCursor
	}
	require.Empty(t, cursor)
	require.Len(t, seen, 10_003)
	require.False(t, a.board(t, "root", "query=000001").Partial)
}

func BenchmarkBoard(b *testing.B) {
	a := newApp(b)
	a.fillBoard(b, 1000)
	a.Person("viewer", healthcheck.StatusRead, catalog.SystemRead, catalog.GroupRead)
	for _, who := range []string{"root", "viewer"} {
		b.Run(who, func(b *testing.B) {
			var took []time.Duration
			size := 0
			for b.Loop() {
				began := time.Now()
				size = len(a.Do(b, who, http.MethodGet, boardPath+"?limit=1000", nil).Body)
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[0].Microseconds())/1000, "min-ms")
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
