package typescript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"
)

// startTimeout is generous: a busy machine is slow, and no source waits yet.
const startTimeout = 20 * time.Second

// process is a child process. It is not safe for concurrent use.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.Reader
	stderr *complaint

	uses   int
	memory uint64
	broken bool
	// late is set when a source took long, which lowers the priority of the process permanently.
	late atomic.Bool
}

func start(life context.Context, o Options) (*process, error) {
	if IsChild() {
		return nil, errors.New("a child of the compiler starts no children")
	}
	binary, err := executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(life, binary, Command) //nolint:gosec // this binary itself
	cmd.Args[0] = "countersign"
	cmd.Dir = "/"
	cmd.SysProcAttr = apart()
	cmd.Env = []string{
		childVariable + "=" + strconv.Itoa(o.Memory),
		"GOMEMLIMIT=" + strconv.Itoa(o.Memory/2),
		"GOTRACEBACK=none",
		"GOMAXPROCS=2",
	}
	p := &process{cmd: cmd, stderr: &complaint{}}
	cmd.Stderr = p.stderr
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.stdout, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a child: %w", err)
	}
	timer := time.AfterFunc(startTimeout, p.kill)
	defer timer.Stop()
	var first answer
	if err = readFrame(p.stdout, &first); err == nil && first.Stage != ready {
		err = fmt.Errorf("it said %q first", first.Stage)
	}
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("a child did not get ready (in a test, TestMain has to call RunIfChild): %w: %s", err, p.stderr)
	}
	return p, nil
}

// executable is the running binary, even when another version has replaced its file.
func executable() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// work sends a request and reads the answers until the last one or the timeout. After lowPriorityAfter the process
// continues at low priority, and is replaced afterwards, as an unprivileged process cannot raise a priority again.
func (p *process) work(r request, timeout, lowPriorityAfter time.Duration) outcome {
	p.uses++
	var slow atomic.Bool
	timer := time.AfterFunc(timeout, func() {
		slow.Store(true)
		p.kill()
	})
	defer timer.Stop()
	long := time.AfterFunc(lowPriorityAfter, func() {
		p.late.Store(true)
		yield(p.cmd.Process.Pid)
	})
	defer long.Stop()

	var o outcome
	err := writeFrame(p.stdin, r)
	for err == nil {
		var a answer
		if err = readFrame(p.stdout, &a); err != nil {
			break
		}
		if a.Stage == finished {
			p.memory = a.Memory
			p.broken = slow.Load()
			return o
		}
		o.answers = append(o.answers, a)
	}
	p.stop()
	switch {
	case slow.Load():
		o.ended = TooSlow
	case p.stderr.says("out of memory", "stack exceeds", "cannot allocate memory"):
		o.ended = TooLarge
	default:
		o.ended = Crashed
	}
	return o
}

// worn reports whether the process has to be replaced.
func (p *process) worn(o Options) bool {
	return p.broken || p.late.Load() || p.uses >= o.Uses || p.memory > uint64(o.Memory/3)
}

func (p *process) kill() { _ = p.cmd.Process.Kill() }

// stop ends the process and waits for its end. It may be called again.
func (p *process) stop() {
	p.broken = true
	p.kill()
	_ = p.stdin.Close()
	_ = p.cmd.Wait()
}

// complaint keeps the beginning of a process's error output. It is read after the process has ended.
type complaint struct{ text bytes.Buffer }

func (t *complaint) Write(b []byte) (int, error) {
	if room := 4_096 - t.text.Len(); room > 0 {
		_, _ = t.text.Write(b[:min(len(b), room)])
	}
	return len(b), nil
}

func (t *complaint) String() string { return t.text.String() }

func (t *complaint) says(texts ...string) bool {
	for _, text := range texts {
		if bytes.Contains(t.text.Bytes(), []byte(text)) {
			return true
		}
	}
	return false
}
