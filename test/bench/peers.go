package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"countersign/internal/text/strictjson"
)

// peerFolder holds the peers that npm installs.
const peerFolder = "test/bench/peers"

// peers are other sandboxes for untrusted JavaScript. Each run has its own process or context.
func peers() []target {
	return []target{
		inNode{"isolated-vm", "a V8 heap of its own in the host's process, memory and time limits; a bug of V8 is one of the host", true},
		inNode{"quickjs-emscripten", "WebAssembly in the host's process; all scripts share one linear memory", true},
		inNode{"vm", "none: Node's documentation says that it is no security boundary; it has no memory limit", false},
		process{"node", "none: a process with all rights of its user", false, func(file string) []string { return []string{"node", file} }},
		process{"bun", "none: a process with all rights of its user", false, func(file string) []string {
			return []string{cmp.Or(installed("bun/bin/bun.exe"), installed("@oven/*/bin/bun")), file}
		}},
		process{
			"deno",
			"permissions inside one process: no files, network or processes unless allowed; no limit of memory or time",
			true,
			func(file string) []string {
				return []string{installed("@deno/*/deno"), "run", "--no-prompt", "--allow-net=127.0.0.1", file}
			},
		},
	}
}

// installed finds a program among the npm packages, "" without one that starts.
func installed(pattern string) string {
	files, _ := filepath.Glob(filepath.Join(peerFolder, "node_modules", pattern))
	for _, f := range files {
		if exec.Command(f, "--version").Run() == nil {
			absolute, _ := filepath.Abs(f)
			return absolute
		}
	}
	return ""
}

// process starts a process for each run.
type process struct {
	title, isolated string
	safe            bool
	command         func(file string) []string
}

func (p process) name() string      { return p.title + " process" }
func (p process) isolation() string { return p.isolated }
func (p process) isolates() bool    { return p.safe }

func (p process) measure(ctx context.Context, w workload, workers int, budget time.Duration) (runs, error) {
	folder, err := os.MkdirTemp("", "countersign-bench-")
	if err != nil {
		return runs{}, err
	}
	defer os.RemoveAll(folder)
	file, text := filepath.Join(folder, "script.mjs"), fmt.Sprintf("console.log(JSON.stringify(await (%s)(%s)));\n", w.script, w.input)
	if w.shell != "" {
		file, text = filepath.Join(folder, "script.sh"), w.shell+"\n"
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return runs{}, err
	}
	args := p.command(file)
	if args[0] == "" {
		return runs{}, errNotInstalled
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		return runs{}, errNotInstalled
	}
	one := func(ctx context.Context) error {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		var complaint bytes.Buffer
		cmd.Stderr = &complaint
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%w: %s", err, complaint.String())
		}
		if w.shell != "" && string(out) != w.wanted || w.shell == "" && !strictjson.Same(out, w.wanted) {
			return fmt.Errorf("answered %q", out)
		}
		return nil
	}
	if err := one(ctx); err != nil {
		return runs{}, err
	}
	r, err := repeat(ctx, workers, budget, one)
	r.memory = peak(ctx, args)
	return r, err
}

// peak is the peak memory of a process in one run, in MB. The kernel's figure includes that of the parent at the start.
func peak(ctx context.Context, args []string) float64 {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	if err := cmd.Start(); err != nil {
		return 0
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	most := 0.0
	for {
		select {
		case <-ended:
			return most
		case <-time.After(200 * time.Microsecond):
			most = max(most, resident(cmd.Process.Pid))
		}
	}
}

// inNode runs scripts inside Node processes, one for each worker. See peers/run.mjs.
type inNode struct {
	peer, isolated string
	safe           bool
}

func (p inNode) name() string {
	switch p.peer {
	case "function":
		return "floor: function call in Node"
	case "vm":
		return "node:vm"
	}
	return p.peer
}
func (p inNode) isolation() string { return p.isolated }
func (p inNode) isolates() bool    { return p.safe }

func (p inNode) measure(ctx context.Context, w workload, workers int, budget time.Duration) (runs, error) {
	ctx, cancel := context.WithTimeout(ctx, budget+time.Minute)
	defer cancel()
	hosts := make([]*nodeHost, workers)
	failed := make([]error, workers)
	var all sync.WaitGroup
	for i := range hosts {
		all.Go(func() { hosts[i], failed[i] = p.start(ctx, w, budget, i == 0 && workers == 1) })
	}
	all.Wait()
	defer func() {
		for _, h := range hosts {
			if h != nil {
				h.stop()
			}
		}
	}()
	if err := errors.Join(failed...); err != nil {
		return runs{}, failed[0]
	}
	parts := make([]runs, workers)
	for i, h := range hosts {
		all.Go(func() { parts[i], failed[i] = h.measure() })
	}
	all.Wait()
	var sum runs
	for _, part := range parts {
		sum.ms = append(sum.ms, part.ms...)
		sum.rate += part.rate
		sum.memory = max(sum.memory, part.memory)
	}
	return sum, errors.Join(failed...)
}

// nodeHost is a Node process that is ready to measure.
type nodeHost struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (p inNode) start(ctx context.Context, w workload, budget time.Duration, hold bool) (*nodeHost, error) {
	if _, err := exec.LookPath("node"); err != nil {
		return nil, errNotInstalled
	}
	// isolated-vm needs the flag, the others do not mind.
	cmd := exec.CommandContext(ctx, "node", "--no-node-snapshot", filepath.Join(peerFolder, "run.mjs"))
	var err error
	h := &nodeHost{cmd: cmd}
	if h.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	h.out = bufio.NewReader(out)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	task, err := json.Marshal(map[string]any{
		"peer": p.peer, "script": w.script, "input": w.input, "wanted": w.wanted, "budget": budget.Milliseconds(), "hold": hold,
	})
	if err != nil {
		return nil, err
	}
	_, _ = h.in.Write(append(task, '\n'))
	line, _ := h.out.ReadString('\n')
	if strings.TrimSpace(line) == `"ready"` {
		return h, nil
	}
	h.stop()
	var answer struct {
		Missing bool
		Error   string
	}
	switch json.Unmarshal([]byte(line), &answer); {
	case answer.Missing:
		return nil, errNotInstalled
	case answer.Error != "":
		return nil, errors.New(answer.Error)
	}
	return nil, fmt.Errorf("node did not get ready: %s", complaint.String())
}

func (h *nodeHost) measure() (runs, error) {
	if _, err := io.WriteString(h.in, "go\n"); err != nil {
		return runs{}, err
	}
	var answer struct {
		MS           []float64
		Rate, Memory float64
	}
	err := json.NewDecoder(h.out).Decode(&answer)
	return runs{answer.MS, answer.Rate, answer.Memory}, err
}

func (h *nodeHost) stop() {
	_ = h.in.Close()
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
}
