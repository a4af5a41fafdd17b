package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"countersign/check"
	"countersign/check/history"
	"countersign/check/history/historydb"
)

// pastBoard are days of a board as they are kept, before a day.
func pastBoard(today int64) (days []byte) {
	for day := today - pastDays; day < today; day++ {
		days = binary.LittleEndian.AppendUint32(days, uint32(day))
		days = binary.LittleEndian.AppendUint32(days, 10_000)
		days = append(binary.LittleEndian.AppendUint32(days, uint32(rand.IntN(20))), 1)
	}
	return days
}

// read is a measured read, and its floor: the plain SQL statement for the same rows.
type read struct {
	name  string
	goal  float64
	run   func(target int32) error
	floor string
	args  func(target int32) []any
}

func (h *records) measureReads(ctx context.Context) error {
	to := time.UnixMilli(h.clock)
	chart := func(points int) func(int32) error {
		return func(target int32) error {
			_, err := h.reader.Chart(ctx, history.ChartQuery{Targets: []int32{target}, From: to.Add(-24 * time.Hour), To: to, Points: points})
			return err
		}
	}
	hour := int32(h.clock / history.Hour)
	day := func(target int32) []any { return []any{target, hour - 24, hour} }
	board := func(n int) func(int32) error {
		return func(int32) error {
			b, err := h.reader.Board(ctx, h.systems[:n], 90)
			if err == nil && len(b.Systems) != n {
				err = fmt.Errorf("%d systems instead of %d", len(b.Systems), n)
			}
			return err
		}
	}
	some := min(100, len(h.systems))
	const blocks = `SELECT data FROM check_blocks WHERE target = $1 AND hour >= $2 AND hour <= $3`
	reads := []read{
		{"24 h chart, 500 points, of single runs", rawChartGoal, chart(500), blocks, day},
		{
			"24 h chart, 24 points, of sketches",
			sumChartGoal,
			chart(24),
			`SELECT detail FROM check_hours WHERE target = $1 AND hour >= $2 AND hour <= $3`,
			day,
		},
		{"newest 50 runs", 0, func(target int32) error {
			_, err := h.reader.Runs(ctx, history.RunsQuery{Target: target})
			return err
		}, `SELECT data FROM check_blocks WHERE target = $1 ORDER BY hour DESC LIMIT 1`, func(target int32) []any { return []any{target} }},
		{"newest 50 runs that failed", 0, func(target int32) error {
			_, err := h.reader.Runs(ctx, history.RunsQuery{Target: target, Verdicts: []check.Verdict{check.Failed}})
			return err
		}, blocks, day},
		{"statistics of 24 h", 0, func(target int32) error {
			_, err := h.reader.Stats(
				ctx,
				history.StatsQuery{Targets: []int32{target}, States: []int32{target}, From: to.Add(-24 * time.Hour), To: to},
			)
			return err
		}, `SELECT detail FROM check_hours WHERE target = $1 AND hour >= $2 AND hour <= $3`, day},
		{
			fmt.Sprintf("board of %d systems with the current hour", some),
			boardGoal,
			board(some),
			`SELECT cells, hours FROM check_boards WHERE system_id = ANY ($1)`,
			func(int32) []any { return []any{h.systems[:some]} },
		},
		{
			fmt.Sprintf("board of %d systems", len(h.systems)),
			boardGoal,
			board(len(h.systems)),
			`SELECT cells, hours FROM check_boards WHERE system_id = ANY ($1)`,
			func(int32) []any { return []any{h.systems} },
		},
	}
	fmt.Println("| read | min / p50 / p95 ms | floor ms | p50 to floor |\n|---|--:|--:|--:|")
	for _, r := range reads {
		if err := h.measure(ctx, r); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return nil
}

// measure prints how long a read takes, in turn with its floor. The first twenty are for the caches.
func (h *records) measure(ctx context.Context, r read) error {
	var took, floors []time.Duration
	for i := range 220 {
		target := rand.Int32N(h.targets) + 1
		begun := time.Now()
		rows, err := h.db.Conn(ctx).Query(ctx, r.floor, r.args(target)...)
		if err != nil {
			return err
		}
		for rows.Next() {
			_ = rows.RawValues()
		}
		if err := rows.Err(); err != nil {
			return err
		}
		floor := time.Since(begun)
		begun = time.Now()
		if err := r.run(target); err != nil {
			return err
		}
		if i >= 20 {
			took, floors = append(took, time.Since(begun)), append(floors, floor)
		}
	}
	mark := ""
	if r.goal > 0 {
		mark = fmt.Sprintf(" (goal %.0f)", r.goal)
		if quantile(took, .95) > r.goal {
			mark = fmt.Sprintf(" (!) goal %.0f", r.goal)
		}
	}
	fmt.Printf(
		"| %s | %.2f / %.2f / %.2f%s | %.2f / %.2f / %.2f | %.1f |\n",
		r.name,
		quantile(took, 0),
		quantile(took, .5),
		quantile(took, .95),
		mark,
		quantile(floors, 0),
		quantile(floors, .5),
		quantile(floors, .95),
		quantile(took, .5)/max(quantile(floors, .5), 0.001),
	)
	return nil
}

// kept are the tables of history, which have more rows than a read needs.
var kept = []string{
	"check_results",
	"check_blocks",
	"check_hours",
	"check_days",
	"check_boards",
	"check_transitions",
	"check_gaps",
	"check_reports",
}

// explain prints the plans of the reads, and fails on a scan of a whole table.
func (h *records) explain(ctx context.Context) error {
	conn := &explained{Conn: h.db.Conn(ctx), large: kept}
	q := historydb.New(conn)
	target, hour, from := []int32{h.targets / 2}, int32(h.clock/history.Hour), h.clock-history.Day
	systems := h.systems[:min(10, len(h.systems))]
	for _, query := range []struct {
		name string
		run  func() error
	}{
		{"Results that are not sealed", func() error {
			_, err := q.ResultsOf(ctx, historydb.ResultsOfParams{Targets: target, First: from, Before: h.clock})
			return err
		}},
		{"Blocks", func() error {
			_, err := q.BlocksOf(ctx, historydb.BlocksOfParams{Targets: target, First: hour - 24, Before: hour})
			return err
		}},
		{"Sums of hours", func() error {
			_, err := q.HoursOf(ctx, historydb.HoursOfParams{Targets: target, First: hour - 24, Before: hour})
			return err
		}},
		{"Newest results", func() error {
			_, err := q.NewestResults(ctx, historydb.NewestResultsParams{Target: target[0], Before: h.clock, First: from})
			return err
		}},
		{"Newest blocks", func() error {
			_, err := q.NewestBlocks(ctx, historydb.NewestBlocksParams{Target: target[0], Before: hour, First: hour - 168, MaxRows: 24})
			return err
		}},
		{"Transitions", func() error {
			_, err := q.TransitionsOf(ctx, historydb.TransitionsOfParams{Targets: target, First: from, Before: h.clock})
			return err
		}},
		{"Gaps", func() error {
			_, err := q.GapsOf(ctx, historydb.GapsOfParams{Targets: target, First: from, Before: h.clock})
			return err
		}},
		{"Results of systems that are not sealed", func() error {
			_, err := q.LiveOfSystems(ctx, historydb.LiveOfSystemsParams{
				Systems: systems, First: h.clock - 2*history.Hour, PartA: int64(hour) % 8, PartB: int64(hour-1) % 8, PartC: int64(hour-2) % 8,
			})
			return err
		}},
		{"Boards", func() error { _, err := q.Boards(ctx, systems); return err }},
		{"Results to be sealed", func() error {
			_, err := q.Unsealed(ctx, historydb.UnsealedParams{Part: int64(hour) % 8, After: target[0], BeforeSlot: h.clock, MaxRows: 1000})
			return err
		}},
	} {
		fmt.Printf("\n## %s\n\n```\n", query.name)
		err := query.run()
		fmt.Println("```")
		if err != nil {
			return err
		}
	}
	return conn.err()
}
