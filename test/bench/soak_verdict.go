package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Allowed differences between the first and the last quarter: a factor plus a constant, as small figures differ by
// chance. Rows and bytes of a table are those per turn, where rows are added at all.
const (
	memoryFactor, memoryMore         = 1.10, 20e6
	goroutinesFactor, goroutinesMore = 1.10, 20
	connectionsFactor                = 1.10
	connectionsMore                  = 4
	medianFactor, medianMore         = 1.25, 10
	tailFactor, tailMore             = 1.50, 25
	rowsFactor, rowsMore             = 1.25, 0.05
	bytesFactor, bytesMore           = 1.25, 1e6
	steadyFactor, steadyMore         = 1.25, 8e6
)

// shownTables is the number of largest tables in the report, in addition to those that have grown too much.
const shownTables = 15

var errGrown = errors.New("something has grown that should not")

// finding is one line of the verdict.
type finding struct {
	what, unit           string
	first, last, allowed float64
	// told marks a line for information only.
	told bool
	// size is that of a table in the end, in bytes.
	size float64
}

func (f finding) bad() bool { return !f.told && f.last > f.allowed }

func (f finding) row() string {
	allowed, verdict := fmt.Sprintf("%.4g", f.allowed), "flat"
	switch {
	case f.told:
		allowed, verdict = "", "not judged"
	case f.bad():
		verdict = "**grows**"
	case strings.HasSuffix(f.unit, "a turn"):
		verdict = "as before"
	}
	return fmt.Sprintf("| %s | %.4g | %.4g | %s | %s | %s |", f.what, f.first, f.last, allowed, f.unit, verdict)
}

// report prints the verdict, and fails when something has grown.
func (x *series) report() error {
	list, err := judge(x.looks)
	if err != nil {
		return err
	}
	fmt.Print(
		"\nThe first and the last quarter of what came after the warm-up, medians:\n\n| what | first | last | allowed | " +
			"unit | verdict |\n|---|--:|--:|--:|---|---|\n",
	)
	tables, bad := 0, 0
	for _, f := range list {
		if f.bad() {
			bad++
		}
		if f.size > 0 {
			tables++
		}
		// Each table has two lines.
		if f.size == 0 || tables <= 2*shownTables || f.bad() {
			fmt.Println(f.row())
		}
	}
	if lost := x.looks[len(x.looks)-1].lost; lost > 0 {
		return fmt.Errorf("%d turns did not end as they should, the last one: %w", lost, x.why)
	}
	if bad > 0 {
		return fmt.Errorf("%w: %d of %d figures", errGrown, bad, len(list))
	}
	return nil
}

// judge compares the first quarter with the last one.
func judge(looks []look) ([]finding, error) {
	a, b, ok := quarters(looks)
	if !ok {
		return nil, errors.New("the soak was too short to be judged")
	}
	of := func(what, unit string, factor, more, scale float64, value func(look) float64) finding {
		f := finding{what: what, unit: unit, first: median(a, value) / scale, last: median(b, value) / scale}
		f.allowed = f.first*factor + more/scale
		return f
	}
	list := []finding{
		of("p50", "ms", medianFactor, medianMore, 1, func(l look) float64 { return l.p50 }),
		of("p95", "ms", tailFactor, tailMore, 1, func(l look) float64 { return l.p95 }),
		of("connections of the product", "", connectionsFactor, connectionsMore, 1, func(l look) float64 { return l.own }),
		of("PostgreSQL, memory of its own", "MB", memoryFactor, memoryMore, 1e6, func(l look) float64 { return l.postgres }),
		// A cache with a bound of its own fills up.
		{
			what:  "Temporal, memory",
			unit:  "MB",
			told:  true,
			first: median(a, func(l look) float64 { return l.temporal }) / 1e6,
			last:  median(b, func(l look) float64 { return l.temporal }) / 1e6,
		},
	}
	for i, p := range looks[0].processes {
		list = append(list,
			of(p.name+", memory", "MB", memoryFactor, memoryMore, 1e6, func(l look) float64 { return l.processes[i].resident }),
			of(p.name+", goroutines", "", goroutinesFactor, goroutinesMore, 1, func(l look) float64 { return l.processes[i].goroutines }))
	}
	return append(list, judgeTables(a, b)...), nil
}

// judgeTables checks each table, the largest first: a turn must not add more rows at the end than at the beginning, and
// a table without added rows must keep its size.
func judgeTables(a, b []look) []finding {
	names := slices.Clone(b[len(b)-1].tables)
	slices.SortStableFunc(names, func(x, y relation) int { return int(y.bytes - x.bytes) })
	turns := [2]float64{float64(a[len(a)-1].turns - a[0].turns), float64(b[len(b)-1].turns - b[0].turns)}
	var list []finding
	for _, t := range names {
		rows := func(l look) float64 { return l.table(t.name).rows }
		bytes := func(l look) float64 { return l.table(t.name).bytes }
		perTurn := func(value func(look) float64) (first, last float64) {
			return (value(a[len(a)-1]) - value(a[0])) / max(turns[0], 1), (value(b[len(b)-1]) - value(b[0])) / max(turns[1], 1)
		}
		size := finding{what: t.name, unit: "MB", size: t.bytes, first: median(a, bytes) / 1e6, last: median(b, bytes) / 1e6}
		size.allowed = size.first*steadyFactor + steadyMore/1e6
		count := finding{what: t.name, unit: "rows a turn", size: t.bytes}
		count.first, count.last = perTurn(rows)
		// A few rows of difference depend on the moment of a snapshot.
		count.allowed = max(count.first, 0)*rowsFactor + rowsMore + 50/max(turns[1], 1)
		if median(b, rows) > 1.1*median(a, rows)+50 {
			size.unit = "bytes a turn"
			size.first, size.last = perTurn(bytes)
			// Files grow in blocks.
			size.allowed = max(size.first, 0)*bytesFactor + bytesMore/max(turns[1], 1)
		}
		list = append(list, count, size)
	}
	return list
}

func (l *look) table(name string) relation {
	for _, t := range l.tables {
		if t.name == name {
			return t
		}
	}
	return relation{}
}

// quarters are the first and the last quarter after the warm-up, a sixth of all; each has at least three snapshots.
func quarters(looks []look) (first, last []look, ok bool) {
	warm := max(len(looks)/6, 1)
	quarter := (len(looks) - warm) / 4
	if quarter < 3 {
		return nil, nil, false
	}
	return looks[warm : warm+quarter], looks[len(looks)-quarter:], true
}

func median(looks []look, value func(look) float64) float64 {
	var list []float64
	for _, l := range looks {
		list = append(list, value(l))
	}
	slices.Sort(list)
	return list[len(list)/2]
}
