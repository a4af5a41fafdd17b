package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"countersign/internal/text/strictjson"
	"countersign/sandbox"
	"countersign/sandbox/javascript"
	"countersign/sandbox/shell"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

// box is the sandbox of the product, in this process.
type box struct {
	folder     string
	javascript *javascript.Engine
	shell      *shell.Engine
	compiler   *typescript.Compiler
	cold       []string
	memory     map[bool]float64
}

// openSandbox starts the engines, once without and once with what the first start has left on the disk. The half of the
// REST call needs no shell here.
func openSandbox(ctx context.Context, half bool) (*box, error) {
	folder, err := os.MkdirTemp("", "countersign-bench-")
	if err != nil {
		return nil, err
	}
	b := &box{folder: folder, compiler: typescript.New(typescript.Options{}), memory: map[bool]float64{}}
	for _, cache := range []string{"nothing on the disk", "from the cache on the disk"} {
		started := time.Now()
		if b.javascript != nil {
			if err := b.closeEngines(ctx); err != nil {
				return nil, err
			}
			started = time.Now()
		}
		if b.javascript, err = javascript.New(ctx, javascript.Options{CacheDir: filepath.Join(folder, "javascript")}); err != nil {
			return nil, err
		}
		b.cold = append(b.cold, fmt.Sprintf("| JavaScript engine, %s | %s |", cache, number(since(started))))
		if half {
			continue
		}
		started = time.Now()
		if b.shell, err = shell.New(ctx, shell.Options{CacheDir: filepath.Join(folder, "shell"), Slots: 4}); err != nil {
			return nil, err
		}
		if err := b.shell.Warm(ctx); err != nil {
			return nil, err
		}
		b.cold = append(b.cold, fmt.Sprintf("| shell engine, %s | %s |", cache, number(since(started))))
	}
	if half {
		return b, nil
	}
	b.hold(ctx)
	return b, nil
}

func (b *box) closeEngines(ctx context.Context) error {
	err := b.javascript.Close(ctx)
	if b.shell != nil {
		err = errors.Join(err, b.shell.Close(ctx))
	}
	return err
}

func (b *box) close() {
	ctx := context.Background()
	b.compiler.Close()
	_ = b.closeEngines(ctx)
	_ = os.RemoveAll(b.folder)
}

func since(t time.Time) float64 { return float64(time.Since(t).Nanoseconds()) / 1e6 }

// targets are what a workload is measured with, its floor first.
func (b *box) targets(w workload) []target {
	if w.shell != "" {
		return []target{
			process{"sh", "none: a process with all rights of its user", false, func(file string) []string { return []string{"sh", file} }},
			&engineTarget{b, true},
		}
	}
	return append([]target{inNode{"function", "none: the floor", false}, &engineTarget{b, false}}, peers()...)
}

// engineTarget is an engine of the product.
type engineTarget struct {
	box   *box
	shell bool
}

func (t *engineTarget) name() string {
	if t.shell {
		return "**sandbox/shell**"
	}
	return "**sandbox/javascript**"
}

func (*engineTarget) isolation() string {
	return "WebAssembly: memory of its own, no files, no sockets, hard limits of time and memory"
}
func (*engineTarget) isolates() bool { return true }

func (t *engineTarget) runner() sandbox.Runner {
	if t.shell {
		return t.box.shell
	}
	return t.box.javascript
}

// patient are limits for a busy machine.
var patient = sandbox.Limits{Timeout: time.Minute}

func (t *engineTarget) measure(ctx context.Context, w workload, workers int, budget time.Duration) (runs, error) {
	job := sandbox.Job{
		Source: "export default " + w.script,
		Name:   "script.js",
		Input:  json.RawMessage(w.input),
		Fetch:  open{},
		Limits: patient,
	}
	if t.shell {
		job = sandbox.Job{Source: w.shell, Name: "script.sh", Limits: patient}
	}
	one := func(ctx context.Context) error {
		o, err := t.runner().Run(ctx, job)
		switch {
		case err != nil:
			return err
		case o.Kind != sandbox.OK:
			return fmt.Errorf("ended with %s: %+v", o.Kind, o.Failure)
		case t.shell && o.Stdout != w.wanted, !t.shell && !strictjson.Same(o.Result, w.wanted):
			return fmt.Errorf("answered %s%s", o.Result, o.Stdout)
		}
		return nil
	}
	if _, err := repeat(ctx, workers, budget/10, one); err != nil {
		return runs{}, err
	}
	r, err := repeat(ctx, workers, budget, one)
	r.memory = t.box.memory[t.shell]
	return r, err
}

