// Command bench measures what a turn costs: `make bench`.
//
// It starts the product as people run it (one process beside Temporal and PostgreSQL), a model server that answers
// without delay, and a floor: the same loop in plain Go, with the same model client and the same stream, that keeps
// nothing. All three run on the same machine in the same run, cell after cell, so the ratio to the floor means more than
// the milliseconds. CPU time is read from the processes themselves.
//
// With -only split it measures the same turns with two APIs and two workers as processes of their own; with -only soak
// that installation carries 60 % of what it can for an hour, and nothing may grow that should not.
//
// With -only checks it measures health checks beside a loop that only probes, and what happens when one of their
// processes dies; with -only monitors beside Gatus, whose binary -gatus names. With -only scripts it measures the sandbox of scripts beside its peers instead, with -only tools what
// the authors of custom tools wait for, with -only types what the type bombs of one of them do to the others, with
// -only mcp calls of MCP clients beside the reference server, with -only plans how the database runs the queries made
// every few seconds in an installation of ten million tool calls, with -only streams how long tokens and changes take
// to those who watch. With -only docs it measures the search of the documentation beside Bleve, with -only loads how
// long people wait for the first page in a browser behind a slow network. With -only events it measures the lag of event
// consumers, also while their processes are killed. With -only incidents it measures reads of 101,000 incidents, with -only
// calls how long people wait to be called and to be left alone, with -only deliveries what messages cost, with -only escalations what waiting costs, and with -only
// alertmanager it counts messages to a receiver that fails beside a cluster of Alertmanagers.
//
// It must run on the test stack: bin/devstack exec -- go run ./test/bench [-quick].
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"countersign/script/typescript"
)

type options struct {
	binary   string
	quick    bool
	rounds   []int
	clients  []int
	budget   time.Duration
	only     string
	list     string
	debug    string
	realTurn int
	// split runs the product as two APIs and two workers.
	split bool
	// rate is the number of turns started per second in a soak; 0 measures the capacity.
	rate float64
	// rows is the number of tool calls in the database whose plans are checked.
	rows int
	// of health checks
	rates    []int
	hang     int
	interval time.Duration
	deaths   bool
	// checkScripts says that checks are scripts.
	checkScripts bool
	// gatus is the path of a Gatus binary to compare with.
	gatus string
	// alertmanager is the path of an Alertmanager binary to compare with.
	alertmanager string
	// kills is how often processes with consumers of events are killed.
	kills int
}

