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

	"countersign/devstack/child"
	"countersign/devstack/port"
	"countersign/devstack/temporal"
)

const (
	productDatabase = "countersign"
	readyLimit      = 2 * time.Minute
)

// Up runs the product and everything that it needs until ctx ends, and then stops
// it in order. It writes one line, "ready <url>", to stdout once a person can use
// the product; everything else goes to stderr.
func Up(ctx context.Context, options Options, env Environment, stdout, stderr io.Writer) error {
	began := time.Now()
	progress := &progress{out: stderr}
	if err := checkProgram(options.Program); err != nil {
		return err
	}
	where, err := openFolder(options.Data)
	if err != nil {
		return err
	}
	defer where.close()
	if err := choosePorts(&options); err != nil {
		return err
	}

	infra, err := start(ctx, where, productDatabase, options, progress)
	if err != nil {
		return stopped(ctx, err)
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
		return stopped(ctx, fmt.Errorf("migrate the database: %w", err))
	}

	app := &supervisor{
		command:  []string{options.Program, "all"},
		env:      env,
		output:   stderr,
		drain:    options.Drain,
		progress: progress,
	}
	running, stopApp := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- app.run(running) }()
	defer stopApp()

	address := "http://localhost:" + strconv.Itoa(options.Port)
	ready := make(chan error, 1)
	go func() { ready <- awaitReady(running, options.Port) }()
	for {
		select {
		case err := <-ready:
			if err != nil {
				stopApp()
				<-ended
				return stopped(ctx, err)
			}
			app.markReady()
			fmt.Fprintln(stdout, "ready "+address)
			introduce(stderr, where, address, infra.ui.URL(), time.Since(began))
			ready = nil
		case err := <-ended:
			return err
		case <-infra.postgres.Done():
			progress.say("PostgreSQL has stopped, so everything else stops")
			stopApp()
			<-ended
			return fmt.Errorf("PostgreSQL stopped unexpectedly: see %s", where.logPath("postgres"))
		}
	}
}

// stopped is nil when err is only the consequence of a person stopping the stack.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func checkProgram(path string) error {
	if _, err := exec.LookPath(path); err != nil {
		return fmt.Errorf("there is no program %s: build it with make build, or name another one with --countersign", path)
	}
	return nil
}

// choosePorts makes sure that the wanted ports are free, before anything starts,
// and picks those that are left open.
func choosePorts(options *Options) error {
	wanted := []struct {
		port     *int
		variable string
	}{
		{&options.Port, portVariable},
		{&options.UIPort, uiPortVariable},
		{&options.TemporalPort, temporalPortVariable},
		{&options.PostgresPort, postgresPortVariable},
	}
	var errs []error
	for _, w := range wanted {
		if *w.port != 0 {
			errs = append(errs, port.Check(*w.port, w.variable))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
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

// awaitReady waits until the product says that it can do its work.
func awaitReady(ctx context.Context, port int) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyLimit,
		fmt.Errorf("countersign was not ready after %s: see its messages above", readyLimit))
	defer cancel()
	client := &http.Client{Timeout: 5 * time.Second}
	defer client.CloseIdleConnections()
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+strconv.Itoa(port)+"/readyz", nil)
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

// introduce tells a person where things are and how to sign in.
func introduce(out io.Writer, where *folder, address, ui string, took time.Duration) {
	fmt.Fprintf(out, "\n  Countersign   %s   (up after %.1f s)\n", address, took.Seconds())
	if first, ok := where.credentials(); ok {
		fmt.Fprintf(out, "  e-mail        %s\n  password      %s\n", first.Email, first.Password)
	}
	fmt.Fprintf(out, "  Temporal UI   %s\n  data          %s\n\n  Ctrl-C stops everything.\n\n", ui, where.path)
}
