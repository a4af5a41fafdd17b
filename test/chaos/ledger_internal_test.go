package main

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// at is a sign so many milliseconds after the beginning of a test's time.
func at(ms int, claim int64) sign { return sign{time.UnixMilli(int64(ms)), claim} }

func TestRecoveryIsTheWaitForTheNextSignOfLife(t *testing.T) {
	t.Parallel()
	kill := time.UnixMilli(1000)
	for name, c := range map[string]struct {
		kind  kind
		signs []sign
		want  time.Duration
		ok    bool
	}{
		"nothing came":                           {worker, []sign{at(900, 1)}, 0, false},
		"a worker's last words do not count":     {worker, []sign{at(1050, 1), at(4000, 2)}, 3 * time.Second, true},
		"an answer of the API counts at once":    {worker, []sign{at(1050, 0)}, 50 * time.Millisecond, true},
		"after an API the worker is still there": {api, []sign{at(1050, 1)}, 50 * time.Millisecond, true},
	} {
		gap, ok := (&run{progress: c.signs}).recovery(kill, c.kind)
		require.Equal(t, c.ok, ok, name)
		require.Equal(t, c.want, gap, name)
	}
}

func TestATakeoverIsANewClaimOnATurnThatHadBegun(t *testing.T) {
	t.Parallel()
	kill := time.UnixMilli(1000)
	gap, ok := (&run{progress: []sign{at(500, 1), at(1100, 1), at(3500, 2)}}).takeover(kill)
	require.True(t, ok)
	require.Equal(t, 2500*time.Millisecond, gap)
	_, ok = (&run{progress: []sign{at(500, 1), at(1100, 1)}}).takeover(kill)
	require.False(t, ok, "the turn was with another worker")
	_, ok = (&run{progress: []sign{at(1100, 1)}}).takeover(kill)
	require.False(t, ok, "the turn began after the kill")
}

func TestTheLedgerFindsWhoATurnOrProposalBelongsTo(t *testing.T) {
	t.Parallel()
	proposal, turn, conversation := uuid.New(), uuid.New(), uuid.New()
	l := &ledger{kin: map[uuid.UUID]uuid.UUID{proposal: turn, turn: conversation}}
	mine, other := l.begin("auto"), l.begin("read")
	mine.about(conversation)
	other.about(uuid.New())
	require.Same(t, mine, l.about(proposal))
	require.Nil(t, l.about(uuid.New()))
	require.Nil(t, l.about(uuid.Nil))
}

func TestPercentilesAreValuesOfTheList(t *testing.T) {
	t.Parallel()
	list := []time.Duration{4, 1, 3, 2}
	require.Equal(t, time.Duration(2), percentile(list, 50))
	require.Equal(t, time.Duration(4), percentile(list, 100))
	require.Equal(t, time.Duration(1), percentile(list[1:2], 50))
	require.Negative(t, percentile(nil, 50))
}
