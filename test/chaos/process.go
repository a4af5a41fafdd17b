package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"

	"countersign/crash"
)

// process is one process of the product.
type process struct {
	cmd    *exec.Cmd
	done   chan struct{}
	killed atomic.Bool
	log    *logFile

	// Set before done is closed.
	ended   time.Time
	signal  syscall.Signal
	failure error
}

// start runs the binary with these arguments and variables and nothing else in its environment; what it logs goes to
// path.
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

// kill ends the process as a power cut would.
func (p *process) kill() {
	p.killed.Store(true)
	_ = p.cmd.Process.Kill()
}

// crashed is the point at which the process killed itself.
func (p *process) crashed() (name string, subject uuid.UUID, ok bool) {
	if p.signal != syscall.SIGKILL {
		return "", uuid.Nil, false
	}
	return crash.ParseMark(p.log.tail())
}

// logFile keeps what a process writes, and its last lines at hand. Only the goroutine that copies the output writes,
// and it has ended when tail is read.
type logFile struct {
	file *os.File
	last []byte
}

func (l *logFile) Write(p []byte) (int, error) {
	const keep = 2000
	l.last = append(l.last, p...)
	if len(l.last) > keep {
		l.last = bytes.Clone(l.last[len(l.last)-keep:])
	}
	return l.file.Write(p)
}

// tail is the last line.
func (l *logFile) tail() string {
	text := strings.TrimSpace(string(l.last))
	return text[strings.LastIndexByte(text, '\n')+1:]
}
