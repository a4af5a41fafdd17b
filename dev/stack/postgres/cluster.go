// Package postgres runs a PostgreSQL server of its own as a child process.
//
// The server programs are those of the machine, or are downloaded when there are
// none. The cluster lives below a data folder, answers on 127.0.0.1 only, and
// knows one superuser with a random password that is kept in the data folder.
//
// Three things need care. Postgres refuses to run as root, so root hands the
// cluster to an unprivileged account, and moves it out of the data folder when
// that account cannot get there. The server dies with this process, in good
// order. And where that did not work, or is still going on, the next start stops
// the old server before it starts a new one.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/dev/stack/child"
	"countersign/dev/stack/port"
)

const (
	// Superuser is the only role of a new cluster.
	Superuser = "postgres"
	// MaintenanceDatabase is an empty database of every cluster.
	MaintenanceDatabase = "postgres"

	// Recovery after a crash has to finish within startLimit.
	startLimit = 2 * time.Minute
	stopLimit  = 20 * time.Second
)

// Config describes the location and the port of a cluster.
type Config struct {
	// Data is the data folder of the stack; the cluster gets a folder in it.
	Data string
	// Port is the TCP port on 127.0.0.1; 0 picks a free one.
	Port int
	// Volatile trades durability in a crash of the machine for speed.
	Volatile bool
	// Log is the file that the server's log is appended to.
	Log *os.File
	// Progress receives a sentence about slow or unexpected steps.
	Progress func(format string, args ...any)
}

// Cluster is a running PostgreSQL server.
type Cluster struct {
	// Dir is the folder of the cluster, Major the version of the server.
	Dir   string
	Major int

	port     int
	volatile bool
	password string
	process  *child.Process
}

// Start makes the cluster when there is none and starts its server. It returns
// once the server accepts connections.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	runAs, err := unprivileged(os.Geteuid())
	if err != nil {
		return nil, err
	}
	if err := Settle(ctx, cfg.Data, cfg.Progress); err != nil {
		return nil, err
	}
	site, err := locate(ctx, cfg, runAs)
	if err != nil {
		return nil, err
	}
	if site.dir != filepath.Join(cfg.Data, clusterFolder) {
		cfg.Progress("PostgreSQL keeps its files in %s, as the user %s cannot enter %s", site.dir, runAs.name, cfg.Data)
	}
	cluster := &Cluster{Dir: site.dir, Major: site.binaries.Major, port: cfg.Port, volatile: cfg.Volatile}
	cluster.password, err = readPassword(filepath.Join(cfg.Data, passwordFile), site.major == 0)
	if err != nil {
		return nil, err
	}
	if site.major == 0 {
		cfg.Progress("creating a PostgreSQL %d cluster in %s", site.binaries.Major, site.dir)
		if err := initialise(ctx, site, runAs, cluster.password); err != nil {
			return nil, err
		}
	}
	if err := cluster.launch(ctx, site.binaries, runAs, cfg); err != nil {
		return nil, err
	}
	return cluster, nil
}

// launch starts the server, and retries on another port when an automatically chosen one has been taken in the
// meantime.
func (c *Cluster) launch(ctx context.Context, binaries Binaries, runAs *account, cfg Config) error {
	attempts := 1
	if cfg.Port == 0 {
		attempts = 3
	}
	for {
		attempts--
		if cfg.Port == 0 {
			free, err := port.Free(1)
			if err != nil {
				return err
			}
			c.port = free[0]
		}
		logged, err := cfg.Log.Seek(0, 2)
		if err != nil {
			return fmt.Errorf("read the log of PostgreSQL: %w", err)
		}
		err = c.run(ctx, binaries, runAs, cfg.Log)
		if err == nil {
			return nil
		}
		tail := readFrom(cfg.Log.Name(), logged)
		if attempts > 0 && strings.Contains(tail, "Address already in use") {
			continue
		}
		return fmt.Errorf("start PostgreSQL: %w\n%s", err, strings.TrimSpace(tail))
	}
}

func (c *Cluster) run(ctx context.Context, binaries Binaries, runAs *account, log *os.File) error {
	cmd := exec.Command(binaries.program("postgres"), append([]string{"-D", c.Dir}, settings(c.port, c.volatile)...)...)
	cmd.Dir = c.Dir
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = serverEnvironment(os.Environ())
	runAs.assume(cmd)
	// SIGINT is a fast shutdown: clients are cut off, nothing has to be recovered.
	process, err := child.Start(cmd, syscall.SIGINT)
	if err != nil {
		return err
	}
	c.process = process

	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for {
		select {
		case <-process.Done():
			if err := process.Err(); err != nil {
				return err
			}
			return errors.New("the server ended at once")
		case <-ctx.Done():
			c.Stop()
			return context.Cause(ctx)
		case <-poll.C:
			connection, err := pgx.Connect(ctx, c.URL(MaintenanceDatabase))
			if err == nil {
				return connection.Close(ctx)
			}
		}
	}
}

// Port is the TCP port on 127.0.0.1.
func (c *Cluster) Port() int { return c.port }

// Address is host and port.
func (c *Cluster) Address() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port))
}

// Password is the password of Superuser.
func (c *Cluster) Password() string { return c.password }

// URL is the connection string of Superuser for database.
func (c *Cluster) URL(database string) string {
	address := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(Superuser, c.password),
		Host:     c.Address(),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return address.String()
}

// CreateDatabase creates the database unless it exists and reports whether it did.
func (c *Cluster) CreateDatabase(ctx context.Context, name string) (bool, error) {
	connection, err := pgx.Connect(ctx, c.URL(MaintenanceDatabase))
	if err != nil {
		return false, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	defer connection.Close(ctx)
	var exists bool
	if err := connection.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", name).Scan(&exists); err != nil {
		return false, fmt.Errorf("look for the database %s: %w", name, err)
	}
	if exists {
		return false, nil
	}
	if _, err := connection.Exec(ctx, "create database "+pgx.Identifier{name}.Sanitize()); err != nil {
		return false, fmt.Errorf("create the database %s: %w", name, err)
	}
	return true, nil
}

// Done is closed when the server has ended, wanted or not.
func (c *Cluster) Done() <-chan struct{} { return c.process.Done() }

// Stop shuts the server down and waits for it.
func (c *Cluster) Stop() {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		_ = c.process.Signal(sig)
		if c.process.Wait(stopLimit) {
			return
		}
	}
}

// Remove deletes the data folder and its cluster, which may be elsewhere. Stop the
// server first.
func Remove(data string) error {
	return errors.Join(os.RemoveAll(data), os.RemoveAll(filepath.Dir(remoteFolder(data))))
}
