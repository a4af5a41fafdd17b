package stack_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// execCommand runs `devstack exec` around a shell script to its end.
func execCommand(t *testing.T, script string, flags ...string) *devstack {
	t.Helper()
	d := launch(t, programs(t), nil, append(append([]string{"exec"}, flags...), "--", "sh", "-c", script)...)
	require.True(t, d.Wait(patience), "does not end: %s", d.stderr)
	return d
}

// The servers are checked from within: the command that exec runs is this very
// test, which then finds the servers in its environment.
func TestExecGivesTheCommandWorkingServers(t *testing.T) {
	const inside = "DEVSTACK_TEST_INSIDE"
	if fsync := os.Getenv(inside); fsync != "" {
		t.Run("postgres", func(t *testing.T) { checkPostgres(t, fsync) })
		t.Run("temporal", checkTemporal)
		return
	}
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)

	d := execCommand(t, inside+"=on '"+self+"' -test.run '^TestExecGivesTheCommandWorkingServers$' -test.v")
	volatile := execCommand(t, inside+"=off '"+self+"' -test.run '^TestExecGivesTheCommandWorkingServers$' -test.v", "--volatile")
	require.Equal(t, 0, volatile.ExitCode(), "%s\n%s", volatile.stdout, volatile.stderr)

	require.Equal(t, 0, d.ExitCode(), "%s\n%s", d.stdout, d.stderr)
	require.Contains(t, d.stdout.String(), "--- PASS: TestExecGivesTheCommandWorkingServers/temporal")
}

func checkPostgres(t *testing.T, fsync string) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), os.Getenv("COUNTERSIGN_TEST_DATABASE_URL"))
	require.NoError(t, err)
	defer db.Close(context.WithoutCancel(t.Context()))

	_, err = db.Exec(t.Context(), "create database one_of_a_test")
	require.NoError(t, err)
	settings := map[string]string{}
	for _, name := range []string{"fsync", "shared_buffers", "max_connections", "listen_addresses", "server_encoding", "password_encryption"} {
		var value string
		require.NoError(t, db.QueryRow(t.Context(), "select current_setting($1)", name).Scan(&value))
		settings[name] = value
	}
	require.Equal(t, map[string]string{
		"fsync":               fsync,
		"shared_buffers":      "256MB",
		"max_connections":     "300",
		"listen_addresses":    "127.0.0.1",
		"server_encoding":     "UTF8",
		"password_encryption": "scram-sha-256",
	}, settings)
}

func checkTemporal(t *testing.T) {
	c, err := client.DialContext(t.Context(), client.Options{HostPort: os.Getenv("COUNTERSIGN_TEST_TEMPORAL_ADDRESS")})
	require.NoError(t, err)
	defer c.Close()
	_, err = c.CheckHealth(t.Context(), &client.CheckHealthRequest{})
	require.NoError(t, err)

	attributes, err := c.OperatorService().ListSearchAttributes(
		t.Context(),
		&operatorservice.ListSearchAttributesRequest{Namespace: "default"},
	)
	require.NoError(t, err)
	for _, name := range []string{"Conversation", "Principal", "Tool", "Status", "Model", "Connection"} {
		require.Equal(t, enumspb.INDEXED_VALUE_TYPE_KEYWORD, attributes.GetCustomAttributes()["Countersign"+name], name)
	}
	namespace, err := c.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: "default"})
	require.NoError(t, err)
	require.Equal(t, 72*time.Hour, namespace.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration())

	// The first workflow can set the attributes at its start and later.
	status := temporal.NewSearchAttributeKeyKeyword("CountersignStatus")
	tool := temporal.NewSearchAttributeKeyKeyword("CountersignTool")
	w := worker.New(c, "devstack", worker.Options{})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context) error {
		return workflow.UpsertTypedSearchAttributes(ctx, tool.ValueSet("catalog.system.create"))
	}, workflow.RegisterOptions{Name: "tag"})
	require.NoError(t, w.Start())
	defer w.Stop()
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		TaskQueue:             "devstack",
		TypedSearchAttributes: temporal.NewSearchAttributes(status.ValueSet("pending")),
	}, "tag")
	require.NoError(t, err)
	require.NoError(t, run.Get(t.Context(), nil))
	require.Eventually(t, func() bool {
		found, err := c.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{
			Namespace: "default",
			Query:     `CountersignStatus = "pending" AND CountersignTool = "catalog.system.create"`,
		})
		return err == nil && found.GetCount() == 1
	}, patience, 20*time.Millisecond)
}

func TestExecPassesTheExitStatusOn(t *testing.T) {
	t.Parallel()
	require.Equal(t, 7, execCommand(t, "exit 7").ExitCode())
}

func TestExecReportsADeathBySignalAsAShellDoes(t *testing.T) {
	t.Parallel()
	require.Equal(t, 128+int(syscall.SIGKILL), execCommand(t, "kill -9 $$").ExitCode())
}

func TestExecRemovesItsFolderAndWhatTheCommandLeftRunning(t *testing.T) {
	t.Parallel()
	d := execCommand(t, "sleep 1000 & echo left=$!")

	require.Equal(t, 0, d.ExitCode())
	_, left, ok := strings.Cut(strings.TrimSpace(d.stdout.String()), "left=")
	require.True(t, ok)
	require.False(t, runs(t, left))
	_, folder, ok := strings.Cut(d.stderr.String(), "cluster in ")
	require.True(t, ok)
	folder, _, _ = strings.Cut(folder, "\n")
	require.NoDirExists(t, filepath.Dir(folder))
}

// The temporary folders of root may be closed to the account that PostgreSQL runs
// as, so the cluster goes elsewhere and has to be removed from there.
func TestExecRemovesAClusterThatHadToMove(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	d := launch(t, programs(t), []string{"TMPDIR=" + t.TempDir()}, "exec", "true")
	require.True(t, d.Wait(patience))
	require.Equal(t, 0, d.ExitCode(), d.stderr)
	_, moved, ok := strings.Cut(d.stderr.String(), "PostgreSQL keeps its files in ")
	require.True(t, ok, d.stderr)
	moved, _, _ = strings.Cut(moved, ",")
	require.NoDirExists(t, filepath.Dir(moved))
}

func TestExecKeepsAFolderThatItIsGiven(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	execCommand(t, "true", "--data", data)
	require.FileExists(t, filepath.Join(data, "postgres.password"))

	again := execCommand(t, "true", "--data", data)
	require.Equal(t, 0, again.ExitCode(), again.stderr)
	require.NotContains(t, again.stderr.String(), "creating")
}

func TestInterruptedExecTakesEverythingDown(t *testing.T) {
	t.Parallel()
	d := launch(t, programs(t), nil, "exec", "--", "sh", "-c", "echo begun; sleep 1000")
	require.Eventually(t, func() bool { return strings.Contains(d.stdout.String(), "begun") }, patience, 20*time.Millisecond)
	members := family(t, d.Pid())

	require.NoError(t, d.Signal(syscall.SIGTERM))

	require.True(t, d.Wait(patience))
	require.Equal(t, 128+int(syscall.SIGTERM), d.ExitCode())
	require.Empty(t, survivors(t, members))
}
