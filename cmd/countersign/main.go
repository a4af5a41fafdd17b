// Command countersign is the product: `countersign help` lists what it does.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"countersign/app"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return app.Main(ctx, app.Process{Args: os.Args[1:], Environ: os.Environ(), Stdout: os.Stdout, Stderr: os.Stderr})
}
