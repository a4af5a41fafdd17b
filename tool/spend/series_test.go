package spend_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/store"
	"countersign/tool/spend"
)

// seriesOf is a series whose sums of all splits are equal.
func seriesOf(t *testing.T, l *spend.Ledger, r spend.Range) map[int]spend.Use {
	t.Helper()
	var whole map[int]spend.Use
	for _, split := range []spend.Split{spend.Whole, spend.ByConnection, spend.ByModel, spend.ByPerson, spend.ByTeam, spend.ByCaller} {
		r.Split = split
		points, err := l.Series(t.Context(), r)
		require.NoError(t, err)
		sums := map[int]spend.Use{}
		for _, p := range points {
			sum := sums[p.Slot]
			sum.Calls += p.Calls
			sum.Priced += p.Priced
			sum.Tokens += p.Tokens
			sum.InputTokens += p.InputTokens
			sum.OutputTokens += p.OutputTokens
			sum.CachedTokens += p.CachedTokens
			sum.CostMicros += p.CostMicros
			sums[p.Slot] = sum
		}
		if whole == nil {
			whole = sums
		}
		require.Equal(t, whole, sums, split)
	}
	return whole
}

func backTo(t *testing.T, db *store.DB, ago string) {
	t.Helper()
	_, err := db.Conn(
		t.Context(),
	).Exec(
		t.Context(),
		`UPDATE sweeps SET through = date_bin('30 minutes', now() - $1::interval, 'epoch') WHERE name = 'spend buckets'`,
		ago,
	)
	require.NoError(t, err)
}

// A series says the same before its half hours are added up, while some are, and when calls of them change afterwards.
func TestASeriesHoldsWhatItsCallsHold(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	backTo(t, db, "101 hours")
	random := rand.New(rand.NewPCG(5, 6))
	connections, people := []uuid.UUID{uuid.New(), uuid.New()}, make([]uuid.UUID, 20)
	for i := range people {
		people[i] = uuid.New()
	}
	var calls []uuid.UUID
	for range 500 {
		id := uuid.New()
		_, err := db.Conn(
			t.Context(),
		).Exec(
			t.Context(),
			`INSERT INTO ai_spend (id, connection_id, principal_kind, principal_id, unattended, purpose, reserved, status, created_at, model)
			VALUES ($1, $2, $3, $4, $5, $6, $7, 'reserved', now() - $8::interval, nullif($9, ''))`,
			id,
			connections[random.IntN(2)],
			[]string{"user", "application"}[random.IntN(2)],
			people[random.IntN(20)],
			random.IntN(3) == 0,
			[]string{"answer", "check", "title"}[random.IntN(3)],
			random.IntN(1000),
			time.Duration(random.Int64N(int64(100*time.Hour))).String(),
			[]string{"", "a", "b"}[random.IntN(3)],
		)
		require.NoError(t, err)
		calls = append(calls, id)
	}
	change := func() {
		for range 80 {
			_, err := db.Conn(t.Context()).Exec(t.Context(), []string{
				`UPDATE ai_spend SET status = 'settled', input_tokens = $2::bigint, output_tokens = 7, cached_tokens = 3, cost_micros = $2::bigint * 2, settled_at = now() WHERE id = $1`,
				`UPDATE ai_spend SET status = 'released', input_tokens = NULL, output_tokens = NULL, cached_tokens = NULL, cost_micros = NULL, settled_at = now() WHERE id = $1 AND $2::bigint >= 0`,
				`UPDATE ai_spend SET created_at = created_at - interval '45 minutes' WHERE id = $1 AND $2::bigint >= 0`,
			}[random.IntN(3)], calls[random.IntN(len(calls))], random.Int64N(900))
			require.NoError(t, err)
		}
	}
	end := time.Now().UTC().Truncate(time.Hour).Add(time.Hour)
	compare := func(connection, person *uuid.UUID) {
		t.Helper()
		r := spend.Range{End: end, Connection: connection, Principal: person}
		for at := end.Add(-96 * time.Hour); at.Before(end); at = at.Add(6 * time.Hour) {
			r.Starts = append(r.Starts, at)
		}
		got := seriesOf(t, l, r)
		for slot, start := range r.Starts {
			var want spend.Use
			require.NoError(
				t,
				db.Conn(
					t.Context(),
				).QueryRow(
					t.Context(),
					`SELECT count(*), count(cost_micros), coalesce(sum(tokens), 0), coalesce(sum(input_tokens), 0),
				coalesce(sum(output_tokens), 0), coalesce(sum(cached_tokens), 0), coalesce(sum(cost_micros), 0)
				FROM ai_spend WHERE created_at >= $1 AND created_at < $2 AND status <> 'released'
				AND ($3::uuid IS NULL OR connection_id = $3) AND ($4::uuid IS NULL OR principal_id = $4)`,
					start,
					start.Add(6*time.Hour),
					connection,
					person,
				).
					Scan(
						&want.Calls,
						&want.Priced,
						&want.Tokens,
						&want.InputTokens,
						&want.OutputTokens,
						&want.CachedTokens,
						&want.CostMicros,
					),
			)
			require.Equal(t, want, got[slot], start)
		}
	}
	all := func() {
		compare(nil, nil)
		compare(&connections[0], nil)
		compare(nil, &people[3])
		compare(&connections[1], &people[4])
	}
	all()
	for range 3 {
		change()
		require.NoError(t, l.AddUpSeries(t.Context()))
		all()
	}
	require.Positive(t, sumOf(t, db, `SELECT count(*) FROM ai_spend_buckets`))
	require.Zero(t, sumOf(t, db, `SELECT count(*) FROM ai_spend_late`))
	require.Equal(
		t,
		int64(1),
		sumOf(t, db, `SELECT count(*) FROM sweeps WHERE name = 'spend buckets' AND through > now() - interval '3 hours'`),
	)

	// The sums are read, and not the calls.
	_, err := db.Conn(t.Context()).Exec(t.Context(), `DELETE FROM ai_spend WHERE created_at < now() - interval '5 hours'`)
	require.NoError(t, err)
	r := spend.Range{Starts: []time.Time{end.Add(-96 * time.Hour)}, End: end.Add(-24 * time.Hour)}
	require.Positive(t, seriesOf(t, l, r)[0].Tokens)
}

// Only the largest are told apart.
func TestASeriesPutsTheOthersTogether(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	_, err := db.Conn(
		t.Context(),
	).Exec(
		t.Context(),
		`INSERT INTO ai_spend (id, connection_id, principal_kind, principal_id, purpose, reserved, status, model)
		SELECT gen_random_uuid(), gen_random_uuid(), 'user', gen_random_uuid(), 'answer', 100 * n, 'reserved', 'model ' || n FROM generate_series(1, 30) n`,
	)
	require.NoError(t, err)
	now := time.Now()
	points, err := l.Series(t.Context(), spend.Range{Starts: []time.Time{now.Add(-time.Hour)}, End: now.Add(time.Hour), Split: spend.ByModel})
	require.NoError(t, err)
	require.Len(t, points, 13)
	require.True(t, points[12].Others)
	require.Equal(t, int64(18), points[12].Calls)
	require.Equal(t, int64(100*18*19/2), points[12].Tokens)
}
