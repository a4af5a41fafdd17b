package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// workload is one script, as a JavaScript function of its context and as a shell script.
type workload struct {
	name, title string
	script      string
	shell       string
	input       string
	// wanted is the result as JSON, or what the shell script writes.
	wanted string
	// floor names the target to which ratios refer.
	floor string
}

func workloads(site string) []workload {
	return []workload{
		{
			name:   "trivial",
			title:  "A trivial script",
			floor:  "the plain function call in Node",
			input:  `{"n":41}`,
			wanted: `{"success":true,"value":42}`,
			script: `(context) => ({ success: true, value: context.n + 1 })`,
		},
		{
			name: "fib", title: "CPU: fib(27), 832,040 calls", floor: "the plain function call in Node", input: `{}`, wanted: `196418`,
			script: `() => { const fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2); return fib(27); }`,
		},
		{
			name:   "fetch",
			title:  "50 requests to a local server, one after the other",
			floor:  "the plain function call in Node",
			input:  `{"url":"` + site + `"}`,
			wanted: `1225`,
			script: `async (context) => { let sum = 0; for (let i = 0; i < 50; i++) { const r = await fetch(context.url + "/" + i); sum += (await r.json()).n; } return sum; }`,
		},
		{
			name: "one-liner", title: "A shell one-liner", floor: "sh as a process", wanted: "A B\n",
			shell: `echo "$(echo a b | tr a-z A-Z)"`,
		},
		{
			name: "loop", title: "A shell loop of 20,000 steps", floor: "sh as a process", wanted: "199990000\n",
			shell: `i=0; s=0; while [ "$i" -lt 20000 ]; do s=$((s+i)); i=$((i+1)); done; echo $s`,
		},
	}
}

// runs are the results of one target with a number of workers.
type runs struct {
	// ms are the times of the runs in milliseconds, rate is runs a second.
	ms   []float64
	rate float64
	// memory is that of one live instance in MB, 0 when it is not known.
	memory float64
}

func (r *runs) quantile(q float64) float64 {
	if len(r.ms) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(r.ms))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// errNotInstalled is the failure of a missing peer.
var errNotInstalled = errors.New("not installed")

// target is a way to run scripts.
type target interface {
	name() string
	isolation() string
	// isolates reports whether the target is meant to isolate scripts from the host.
	isolates() bool
	// measure repeats a workload; errNotInstalled where it cannot run.
	measure(ctx context.Context, w workload, workers int, budget time.Duration) (runs, error)
}

// repeat runs something in workers for a while.
func repeat(ctx context.Context, workers int, budget time.Duration, one func(ctx context.Context) error) (runs, error) {
	var r runs
	var mu sync.Mutex
	var failed error
	begun := time.Now()
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			var ms []float64
			var err error
			for time.Since(begun) < budget && err == nil {
				started := time.Now()
				err = one(ctx)
				ms = append(ms, float64(time.Since(started).Nanoseconds())/1e6)
			}
			mu.Lock()
			defer mu.Unlock()
			r.ms = append(r.ms, ms...)
			failed = cmp.Or(failed, err)
		})
	}
	all.Wait()
	r.rate = float64(len(r.ms)) / time.Since(begun).Seconds()
	return r, failed
}

