package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"countersign/check/history"
	"countersign/internal/store"
)

// How many checks run, how often, and how many of a hundred of their targets never answer in time.
const (
	checkTargets  = 400
	checkInterval = 2 * time.Second
	checkHanging  = 2
)

// checked is the product with health checks on a PostgreSQL and a Temporal that can be taken away.
type checked struct {
	options

	dir      string
	out      io.Writer
	postgres *stand
	temporal *stand
	database string
	db       *store.DB
	reader   *history.Reader
	targets  *http.Server
	product  *process
	workers  []*process
	started  int
	hired    int
	broken   int
}

// conductChecks strikes one part after the other while checks run, and looks at every slot afterwards: each has exactly
// one result or lies in a gap, and nothing is made up for.
func conductChecks(ctx context.Context, o options, out io.Writer) error {
	return o.inFolder(out, func(dir string) error {
		c := &checked{options: o, dir: dir, out: out}
		defer c.close()
		if err := c.prepare(ctx); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(out, "%d targets every %s, %d %% of them hanging; two workers\n\n", checkTargets, checkInterval, checkHanging)
		_, _ = fmt.Fprintln(
			out,
			"| what happens | all slots run again after ms | results | missed, at most by one target | most begun in a second "+
				"| growth of a worker, MB |\n|---|--:|--:|--:|--:|--:|",
		)
		for _, b := range c.blows() {
			if err := c.strike(ctx, b); err != nil {
				return fmt.Errorf("%s: %w", b.name, err)
			}
		}
		if c.broken > 0 {
			return errViolated
		}
		return nil
	})
}

// prepare starts everything and makes the checks.
func (c *checked) prepare(ctx context.Context) (err error) {
	if c.postgres, err = newStand(c.devstack, c.dir, "postgres", postgresOf); err != nil {
		return err
	}
	if c.temporal, err = newStand(c.devstack, c.dir, "temporal", temporalOf); err != nil {
		return err
	}
	if err := errors.Join(c.postgres.begin(ctx), c.temporal.begin(ctx)); err != nil {
		return err
	}
	u, err := url.Parse(c.postgres.database)
	if err != nil {
		return errors.New("the stack has told no URL of a database")
	}
	u.Host = c.postgres.relay.address()
	w := &world{}
	if err := w.createDatabase(ctx, u.String(), "chaos_checks"); err != nil {
		return err
	}
	c.database = w.database
	if c.db, err = store.Open(ctx, c.database, store.Options{MaxConns: 2, ApplicationName: "chaos"}); err != nil {
		return err
	}
	c.reader = history.NewReader(c.db, history.ReaderOptions{})
	if c.product, err = c.run("product", c.binary, []string{string(whole)}, "turns"); err != nil {
		return err
	}
	address, err := c.serveTargets()
	if err != nil {
		return err
	}
	if err := c.plan(ctx, address); err != nil {
		return err
	}
	for range 2 {
		if err := c.work(); err != nil {
			return err
		}
	}
	_, err = c.flowing(ctx, 0)
	return err
}

// run starts a process of the product and waits until it is ready.
func (c *checked) run(name, binary string, args []string, queues string) (*process, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	c.started++
	p, err := start(binary, args, append(basics(),
		"DATABASE_URL="+c.database, "TEMPORAL_ADDRESS="+c.temporal.relay.address(), "PORT="+strconv.Itoa(port),
		"COUNTERSIGN_DATA="+filepath.Join(c.dir, "data"), "COUNTERSIGN_WORKER_QUEUES="+queues,
		"COUNTERSIGN_CHECK_EGRESS_ALLOW=127.0.0.0/8", "COUNTERSIGN_CHECK_MAX_PER_HOST=10000",
	), filepath.Join(c.dir, fmt.Sprintf("%s-%d.log", name, c.started)))
	if err != nil {
		return nil, err
	}
	for range 1200 {
		if answers(context.Background(), fmt.Sprintf("http://127.0.0.1:%d/readyz", port)) {
			return p, nil
		}
		select {
		case <-p.done:
			return nil, p.failure
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil, fmt.Errorf("a %s did not become ready", name)
}

// work starts a worker; each second one is of the other build, if there is one.
func (c *checked) work() error {
	binary := c.binary
	if c.hired++; c.beside != "" && c.hired%2 == 0 {
		binary = c.beside
	}
	p, err := c.run("worker", binary, []string{string(worker)}, "checks")
	if err == nil {
		c.workers = append(c.workers, p)
	}
	return err
}

// serveTargets is what checks ask: below /slow answers come too late.
func (c *checked) serveTargets() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listen: %w", err)
	}
	c.targets = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/slow") {
			select {
			case <-r.Context().Done():
			case <-time.After(time.Minute):
			}
		}
	})}
	go func() { _ = c.targets.Serve(l) }()
	return l.Addr().String(), nil
}

// plan makes two checks and their targets.
func (c *checked) plan(ctx context.Context, address string) error {
	quick, slow := store.NewID(), store.NewID()
	for id, path := range map[uuid.UUID]string{quick: "/", slow: "/slow"} {
		definition := fmt.Sprintf(
			`{"strategyId": "healthcheck-http.http", "config": {"timeout": 1000}, "collectors": [{"id": %q, "collectorId": "healthcheck-http.request",
			"config": {"url": "http://%s%s"}, "assertions": [{"field": "statusCode", "operator": "equals", "value": 200}]}]}`,
			uuid.NewString(),
			address,
			path,
		)
		_, err := c.db.Conn(ctx).Exec(ctx, `INSERT INTO health_checks (id, name, name_key, description, strategy, definition, interval_seconds)
			VALUES ($1, $2, $2, '', 'healthcheck-http.http', $3, 2)`, id, "check "+path, definition)
		if err != nil {
			return fmt.Errorf("make a check: %w", err)
		}
	}
	for shards := 0; shards == 0; wait(ctx, 100*time.Millisecond) { // a chore makes them
		if err := c.db.Conn(ctx).QueryRow(ctx, `SELECT count(*) FROM check_shards`).Scan(&shards); err != nil {
			return fmt.Errorf("wait for shards: %w", err)
		}
	}
	_, err := c.db.Conn(
		ctx,
	).Exec(
		ctx,
		`INSERT INTO check_targets (check_id, system_id, environment_id, shard, interval_ms, phase_ms, active, scope)
		SELECT CASE WHEN i % 100 < $3 THEN $2::uuid ELSE $1::uuid END, md5((i / 4)::text)::uuid, gen_random_uuid(), i % (SELECT count(*) FROM check_shards), $5::int, i * 7919 % $5::int, true, '{}'
		FROM generate_series(0, $4::int - 1) i`,
		quick,
		slow,
		checkHanging,
		checkTargets,
		checkInterval.Milliseconds(),
	)
	if err != nil {
		return fmt.Errorf("make targets: %w", err)
	}
	return nil
}

// close ends everything, whatever of it runs.
func (c *checked) close() {
	for _, p := range append(c.workers, c.product) {
		if p != nil {
			_ = p.cmd.Process.Signal(syscall.SIGCONT)
			p.kill()
			<-p.done
		}
	}
	if c.targets != nil {
		_ = c.targets.Close()
	}
	if c.db != nil {
		c.db.Close()
	}
	for _, s := range []*stand{c.temporal, c.postgres} {
		if s != nil {
			s.close()
		}
	}
}
