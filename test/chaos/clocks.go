package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// clockVariable sets the clock shift of a process in seconds, if it was built with shiftedClock.
const clockVariable = "CHAOS_CLOCK_SECONDS"

// shiftedClock is added to package time of the standard library. The monotonic clock is not shifted, as on a machine
// with clock skew.
const shiftedClock = `package time

import "syscall"

// shift is the clock shift of this process.
var shift = readShift()

func readShift() int64 {
	text, _ := syscall.Getenv("` + clockVariable + `")
	seconds, err := atoi(text)
	if err != nil {
		return 0
	}
	return int64(seconds)
}
`

// The line of time.Now that reads the wall clock, and the inserted code.
const (
	readsClock = "\n\tsec, nsec, mono := runtimeNow()\n"
	shiftsIt   = "\tsec += shift\n"
)

// shiftedBinary is the path of the binary, for -binary in later runs.
const shiftedBinary = ".cache/countersign-clocks"

// buildShifted builds the product with a clock that an environment variable shifts, by an overlay of package time; the
// product has no such code. The first build compiles everything.
func buildShifted(ctx context.Context, dir, to string) error {
	text, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("find the standard library: %w", err)
	}
	library := filepath.Join(strings.TrimSpace(string(text)), "src", "time")
	source, err := os.ReadFile(filepath.Join(library, "time.go"))
	if err != nil {
		return fmt.Errorf("read the standard library: %w", err)
	}
	changed, err := shifted(string(source))
	if err != nil {
		return err
	}
	replace := map[string]string{}
	for name, content := range map[string]string{"time.go": changed, "shift.go": shiftedClock} {
		path := filepath.Join(dir, "time-"+name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return fmt.Errorf("write a clock: %w", err)
		}
		replace[filepath.Join(library, name)] = path
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, overlay, 0o600); err != nil {
		return fmt.Errorf("write a clock: %w", err)
	}
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-overlay", path, "-o", to, "./cmd/countersign")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build the product with a clock of its own: %w", err)
	}
	return nil
}

// shifted is the source of package time with a shiftable clock.
func shifted(source string) (string, error) {
	if strings.Count(source, readsClock) != 1 {
		return "", fmt.Errorf("package time of %s reads the clock in another way: look at time.Now there", runtime.Version())
	}
	return strings.Replace(source, readsClock, readsClock+shiftsIt, 1), nil
}

// clocksOf are the clock shifts of a fleet: of each kind of process one is ahead and one is behind.
func clocksOf(fleet []kind, by time.Duration) []time.Duration {
	seen, clocks := map[kind]int{}, make([]time.Duration, len(fleet))
	for i, k := range fleet {
		clocks[i] = by
		// The first API is ahead and the first worker is behind, so that neither kind is of one time.
		if (seen[k]%2 == 1) != (k == worker) {
			clocks[i] = -by
		}
		seen[k]++
	}
	return clocks
}

// apartFor is how long people work under clock skew, before and after each process is killed once.
const apartFor = 30 * time.Second

// conductClocks tests clock skew: people work with two APIs and two workers, one of each ahead of the database and one
// behind, and each process is killed once, so that others take over its work.
func conductClocks(ctx context.Context, o options, out io.Writer) error {
	o.points, o.hits, o.together, o.stops = nil, 0, 0, 0
	if o.binary == "" {
		o.binary = shiftedBinary
		_, _ = fmt.Fprintln(out, "building the product with a clock of its own, as", o.binary)
		if err := o.inFolder(io.Discard, func(dir string) error { return buildShifted(ctx, dir, o.binary) }); err != nil {
			return err
		}
	}
	return o.inWorld(ctx, out, func(x *experiment) error {
		x.world.clocks = clocksOf(apart, o.clocks)
		x.say("seed %d, %d people, clocks ahead by %v", x.seed, x.people, x.world.clocks)
		err := x.on(ctx, apart, newSchedule(x.seed, nil, apart, 0), &x.reached, func(s *stage) error {
			for i, slot := range s.fleet.slots {
				if err := hasClock(ctx, slot, x.world.clocks[i]); err != nil {
					return err
				}
			}
			working, enough := context.WithTimeout(ctx, 2*apartFor)
			defer enough()
			var people sync.WaitGroup
			defer people.Wait()
			people.Go(func() { s.crowd.live(ctx, func() bool { return working.Err() != nil }) })
			wait(ctx, apartFor)
			for _, slot := range s.fleet.slots {
				s.fleet.strike(slot)
				if err := s.fleet.ready(ctx, slot); err != nil {
					return err
				}
			}
			<-working.Done()
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		if err := x.givenUp(); err != nil {
			return err
		}
		return x.verdict(ctx)
	})
}

// endedLate is the log line of Temporal's SDK for an activity whose deadline had passed by its process's clock. People
// hardly notice: another worker repeats it, or they retry.
const endedLate = "Activity complete after timeout"

// givenUp reports work that workers cancelled because of their clocks.
func (x *experiment) givenUp() error {
	logs, err := filepath.Glob(filepath.Join(x.world.dir, string(worker)+"*.log"))
	if err != nil {
		return err
	}
	for _, path := range logs {
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read what a worker has logged: %w", err)
		}
		if n := strings.Count(string(text), endedLate); n > 0 {
			x.ledger.complain(
				violation{what: "clock", text: fmt.Sprintf("%s gave up %d activities as too late", strings.TrimSuffix(filepath.Base(path), ".log"), n)},
			)
		}
	}
	return nil
}

// questionLimit bounds the request for a process's time. An unresponsive process would block the run.
const questionLimit = 5 * time.Second

// hasClock checks a process's clock by the Date header of its responses.
func hasClock(ctx context.Context, s *slot, ahead time.Duration) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url()+"/readyz", nil)
	if err != nil {
		return err
	}
	res, err := (&http.Client{Timeout: questionLimit}).Do(req)
	if err != nil {
		return fmt.Errorf("ask %s for the time: %w", s.name(), err)
	}
	defer res.Body.Close()
	at, err := http.ParseTime(res.Header.Get("Date"))
	if err != nil {
		return fmt.Errorf("ask %s for the time: %w", s.name(), err)
	}
	if off := time.Until(at) - ahead; off.Abs() > time.Minute/2 {
		return fmt.Errorf(
			"the clock of %s is ahead by %s instead of %s: its binary was not built for that",
			s.name(),
			time.Until(at).Round(time.Second),
			ahead,
		)
	}
	return nil
}
