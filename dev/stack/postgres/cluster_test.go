package postgres_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"countersign/dev/stack/postgres"
)

// dataFolder is a folder that an unprivileged user can pass through.
func dataFolder(t *testing.T) string {
	t.Helper()
	if len(postgres.DefaultSearch().Find(t.Context())) == 0 {
		t.Skip("there is no PostgreSQL on this machine")
	}
	dir, err := os.MkdirTemp("", "devstack-test-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o711))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// begin starts a cluster on the folder; messages collect what it says.
func begin(t *testing.T, data string, messages *[]string) (*postgres.Cluster, error) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(data, "postgres.log"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	cluster, err := postgres.Start(t.Context(), postgres.Config{Data: data, Log: log, Progress: func(format string, args ...any) {
		if messages != nil {
			*messages = append(*messages, fmt.Sprintf(format, args...))
		}
	}})
	if err == nil {
		t.Cleanup(cluster.Stop)
	}
	return cluster, err
}

func query(t *testing.T, cluster *postgres.Cluster, sql string) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), cluster.URL(postgres.MaintenanceDatabase))
	require.NoError(t, err)
	defer db.Close(context.WithoutCancel(t.Context()))
	_, err = db.Exec(t.Context(), sql)
	require.NoError(t, err)
}

func TestClusterKeepsItsDataAndIsMadeOnce(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	var messages []string
	cluster, err := begin(t, data, &messages)
	require.NoError(t, err)
	require.Contains(t, strings.Join(messages, "\n"), "creating a PostgreSQL")
	query(t, cluster, "create table kept ()")
	cluster.Stop()

	messages = nil
	cluster, err = begin(t, data, &messages)
	require.NoError(t, err)
	require.Empty(t, messages)
	query(t, cluster, "table kept")
}

func TestWrongPasswordIsRefused(t *testing.T) {
	t.Parallel()
	cluster, err := begin(t, dataFolder(t), nil)
	require.NoError(t, err)
	_, err = pgx.Connect(t.Context(), strings.Replace(cluster.URL("postgres"), cluster.Password(), "guess", 1))
	require.ErrorContains(t, err, "password authentication failed")
}

func TestCreateDatabaseTellsWhetherItDid(t *testing.T) {
	t.Parallel()
	cluster, err := begin(t, dataFolder(t), nil)
	require.NoError(t, err)
	for _, wanted := range []bool{true, false} {
		created, err := cluster.CreateDatabase(t.Context(), `odd "name"`)
		require.NoError(t, err)
		require.Equal(t, wanted, created)
	}
}

func TestServerOfAnEarlierRunIsStopped(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	first, err := begin(t, data, nil)
	require.NoError(t, err)
	query(t, first, "create table kept ()")

	var messages []string
	second, err := begin(t, data, &messages)

	require.NoError(t, err)
	require.Contains(t, strings.Join(messages, "\n"), "earlier run")
	<-first.Done()
	query(t, second, "table kept")
}

func TestKilledServerIsRecovered(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	cluster, err := begin(t, data, nil)
	require.NoError(t, err)
	query(t, cluster, "create table kept ()")
	text, err := os.ReadFile(filepath.Join(cluster.Dir, "postmaster.pid"))
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	<-cluster.Done()

	cluster, err = begin(t, data, nil)
	require.NoError(t, err)
	query(t, cluster, "table kept")
}

// After a restart of the machine the process id in the lock file may belong to
// anybody, which PostgreSQL itself takes for a running server.
func TestLockFileThatNamesAStrangerIsIgnored(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	cluster, err := begin(t, data, nil)
	require.NoError(t, err)
	lockFile := filepath.Join(cluster.Dir, "postmaster.pid")
	text, err := os.ReadFile(lockFile)
	require.NoError(t, err)
	cluster.Stop()
	info, err := os.Stat(cluster.Dir)
	require.NoError(t, err)
	owner := info.Sys().(*syscall.Stat_t)

	stranger := exec.Command("sleep", "1000")
	stranger.Dir = "/"
	if os.Getuid() == 0 {
		stranger.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
	}
	require.NoError(t, stranger.Start())
	t.Cleanup(func() { _ = stranger.Process.Kill(); _ = stranger.Wait() })
	_, rest, _ := strings.Cut(string(text), "\n")
	require.NoError(t, os.WriteFile(lockFile, fmt.Appendf(nil, "%d\n%s", stranger.Process.Pid, rest), 0o600))
	require.NoError(t, os.Chown(lockFile, int(owner.Uid), int(owner.Gid)))

	_, err = begin(t, data, nil)
	require.NoError(t, err)
	require.NoError(t, stranger.Process.Signal(syscall.Signal(0)), "the stranger is left alone")
}

func TestUnfinishedClusterIsMadeAnew(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	draft := filepath.Join(data, "postgres.new")
	require.NoError(t, os.Mkdir(draft, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(draft, "half"), nil, 0o600))

	_, err := begin(t, data, nil)
	require.NoError(t, err)
	require.NoDirExists(t, draft)
}

func TestForeignFilesAreNotTouched(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	foreign := filepath.Join(data, "postgres", "thesis.txt")
	require.NoError(t, os.Mkdir(filepath.Dir(foreign), 0o755))
	require.NoError(t, os.WriteFile(foreign, nil, 0o600))

	_, err := begin(t, data, nil)
	require.ErrorContains(t, err, "no PostgreSQL cluster")
	require.FileExists(t, foreign)
}

func TestLostPasswordIsExplained(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	cluster, err := begin(t, data, nil)
	require.NoError(t, err)
	cluster.Stop()
	require.NoError(t, os.Remove(filepath.Join(data, "postgres.password")))

	_, err = begin(t, data, nil)
	require.ErrorContains(t, err, "postgres.password")
}

func TestFailedStartShowsWhatTheServerSaid(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	cluster, err := begin(t, data, nil)
	require.NoError(t, err)
	cluster.Stop()
	config, err := os.OpenFile(filepath.Join(cluster.Dir, "postgresql.conf"), os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = config.WriteString("\nno_such_setting = 1\n")
	require.NoError(t, err)
	require.NoError(t, config.Close())

	_, err = begin(t, data, nil)
	require.ErrorContains(t, err, "no_such_setting")
}
