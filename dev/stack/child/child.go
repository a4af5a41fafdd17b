// Package child runs child processes that do not outlive this one.
//
// Each child leads a process group of its own, so that a Ctrl-C at the terminal
// reaches only the parent, which then decides in which order things stop. On
// Linux the kernel also signals the child when the parent dies without a chance
// to clean up (kill -9). That promise is tied to the thread that started the
// child, so every child is started and waited for on a thread that nothing else
// uses.
package child

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// outputGrace bounds the wait for the output of a finished child, which its own children may keep open.
const outputGrace = 2 * time.Second

// Process is one running child.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// Start starts cmd as the leader of a new process group. The kernel sends
// onParentDeath to the child when this process dies, where it can (Linux).
func Start(cmd *exec.Cmd, onParentDeath syscall.Signal) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	cmd.WaitDelay = outputGrace
	bindToParent(cmd.SysProcAttr, onParentDeath)

	p := &Process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// Run runs cmd to its end. When ctx ends first, or this process dies, the child
// and its group are killed.
func Run(ctx context.Context, cmd *exec.Cmd) error {
	p, err := Start(cmd, syscall.SIGKILL)
	if err != nil {
		return err
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		_ = p.SignalGroup(syscall.SIGKILL)
		<-p.done
		return context.Cause(ctx)
	}
}

// Pid is the process id, which is also the id of the process group.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed once the child has ended and has been reaped.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns how the child ended; nil is exit status 0. Call it after Done.
func (p *Process) Err() error { return p.err }

// ExitCode returns the exit status in the convention of shells: 128 + n for a child that died of signal n. Call it
// after Done.
func (p *Process) ExitCode() int {
	state := p.cmd.ProcessState
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// Signal signals the child itself.
func (p *Process) Signal(sig syscall.Signal) error {
	select {
	case <-p.done:
		return nil
	default:
	}
	return ignoreGone(syscall.Kill(p.Pid(), sig))
}

// SignalGroup signals the child and every process in its group, including those that outlive it.
func (p *Process) SignalGroup(sig syscall.Signal) error {
	return ignoreGone(syscall.Kill(-p.Pid(), sig))
}

// Wait waits up to limit for the child to end and reports whether it has.
func (p *Process) Wait(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}

func ignoreGone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
