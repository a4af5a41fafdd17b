// Package apptest runs the real product for integration tests.
//
// Start wires the product as cmd/countersign does and runs it in this process: a new database on the PostgreSQL of the
// test stack, a new task queue on its Temporal server, a port, a data folder, and the demo model without delays. Only
// the operating system process is missing, so a test can stop it, restart it, or start more processes on the same
// database. Everything else goes through HTTP: a Client signs in, makes requests, follows event streams and decodes
// problem documents. Further state can be read from the database, the log, and Temporal's histories.
//
// The servers' addresses come in environment variables that `make test` sets (`devstack exec -- <command>` sets them
// for any command); without them the tests are skipped.
package apptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/app"
	"countersign/app/config"
	"countersign/auth"
	"countersign/auth/password"
	"countersign/internal/egress/porttest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// EnvTemporal names the variable with the address of the test stack's Temporal server.
const EnvTemporal = "COUNTERSIGN_TEST_TEMPORAL_ADDRESS"

// eventTimeout bounds the wait for an expected event. It is no measure of speed: it only keeps a fault from hanging the
// tests.
const eventTimeout = 3 * time.Minute

// Options changes the defaults of a process.
type Options struct {
	// Roles of the process; the API and the workers when zero.
	Roles app.Roles
	// Env sets environment variables of the process.
	Env map[string]string
	// AWS answers requests to AWS.
	AWS http.RoundTripper
	// Modules are modules beyond the product's own.
	Modules []any
	// FirstPassword keeps the first administrator's temporary password.
	FirstPassword bool
	// Beside starts another process of the same installation: one database, one keyset, one task queue.
	Beside *Product
}

// Product is a running process of the product.
type Product struct {
	// URL is the address of the process, without a trailing slash.
	URL string
	// DB is the product's database, for assertions.
	DB *store.DB
	// Log collects the log of the process.
	Log *Log
	// Admin is signed in as the first administrator.
	Admin *Client

	site *site
	env  map[string]string
	role app.Roles
	more []any
	aws  http.RoundTripper
	port int
	stop func() error

	secondOnce sync.Once
	second     *Client
}

// site is the shared state of an installation's processes.
type site struct {
	database string
	temporal string
	queue    string
	data     string
}

// Start runs a process until the test ends and waits until it is ready.
func Start(t testing.TB, o Options) *Product {
	t.Helper()
	p := &Product{Log: &Log{}, env: o.Env, role: o.Roles, more: o.Modules, aws: o.AWS, port: porttest.Free(t)}
	if o.Roles == (app.Roles{}) {
		p.role = app.Roles{API: true, Worker: true}
	}
	p.URL = "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port))
	if o.Beside != nil {
		p.site, p.DB = o.Beside.site, o.Beside.DB
	} else {
		p.site = newSite(t)
		db, err := store.Open(t.Context(), p.site.database, store.Options{MaxConns: 4, ApplicationName: "apptest"})
		require.NoError(t, err)
		t.Cleanup(db.Close)
		p.DB = db
	}
	t.Cleanup(func() {
		p.Stop(t)
		if t.Failed() {
			t.Logf("the end of the log of %s:\n%s", p.URL, tail(p.Log, 60))
		}
	})
	p.run(t)
	switch {
	case o.Beside != nil && o.Beside.Admin != nil:
		p.Admin = o.Beside.Admin.At(p)
	case p.role.API:
		if !o.FirstPassword {
			_, err := p.DB.Conn(t.Context()).Exec(t.Context(), `UPDATE users SET must_change_password = false`)
			require.NoError(t, err)
		}
		p.Admin = p.SignIn(t, p.FirstCredentials(t))
	}
	return p
}

func newSite(t testing.TB) *site {
	t.Helper()
	address := os.Getenv(EnvTemporal)
	if address == "" {
		t.Skipf("%s is not set: run `make test`, or `bin/devstack exec -- go test ./...`", EnvTemporal)
	}
	s := &site{database: storetest.URL(t), temporal: address, queue: uuid.NewString() + "-", data: t.TempDir()}
	shareEngines(t, s.data)
	return s
}

