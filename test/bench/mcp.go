package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// mcpPeers is where npm installs the reference server and the Node.js that it needs.
	mcpPeers    = "test/mcp/node_modules"
	mcpSessions = 1_000
	// mcpListening is two heartbeats of the product.
	mcpListening = 30 * time.Second
)

// mcpServer is a server of the Model Context Protocol under measurement, reached as clients of the revision 2025-11-25 reach it.
type mcpServer struct {
	name, address, token string
	// session is the id that it has given, "" for a server without sessions.
	session string
	// call is the request that is measured.
	call string
	pid  int
}

// mcpClients measures calls over MCP beside the TypeScript reference server, whose tool echoes its input.
func mcpClients(ctx context.Context, o options) error {
	fmt.Printf(
		"# MCP, %s\n\nLoad at the start: %s. Rerun: `npm --prefix test/mcp ci` once, then `bin/devstack exec -- go run "+
			"./test/bench -only mcp`.\n\n",
		time.Now().Format(time.DateOnly),
		load(),
	)
	s, err := startStack(ctx, o)
	if err != nil {
		return err
	}
	defer s.stop()
	ours, err := s.mcpServer(ctx)
	if err != nil {
		return err
	}
	theirs, stop, err := s.referenceServer(ctx)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Println(
		"A call of ours is authenticated, reserved in the budget, written to the audit log and made over the REST API as " +
			"the application; one of the peer says back a word.",
	)
	fmt.Printf(
		"\n| server | request | p50 ms | p95 ms | a second, %d clients | MB for %d sessions |\n|---|---|---|---|---|---|\n",
		o.clients[len(o.clients)-1],
		mcpSessions,
	)
	var g goals
	var half float64
	for _, server := range []*mcpServer{theirs, ours} {
		grown, err := server.grown(ctx)
		if err != nil {
			return err
		}
		for _, request := range []string{"tools/list", "tools/call"} {
			p50, p95, rate, err := server.measure(ctx, request, o)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", server.name, request, err)
			}
			fmt.Printf("| %s | %s | %.2f | %.2f | %.0f | %d |\n", server.name, request, p50, p95, rate, grown)
			if request == "tools/call" && server == theirs {
				half = p50 / 2
			} else if request == "tools/call" {
				g.add("call of a tool, p50", p50, "ms", p50 <= half, fmt.Sprintf("half of the peer's, %.2f ms", half))
			}
		}
	}
	fmt.Printf(
		"\n| server | MB for %d clients that listen | processor ms a second while they do, of it the server's |\n|---|--:|--:|\n",
		mcpSessions,
	)
	for _, server := range []*mcpServer{theirs, ours} {
		if err := s.listeners(ctx, server); err != nil {
			return fmt.Errorf("%s, listening: %w", server.name, err)
		}
	}
	fmt.Printf("\nLoad at the end: %s.\n", load())
	g.print()
	return nil
}

// grown is the memory growth in MB after another thousand sessions; the first thousand are the warm-up.
func (m *mcpServer) grown(ctx context.Context) (grown int, err error) {
	for range 2 {
		before := residentMB(m.pid)
		for range mcpSessions {
			if err := m.connect(ctx); err != nil {
				return 0, err
			}
		}
		grown = residentMB(m.pid) - before
	}
	return grown, nil
}

// listeners measures clients with an initialised session and an open event stream. The product checks each of them at
// every heartbeat.
func (s *stack) listeners(ctx context.Context, m *mcpServer) error {
	listening, leave := context.WithCancel(ctx)
	defer leave()
	before := residentMB(m.pid)
	for range mcpSessions {
		if err := m.connect(ctx); err != nil {
			return err
		}
		stream, err := m.listen(listening)
		if err != nil {
			return err
		}
		defer func() { _ = stream.Close() }()
	}
	spent := func() (server, all time.Duration) {
		server = usage(m.pid, false)
		if m.token == "" {
			return server, server
		}
		return server, s.cpu().total()
	}
	server, all := spent()
	began := time.Now()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(mcpListening):
	}
	serverAfter, allAfter := spent()
	seconds := time.Since(began).Seconds()
	each := func(d time.Duration) float64 { return float64(d.Milliseconds()) / seconds }
	fmt.Printf("| %s | %d | %.0f, %.0f |\n", m.name, residentMB(m.pid)-before, each(allAfter-all), each(serverAfter-server))
	return nil
}

// listen opens the stream of a client that has begun.
func (m *mcpServer) listen(ctx context.Context) (io.Closer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, m.address, nil)
	if err != nil {
		return nil, err
	}
	m.head(r)
	r.Header.Set("Accept", "text/event-stream")
	response, err := mcpStreams.Do(r)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("no stream: %s", response.Status)
		_ = response.Body.Close()
	}
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

