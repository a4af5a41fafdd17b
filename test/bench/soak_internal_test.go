package main

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// minutes are the looks of an hour in which nothing grows but what a turn adds; change may let something grow.
func minutes(change func(minute int, l *look)) []look {
	var looks []look
	for m := range 61 {
		turns := m * 600
		l := look{
			at: time.Duration(m) * time.Minute, turns: turns, p50: 80, p95: 150, own: 60, postgres: 200e6, temporal: 300e6 + float64(m)*1e6,
			processes: []holding{{"API 1", 90e6 + float64(m%7)*1e6, 140}, {"worker 1", 110e6, 200}},
			tables: []relation{
				{"ai_messages", 2 * float64(turns), 4000 * float64(turns)},
				{"leases", 3, 64e3},
			},
		}
		if change != nil {
			change(m, &l)
		}
		looks = append(looks, l)
	}
	return looks
}

func grown(t *testing.T, looks []look) []string {
	t.Helper()
	list, err := judge(looks)
	require.NoError(t, err)
	var names []string
	for _, f := range list {
		if f.bad() {
			names = append(names, f.what+" "+f.unit)
		}
	}
	slices.Sort(names)
	return names
}

func TestASoakIsFlatWhereOnlyTurnsAddRows(t *testing.T) {
	t.Parallel()
	require.Empty(t, grown(t, minutes(nil)))
}

func TestASoakFindsWhatGrows(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(int, *look){
		"worker 1, memory MB":              func(m int, l *look) { l.processes[1].resident += float64(m) * 1e6 },
		"API 1, goroutines ":               func(m int, l *look) { l.processes[0].goroutines += 2 * float64(m) },
		"connections of the product ":      func(m int, l *look) { l.own += float64(m) / 2 },
		"PostgreSQL, memory of its own MB": func(m int, l *look) { l.postgres += float64(m) * 2e6 },
		"p95 ms":                           func(m int, l *look) { l.p95 += 4 * float64(m) },
		// What is read each minute becomes more each minute.
		"ai_messages bytes a turn": func(m int, l *look) { l.tables[0].bytes += float64(m*m) * 50e3 },
		// It has three rows and is written all the time.
		"leases MB": func(m int, l *look) { l.tables[1].bytes += float64(m) * 1e6 },
	} {
		require.Equal(t, []string{what}, grown(t, minutes(change)), what)
	}
}

func TestASoakFindsRowsThatBecomeMoreWithEachTurn(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"ai_messages rows a turn"}, grown(t, minutes(func(m int, l *look) { l.tables[0].rows += float64(m*m) * 20 })))
}

func TestAShortSoakIsNotJudged(t *testing.T) {
	t.Parallel()
	_, err := judge(minutes(nil)[:12])
	require.Error(t, err)
}