// shareEngines shares the compiled code of the sandbox among all installations of all test runs: compiling takes a busy
// machine a minute.
func shareEngines(t testing.TB, data string) {
	t.Helper()
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	engines := filepath.Join(cache, "countersign-test", "engines")
	require.NoError(t, os.MkdirAll(engines, 0o700))
	require.NoError(t, os.Symlink(engines, filepath.Join(data, "engines")))
}

// run starts the process and waits until it is ready.
func (p *Product) run(t testing.TB) {
	t.Helper()
	c, err := config.Load(p.environ())
	require.NoError(t, err)
	c.AWS = p.aws
	// Password hashes are cheap in tests: at the product's cost they would dominate the CPU time.
	c.PasswordCost = password.Params{MemoryKiB: 64, Time: 1, Threads: 1}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	process, err := app.New(ctx, c, p.role, slog.New(slog.NewJSONHandler(p.Log, &slog.HandlerOptions{Level: slog.LevelDebug})), p.more...)
	if err != nil {
		cancel()
		require.NoError(t, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Run(ctx) }()
	p.stop = sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(eventTimeout):
			return fmt.Errorf("the process did not end within %s", eventTimeout)
		}
	})
	Eventually(t, "the process is ready", func() bool {
		select {
		case err := <-ended:
			ended <- err
			require.NoError(t, err, "the process ended while it started")
		default:
		}
		return p.ready(t)
	})
}

func (p *Product) ready(t testing.TB) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), eventTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/readyz", nil)
	require.NoError(t, err)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return false
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode == http.StatusOK
}

// environ is the environment of the process, with delays and timeouts for tests.
func (p *Product) environ() []string {
	vars := map[string]string{
		"DATABASE_URL":                   p.site.database,
		"TEMPORAL_ADDRESS":               p.site.temporal,
		"COUNTERSIGN_QUEUE_PREFIX":       p.site.queue,
		"COUNTERSIGN_DATA":               p.site.data,
		"COUNTERSIGN_DATABASE_MAX_CONNS": "6",
		"COUNTERSIGN_DRAIN_TIMEOUT":      "2s",
		"COUNTERSIGN_DEMO_FIRST_DELAY":   "0s",
		"COUNTERSIGN_DEMO_TOKEN_DELAY":   "0s",
		"COUNTERSIGN_DEMO_SCRIPTS":       "true",
		// One administrator does in tests what many people do.
		"COUNTERSIGN_MAX_RUNNING_TURNS":  "1000",
		"COUNTERSIGN_MAX_OPEN_STREAMS":   "1000",
		"COUNTERSIGN_MAX_RUNNING_PROBES": "1000",
		"COUNTERSIGN_CHECK_SHARDS":       "1",
		"PORT":                           strconv.Itoa(p.port),
	}
	if namespace := os.Getenv("TEMPORAL_NAMESPACE"); namespace != "" {
		vars["TEMPORAL_NAMESPACE"] = namespace
	}
	maps.Copy(vars, p.env)
	environ := make([]string, 0, len(vars))
	for name, value := range vars {
		environ = append(environ, name+"="+value)
	}
	return environ
}

// Command runs a command of the binary with the environment of the process and returns its exit status and output,
// errors included.
func (p *Product) Command(t testing.TB, args ...string) (status int, printed string) {
	t.Helper()
	var out bytes.Buffer
	status = app.Main(t.Context(), app.Process{Args: args, Environ: p.environ(), Stdout: &out, Stderr: &out, More: p.more})
	return status, out.String()
}

// Fails starts another process of the installation that must fail to start, and returns its output.
func (p *Product) Fails(t testing.TB, command string, env map[string]string) (printed string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), eventTimeout)
	defer cancel()
	other := &Product{site: p.site, env: env, port: porttest.Free(t)}
	var out bytes.Buffer
	status := app.Main(ctx, app.Process{Args: []string{command}, Environ: other.environ(), Stdout: &out, Stderr: &out})
	require.NoError(t, ctx.Err(), "the process came up: %s", out.String())
	require.Equal(t, 1, status, out.String())
	return out.String()
}

