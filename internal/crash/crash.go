// Package crash kills the process at a chosen step, so that a test can prove what survives.
//
// Code that must survive a crash says where it can be interrupted: Point("turn.after-record", id). Points do nothing
// unless the environment of the process arms one of them with COUNTERSIGN_CRASH=name:n; then the n-th time that the
// process comes by that point, it writes a line to standard error and kills itself with SIGKILL: no deferred call, no
// drain and no flush runs, as when the machine loses power. Nothing else can arm a point, neither a request nor a row.
//
// With COUNTERSIGN_CRASH=name:n:stop it stops itself with SIGSTOP instead, like a process on a frozen machine; the process that
// started it resumes it, when its state is stale.
//
// It is a test hook, used by the program in package chaos. It is compiled into the product, because a binary built for
// the test would not be the one that people run; a point that is not armed costs two atomic loads and a comparison.
package crash

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/google/uuid"
)

// Variable is the environment variable that arms a point, in the form name:n or name:n:stop.
const Variable = "COUNTERSIGN_CRASH"

// Point is a step at which the process can be told to die. subject is the turn, proposal or conversation that the step
// belongs to, for the line that says where the process died.
func Point(name string, subject uuid.UUID) {
	if t := armed(); t != nil && t.name == name {
		t.pull(subject)
	}
	if called.Load() > 0 {
		call(name, subject)
	}
}

// armed reads the environment once. It has to be state of the process: a point deep in a package cannot be handed what
// exists for tests only.
var armed = sync.OnceValue(func() *trigger {
	text := os.Getenv(Variable)
	if text == "" {
		return nil
	}
	t, err := parse(text)
	if err != nil {
		// A test that believes it has armed a point must not pass because nothing happened.
		_, _ = fmt.Fprintln(os.Stderr, "countersign:", err)
		os.Exit(2)
	}
	return t
})

type trigger struct {
	name string
	// stop is set when the process is to stand still there, and not to die.
	stop bool
	left atomic.Int64
}

// parse reads name:n or name:n:stop; n counts from one.
func parse(text string) (*trigger, error) {
	name, rest, ok := strings.Cut(text, ":")
	count, how, more := strings.Cut(rest, ":")
	n, err := strconv.Atoi(count)
	if !ok || name == "" || err != nil || n < 1 || more && how != "stop" {
		return nil, fmt.Errorf(
			"%s must be the name of a crash point and a count from 1, such as turn.after-record:1, and may end with :stop",
			Variable,
		)
	}
	t := &trigger{name: name, stop: more}
	t.left.Store(int64(n))
	return t, nil
}

// pull counts a visit, and kills or stops the process at the armed one.
func (t *trigger) pull(subject uuid.UUID) {
	if t.left.Add(-1) != 0 {
		return
	}
	_, _ = fmt.Fprintln(os.Stderr, Mark(t.name, subject))
	if t.stop {
		// The signal arrives when the kernel likes; this step goes on when it is let go on, and not before.
		goOn := make(chan os.Signal, 1)
		signal.Notify(goOn, syscall.SIGCONT)
		defer signal.Stop(goOn)
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		<-goOn
		return
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	// The signal arrives when the kernel likes; this step must not go on meanwhile.
	select {}
}

// Mark is the line that a process writes before it dies at a point.
func Mark(name string, subject uuid.UUID) string {
	return "crash point " + name + " reached by " + subject.String()
}

// ParseMark reads the line of Mark.
func ParseMark(line string) (name string, subject uuid.UUID, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "crash point ")
	name, id, found := strings.Cut(rest, " reached by ")
	subject, err := uuid.Parse(id)
	return name, subject, ok && found && err == nil
}
