package audit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/internal/store/storetest"
	"countersign/tool/budget"
)

// BenchmarkACall is a reservation with its settlement, with and without the trigger that writes entries, in turns of a
// hundred so that both meet the same load of the machine.
func BenchmarkACall(b *testing.B) {
	app, owner := storetest.Restricted(b)
	calls := budget.New(app, budget.Limits{Calls: 1_000_000, Window: time.Minute})
	var spent [2]time.Duration
	person := newPerson()
	for i := range b.N {
		if i%100 == 0 {
			verb := [2]string{"DISABLE", "ENABLE"}[i/100%2]
			_, err := owner.Conn(b.Context()).Exec(b.Context(), `ALTER TABLE ai_tool_calls `+verb+` TRIGGER USER`)
			require.NoError(b, err)
		}
		start := time.Now()
		id, err := calls.Reserve(b.Context(), newCall(person, "a.read"))
		require.NoError(b, err)
		require.NoError(b, calls.Finish(b.Context(), id, nil))
		spent[i/100%2] += time.Since(start)
	}
	b.ReportMetric(float64(spent[0].Microseconds())/float64(b.N/2), "µs/without")
	b.ReportMetric(float64(spent[1].Microseconds())/float64(b.N/2), "µs/with")
}

const many = 100_000

// BenchmarkManyEntries links and verifies a hundred thousand entries.
func BenchmarkManyEntries(b *testing.B) {
	app, owner := storetest.Restricted(b)
	chain := audit.NewChain(app, key)
	_, err := owner.Conn(
		b.Context(),
	).Exec(
		b.Context(),
		`INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status)
		SELECT gen_random_uuid(), 'user', gen_random_uuid(), 'chat', 'catalog.listSystems', 'read', repeat('ab', 32), 'executed' FROM generate_series(1, $1::int)`,
		many,
	)
	require.NoError(b, err)
	for range b.N {
		start := time.Now()
		n, err := chain.NewExtender().Extend(b.Context())
		require.NoError(b, err)
		linking := time.Since(start)
		start = time.Now()
		report, err := chain.Verify(b.Context(), audit.Head{})
		require.NoError(b, err)
		require.Nil(b, report.Break)
		require.Equal(b, int64(many), report.Head.Seq)
		b.ReportMetric(linking.Seconds(), "s/link")
		b.ReportMetric(time.Since(start).Seconds(), "s/verify")
		b.ReportMetric(float64(n), "entries")
	}
}