// mcpServer is the product, for an application that may read the documentation.
func (s *stack) mcpServer(ctx context.Context) (*mcpServer, error) {
	admin := s.people[0]
	var role struct{ ID string }
	if err := s.post(ctx, admin, "/api/roles", map[string]any{"name": "MCP bench", "rules": []string{"ai.chat.read"}}, &role); err != nil {
		return nil, err
	}
	var made struct{ Token string }
	if err := s.post(ctx, admin, "/api/applications", map[string]any{"name": "MCP bench", "roleIds": []string{role.ID}}, &made); err != nil {
		return nil, err
	}
	return &mcpServer{
		name: "countersign", address: s.url + "/mcp", token: made.Token, pid: s.product.Process.Pid,
		call: `{"name":"ai_searchDocs","arguments":{"query":"proposals","limit":1}}`,
	}, nil
}

// referenceServer starts the server of those who make the protocol.
func (s *stack) referenceServer(ctx context.Context) (server *mcpServer, stop func(), err error) {
	folder, err := filepath.Abs(mcpPeers)
	if err != nil {
		return nil, nil, err
	}
	port := strconv.Itoa(freePort())
	cmd := exec.Command(
		filepath.Join(folder, ".bin", "node"),
		filepath.Join(folder, "@modelcontextprotocol/server-everything/dist/index.js"),
		"streamableHttp",
	)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "PORT="+port), io.Discard, io.Discard
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("start the reference server, which `npm --prefix test/mcp ci` installs: %w", err)
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	server = &mcpServer{
		name:    "server-everything",
		address: "http://127.0.0.1:" + port + "/mcp",
		call:    `{"name":"echo","arguments":{"message":"proposals"}}`,
		pid:     nodePID(cmd.Process.Pid),
	}
	deadline := time.Now().Add(30 * time.Second)
	for ctx.Err() == nil && time.Now().Before(deadline) {
		if err = server.connect(ctx); err == nil {
			server.pid = nodePID(cmd.Process.Pid)
			return server, stop, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	return nil, nil, errors.Join(errors.New("the reference server did not answer"), err)
}

// nodePID finds the serving process, which the npm program may start as a child.
func nodePID(pid int) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return pid
	}
	if child, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil {
		return child
	}
	return pid
}

// connect begins a session, as a client does before its first call.
func (m *mcpServer) connect(ctx context.Context) error {
	m.session = ""
	const params = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`
	header, err := m.send(ctx, "initialize", params)
	if err != nil {
		return err
	}
	m.session = header.Get("Mcp-Session-Id")
	return nil
}

func (m *mcpServer) send(ctx context.Context, method, params string) (http.Header, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.address, bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	m.head(r)
	response, err := mcpHTTP.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err == nil &&
		(response.StatusCode != http.StatusOK || bytes.Contains(answer, []byte(`"id":1,"error":{`)) || bytes.Contains(answer, []byte(`"isError":true`))) {
		err = fmt.Errorf("%d %.300s", response.StatusCode, answer)
	}
	return response.Header, err
}

// head says in a request who makes it, and in what revision.
func (m *mcpServer) head(r *http.Request) {
	r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	if m.token != "" {
		r.Header.Set("Authorization", "Bearer "+m.token)
	}
	if m.session != "" {
		r.Header.Set("Mcp-Session-Id", m.session)
	}
}

var (
	mcpHTTP    = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}, Timeout: time.Minute}
	mcpStreams = &http.Client{}
)

// measure returns the latency of a single request, and the throughput with many clients.
func (m *mcpServer) measure(ctx context.Context, method string, o options) (p50, p95, rate float64, err error) {
	params := "{}"
	if method == "tools/call" {
		params = m.call
	}
	var alone []time.Duration
	for end := time.Now().Add(o.budget); time.Now().Before(end); {
		began := time.Now()
		if _, err := m.send(ctx, method, params); err != nil {
			return 0, 0, 0, err
		}
		alone = append(alone, time.Since(began))
	}
	clients := o.clients[len(o.clients)-1]
	var mu sync.Mutex
	var running sync.WaitGroup
	done, began := 0, time.Now()
	for range clients {
		running.Go(func() {
			for time.Since(began) < o.budget {
				_, failed := m.send(ctx, method, params)
				mu.Lock()
				done, err = done+1, errors.Join(err, failed)
				mu.Unlock()
				if failed != nil {
					return
				}
			}
		})
	}
	running.Wait()
	return quantile(alone, .5), quantile(alone, .95), float64(done) / time.Since(began).Seconds(), err
}

// residentMB is what a process has resident.
func residentMB(pid int) int {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.Atoi(strings.Fields(string(data))[1])
	return pages * os.Getpagesize() >> 20
}
