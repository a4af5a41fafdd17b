package wheel_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check/engine/wheel"
)

// Whatever is put in comes out once, not before its time and at most a tick and what the clock jumps late.
func TestEachItemComesDueOnceAndInTime(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const begin = 1_700_000_000_000
	w := wheel.New[int](begin)
	at := map[int]int64{}
	for i := range 20_000 {
		at[i] = begin + random.Int64N(300_000) - 100 // some are over already, many lie beyond the ring
		w.Put(i, at[i])
	}
	seen := map[int]bool{}
	for now := int64(begin); len(seen) < len(at); {
		before := now
		now += random.Int64N(200)
		w.Advance(now, func(i int) {
			require.False(t, seen[i], "item %d is due twice", i)
			seen[i] = true
			require.LessOrEqual(t, at[i], now)
			require.GreaterOrEqual(t, max(at[i], begin), before-2*wheel.Tick, "item %d is late", i)
		})
		require.LessOrEqual(t, w.AdvancedTo(), now)
	}
	require.Zero(t, w.Len())
}

func TestAnItemThatIsPutBackComesDueAgain(t *testing.T) {
	t.Parallel()
	w := wheel.New[string](0)
	times := 0
	w.Put("a", 5)
	for now := int64(0); now <= 1000; now += wheel.Tick {
		w.Advance(now, func(item string) {
			times++
			w.Put(item, now-500) // over already: it must not wait for a turn of the ring
		})
	}
	require.Equal(t, 100, times)
}
