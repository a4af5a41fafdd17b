package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// holding is the resource usage of one process.
type holding struct {
	name string
	// resident is memory in bytes.
	resident, goroutines float64
}

// relation is one table: estimated rows, and bytes with indexes.
type relation struct {
	name        string
	rows, bytes float64
}

// look is a snapshot of everything at one moment.
type look struct {
	at time.Duration
	// turns counts all turns so far; p50 and p95, in milliseconds, are those since the previous snapshot.
	turns      int
	p50, p95   float64
	processes  []holding
	temporal   float64
	postgres   float64
	own, other float64
	tables     []relation
	lost       int
}

// series are the snapshots of a soak.
type series struct {
	stack *stack
	looks []look
	// why is the error of the last lost turn.
	why error
}

func newSeries(s *stack) *series {
	x := &series{stack: s}
	head, line := "| after | turns | lost | p50 / p95 ms |", "|--:|--:|--:|--:|"
	for _, p := range s.running() {
		head, line = head+" "+p.name+" MB, goroutines |", line+"--:|"
	}
	fmt.Println(head + " Temporal MB | PostgreSQL MB of its own | connections of the product, all | database MB |")
	fmt.Println(line + "--:|--:|--:|--:|")
	return x
}

// look takes a snapshot and prints a row.
func (x *series) look(ctx context.Context, l *tally, at time.Duration) error {
	now := look{at: at}
	l.mu.Lock()
	took := l.took
	l.took = nil
	now.turns, now.lost, x.why = l.turns, l.lost, l.why
	l.mu.Unlock()
	now.p50, now.p95 = quantile(took, .5), quantile(took, .95)
	var cells strings.Builder
	for _, p := range x.stack.running() {
		h, err := holdingOf(ctx, p)
		if err != nil {
			return fmt.Errorf("look at %s: %w", p.name, err)
		}
		now.processes = append(now.processes, h)
		fmt.Fprintf(&cells, " %.0f, %.0f |", h.resident/1e6, h.goroutines)
	}
	now.temporal = memory(x.stack.temporal, "VmRSS:")
	now.postgres = postgresMemory(x.stack.postmaster)
	if err := now.database(ctx, x.stack, lookLimit); err != nil {
		return fmt.Errorf("look at the database: %w", err)
	}
	var bytes float64
	for _, t := range now.tables {
		bytes += t.bytes
	}
	x.looks = append(x.looks, now)
	fmt.Printf(
		"| %s | %d | %d | %.0f / %.0f |%s %.0f | %.0f | %.0f, %.0f | %.1f |\n",
		at.Round(time.Second),
		now.turns,
		now.lost,
		now.p50,
		now.p95,
		cells.String(),
		now.temporal/1e6,
		now.postgres/1e6,
		now.own,
		now.own+now.other,
		bytes/1e6,
	)
	return nil
}

// holdingOf reads the metrics of a process.
func holdingOf(ctx context.Context, p running) (holding, error) {
	h := holding{name: p.name, resident: memory(p.pid, "VmRSS:")}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/metrics", nil)
	if err != nil {
		return h, err
	}
	response, err := (&http.Client{Timeout: 10 * time.Second, Transport: transport}).Do(request)
	if err != nil {
		return h, err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "go_goroutines "); ok {
			h.goroutines, err = strconv.ParseFloat(text, 64)
			return h, err
		}
	}
	return h, fmt.Errorf("its metrics say nothing of goroutines: %s", response.Status)
}

// memory is a line of /proc/<pid>/status in bytes; 0 when there is none.
func memory(pid int, begins string) float64 {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, begins); ok {
			kilobytes, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kilobytes * 1024
		}
	}
	return 0
}

// postgresMemory is the private memory of the server and its children; shared memory would count in each of them.
func postgresMemory(postmaster int) float64 {
	total := memory(postmaster, "RssAnon:")
	for _, pid := range children(postmaster) {
		total += memory(pid, "RssAnon:")
	}
	return total
}

// lookLimit bounds the wait of a snapshot for the database, which measures every table on the disk.
const lookLimit = time.Minute

// database reads connections and tables. Temporal's databases are on the same server, so their connections count too.
func (l *look) database(ctx context.Context, s *stack, most time.Duration) error {
	// An unresponsive database fails the soak soon.
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.database)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	const connections = `SELECT count(*) FILTER (WHERE datname = current_database() AND pid <> pg_backend_pid()), count(*) FILTER (WHERE datname <> current_database())
		FROM pg_stat_activity WHERE backend_type = 'client backend'`
	if err := conn.QueryRow(ctx, connections).Scan(&l.own, &l.other); err != nil {
		return err
	}
	rows, err := conn.Query(ctx, `SELECT relname, n_live_tup::float8, pg_total_relation_size(relid)::float8 FROM pg_stat_user_tables`)
	if err != nil {
		return err
	}
	l.tables, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t relation, err error) {
		err = row.Scan(&t.name, &t.rows, &t.bytes)
		return t, err
	})
	slices.SortFunc(l.tables, func(a, b relation) int { return strings.Compare(a.name, b.name) })
	return err
}
