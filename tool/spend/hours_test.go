package spend_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/tool/spend"
)

// since lets hours be added up from so long ago.
func since(t *testing.T, db *store.DB, ago string) {
	t.Helper()
	_, err := db.Conn(t.Context()).Exec(t.Context(),
		`UPDATE sweeps SET through = date_bin('1 hour', now() - $1::interval, 'epoch') WHERE name LIKE 'spend hours%'`, ago)
	require.NoError(t, err)
}

func sumOf(t *testing.T, db *store.DB, sql string, args ...any) (n int64) {
	t.Helper()
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// A window holds the same, whether its hours are added up or not: calls of every age, attended and not, that are settled and released
// before and after that, in windows of every length.
func TestAWindowOfHoursHoldsWhatItsCallsHold(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	since(t, db, "50 hours")
	random := rand.New(rand.NewPCG(3, 4))
	connection := uuid.New()
	people := []principal.Principal{{Kind: principal.User, ID: uuid.New()}, {Kind: principal.User, ID: uuid.New()}}
	var calls []uuid.UUID
	for range 300 {
		id := uuid.New()
		_, err := db.Conn(
			t.Context(),
		).Exec(
			t.Context(),
			`INSERT INTO ai_spend (id, connection_id, principal_kind, principal_id, unattended, purpose, reserved, status, created_at)
			VALUES ($1, $2, 'user', $3, $4, 'answer', $5, 'reserved', now() - $6::interval)`,
			id,
			connection,
			people[random.IntN(2)].ID,
			random.IntN(3) == 0,
			random.IntN(1000),
			time.Duration(random.Int64N(int64(70*time.Hour))).String(),
		)
		require.NoError(t, err)
		calls = append(calls, id)
	}
	change := func() {
		for range 60 {
			sql := []string{
				`UPDATE ai_spend SET status = 'settled', input_tokens = $2, output_tokens = 7, settled_at = now() WHERE id = $1`,
				`UPDATE ai_spend SET status = 'released', input_tokens = NULL, output_tokens = NULL, settled_at = now() WHERE id = $1 AND $2::bigint >= 0`,
				`UPDATE ai_spend SET status = 'reserved', input_tokens = NULL, output_tokens = NULL, settled_at = NULL, reserved = $2, created_at = now() WHERE id = $1`,
			}[random.IntN(3)]
			_, err := db.Conn(t.Context()).Exec(t.Context(), sql, calls[random.IntN(len(calls))], random.Int64N(900))
			require.NoError(t, err)
		}
	}
	compare := func() {
		t.Helper()
		for _, window := range []time.Duration{
			time.Minute, 59 * time.Minute, time.Hour, 150 * time.Minute, 11 * time.Hour,
			30 * time.Hour, 49*time.Hour + time.Minute, 60 * time.Hour, 100 * time.Hour,
		} {
			for _, who := range people {
				limit := spend.Cap{Tokens: 1_000_000_000, Window: window}
				both := spend.Cap{Tokens: 1_000_000_000, Window: window, Unattended: &limit}
				for _, most := range []spend.Cap{limit, both} {
					s, err := l.State(t.Context(), who, connection, most)
					require.NoError(t, err)
					want := sumOf(t, db, `SELECT coalesce(sum(tokens), 0)::bigint FROM ai_spend WHERE connection_id = $1 AND principal_id = $2
						AND created_at > clock_timestamp() - $3::interval AND (NOT $4::boolean OR NOT unattended)`, connection, who.ID, window.String(), most.Unattended != nil)
					require.Equal(t, want, s.Used, "%s", window)
				}
			}
		}
	}
	compare()
	for range 3 {
		change()
		require.NoError(t, l.AddUp(t.Context()))
		compare()
	}
	require.NoError(t, l.AddUp(t.Context()), "there is nothing left to do")
	require.Positive(t, sumOf(t, db, `SELECT count(*) FROM ai_spend_hours`))
	require.Equal(t, int64(1), sumOf(t, db, `SELECT count(*) FROM sweeps WHERE name = 'spend hours' AND through > now() - interval '4 hours'`))
	change()
	compare()

	// The sums are read, and not the calls: without the calls of those hours the window still holds them.
	who := people[0]
	limit := spend.Cap{Tokens: 1_000_000_000, Window: 48 * time.Hour}
	before, err := l.State(t.Context(), who, connection, limit)
	require.NoError(t, err)
	_, err = db.Conn(
		t.Context(),
	).Exec(
		t.Context(),
		`DELETE FROM ai_spend WHERE created_at BETWEEN now() - interval '40 hours' AND now() - interval '5 hours'`,
	)
	require.NoError(t, err)
	after, err := l.State(t.Context(), who, connection, limit)
	require.NoError(t, err)
	require.Equal(t, before.Used, after.Used)
}

// Were the marks gone, each call would count by itself, and nobody would spend more.
func TestACapHoldsWithoutMarks(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	c := spender()
	require.NoError(t, l.Reserve(t.Context(), c(90), hundred))
	_, err := db.Conn(t.Context()).Exec(t.Context(), `DELETE FROM sweeps WHERE name LIKE 'spend hours%'`)
	require.NoError(t, err)
	require.Equal(t, int64(90), used(t, l, c(1), hundred))
	exceeds(t, l.Reserve(t.Context(), c(11), hundred))
}
