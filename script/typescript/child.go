package typescript

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/metrics"
	"strconv"

	"github.com/microsoft/typescript-go/shim"

	"countersign/script/sdk"
)

// Command is the hidden command of the binary that makes a process a child.
const Command = "__typescript"

// childVariable marks a process as a child, which never starts children of its own. Its value is the memory limit.
const childVariable = "COUNTERSIGN_TYPESCRIPT_CHILD"

// IsChild reports whether this process was started as a child.
func IsChild() bool { return os.Getenv(childVariable) != "" }

// RunIfChild turns the process into a child if it was started as one, and does not return then. The TestMain of a
// package whose tests use a Compiler calls it first, because the binary that is started again is that of the test.
func RunIfChild() {
	if !IsChild() {
		return
	}
	if err := Serve(os.Stdin, os.Stdout); err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}

// Serve handles requests until the input ends. It limits the memory of the process, and ends the process, whatever it
// is doing, when the parent has gone.
func Serve(r io.Reader, w io.Writer) error {
	memory, err := strconv.ParseUint(os.Getenv(childVariable), 10, 64)
	if err != nil {
		return fmt.Errorf("this command is for the product itself: %w", err)
	}
	closeInherited()
	if err := limitMemory(memory); err != nil {
		return err
	}
	requests := make(chan request)
	go func() {
		for {
			var next request
			if readFrame(r, &next) != nil {
				os.Exit(0)
			}
			requests <- next
		}
	}()

	e := newEngine()
	e.warmUp()
	if err := writeFrame(w, answer{Stage: ready}); err != nil {
		return err
	}
	for next := range requests {
		var failed error
		e.work(next, func(a answer) {
			if failed == nil {
				failed = writeFrame(w, a)
			}
		})
		if failed != nil {
			return failed
		}
	}
	return nil
}

// engine compiles sources. It is not safe for concurrent use.
type engine struct {
	checker *shim.Checker
}

func newEngine() *engine {
	declarations := map[string]string{}
	for _, c := range sdk.Contexts() {
		for _, f := range c.Files() {
			declarations[f.Name] = f.Text
		}
	}
	checker := shim.NewChecker(declarations)
	checker.Without(absent()...)
	return &engine{checker}
}

// warmUp parses and caches the declarations and the library of the language.
func (e *engine) warmUp() {
	for _, c := range sdk.Contexts() {
		if c.Language() == sdk.TypeScript {
			e.work(request{Source: c.Starter(), Context: c, Emit: true, Types: true}, func(answer) {})
		}
	}
}

func (e *engine) work(r request, send func(answer)) {
	if r.Context == sdk.CustomTool {
		e.tool(r, send)
		return
	}
	s := outline(r.Source, r.Context)
	send(answer{Stage: outlined, Diagnostics: s.diagnostics, Broken: s.broken})
	if r.Emit && len(s.diagnostics) == 0 {
		send(build(s, r.Context))
	}
	if r.Types && !s.broken {
		send(answer{Stage: checked, Diagnostics: e.check(s, r.Context)})
	}
	send(answer{Stage: finished, Memory: held()})
}

func (e *engine) check(s *script, in sdk.Context) []Diagnostic {
	var names []string
	for _, f := range in.Files() {
		names = append(names, f.Name)
	}
	var found []Diagnostic
	for _, d := range e.checker.Check(context.Background(), s.text, names) {
		if s.refuses(d.Span) {
			continue
		}
		found = append(found, s.diagnostic(Types, d))
	}
	return tidy(found)
}

// held returns the memory that the process has from the system.
func held() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
