package healthcheck_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/modules/healthcheck"
)

// Who sets for how long history is kept does not write over what others have set meanwhile, and is on record.
func TestRetentionIsSetAndOnRecord(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	const path = "/api/healthcheck/retention"
	first := a.Do(t, "root", http.MethodGet, path, nil)
	set := decode[healthcheck.Retention](t, first)
	require.Equal(t, []int{7, 30, 365}, []int{set.RawDays, set.HourlyDays, set.DailyDays})
	require.Equal(t, `"1"`, first.Header.Get("ETag"))
	wanted := object{"rawDays": 3, "hourlyDays": 14, "dailyDays": 90}
	changed := decode[healthcheck.Retention](t, a.Do(t, "root", http.MethodPut, path, wanted, "If-Match", `"1"`))
	require.EqualValues(t, 2, changed.Revision)
	require.Equal(t, 14, changed.HourlyDays)
	a.Do(
		t,
		"root",
		http.MethodPut,
		path,
		object{"rawDays": 4, "hourlyDays": 14, "dailyDays": 90},
		"If-Match",
		`"1"`,
	).Refused(
		t,
		problem.Precondition,
	)
	require.EqualValues(
		t,
		2,
		decode[healthcheck.Retention](t, a.Do(t, "root", http.MethodPut, path, wanted)).Revision,
		"what is so already is no change",
	)
	for _, wrong := range []object{{"rawDays": 0, "hourlyDays": 14, "dailyDays": 90}, {"rawDays": 3, "hourlyDays": 91, "dailyDays": 90}, {"rawDays": 3, "hourlyDays": 14}} {
		a.Do(t, "root", http.MethodPut, path, wrong).Refused(t, problem.Invalid)
	}
	require.Equal(
		t,
		1,
		a.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE object_type = 'healthcheck.retention' AND fields::text LIKE '%rawDays%'`),
	)
}
