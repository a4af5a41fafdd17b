package healthcheck_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"countersign/check/history/historydb"
	"countersign/internal/store"
	"countersign/modules/healthcheck/healthcheckdb"
)

// explaining is a connection that keeps the plan of its last query.
type explaining struct {
	store.Conn

	t    testing.TB
	plan *string
}

// Query implements the connection of generated packages.
func (e explaining) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows, err := e.Conn.Query(ctx, "EXPLAIN (ANALYZE, BUFFERS) "+sql, args...)
	require.NoError(e.t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(e.t, err)
	*e.plan = strings.Join(lines, "\n")
	return e.Conn.Query(ctx, sql, args...)
}

// A scrape of ten thousand targets reads the last report and the last run of each by an index.
func TestAScrapeReadsNoHistoryAsAWhole(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	c := a.check(t, door("Front", "shop", object{"assignToSystemId": shop}))
	a.Exec(t, `ALTER TABLE check_targets DROP CONSTRAINT check_targets_once`)
	a.Exec(t, `INSERT INTO check_targets (check_id, system_id, shard, interval_ms, phase_ms, active, scope)
		SELECT $1, $2, 0, 60000, 0, true, '{}' FROM generate_series(1, 10000)`, c.ID, shop)
	now := time.Now().UnixMilli()
	a.Exec(t, `INSERT INTO check_reports (target, slot, report)
		SELECT t.id, $1::bigint / 60000 * 60000 - n * 3600000, '{"collectors": [{"result": {"validTo": "2027-01-01T00:00:00Z"}}]}'
		FROM check_targets t, generate_series(1, 30) n`, now)
	a.Exec(t, `INSERT INTO check_results (target, slot, late_ms, took_us, held, verdict, cause, code)
		SELECT t.id, $1::bigint / 60000 * 60000 - n * 60000, 0, 1, 0, 1, 0, 0 FROM check_targets t, generate_series(1, 30) n`, now)
	a.Exec(t, `ANALYZE check_targets, check_reports`)
	var plan string
	rows, err := healthcheckdb.New(explaining{a.DB.CustomPlans(t.Context()), t, &plan}).Measured(t.Context(), healthcheckdb.MeasuredParams{
		WithReports: true, ByRule: true, SystemsByRule: true, MaxRows: 5000,
	})
	require.NoError(t, err)
	require.Len(t, rows, 5000)
	require.Equal(t, "2027-01-01T00:00:00Z", rows[4999].ValidTo)
	t.Log(plan)
	require.NotContains(t, plan, "Seq Scan on check_reports")
	require.Contains(t, plan, "Subplans Removed: 34", "two days are looked at")
	ids := make([]int32, len(rows))
	for i := range rows {
		ids[i] = rows[i].Run
	}
	last, err := historydb.New(explaining{a.DB.Conn(t.Context()), t, &plan}).LastResults(t.Context(), ids)
	require.NoError(t, err)
	require.Len(t, last, 5000)
	t.Log(plan)
	require.NotContains(t, plan, "Seq Scan on check_results")
}
