package app

import (
	"context"
	"errors"
	"fmt"
	"os"

	"countersign/model/demo"
)

// serveDemoModel serves the demo model alone on a loopback address, without delays, for tests and load. Its key comes
// from COUNTERSIGN_DEMO_KEY, so that other users of the machine cannot guess it.
func serveDemoModel(ctx context.Context, p Process) error {
	address := "127.0.0.1:8090"
	if len(p.Args) > 1 {
		address = p.Args[1]
	}
	key := os.Getenv("COUNTERSIGN_DEMO_KEY")
	if key == "" {
		return errors.New("COUNTERSIGN_DEMO_KEY is required: choose the key that clients must send")
	}
	base, stop, err := demo.Serve(ctx, address, demo.Options{Key: key, Scripts: true})
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(p.Stdout, base)
	<-ctx.Done()
	return stop(context.WithoutCancel(ctx))
}
