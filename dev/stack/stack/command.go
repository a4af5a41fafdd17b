// Package stack is the development stack: PostgreSQL, Temporal, the Temporal Web
// UI and the product, started, watched and stopped together.
//
// Up is what a person runs: it keeps its state in a data folder, starts the
// product as a child process and brings it back when it crashes. Exec is what
// tests and benchmarks run in: the same servers on a folder that is thrown away,
// around one command. Both leave no process behind, whatever ends them.
package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const usage = `devstack runs Countersign with everything it needs, on this machine.

  devstack up [flags]                       run the product until Ctrl-C
  devstack exec [flags] [--] command ...    run a command next to fresh PostgreSQL and Temporal servers

devstack up --help and devstack exec --help list the flags.
`

// repeatedSignal is the time in which a second interrupt counts as a repeat of the first: wrappers such as timeout and
// npm forward signals that the terminal has already sent.
const repeatedSignal = time.Second

// Main runs devstack as a process: the first signal stops it gracefully, a later one immediately. It returns the exit
// status.
func Main(args []string, env Environment, stdout, stderr io.Writer) int {
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer restore()
	context.AfterFunc(ctx, func() { time.AfterFunc(repeatedSignal, restore) })

	err := Run(ctx, args, env, stdout, stderr)
	if status, failed := errors.AsType[ExitError](err); failed {
		return int(status)
	}
	if err != nil {
		fmt.Fprintln(stderr, "devstack:", err)
		return 1
	}
	return 0
}

// Run runs the command that args name. Messages for a person go to stderr.
func Run(ctx context.Context, args []string, env Environment, stdout, stderr io.Writer) error {
	name := ""
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	var err error
	switch name {
	case "up":
		var options Options
		if options, err = ParseUp(args, env, stderr); err == nil {
			err = Up(ctx, options, env, stdout, stderr)
		}
	case "exec":
		var options Options
		var command []string
		if options, command, err = ParseExec(args, stderr); err == nil {
			err = Exec(ctx, options, command, env, stdout, stderr)
		}
	case "help", "-h", "-help", "--help":
		fmt.Fprint(stdout, usage)
	case "":
		fmt.Fprint(stderr, usage)
		return ExitError(2)
	default:
		return fmt.Errorf("devstack has no command %q: see devstack help", name)
	}
	if errors.Is(err, errHelp) {
		return nil
	}
	return err
}