// Stop shuts the process down like an operator and waits until it is gone. A stopped process stays stopped.
func (p *Product) Stop(t testing.TB) {
	t.Helper()
	if p.stop != nil {
		require.NoError(t, p.stop())
	}
}

// End starts the shutdown and returns after it, for tests that observe the process meanwhile.
func (p *Product) End() error { return p.stop() }

// DatabaseHost is the address of the database server.
func (p *Product) DatabaseHost(t testing.TB) string {
	t.Helper()
	u, err := url.Parse(p.site.database)
	require.NoError(t, err)
	return u.Host
}

// DatabaseThrough is the database URL by way of another address.
func (p *Product) DatabaseThrough(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(p.site.database)
	require.NoError(t, err)
	u.Host = address
	return u.String()
}

// Restart stops and starts the process, on the same port.
func (p *Product) Restart(t testing.TB) {
	t.Helper()
	p.Stop(t)
	p.run(t)
}

// Credentials are the sign-in data of a person.
type Credentials struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// FirstCredentials reads those of the first administrator from the file that the first start wrote.
func (p *Product) FirstCredentials(t testing.TB) Credentials {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.site.data, auth.CredentialsFile))
	require.NoError(t, err)
	var c Credentials
	require.NoError(t, json.Unmarshal(data, &c))
	return c
}

// Data is the folder of the installation's files.
func (p *Product) Data() string { return p.site.data }

// Count returns the number that a query selects.
func (p *Product) Count(t testing.TB, sql string, args ...any) int {
	t.Helper()
	var n int
	p.Row(t, sql, args, &n)
	return n
}

// Row reads the one row that a query returns.
func (p *Product) Row(t testing.TB, sql string, args []any, into ...any) {
	t.Helper()
	require.NoError(t, p.DB.Conn(t.Context()).QueryRow(t.Context(), sql, args...).Scan(into...), sql)
}

// Column reads the first column of all rows that a query returns, as text.
func (p *Product) Column(t testing.TB, sql string, args ...any) []string {
	t.Helper()
	rows, err := p.DB.Conn(t.Context()).Query(t.Context(), sql, args...)
	require.NoError(t, err, sql)
	defer rows.Close()
	var values []string
	for rows.Next() {
		var value string
		require.NoError(t, rows.Scan(&value), sql)
		values = append(values, value)
	}
	require.NoError(t, rows.Err(), sql)
	return values
}

// A condition is looked at again after firstLook, and then after a share of the time that it has been waited for: on a busy machine
// the looks of tests side by side, most of them requests, would take the processors from the processes that they wait for.
const (
	firstLook   = 5 * time.Millisecond
	lookShare   = 8
	longestLook = 250 * time.Millisecond
)

// Eventually polls until a condition holds that no stream or response announces, such as the progress of a workflow.
func Eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	deadline := time.NewTimer(eventTimeout)
	defer deadline.Stop()
	for waited := time.Duration(0); !so(); {
		wait := min(max(firstLook, waited/lookShare), longestLook)
		waited += wait
		select {
		case <-time.After(wait):
		case <-deadline.C:
			require.FailNow(t, "It did not happen: "+what)
		}
	}
}

// Log collects a process's log, one JSON object a line.
type Log = apitest.Log

// tail returns the last lines of a log.
func tail(l *Log, lines int) string {
	all := strings.Split(strings.TrimSpace(l.String()), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// Dump returns every row of every table as text.
func (p *Product) Dump(t testing.TB) []string {
	t.Helper()
	var rows []string
	for _, table := range p.Column(t, `SELECT quote_ident(table_name) FROM information_schema.tables WHERE table_schema = 'public'`) {
		rows = append(rows, p.Column(t, `SELECT t::text FROM `+table+` t`)...)
	}
	return rows
}
