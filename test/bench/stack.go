package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/model/demo"
)

const toolName = "catalog_listTeams"

// stack is everything that is measured, running.
type stack struct {
	folder   string
	database string
	// name is that of the database, queues the prefix of Temporal's queues.
	name, queues string
	// split says that the product runs as two APIs and two workers.
	split bool
	admin string
	env   []string
	// product is the process that people reach at url: API and worker at once, or one of two APIs.
	product *exec.Cmd
	// others are the processes beside product, where the product runs as two APIs and two workers.
	others []*other
	floor  *exec.Cmd
	model  *exec.Cmd
	binary string

	url, floorURL, modelURL string
	// people are signed-in clients, one for each person that asks at the same time.
	people []*http.Client
	// writers may test scripts, turns counts whose turn it is.
	turns                atomic.Int64
	writers              []*http.Client
	connection           string
	temporal, postmaster int
}

func startStack(ctx context.Context, o options) (*stack, error) {
	s := &stack{binary: o.binary, admin: os.Getenv("COUNTERSIGN_TEST_DATABASE_URL")}
	if s.admin == "" {
		return nil, errors.New("no test stack: run it with bin/devstack exec -- go run ./bench")
	}
	var err error
	// Scripts are compared by their times alone, so any stack will do.
	if s.temporal, s.postmaster, err = processes(); err != nil && !o.scripts() && o.only != "lists" &&
		o.only != "applies" && o.only != "tools" && o.only != "mcp" {
		return nil, err
	}
	if s.folder, err = os.MkdirTemp("", "countersign-bench-"); err != nil {
		return nil, err
	}
	if err := s.start(ctx, o); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// startWithoutChecks starts a stack that runs no checks, with a connection to its database.
func startWithoutChecks(ctx context.Context, o options) (s *stack, conn *pgx.Conn, stop func(), err error) {
	os.Setenv("COUNTERSIGN_WORKER_QUEUES", "turns")
	if s, err = startStack(ctx, o); err != nil {
		return nil, nil, nil, err
	}
	if conn, err = pgx.Connect(ctx, s.database); err != nil {
		s.stop()
		return nil, nil, nil, err
	}
	return s, conn, func() {
		_ = conn.Close(context.WithoutCancel(ctx))
		s.stop()
	}, nil
}

func (s *stack) start(ctx context.Context, o options) error {
	if err := s.createDatabase(ctx); err != nil {
		return err
	}
	os.Setenv("COUNTERSIGN_DEMO_KEY", "bench")
	modelPort, floorPort, port := freePort(), freePort(), freePort()
	s.modelURL = "http://127.0.0.1:" + strconv.Itoa(modelPort) + "/v1"
	s.floorURL = "http://127.0.0.1:" + strconv.Itoa(floorPort)
	s.url = "http://localhost:" + strconv.Itoa(port)
	s.queues = "bench-" + uuid.NewString()[:8] + "-"
	s.env = append(
		os.Environ(),
		"DATABASE_URL="+s.database,
		"TEMPORAL_ADDRESS="+os.Getenv("COUNTERSIGN_TEST_TEMPORAL_ADDRESS"),
		"COUNTERSIGN_DATA="+s.folder,
		"PORT="+strconv.Itoa(port),
		"COUNTERSIGN_LOG_LEVEL=warn",
		"COUNTERSIGN_QUEUE_PREFIX="+s.queues,
		"COUNTERSIGN_TOOL_BUDGET_CALLS=1000000000",
		"COUNTERSIGN_MAX_RUNNING_TURNS=1000000",
		"COUNTERSIGN_MCP_LISTS=1000000000",
		"COUNTERSIGN_MAX_OPEN_STREAMS=1000000",
		"COUNTERSIGN_MAX_RUNNING_PROBES=1000000",
		"COUNTERSIGN_MAX_CONVERSATIONS=100000000",
		"COUNTERSIGN_MAX_WAITING_PROPOSALS=100000000",
		"COUNTERSIGN_DEBUG_ADDRESS="+o.debug,
	)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if s.model, err = s.spawn(s.binary, "demo-model", "127.0.0.1:"+strconv.Itoa(modelPort)); err != nil {
		return err
	}
	if s.floor, err = s.spawn(self, "floor", "127.0.0.1:"+strconv.Itoa(floorPort), s.modelURL); err != nil {
		return err
	}
	s.split = o.split
	if err := s.startProduct(ctx); err != nil {
		return err
	}
	if err := s.startOthers(ctx); err != nil {
		return err
	}
	return s.signIn(ctx, slices.Max(o.clients))
}

func (s *stack) startProduct(ctx context.Context) error {
	kind := "all"
	if s.split {
		kind = "api"
	}
	var err error
	if s.product, err = s.spawn(s.binary, kind); err != nil {
		return err
	}
	deadline := time.Now().Add(30 * time.Second)
	for time.Now().Before(deadline) && ctx.Err() == nil {
		if readyAt(ctx, s.url) {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.New("the product did not become ready")
}

func (s *stack) spawn(name string, args ...string) (*exec.Cmd, error) {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = s.env, io.Discard, os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", filepath.Base(name), err)
	}
	return cmd, nil
}

func (s *stack) createDatabase(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.admin)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	name := "bench_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return err
	}
	s.name = name
	u, err := url.Parse(s.admin)
	if err != nil {
		return err
	}
	u.Path = "/" + name
	s.database = u.String()
	return nil
}

