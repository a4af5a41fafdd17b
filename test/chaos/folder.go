package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// inFolder runs something with a folder for the logs of its processes, which is kept after a failure or on request.
func (o options) inFolder(out io.Writer, run func(dir string) error) (err error) {
	dir, err := os.MkdirTemp("", "chaos-")
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	defer func() {
		if o.keep || err != nil {
			_, _ = fmt.Fprintln(out, "the logs of the processes are in", dir)
			return
		}
		_ = os.RemoveAll(dir)
	}()
	return run(dir)
}

// inWorld runs an experiment in a world and a folder of its own.
func (o options) inWorld(ctx context.Context, out io.Writer, run func(x *experiment) error) error {
	return o.inFolder(out, func(dir string) error {
		w, err := newWorld(ctx, dir, o.binary, o.ttl)
		if err != nil {
			return err
		}
		defer w.close()
		return run(&experiment{options: o, world: w, ledger: &ledger{}, out: out, began: time.Now()})
	})
}