func main() {
	// The compiler of scripts starts this binary again.
	typescript.RunIfChild()
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func command(args []string) error {
	if len(args) == 3 && args[0] == "floor" {
		return serveFloor(args[1], args[2])
	}
	if len(args) == 2 && args[0] == "follow-events" {
		return followEvents(context.Background(), args[1])
	}
	if len(args) == 3 && args[0] == "check-targets" {
		return serveTargets(args[1], args[2])
	}
	if len(args) == 3 && args[0] == "check-arrivals" {
		interval, err := time.ParseDuration(args[2])
		if err != nil {
			return err
		}
		return serveArrivals(args[1], interval)
	}
	if len(args) == 4 && args[0] == "check-floor" {
		n, _ := strconv.Atoi(args[2])
		interval, err := time.ParseDuration(args[3])
		if err != nil {
			return err
		}
		return serveCheckFloor(args[1], max(n, 1), interval)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, args)
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if measure, alone := apart[o.only]; alone {
		return measure(ctx, o)
	}
	if err := measureTurns(ctx, o); err != nil || o.only != "" {
		return err
	}
	if err := splitGrid(ctx, o); err != nil {
		return err
	}
	return lists(ctx, o)
}

// apart are the measurements without turns, by their -only names.
var apart = map[string]func(context.Context, options) error{
	"scripts":      scripts,
	"script-tests": scripts,
	"tools":        customTools,
	"types":        typeBombs,
	"mcp":          mcpClients,
	"docs":         docsSearch,
	"lists":        lists,
	"split":        splitGrid,
	"soak":         soak,
	"history":      checkHistory,
	"checks":       checks,
	"monitors":     monitors,
	"health-reads": healthReads,
	"incidents":    incidentReads,
	"calls":        calls,
	"deliveries":   deliveries,
	"escalations":  waitingEscalations,
	"alertmanager": besideAlertmanagers,
	"plans":        queryPlans,
	"events":       events,
	"loads":        func(ctx context.Context, _ options) error { return firstLoads(ctx) },
}

// measureTurns measures all aspects of turns, or only the one that o names.
func measureTurns(ctx context.Context, o options) error {
	s, err := startStack(ctx, o)
	if err != nil {
		return err
	}
	defer s.stop()
	fmt.Printf("# Turns, %s\n\n", time.Now().Format(time.DateOnly))
	for _, m := range []struct {
		name    string
		measure func() error
	}{
		{"grid", func() error { return grid(ctx, s, o) }},
		{"real", func() error { return realistic(ctx, s, o.realTurn) }},
		{"streams", func() error { return streams(ctx, s, o) }},
		{"applies", func() error { return applies(ctx, s, o) }},
		{"recovery", func() error { return recovery(ctx, s, o) }},
	} {
		if o.only != "" && o.only != m.name {
			continue
		}
		if err := m.measure(); err != nil {
			return err
		}
	}
	return nil
}

// scripts says whether scripts are measured instead of turns.
func (o options) scripts() bool { return o.only == "scripts" || o.only == "script-tests" }

func parse(args []string) (options, error) {
	var o options
	var rounds, clients, rates string
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.StringVar(&o.binary, "bin", "bin/countersign", "the product")
	f.BoolVar(&o.quick, "quick", false, "fewer cells, shorter ones")
	f.StringVar(&rounds, "rounds", "0,4,15", "tool rounds of a turn")
	f.StringVar(&clients, "clients", "1,16,64", "concurrent clients")
	f.DurationVar(&o.budget, "time", 5*time.Second, "time for each cell")
	f.StringVar(
		&o.only,
		"only",
		"",
		"grid, split, real, streams, soak, applies, recovery, lists, history, health-reads, incidents, calls, escalations, alertmanager, "+
			"checks, monitors, scripts, script-tests for the REST half of scripts, tools, types, mcp, docs, loads, events, or plans",
	)
	f.StringVar(&rates, "rates", "60000,300000", "with checks, how many run a minute")
	f.IntVar(&o.hang, "hang", 5, "with checks, how many of a hundred targets hang in a second measurement; 0 leaves it out")
	f.DurationVar(&o.interval, "interval", 10*time.Second, "with checks, how often each target is checked")
	f.BoolVar(&o.checkScripts, "scripts", false, "with checks, whether they are scripts in TypeScript instead of HTTP requests")
	f.BoolVar(&o.deaths, "deaths", true, "with checks, whether processes are killed at the end")
	f.StringVar(&o.gatus, "gatus", "", "with monitors, the path of a Gatus binary to compare with; without one the product alone is measured")
	f.StringVar(&o.alertmanager, "alertmanager", "", "with alertmanager, the path of its binary; without one the product alone is counted")
	f.StringVar(&o.list, "list", "", "with lists, only those with this in their name")
	f.StringVar(&o.debug, "debug", "", "address at which the product serves pprof")
	f.IntVar(&o.realTurn, "turns", 200, "turns of the realistic profile")
	f.Float64Var(
		&o.rate,
		"rate",
		0,
		"with soak, how many turns begin in a second; 0 measures for a minute what there is room for, and takes 60 % of that",
	)
	f.IntVar(&o.rows, "rows", 10_000_000, "with plans, how many tool calls there are; ten million take 20 GB for as long as it runs")
	f.IntVar(&o.kills, "kills", 200, "with events, how often processes are killed in a second measurement; 0 leaves it out")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.only == "soak" && !given(f, "time") {
		o.budget = time.Hour
	}
	if o.only == "monitors" && !given(f, "time") {
		o.budget = time.Minute
	}
	if o.quick {
		rounds, clients, o.budget, o.realTurn = "0,4", "1,16", 2*time.Second, 40
	}
	var err error
	if o.rounds, err = numbers(rounds); err != nil {
		return o, err
	}
	if o.rates, err = numbers(rates); err != nil {
		return o, err
	}
	o.clients, err = numbers(clients)
	return o, err
}

// given reports whether a flag was set.
func given(f *flag.FlagSet, name string) bool {
	set := false
	f.Visit(func(one *flag.Flag) { set = set || one.Name == name })
	return set
}

func numbers(list string) ([]int, error) {
	var ns []int
	for part := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, errors.New("a list of numbers is needed, such as 0,4,15")
		}
		ns = append(ns, n)
	}
	return ns, nil
}
