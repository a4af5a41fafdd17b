package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strconv"
	"time"

	"countersign/dev/stack/child"
	"countersign/dev/stack/port"
	"countersign/dev/stack/postgres"
	"countersign/dev/stack/temporal"
)

// encryptionVariable is the product's setting for the encryption of workflow payloads.
const encryptionVariable = "COUNTERSIGN_TEMPORAL_ENCRYPTION"

const (
	productDatabase = "countersign"
	readyLimit      = 2 * time.Minute
	// portGrace is the time in which a killed run may still hold its ports.
	portGrace = time.Second
)

// Up runs the product and its servers until ctx ends, and then stops them in order. It writes one line, "ready <url>",
// to stdout once the product is ready; everything else goes to stderr.
func Up(ctx context.Context, options Options, env Environment, stdout, stderr io.Writer) error {
	began := time.Now()
	progress := &progress{out: stderr}
	if _, err := exec.LookPath(options.Program); err != nil {
		return fmt.Errorf("there is no program %s: build it with make build, or name another one with --countersign", options.Program)
	}
	where, err := openFolder(options.Data)
	if err != nil {
		return err
	}
	defer where.close()
	if err := postgres.Settle(ctx, where.path, progress.say); err != nil {
		return unlessStopped(ctx, err)
	}
	if err := choosePorts(ctx, &options); err != nil {
		return unlessStopped(ctx, err)
	}

	if encrypts, _ := strconv.ParseBool(env.Get(encryptionVariable)); encrypts {
		options.Codec = "http://localhost:" + strconv.Itoa(options.Port) + "/api/temporal/codec"
	}
	_, known := where.credentials()
	infra, err := start(ctx, where, productDatabase, options, progress)
	if err != nil {
		return unlessStopped(ctx, err)
	}
	defer func() {
		infra.stop()
		progress.say("everything has stopped; the state is in %s", where.path)
	}()

	env = env.With(
		"COUNTERSIGN_DATA="+where.path,
		"DATABASE_URL="+infra.postgres.URL(productDatabase),
		"PORT="+strconv.Itoa(options.Port),
		"TEMPORAL_ADDRESS="+infra.temporal.Address(),
		"TEMPORAL_NAMESPACE="+temporal.Namespace,
		"TEMPORAL_UI_URL="+infra.ui.URL(),
	)
	migrate := exec.Command(options.Program, "migrate")
	migrate.Env = env
	migrate.Stdout, migrate.Stderr = stderr, stderr
	if err := child.Run(ctx, migrate); err != nil {
		return unlessStopped(ctx, fmt.Errorf("migrate the database: %w", err))
	}

	product := &supervisor{
		command:  []string{options.Program, "all"},
		env:      env,
		output:   stderr,
		drain:    options.Drain,
		progress: progress,
	}
	err = runProduct(ctx, product, infra, options.Port, func() {
		address := "http://localhost:" + strconv.Itoa(options.Port)
		fmt.Fprintln(stdout, "ready "+address)
		introduce(stderr, where, !known, address, infra.ui.URL(), time.Since(began))
	})
	return unlessStopped(ctx, err)
}

// runProduct runs the product until ctx ends or an unrecoverable failure, and returns once it has stopped. It calls
// onReady once.
func runProduct(ctx context.Context, product *supervisor, infra *infrastructure, number int, onReady func()) error {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- product.run(ctx) }()
	ready := make(chan error, 1)
	go func() { ready <- awaitReady(ctx, number) }()
	var failure error
	for {
		select {
		case err := <-ready:
			ready = nil
			if err != nil {
				failure = err
				stop()
				continue
			}
			product.markReady()
			onReady()
		case <-infra.postgres.Done():
			stop()
			return errors.Join(
				<-ended,
				errors.New("PostgreSQL stopped unexpectedly, and everything else with it: see logs/postgres.log in the data folder"),
			)
		case err := <-ended:
			stop()
			return errors.Join(failure, err)
		}
	}
}

// unlessStopped returns nil when err only results from the stop of the stack.
func unlessStopped(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return nil
	default:
		return err
	}
}

// choosePorts verifies that the wanted ports are free, before anything starts, and picks the open ones.
func choosePorts(ctx context.Context, options *Options) error {
	deadline := time.NewTimer(portGrace)
	defer deadline.Stop()
	poll := time.NewTicker(portGrace / 20)
	defer poll.Stop()
	for {
		err := checkPorts(options)
		if err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-deadline.C:
			return err
		case <-poll.C:
		}
	}
	if options.Port == 0 {
		free, err := port.Free(1)
		if err != nil {
			return err
		}
		options.Port = free[0]
	}
	return nil
}

func checkPorts(options *Options) error {
	var errs []error
	for _, wanted := range []struct {
		port     int
		variable string
	}{
		{options.Port, portVariable},
		{options.UIPort, uiPortVariable},
		{options.TemporalPort, temporalPortVariable},
		{options.PostgresPort, postgresPortVariable},
	} {
		if wanted.port != 0 {
			errs = append(errs, port.Check(wanted.port, wanted.variable))
		}
	}
	return errors.Join(errs...)
}

// awaitReady polls the readiness endpoint of the product.
func awaitReady(ctx context.Context, number int) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyLimit,
		fmt.Errorf("countersign was not ready after %s: see its messages above", readyLimit))
	defer cancel()
	client := &http.Client{Timeout: 5 * time.Second}
	defer client.CloseIdleConnections()
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+strconv.Itoa(number)+"/readyz", nil)
		if err != nil {
			return err
		}
		if response, err := client.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-poll.C:
		}
	}
}

// introduce prints the addresses and, the first time, the credentials. The password is printed once: it must be changed
// at first use, which removes its file.
func introduce(out io.Writer, where *folder, fresh bool, address, ui string, took time.Duration) {
	fmt.Fprintf(out, "\n  Countersign   %s   (up after %.1f s)\n", address, took.Seconds())
	first, ok := where.credentials()
	switch {
	case ok && fresh:
		fmt.Fprintf(out, "  e-mail        %s\n  password      %s   (shown once; choose your own when you sign in)\n", first.Email, first.Password)
	case ok:
		fmt.Fprintf(out, "  e-mail        %s\n  password      not changed yet, see credentials.json in the data folder\n", first.Email)
	}
	fmt.Fprintf(out, "  Temporal UI   %s\n  data          %s\n\n  Ctrl-C stops everything.\n\n", ui, where.path)
}
