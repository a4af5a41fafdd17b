package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"countersign/internal/store"
	"countersign/model/demo"
)

// world are the servers that survive the kills: the database, Temporal and the model.
type world struct {
	dir    string
	binary string
	// before is the initial binary where processes are replaced by another build; "" for binary.
	before string
	// clocks are the clock shifts of processes in the order of a fleet; none by default.
	clocks   []time.Duration
	database string
	// address is that of Temporal.
	address string
	prefix  string
	ttl     time.Duration

	db       *store.DB
	temporal client.Client
	model    *process
	baseURL  string
	key      string
	outside  *outside
	// session is that of the first administrator after the first sign-in, which invalidates the initial credentials.
	session *http.Cookie
}

// newWorld makes a database of its own on the server of the test stack and starts a model server.
func newWorld(ctx context.Context, dir, binary string, ttl time.Duration) (*world, error) {
	server, address := os.Getenv("COUNTERSIGN_TEST_DATABASE_URL"), os.Getenv("COUNTERSIGN_TEST_TEMPORAL_ADDRESS")
	if server == "" || address == "" {
		return nil, errors.New("COUNTERSIGN_TEST_DATABASE_URL and COUNTERSIGN_TEST_TEMPORAL_ADDRESS are not set: run `make chaos`")
	}
	return worldAt(ctx, dir, binary, ttl, server, address)
}

// worldAt is newWorld on other servers.
func worldAt(ctx context.Context, dir, binary string, ttl time.Duration, server, address string) (*world, error) {
	id := strings.ToLower(rand.Text()[:10])
	w := &world{dir: dir, binary: binary, address: address, prefix: "chaos-" + id + "-", ttl: ttl, key: rand.Text()}
	if err := w.createDatabase(ctx, server, "chaos_"+id); err != nil {
		return nil, err
	}
	var err error
	if w.db, err = store.Open(ctx, w.database, store.Options{MaxConns: 4, ApplicationName: "chaos"}); err != nil {
		return nil, err
	}
	w.temporal, err = client.DialContext(ctx, client.Options{
		HostPort: address, Namespace: namespace(), Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	if err == nil {
		err = w.startModel()
	}
	w.outside = newOutside()
	if err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func namespace() string {
	if name := os.Getenv("TEMPORAL_NAMESPACE"); name != "" {
		return name
	}
	return "default"
}

func (w *world) createDatabase(ctx context.Context, server, name string) error {
	admin, err := store.Open(ctx, server, store.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	defer admin.Close()
	if _, err := admin.Conn(ctx).Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	u, err := url.Parse(server)
	if err != nil {
		return errors.New("COUNTERSIGN_TEST_DATABASE_URL is not a URL")
	}
	u.Path = "/" + name
	w.database = u.String()
	return nil
}

func (w *world) startModel() error {
	port, err := freePort()
	if err != nil {
		return err
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	w.baseURL = "http://" + address + "/v1"
	w.model, err = start(
		w.binary,
		[]string{"demo-model", address},
		append(basics(), "COUNTERSIGN_DEMO_KEY="+w.key),
		filepath.Join(w.dir, "model.log"),
	)
	return err
}

// environ is the configuration of a process of the product.
func (w *world) environ(port int) []string {
	return append(
		basics(),
		"DATABASE_URL="+w.database,
		"TEMPORAL_ADDRESS="+w.address,
		"TEMPORAL_NAMESPACE="+namespace(),
		"COUNTERSIGN_QUEUE_PREFIX="+w.prefix,
		"PORT="+strconv.Itoa(port),
		"COUNTERSIGN_DATA="+filepath.Join(w.dir, "data"),
		"COUNTERSIGN_DATABASE_MAX_CONNS=16",
		// The budget counts, but must never be exhausted: people here make more calls than real ones.
		"COUNTERSIGN_TOOL_BUDGET_CALLS=10000000",
		"COUNTERSIGN_MAX_RUNNING_TURNS=1000000",
		"COUNTERSIGN_MAX_OPEN_STREAMS=1000000",
		"COUNTERSIGN_MAX_RUNNING_PROBES=1000000",
		"COUNTERSIGN_MAX_CONVERSATIONS=100000000",
		"COUNTERSIGN_MAX_WAITING_PROPOSALS=100000000",
		// Receivers of notifications are on this machine.
		"COUNTERSIGN_EGRESS_ALLOW=127.0.0.0/8",
		"COUNTERSIGN_PROPOSAL_TTL="+w.ttl.String(),
		"OPENAI_BASE_URL="+w.baseURL,
		"OPENAI_API_KEY="+w.key,
		"OPENAI_MODEL="+demo.Scripted,
	)
}

func basics() []string { return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")} }

// openWorkflows counts the workflows of this run that have not ended.
func (w *world) openWorkflows(ctx context.Context) (int64, error) {
	answer, err := w.temporal.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
		Query: fmt.Sprintf(
			"TaskQueue IN ('%[1]scountersign-turns', '%[1]scountersign-proposals', '%[1]scountersign-exec', '%[1]scountersign-automations') AND ExecutionStatus = 'Running'",
			w.prefix,
		),
	})
	if err != nil {
		return 0, fmt.Errorf("count workflows: %w", err)
	}
	return answer.GetCount(), nil
}

func (w *world) close() {
	if w.model != nil {
		w.model.kill()
		<-w.model.done
	}
	if w.outside != nil {
		w.outside.server.Close()
	}
	if w.temporal != nil {
		w.temporal.Close()
	}
	if w.db != nil {
		w.db.Close()
	}
}

// lastPort counts through ports below those that the operating system gives to clients, which could take one between the
// end of a process and its restart.
var lastPort atomic.Int32

// freePort is a port that nobody listens on at the moment.
func freePort() (int, error) {
	const first, count = 20_000, 8_000
	offset := os.Getpid() * 131
	for range count {
		port := first + (offset+int(lastPort.Add(1)))%count
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("no port is free")
}

func answers(ctx context.Context, address string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false
	}
	c := http.Client{Timeout: 2 * time.Second}
	res, err := c.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK
}
