package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"countersign/internal/store"
)

// row is the line of one crash point.
type row struct {
	target
	hits, turns, retries, violations int
	recovery                         []time.Duration
}

// table has a row for each target: hits, affected turns and proposals, retries, and the wait for the next response.
func table(list []target, hits []hit, l *ledger) []*row {
	var rows []*row
	by := map[target]*row{}
	for _, t := range list {
		r := &row{target: t}
		rows = append(rows, r)
		by[t] = r
	}
	met := map[target]map[*run]bool{}
	for _, h := range hits {
		r, ok := by[h.target]
		if !ok {
			continue // another fleet, or a helper of a point that was chosen
		}
		r.hits++
		person := l.about(h.subject)
		if person == nil {
			continue
		}
		if met[h.target] == nil {
			met[h.target] = map[*run]bool{}
		}
		met[h.target][person] = true
		r.retries += person.retriesAfter(h.at)
		if gap, ok := person.recovery(h.at, h.kind); ok {
			r.recovery = append(r.recovery, gap)
		}
	}
	broken := map[*run]int{}
	for _, v := range l.complaints() {
		if person := l.about(v.subject); person != nil {
			broken[person]++
		}
	}
	for _, r := range rows {
		for person := range met[r.target] {
			r.turns += len(person.turns)
			r.violations += broken[person]
		}
	}
	return rows
}

func printTable(what string, rows []*row, out io.Writer) error {
	if len(rows) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, what+"\tprocess\thits\tturns\tretries\tviolations\trecovery p50\tmax\t")
	for _, r := range rows {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t\n", r.point, r.kind, r.hits, r.turns, r.retries, r.violations,
			seconds(percentile(r.recovery, 50)), seconds(percentile(r.recovery, 100)))
	}
	return w.Flush()
}

// printRuns prints how often each scenario ran and how long it took.
func printRuns(l *ledger, out io.Writer) error {
	took := map[string][]time.Duration{}
	for _, r := range l.all() {
		if !r.ended.IsZero() {
			took[r.scenario] = append(took[r.scenario], r.ended.Sub(r.began))
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "scenario\tplayed\tp50\tp95\tmax\t")
	for _, name := range slices.Sorted(maps.Keys(took)) {
		list := took[name]
		_, _ = fmt.Fprintf(
			w,
			"%s\t%d\t%s\t%s\t%s\t\n",
			name,
			len(list),
			seconds(percentile(list, 50)),
			seconds(percentile(list, 95)),
			seconds(percentile(list, 100)),
		)
	}
	return w.Flush()
}

// printViolations lists them, equal ones once.
func printViolations(list []violation, out io.Writer) {
	count := map[string]int{}
	for _, v := range list {
		count[v.String()]++
	}
	const most = 60
	for i, text := range slices.Sorted(maps.Keys(count)) {
		if i == most {
			_, _ = fmt.Fprintf(out, "and %d more kinds\n", len(count)-most)
			return
		}
		if n := count[text]; n > 1 {
			text = fmt.Sprintf("%s (%d times)", text, n)
		}
		_, _ = fmt.Fprintln(out, "VIOLATION", text)
	}
}

// printCounts prints how much was checked.
func printCounts(ctx context.Context, db *store.DB, l *ledger, out io.Writer) error {
	list, err := inquire(ctx, db, "counts.sql")
	if err != nil {
		return err
	}
	streams := 0
	for _, r := range l.all() {
		streams += len(r.turns)
	}
	_, _ = fmt.Fprintf(out, "checked: %d streams", streams)
	for _, v := range list {
		_, _ = fmt.Fprint(out, ", ", v.text)
	}
	_, _ = fmt.Fprintln(out)
	return nil
}

func spread(list []time.Duration) string {
	return fmt.Sprintf(
		"%s (p50), %s (p90), %s (max)",
		seconds(percentile(list, 50)),
		seconds(percentile(list, 90)),
		seconds(percentile(list, 100)),
	)
}

// percentile is the smallest value that p percent of the list do not exceed; negative for an empty list.
func percentile(list []time.Duration, p int) time.Duration {
	if len(list) == 0 {
		return -1
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[max((len(sorted)*p+99)/100-1, 0)]
}

func seconds(d time.Duration) string {
	if d < 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// first is the id by which a report names a run.
func (r *run) first() uuid.UUID {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.subjects) == 0 {
		return uuid.Nil
	}
	return r.subjects[0]
}
