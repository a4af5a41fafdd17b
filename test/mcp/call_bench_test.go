package mcp_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/mcp/endpoint"
	"countersign/app"
	"countersign/app/apptest"
)

// BenchmarkRequests is what the process of the product spends on a request of an MCP client: allocations, and processor time of the
// whole process. The client writes bytes and looks for the end of the answer, so next to nothing of it is the client's. Times of the clock
// say little on a busy machine.
func BenchmarkRequests(b *testing.B) {
	p := apptest.Start(b, apptest.Options{Roles: app.Roles{API: true}, Env: map[string]string{
		"COUNTERSIGN_TOOL_BUDGET_CALLS": "100000000", "COUNTERSIGN_MCP_LISTS": "100000000",
	}})
	client := manager(b, p)
	for _, c := range []struct{ name, method, params string }{
		{"search", "tools/call", `{"name":"ai_searchDocs","arguments":{"query":"proposals","limit":1}}`},
		{"systems", "tools/call", `{"name":"catalog_listSystems","arguments":{}}`},
		{"tools", "tools/list", `{}`},
		{"ping", "ping", `{}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := dial(b, p.URL, client.Token(), fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, c.method, c.params))
			for range 20 {
				w.exchange(b)
			}
			b.ReportAllocs()
			before := spent(b)
			for b.Loop() {
				w.exchange(b)
			}
			b.ReportMetric((spent(b)-before)/float64(b.N), "cpu-µs/op")
		})
	}
}

// spent is the processor time of this process so far, in microseconds.
func spent(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e3
}

// wire is a connection on which one request is made again and again.
type wire struct {
	conn    net.Conn
	in      *bufio.Reader
	request []byte
}

func dial(b *testing.B, address, token, body string) *wire {
	b.Helper()
	host := strings.TrimPrefix(address, "http://")
	var dialer net.Dialer
	conn, err := dialer.DialContext(b.Context(), "tcp", host)
	require.NoError(b, err)
	b.Cleanup(func() { _ = conn.Close() })
	return &wire{
		conn: conn,
		in:   bufio.NewReaderSize(conn, 1<<20),
		request: fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2025-11-25\r\nContent-Length: %d\r\n\r\n%s",
			endpoint.Path, host, token, len(body), body),
	}
}

// exchange makes the request, and fails unless a result comes back.
func (w *wire) exchange(b *testing.B) {
	_, err := w.conn.Write(w.request)
	length, chunked, ok := 0, false, false
	line := func() []byte {
		var l []byte
		if err == nil {
			l, err = w.in.ReadSlice('\n')
		}
		return bytes.TrimRight(l, "\r\n")
	}
	for l := line(); len(l) > 0; l = line() {
		ok = ok || bytes.HasPrefix(l, []byte("HTTP/1.1 200"))
		if value, found := bytes.CutPrefix(l, []byte("Content-Length: ")); found {
			length, err = strconv.Atoi(string(value))
		}
		chunked = chunked || bytes.Equal(l, []byte("Transfer-Encoding: chunked"))
	}
	found := false
	part := func(n int) {
		var peeked []byte
		if peeked, err = w.in.Peek(n); err == nil {
			found = found || bytes.Contains(peeked, []byte(`"result":{`)) && !bytes.Contains(peeked, []byte(`"isError":true`))
			_, err = w.in.Discard(n)
		}
	}
	if !chunked && err == nil {
		part(length)
	}
	for chunked && err == nil {
		var size int64
		if size, err = strconv.ParseInt(string(line()), 16, 32); err != nil {
			break
		}
		part(int(size) + len("\r\n"))
		if size == 0 {
			break
		}
	}
	if err != nil || !ok || !found {
		rest, _ := io.ReadAll(io.LimitReader(w.in, int64(w.in.Buffered())))
		b.Fatal("no result", err, ok, found, string(rest))
	}
}
