// Command chaos kills the processes of the product while people use it, and checks that nothing is lost (chaos test).
//
// It runs the product as in production: two API processes and two workers, here on one machine, with a new database and
// a scripted model. People chat, propose, apply, decline, stop and call tools, and retry on another process after each
// failure. Meanwhile each process kills itself at an armed crash point (see package crash) and is restarted at once,
// until every point in point.go has been hit often enough; then come kills at random times. After that processes stall
// at each point instead, with all their locks and leases, while two APIs and two workers go on, and then continue with
// stale state. When all work has ended, the queries in invariants/ look for violations, the streams that clients
// received are compared with the database, and tested scripts must not have run twice.
//
// With -checks, health checks run instead, on a separate PostgreSQL and Temporal. Workers, PostgreSQL and Temporal are
// killed, stalled or stopped for a while, and afterwards each slot of each target must have exactly one result or lie in
// a recorded gap. With -beside, an older build runs in parallel, as during a deployment:
//
//	git worktree add /tmp/before HEAD~1 && (cd /tmp/before && go build -o /tmp/before/countersign ./cmd/countersign)
//	go run ./test/chaos -checks -beside /tmp/before/countersign
//
// With -upgrade, nothing is killed: processes of an older build are replaced by this one while people work, in both
// orders, the APIs first and the workers first. `make upgrade` builds the older commit itself.
//
// With -outages, dependencies fail instead of processes: PostgreSQL is restarted, loses its connections, stalls, has a
// full disk, or is down, as Temporal is, while people go on. Responses may report an outage if they say when to retry.
// -scenario selects some of them.
//
// With -clocks, processes have clock skew of twice that: of the APIs and of the workers one is ahead and one is behind.
// The product is built with a modified package time, which takes as long as a first build; -binary reuses that build.
//
// The order of kills and the scenarios are drawn from a seed; concurrency depends on the machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	o, err := parseOptions(os.Args[1:])
	switch {
	case err != nil:
	case o.checks:
		err = conductChecks(ctx, o, os.Stdout)
	case o.upgrade != "":
		err = conductUpgrade(ctx, o, os.Stdout)
	case o.clocks != 0:
		err = conductClocks(ctx, o, os.Stdout)
	case o.outages:
		err = conductOutages(ctx, o, os.Stdout)
	default:
		err = conduct(ctx, o, os.Stdout)
	}
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

// options are what a run consists of.
type options struct {
	binary  string
	seed    uint64
	points  []point
	hits    int
	people  int
	random  time.Duration
	kills   int
	callers int
	ttl     time.Duration
	keep    bool
	// checks says that health checks are struck instead, with PostgreSQL and Temporal away for so long.
	checks   bool
	away     time.Duration
	devstack string
	beside   string
	// outages says that PostgreSQL and Temporal are taken away from people instead, for away at the longest.
	outages bool
	// scenarios are the names of the outages that are to be; all when empty.
	scenarios []string
	// clocks is by how much clocks of processes are ahead and behind; 0 for another run.
	clocks time.Duration
	// together is how often each point kills processes that are API and worker at once.
	together int
	// stops is how often a process stands still at each point.
	stops int
	// upgrade is the binary of an older version, which is replaced by this one; "" for another run.
	upgrade string
}

func parseOptions(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "a short run: every point once, API and workers apart")
	only := flags.String("only", "", "only the crash points whose name fits this regular expression")
	flags.StringVar(&o.binary, "binary", "bin/countersign", "the binary to run")
	flags.Uint64Var(&o.seed, "seed", 1, "decides about the order of kills and what people do")
	flags.IntVar(&o.hits, "hits", 10, "how often each point kills each kind of process that comes by")
	flags.IntVar(&o.together, "together", 3, "the same for processes that are API and worker at once, as make run starts them")
	flags.IntVar(&o.stops, "stops", 1, "how often each kind of process stands still for some seconds at each point; 0 leaves it out")
	flags.StringVar(&o.upgrade, "upgrade", "", "replace processes of this older binary by the new one instead, while people work")
	flags.IntVar(&o.people, "people", 24, "how many people use the product")
	flags.DurationVar(&o.random, "random", 30*time.Second, "how long processes are killed at random times; 0 leaves it out")
	flags.IntVar(&o.kills, "recoveries", 3, "how often the recovery of slow answers is measured; 0 leaves it out")
	flags.IntVar(&o.callers, "applies", 1000, "how many concurrent applies of one token; 0 leaves it out")
	flags.DurationVar(&o.ttl, "ttl", 20*time.Second, "how long a proposal waits for a decision")
	flags.BoolVar(&o.checks, "checks", false, "strike health checks instead, on servers of its own that are struck too")
	flags.BoolVar(&o.outages, "outages", false, "take PostgreSQL and Temporal away from people instead, on servers of its own")
	flags.DurationVar(&o.away, "away", time.Minute, "with -checks and -outages, how long PostgreSQL and Temporal are away")
	flags.StringVar(&o.devstack, "devstack", "bin/devstack", "with -checks and -outages, what starts PostgreSQL and Temporal")
	scenario := flags.String("scenario", "", "with -outages, only these, with commas between them: "+strings.Join(outageNames(), ", "))
	flags.DurationVar(&o.clocks, "clocks", 0, "instead, let the clocks of processes be ahead and behind by so much")
	flags.StringVar(&o.beside, "beside", "", "with -checks, the binary of another version, which each second worker runs")
	flags.BoolVar(&o.keep, "keep", false, "keep the logs of the processes")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if *quick {
		o.hits, o.together, o.stops, o.random, o.kills, o.ttl = 1, 0, 0, 5*time.Second, 1, 12*time.Second
	}
	if o.clocks != 0 && !given(flags, "binary") {
		o.binary = ""
	}
	var err error
	if o.scenarios, err = chosen(*scenario); err != nil {
		return o, err
	}
	o.points, err = matching(*only)
	return o, err
}

// given reports whether a flag was set.
func given(flags *flag.FlagSet, name string) bool {
	set := false
	flags.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	return set
}

var errViolated = errors.New("there are violations")

// conduct makes a whole run and reports it. A violation is errViolated.
func conduct(ctx context.Context, o options, out io.Writer) error {
	return o.inWorld(ctx, out, func(x *experiment) error {
		if err := x.phases(ctx); err != nil {
			return err
		}
		return x.verdict(ctx)
	})
}
