package stack

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"syscall"

	"countersign/dev/stack/child"
	"countersign/dev/stack/postgres"
	"countersign/dev/stack/temporal"
)

// testDatabase holds Temporal's tables in exec; programs create their own databases.
const testDatabase = "temporal_test"

// ExitError is the failure of a command that ran: its exit status as a shell
// reports it.
type ExitError int

func (e ExitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Exec runs command with a PostgreSQL and a Temporal server of its own, passes their addresses in the environment, and
// stops them with it. A command that fails is an ExitError. The command gets no keyboard input.
func Exec(ctx context.Context, options Options, command []string, env Environment, stdout, stderr io.Writer) (err error) {
	progress := &progress{out: stderr}
	if options.Data == "" {
		if options.Data, err = temporaryFolder(options.Volatile); err != nil {
			return err
		}
		defer postgres.Remove(options.Data)
	}
	where, err := openFolder(options.Data)
	if err != nil {
		return err
	}
	defer where.close()
	infra, err := start(ctx, where, testDatabase, options, progress)
	if err != nil {
		return err
	}
	defer infra.stop()

	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = env.With(
		"COUNTERSIGN_TEST_DATABASE_URL="+infra.postgres.URL(postgres.MaintenanceDatabase),
		"COUNTERSIGN_TEST_TEMPORAL_ADDRESS="+infra.temporal.Address(),
		"TEMPORAL_NAMESPACE="+temporal.Namespace,
		"TEMPORAL_UI_URL="+infra.ui.URL(),
	)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	process, err := child.Start(cmd, syscall.SIGKILL)
	if err != nil {
		return fmt.Errorf("start %s: %w", command[0], err)
	}
	select {
	case <-process.Done():
	case <-ctx.Done():
		// The whole group is signalled: go test and make do not forward signals.
		_ = process.SignalGroup(syscall.SIGTERM)
		process.Wait(options.Drain)
	}
	_ = process.SignalGroup(syscall.SIGKILL)
	<-process.Done()
	if status := process.ExitCode(); status != 0 {
		return ExitError(status)
	}
	return nil
}
