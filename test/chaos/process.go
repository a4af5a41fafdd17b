package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"

	"countersign/internal/crash"
)

// process is one process of the product.
type process struct {
	cmd    *exec.Cmd
	done   chan struct{}
	killed atomic.Bool
	// leaving is set when the process is shut down.
	leaving atomic.Bool
	log     *logFile

	// Set before done is closed.
	ended   time.Time
	signal  syscall.Signal
	failure error
}

// start runs the binary with these arguments, and with only these variables in its environment; its log goes to path.
func start(binary string, args, environ []string, path string) (*process, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("make log: %w", err)
	}
	p := &process{cmd: exec.Command(binary, args...), done: make(chan struct{}), log: &logFile{file: file}}
	p.cmd.Env = environ
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("start %s: %w", binary, err)
	}
	go p.wait()
	return p, nil
}

func (p *process) wait() {
	defer close(p.done)
	err := p.cmd.Wait()
	p.ended = time.Now()
	_ = p.log.file.Close()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			p.signal = status.Signal()
			return
		}
	}
	p.failure = fmt.Errorf("ended by itself: %w: %s", errors.Join(err, io.EOF), p.log.tail())
}

// kill ends the process like a power failure.
func (p *process) kill() {
	p.killed.Store(true)
	_ = p.cmd.Process.Kill()
}

// leave shuts the process down like a deployment.
func (p *process) leave() {
	p.leaving.Store(true)
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
}

// goOn continues a stopped process.
func (p *process) goOn() { _ = p.cmd.Process.Signal(syscall.SIGCONT) }

// crashed returns the crash point at which the process killed itself.
func (p *process) crashed() (name string, subject uuid.UUID, ok bool) {
	if p.signal != syscall.SIGKILL {
		return "", uuid.Nil, false
	}
	return crash.ParseMark(p.log.tail())
}

// logFile stores a process's output and buffers its last lines.
type logFile struct {
	file *os.File

	mu   sync.Mutex
	last []byte
}

func (l *logFile) Write(p []byte) (int, error) {
	const keep = 2000
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = append(l.last, p...)
	if len(l.last) > keep {
		l.last = bytes.Clone(l.last[len(l.last)-keep:])
	}
	return l.file.Write(p)
}

// tail is the last line.
func (l *logFile) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.TrimSpace(string(l.last))
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// mark returns the crash point at which the process has stopped as instructed, if it has not written much since.
func (l *logFile) mark() (name string, subject uuid.UUID, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(string(l.last)) {
		if name, subject, ok = crash.ParseMark(line); ok {
			return name, subject, ok
		}
	}
	return "", uuid.Nil, false
}
