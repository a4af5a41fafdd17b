// Command devstack runs Countersign and the servers that it stands on.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"countersign/devstack/stack"
)

func main() {
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// A second signal ends the process at once.
	context.AfterFunc(ctx, restore)

	err := stack.Run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	if status, failed := errors.AsType[stack.ExitStatus](err); failed {
		os.Exit(int(status))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "devstack:", err)
		os.Exit(1)
	}
}
