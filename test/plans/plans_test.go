package plans_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/store/storetest"
	"countersign/test/plans"
)

// What is asked every few seconds uses an index and touches few pages, however much there is: `make bench` says the same of ten
// million calls. Times are not looked at.
func TestWhatIsAskedOftenReadsNoTableAsAWhole(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	const rows = 100_000
	require.NoError(t, plans.Fill(t.Context(), db, rows))
	found, err := plans.Explain(t.Context(), db, rows)
	require.NoError(t, err)
	require.Greater(t, len(found), 90)
	var wrong error
	for _, f := range found {
		t.Logf("%6d pages %8.2f ms  %s  %v", f.Blocks, f.Milliseconds, f.Name, f.Indexes)
		wrong = errors.Join(wrong, f.Err())
	}
	require.NoError(t, wrong)
}

// The measure measures: without the index of its own, a query is found out.
func TestAMissingIndexIsNoticed(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	const rows = 20_000
	require.NoError(t, plans.Fill(t.Context(), db, rows))
	for _, index := range []string{"ai_turns_conversation", "ai_turns_message"} {
		_, err := db.Conn(t.Context()).Exec(t.Context(), "DROP INDEX "+index)
		require.NoError(t, err)
	}
	found, err := plans.Explain(t.Context(), db, rows)
	require.NoError(t, err)
	wrong := map[string]error{}
	for _, f := range found {
		wrong[f.Name] = f.Err()
	}
	require.ErrorContains(t, wrong["the turn of an answer"], "reads all of ai_turns")
	require.ErrorContains(t, wrong["the turns of a conversation that is deleted"], "reads all of ai_turns")
	require.NoError(t, wrong["history of a call"])
}