// open is a network without a policy.
type open struct{}

var plain = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// Fetch implements sandbox.Fetcher.
func (open) Fetch(ctx context.Context, r sandbox.Request) (sandbox.Response, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return sandbox.Response{}, err
	}
	response, err := plain.Do(request)
	if err != nil {
		return sandbox.Response{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return sandbox.Response{
		Status:     response.StatusCode,
		StatusText: response.Status,
		Headers:    map[string]string{"content-type": "application/json"},
		Body:       body,
	}, err
}

// hall blocks scripts in a fetch until all of them have arrived.
type hall struct {
	arrived sync.WaitGroup
	leave   chan struct{}
}

// Fetch implements sandbox.Fetcher.
func (h *hall) Fetch(ctx context.Context, _ sandbox.Request) (sandbox.Response, error) {
	h.arrived.Done()
	select {
	case <-h.leave:
	case <-ctx.Done():
	}
	return sandbox.Response{Status: http.StatusOK, StatusText: "OK"}, nil
}

// hold measures the memory of this process per live script.
func (b *box) hold(ctx context.Context) {
	for _, of := range []struct {
		shell  bool
		runner sandbox.Runner
		source string
		count  int
	}{
		{false, b.javascript, `export default () => fetch("http://example.org/")`, 50},
		{true, b.shell, `curl http://example.org/`, 4},
	} {
		debug.FreeOSMemory()
		before := resident(os.Getpid())
		h := &hall{leave: make(chan struct{})}
		h.arrived.Add(of.count)
		var all sync.WaitGroup
		for range of.count {
			all.Go(func() {
				_, _ = of.runner.Run(ctx, sandbox.Job{Source: of.source, Fetch: h, Limits: sandbox.Limits{Timeout: 30 * time.Second}})
			})
		}
		h.arrived.Wait()
		b.memory[of.shell] = (resident(os.Getpid()) - before) / float64(of.count)
		close(h.leave)
		all.Wait()
	}
}

// resident is the memory of a process in MB.
func resident(pid int) float64 {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	pages, _ := strconv.ParseFloat(fields[1], 64)
	return pages * float64(os.Getpagesize()) / 1e6
}

// load is that of the machine.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(data))[:3], " ")
}

// checked is a health check that nothing has compiled before.
func checked(n int) string {
	return fmt.Sprintf(
		"import { defineHealthCheck } from \"@countersign/sdk/healthcheck\";\n\nexport default defineHealthCheck(async ({ system }) => {\n"+
			"  return { success: true, message: `${system.name} is well`, value: %d };\n});\n",
		n,
	)
}

// coldStarts reports the starts, and what the TypeScript step costs.
func (b *box) coldStarts(ctx context.Context) error {
	started := time.Now()
	if _, err := b.compiler.Compile(ctx, checked(0), sdk.HealthCheckScript); err != nil {
		return err
	}
	b.cold = append(b.cold, fmt.Sprintf("| TypeScript, its process and the first check of types | %s |", number(since(started))))
	fmt.Printf("\n## Cold starts\n\n| what | ms |\n|---|--:|\n%s\n", strings.Join(b.cold, "\n"))
	return nil
}

// whole is a script test without network, database and Temporal: compile, check types, run.
func (b *box) whole(ctx context.Context, source string) error {
	compiled, err := b.compiler.Compile(ctx, source, sdk.HealthCheckScript)
	if err != nil {
		return err
	}
	if compiled.JS == "" || compiled.Errors() || !compiled.Checked {
		return fmt.Errorf("not compiled: %+v", compiled.Report)
	}
	o, err := b.javascript.Run(ctx, sandbox.Job{Source: compiled.JS, Name: "script.ts", Input: json.RawMessage(`{"system":{"name":"Shop"}}`)})
	if err == nil && o.Kind != sandbox.OK {
		err = fmt.Errorf("ended with %s: %+v", o.Kind, o.Failure)
	}
	return err
}
