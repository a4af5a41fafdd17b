package lane_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check/engine/lane"
)

func limits() lane.Limits {
	return lane.Limits{Running: 10, Slow: 4, Host: 3, Waiting: 5, WaitTimeout: 1000}
}

func TestWhatHangsKeepsThePlacesOfItsKindOnly(t *testing.T) {
	t.Parallel()
	l := lane.New[int](limits())
	for i := range 4 {
		require.Equal(t, lane.Start, l.Enter(i, lane.Key{Slow: true}, 0))
	}
	require.Equal(t, lane.Wait, l.Enter(4, lane.Key{Slow: true}, 0))
	for i := range 6 {
		require.Equal(t, lane.Start, l.Enter(10+i, lane.Key{}, 0), "the slow ones take nothing from the others")
	}
	require.Equal(t, lane.Wait, l.Enter(20, lane.Key{}, 0))
	var started []int
	l.Leave(lane.Key{Slow: true}, func(i int) { started = append(started, i) })
	require.Equal(t, []int{4}, started)
	l.Leave(lane.Key{}, func(i int) { started = append(started, i) })
	require.Equal(t, []int{4, 20}, started)
}

func TestAHostHasItsShareOfEachLane(t *testing.T) {
	t.Parallel()
	l := lane.New[int](limits())
	a, b := lane.Key{Host: "a"}, lane.Key{Host: "b"}
	for i := range 3 {
		require.Equal(t, lane.Start, l.Enter(i, a, 0))
	}
	require.Equal(t, lane.Wait, l.Enter(3, a, 0))
	require.Equal(t, lane.Start, l.Enter(4, b, 0), "another host does not wait")
	require.Equal(t, lane.Start, l.Enter(5, lane.Key{Host: "a", Slow: true}, 0), "nor does the other lane")
	var started []int
	l.Leave(b, func(i int) { started = append(started, i) })
	require.Empty(t, started)
	l.Leave(a, func(i int) { started = append(started, i) })
	require.Equal(t, []int{3}, started)
}

func TestWhoHasWaitedTooLongIsGivenUp(t *testing.T) {
	t.Parallel()
	l := lane.New[int](limits())
	for i := range 6 {
		l.Enter(i, lane.Key{}, 0)
	}
	for i := range 5 {
		require.Equal(t, lane.Wait, l.Enter(10+i, lane.Key{Host: "a"}, int64(i)))
	}
	require.Equal(t, lane.Refuse, l.Enter(20, lane.Key{}, 5), "no more wait than may")
	var given []int
	l.Expire(1001, func(i int) { given = append(given, i) })
	require.Equal(t, []int{10, 11}, given)
	var started []int
	for range 3 {
		l.Leave(lane.Key{}, func(i int) { started = append(started, i) })
	}
	require.Equal(t, []int{12, 13, 14}, started)
}

// Whatever comes and goes: no limit is passed, and at the end all places are free.
func TestLimitsHoldWhateverHappens(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	l := lane.New[int](limits())
	places := []lane.Key{{}, {Slow: true}, {Host: "a"}, {Host: "a", Slow: true}, {Host: "b"}, {Host: "c", Slow: true}}
	of, running := map[int]lane.Key{}, map[int]bool{}
	ended := 0
	start := func(i int) {
		require.False(t, running[i])
		running[i] = true
	}
	check := func() {
		fast, slow, waiting := l.Count()
		hosts := map[lane.Key]int{}
		for i := range running {
			hosts[of[i]]++
		}
		require.LessOrEqual(t, fast, 6)
		require.LessOrEqual(t, slow, 4)
		require.LessOrEqual(t, waiting, 5)
		require.Equal(t, len(running), fast+slow)
		for p, n := range hosts {
			require.True(t, p.Host == "" || n <= 3, "%v has %d", p, n)
		}
	}
	leave := func() {
		for i := range running {
			delete(running, i)
			l.Leave(of[i], start)
			ended++
			return
		}
	}
	now := int64(0)
	for i := range 20_000 {
		now += random.Int64N(100)
		of[i] = places[random.IntN(len(places))]
		if l.Enter(i, of[i], now) == lane.Start {
			start(i)
		}
		check()
		for range random.IntN(3) {
			leave()
			check()
		}
		l.Expire(now, func(int) {})
	}
	l.Expire(now+10_000, func(int) {})
	for len(running) > 0 {
		leave()
	}
	fast, slow, waiting := l.Count()
	require.Zero(t, fast+slow+waiting)
	require.Zero(t, l.Hosts())
	require.Greater(t, ended, 5000)
}