// site is the server that scripts fetch from. Each path answers its own number.
func site() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"n":%d}`, n)
	}))
}

// scripts measures the sandbox and its peers side by side, what a test of a script costs as a whole, and what hostile
// scripts do to chats.
func scripts(ctx context.Context, o options) error {
	fmt.Printf("# Scripts, %s\n\n", time.Now().Format(time.DateOnly))
	fmt.Printf("Load at the start: %s. Rerun: `make peers` once, then `bin/devstack exec -- go run ./bench -only scripts`.\n", load())
	var goals goals
	server := site()
	defer server.Close()
	box, err := openSandbox(ctx, o.only == "script-tests")
	if err != nil {
		return err
	}
	defer box.close()
	for _, w := range workloads(server.URL) {
		if o.only == "script-tests" {
			break
		}
		if err := sideBySide(ctx, w, box.targets(w), o, &goals); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	if err := box.coldStarts(ctx); err != nil {
		return fmt.Errorf("cold starts: %w", err)
	}
	if err := wholeCalls(ctx, o, box, &goals); err != nil {
		return err
	}
	fmt.Printf("\nLoad at the end: %s.\n", load())
	goals.print()
	return nil
}

// row is one target's line in a table, with its measurements by number of workers.
type row struct {
	target target
	by     [3]runs
	err    error
}

var scriptWorkers = [3]int{1, 2, 4}

// sideBySide measures all targets alternately and twice, so that a busy moment of the machine does not affect one of
// them only.
func sideBySide(ctx context.Context, w workload, targets []target, o options, g *goals) error {
	rows := make([]row, len(targets))
	for pass := range 2 {
		for i, t := range targets {
			rows[i].target = t
			workers := scriptWorkers[:]
			if pass > 0 && o.quick {
				workers = workers[:1]
			}
			rows[i].measure(ctx, w, workers, o.budget/5)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	table(w, rows)
	g.judge(w, rows)
	return nil
}

// measure adds to what is known about a target, until something fails.
func (r *row) measure(ctx context.Context, w workload, workers []int, budget time.Duration) {
	for k, n := range workers {
		if r.err != nil {
			return
		}
		one, err := r.target.measure(ctx, w, n, budget)
		if err != nil {
			r.err = err
			return
		}
		r.by[k].add(one)
	}
}

// add keeps all times, and the best rate.
func (r *runs) add(other runs) {
	r.ms = append(r.ms, other.ms...)
	r.rate, r.memory = max(r.rate, other.rate), max(r.memory, other.memory)
}

func table(w workload, rows []row) {
	fmt.Printf("\n## %s\n\nThe floor is %s.\n\n", w.title, w.floor)
	fmt.Println("| engine | min / p50 / p95 ms | p50 over floor | runs/s with 1 / 2 / 4 workers | memory MB | isolation |")
	fmt.Println("|---|--:|--:|--:|--:|---|")
	floor := rows[0].by[0].quantile(.5)
	for i := range rows {
		r := &rows[i]
		if r.err != nil {
			fmt.Printf("| %s | %s | | | | %s |\n", r.target.name(), oneLine(r.err), r.target.isolation())
			continue
		}
		one := &r.by[0]
		memory := ""
		if one.memory > 0 {
			memory = number(one.memory)
		}
		fmt.Printf(
			"| %s | %s / %s / %s | %s | %s / %s / %s | %s | %s |\n",
			r.target.name(),
			number(one.quantile(0)),
			number(one.quantile(.5)),
			number(one.quantile(.95)),
			ratio(one.quantile(.5), floor),
			number(one.rate),
			number(r.by[1].rate),
			number(r.by[2].rate),
			memory,
			r.target.isolation(),
		)
	}
}

// number prints three digits, or all of a large one.
func number(f float64) string {
	switch {
	case math.IsNaN(f):
		return "-"
	case f == 0:
		return "0"
	case f >= 100:
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strconv.FormatFloat(f, 'f', max(0, 2-int(math.Floor(math.Log10(f)))), 64)
}

func ratio(a, b float64) string {
	if b == 0 || math.IsNaN(a/b) {
		return "-"
	}
	return number(a/b) + "x"
}

func oneLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return strings.ReplaceAll(text, "|", "/")
}

// goals are the promised figures and their results.
type goals struct{ lines []string }

func (g *goals) add(what string, got float64, unit string, met bool, goal string) {
	verdict := "met"
	if !met {
		verdict = "**missed**"
	}
	g.lines = append(g.lines, fmt.Sprintf("| %s | %s | %s %s | %s |", what, goal, number(got), unit, verdict))
}

func (g *goals) judge(w workload, rows []row) {
	index := slices.IndexFunc(rows, func(r row) bool { _, ours := r.target.(*engineTarget); return ours && r.err == nil })
	if index < 0 {
		return
	}
	ours := rows[index]
	p50 := ours.by[0].quantile(.5)
	switch w.name {
	case "trivial":
		g.add("trivial script, warm, p50", p50, "ms", p50 <= .4, "at most 0.4 ms")
		rate := max(ours.by[0].rate, ours.by[1].rate, ours.by[2].rate)
		g.add("trivial scripts a second", rate, "runs/s", rate >= 2000, "2,000 on two cores")
	case "one-liner":
		g.add("shell one-liner, warm, p50", p50, "ms", p50 <= 15, "at most 15 ms")
	}
	for _, r := range rows {
		if r.err == nil && r.target.isolates() && r.target != ours.target {
			other := r.by[0].quantile(.5)
			g.add(w.title+", beside "+r.target.name(), p50/other, "of its p50", p50 < other, "less")
		}
	}
}

func (g *goals) print() {
	fmt.Print("\n## Goals\n\n| what | goal | measured | |\n|---|---|--:|---|\n")
	fmt.Println(strings.Join(g.lines, "\n"))
}
