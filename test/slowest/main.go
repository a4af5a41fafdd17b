// Slowest reports the tests that take longest in a run of several stages.
//
//	go test -json ./... | slowest -o FILE   # prints what go test prints without -json, and keeps the times in FILE
//	slowest FILE...                         # prints the slowest tests of files it has kept or that vitest's json reporter has
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	out := flag.String("o", "", "file for the times of the tests of standard input")
	most := flag.Int("n", 20, "number of tests to print")
	flag.Parse()
	err := run(*out, *most, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "slowest:", err)
		os.Exit(1)
	}
}

func run(out string, most int, files []string) error {
	if out == "" {
		return report(os.Stdout, most, files)
	}
	return follow(os.Stdin, os.Stdout, out)
}

// timing is the duration of one test.
type timing struct {
	Test    string  `json:"test"`
	Seconds float64 `json:"seconds"`
}

// event is a line of `go test -json`: see `go doc test2json`.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// follow prints the results of packages as they come, with the output of tests only if they fail, and keeps the times of tests in a
// file. Cached results count nothing.
func follow(in io.Reader, out io.Writer, file string) error {
	all := []timing{}
	running := map[string]*result{}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			for _, cut := range running {
				_, _ = io.WriteString(out, cut.text(true))
			}
			return write(file, all)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		var e event
		if json.Unmarshal(line, &e) != nil {
			_, _ = out.Write(line)
			continue
		}
		if e.Action == "build-output" {
			_, _ = io.WriteString(out, e.Output)
			continue
		}
		r := running[e.Package]
		if r == nil {
			r = &result{}
			running[e.Package] = r
		}
		r.add(e)
		if e.Test == "" && slices.Contains([]string{"pass", "fail", "skip"}, e.Action) {
			_, _ = io.WriteString(out, r.text(e.Action == "fail"))
			if !r.cached {
				all = append(all, r.times...)
			}
			delete(running, e.Package)
		}
	}
}

func write(file string, times []timing) error {
	raw, err := json.Marshal(times)
	if err != nil {
		return err
	}
	return os.WriteFile(file, raw, 0o600)
}

// result is what is known of a package.
type result struct {
	output []event
	times  []timing
	cached bool
}

func (r *result) add(e event) {
	switch e.Action {
	case "output":
		r.cached = r.cached || e.Test == "" && strings.HasSuffix(e.Output, "\t(cached)\n")
		if !strings.HasPrefix(e.Output, "=== ") {
			r.output = append(r.output, e)
		}
	case "pass", "skip", "fail":
		if e.Test == "" {
			return
		}
		if e.Action != "fail" {
			r.output = slices.DeleteFunc(r.output, func(o event) bool { return o.Test == e.Test })
		}
		if !strings.Contains(e.Test, "/") {
			r.times = append(r.times, timing{strings.TrimPrefix(e.Package, "countersign/") + " " + e.Test, e.Elapsed})
		}
	}
}

// text is all output of a failed package, and the last line of another.
func (r *result) text(failed bool) string {
	var text strings.Builder
	for _, o := range r.output {
		if failed || o.Test == "" && (strings.HasPrefix(o.Output, "ok ") || strings.HasPrefix(o.Output, "? ")) {
			text.WriteString(o.Output)
		}
	}
	return text.String()
}

// vitest is what its json reporter writes.
type vitest struct {
	TestResults []struct {
		Name             string
		AssertionResults []struct {
			FullName string
			Duration float64
		}
	}
}

func report(out io.Writer, most int, files []string) error {
	var all []timing
	for _, file := range files {
		times, err := read(file)
		if err != nil {
			return err
		}
		all = append(all, times...)
	}
	slices.SortStableFunc(all, func(a, b timing) int { return cmp.Compare(b.Seconds, a.Seconds) })
	for _, t := range all[:min(most, len(all))] {
		_, _ = fmt.Fprintf(out, "%9.1f s  %s\n", t.Seconds, t.Test)
	}
	return nil
}

func read(file string) ([]timing, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var times []timing
	if bytes.HasPrefix(raw, []byte("[")) {
		return times, json.Unmarshal(raw, &times)
	}
	var v vitest
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for _, f := range v.TestResults {
		for _, t := range f.AssertionResults {
			times = append(times, timing{strings.TrimPrefix(f.Name, root+"/") + " " + t.FullName, t.Duration / 1000})
		}
	}
	return times, nil
}