// signIn makes the connection to the model server and a person for each concurrent client.
func (s *stack) signIn(ctx context.Context, people int) error {
	data, err := os.ReadFile(filepath.Join(s.folder, "credentials.json"))
	if err != nil {
		return err
	}
	var c struct{ Email, Password string }
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	admin, err := s.login(ctx, c.Email, c.Password)
	if err != nil {
		return err
	}
	// The first password opens nothing else.
	own := map[string]string{"currentPassword": c.Password, "newPassword": uuid.NewString()}
	if err := s.post(ctx, admin, "/api/auth/password", own, nil); err != nil {
		return err
	}
	s.people = append(s.people, admin)
	for i := 1; i < people; i++ {
		email, password := fmt.Sprintf("person%d@example.org", i), uuid.NewString()
		if err := s.post(ctx, admin, "/api/users", map[string]string{"email": email, "name": email, "password": password}, nil); err != nil {
			return err
		}
		person, err := s.login(ctx, email, password)
		if err != nil {
			return err
		}
		s.people = append(s.people, person)
	}
	var made struct{ ID string }
	err = s.post(ctx, admin, "/api/ai/connections", map[string]any{
		"name": "Bench", "baseUrl": s.modelURL, "apiKey": "bench", "defaultModel": demo.Scripted,
	}, &made)
	s.connection = made.ID
	return err
}

func (s *stack) login(ctx context.Context, email, password string) (*http.Client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Jar: jar, Transport: transport}
	return client, s.post(ctx, client, "/api/auth/login", map[string]string{"email": email, "password": password}, nil)
}

var transport = &http.Transport{MaxIdleConnsPerHost: 512}

func (s *stack) post(ctx context.Context, client *http.Client, path string, in, out any) error {
	return post(ctx, client, s.url, path, in, out)
}

// post is a request to one of several processes.
func post(ctx context.Context, client *http.Client, address, path string, in, out any) error {
	return exchange(ctx, client, http.MethodPost, address+path, in, out)
}

func exchange(ctx context.Context, client *http.Client, method, address string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %s: %s", method, address, response.Status, answer)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}

// cpu is the processor time that the product, Temporal and PostgreSQL have used so far.
func (s *stack) cpu() cpu {
	c := cpu{App: usage(s.product.Process.Pid, false), Temporal: usage(s.temporal, false), Postgres: postgresUsage(s.postmaster)}
	for _, other := range s.others {
		used := usage(other.cmd.Process.Pid, false)
		c.App += used
		if other.kind == "worker" {
			c.Workers += used
		}
	}
	return c
}

func (s *stack) stop() {
	for _, other := range s.others {
		other.stop()
	}
	for _, cmd := range []*exec.Cmd{s.product, s.floor, s.model} {
		if cmd != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	_ = os.RemoveAll(s.folder)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if conn, err := pgx.Connect(ctx, s.admin); err == nil && s.name != "" {
		_, _ = conn.Exec(ctx, "DROP DATABASE "+s.name+" WITH (FORCE)")
		_ = conn.Close(ctx)
	}
}

func freePort() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
