package main

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// exhaust plays the part of a fleet in which every process dies at once.
func exhaust(s *schedule, fleet []kind) map[target]int {
	hits := map[target]int{}
	for idle := 0; idle < len(fleet); {
		idle = 0
		for _, k := range fleet {
			a := s.next(k)
			if a == nil {
				idle++
				continue
			}
			s.hit(a, uuid.Nil, time.Now())
			hits[a.target]++
		}
	}
	return hits
}

func TestAScheduleHitsEveryTargetSoOften(t *testing.T) {
	t.Parallel()
	for _, fleet := range [][]kind{apart, together} {
		s := newSchedule(1, points(), fleet, 3)
		hits := exhaust(s, fleet)
		require.True(t, s.done())
		require.Zero(t, s.left())
		for _, want := range targets(points(), fleet) {
			require.Equal(t, 3, hits[want], want)
		}
	}
}

func TestAScheduleCanLetProcessesStandStill(t *testing.T) {
	t.Parallel()
	s := newSchedule(1, points(), apart, 1).standing()
	var variables []string
	for a := s.next(worker); a != nil; a = s.next(worker) {
		require.GreaterOrEqual(t, a.pause, time.Second)
		require.Less(t, a.pause, 12*time.Second)
		variables = append(variables, a.variable())
		s.hit(a, uuid.Nil, time.Now())
	}
	require.NotEmpty(t, variables)
	for _, v := range variables {
		require.Regexp(t, `^COUNTERSIGN_CRASH=[a-z.-]+:\d+:stop$`, v)
	}
}

func TestASeedDecidesAboutTheOrder(t *testing.T) {
	t.Parallel()
	order := func(seed uint64) []string {
		s := newSchedule(seed, points(), apart, 1)
		var names []string
		for a := s.next(worker); a != nil; a = s.next(worker) {
			names = append(names, a.variable())
			s.hit(a, uuid.Nil, time.Now())
		}
		return names
	}
	first, again, other := order(1), order(1), order(2)
	require.Equal(t, first, again)
	require.NotEqual(t, first, other)
}

func TestAMissIsTriedAgainAtTheFirstVisit(t *testing.T) {
	t.Parallel()
	list, err := matching("^model.after-delta$")
	require.NoError(t, err)
	s := newSchedule(1, list, apart, 1)
	for range maxMisses + 1 {
		require.True(t, s.wants(worker))
		s.miss(s.next(worker))
	}
	require.False(t, s.wants(worker), "what nobody comes by is given up, and reported as not covered")
	require.True(t, s.done())
	require.Empty(t, s.all())
}

// The reconciler has work only while API processes die where they leave some.
func TestAPointThatNeedsAnotherCrashHasOneArranged(t *testing.T) {
	t.Parallel()
	list, err := matching("^reconcile.before-start$")
	require.NoError(t, err)
	s := newSchedule(1, list, apart, 1)
	require.False(t, s.wants(api), "nothing is needed yet")
	reconciler := s.next(worker)
	require.True(t, s.wants(api))
	helper := s.next(api)
	require.Equal(t, target{"chat.after-accept", api}, helper.target)
	s.hit(reconciler, uuid.Nil, time.Now())
	require.True(t, s.done(), "a helper is not waited for")
	require.False(t, s.wants(api))
}
