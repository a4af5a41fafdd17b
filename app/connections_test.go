package app_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/auth"
)

// raw is a request as it goes over the wire, up to its body.
type raw struct {
	name, line string
	headers    string
	// status is what a client gets whose body does not arrive; 0 where the body is not read, for any.
	status int
}

// everyKind are requests to each kind of route.
func everyKind(t *testing.T, p *apptest.Product) []raw {
	t.Helper()
	cookie := "Cookie: " + auth.PlainCookie + "=" + p.Admin.Cookie(t) + "\r\n"
	bearer := "Authorization: Bearer " + p.Application(t).Token() + "\r\n"
	const jsonType = "Content-Type: application/json\r\n"
	const late = http.StatusRequestTimeout
	return []raw{
		{"huma, public", "POST /api/auth/login", jsonType, late},
		{"huma, signed in", "POST /api/ai/conversations", jsonType + cookie, late},
		{"huma with a key", "POST /api/ai/conversations", jsonType + cookie + "Idempotency-Key: a\r\n", late},
		{"huma, chunked", "POST /api/ai/conversations", jsonType + cookie + "Transfer-Encoding: chunked\r\n", late},
		{"huma, refused unread", "POST /api/ai/conversations", jsonType, http.StatusUnauthorized},
		{"huma that asks first", "POST /api/auth/login", jsonType + "Expect: 100-continue\r\n", late},
		{"heartbeat", "POST /api/heartbeats/none", jsonType, late},
		{"event stream", "POST /api/ai/chat", jsonType + cookie, late},
		{"AG-UI", "POST /api/ai/agui", jsonType + bearer, 0},
		{"/v1", "POST /v1/chat/completions", jsonType + bearer, 0},
		{"/mcp", "POST /mcp", jsonType + "Accept: application/json, text/event-stream\r\n" + bearer, 0},
		{"/oauth", "POST /oauth/token", "Content-Type: application/x-www-form-urlencoded\r\n", late},
		{"registration", "POST /oauth/register", jsonType, late},
		{"page", "GET /", "", 0},
		{"health", "GET /healthz", "", http.StatusOK},
		{"metrics", "GET /metrics", "", 0},
		{"no route", "POST /api/none", jsonType, http.StatusNotFound},
	}
}

func dial(t *testing.T, p *apptest.Product) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(p.URL, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// begin sends the headers and the first byte of a body.
func (r raw) begin(t *testing.T, p *apptest.Product, length int) net.Conn {
	t.Helper()
	c := dial(t, p)
	headers, body := "Content-Length: "+strconv.Itoa(length)+"\r\n", "{"
	if strings.Contains(r.headers, "chunked") {
		headers, body = "", "100\r\n{"
	}
	if strings.Contains(r.headers, "Expect") {
		body = ""
	}
	_, err := fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: localhost\r\n%s%s\r\n%s", r.line, r.headers, headers, body)
	require.NoError(t, err)
	return c
}

// untilClosed reads what comes until the server ends the connection, and returns the status of the answer.
func untilClosed(t *testing.T, c net.Conn, within time.Duration) int {
	t.Helper()
	require.NoError(t, c.SetReadDeadline(time.Now().Add(within)))
	reader := bufio.NewReader(c)
	status := 0
	for {
		answer, err := http.ReadResponse(reader, nil)
		if err != nil {
			require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the server keeps the connection")
			return status
		}
		status = answer.StatusCode
		_, err = io.Copy(io.Discard, answer.Body)
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the server keeps the connection")
		require.NoError(t, answer.Body.Close())
	}
}

const bodyTimeout = 2 * time.Second

func TestABodyThatDoesNotArriveEndsItsRequestOnEveryKindOfRoute(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_BODY_TIMEOUT": bodyTimeout.String()}})
	for _, r := range everyKind(t, p) {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			status := untilClosed(t, r.begin(t, p, 1000), 10*bodyTimeout)
			if r.status != 0 {
				require.Equal(t, r.status, status)
			}
		})
		t.Run(r.name+", trickled", func(t *testing.T) {
			t.Parallel()
			if strings.Contains(r.headers, "Expect") || strings.Contains(r.headers, "chunked") {
				return
			}
			c := r.begin(t, p, 1_000_000)
			go func() {
				for {
					if _, err := c.Write([]byte(" ")); err != nil {
						return
					}
					time.Sleep(bodyTimeout / 20) //nolint:forbidigo // a client of that pace
				}
			}()
			untilClosed(t, c, 10*bodyTimeout)
		})
	}
}

func TestASlowBodyThatKeepsArrivingIsRead(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_BODY_TIMEOUT": "1s"}})
	body := `{"email":"nobody@example.com","password":"` + strings.Repeat("x", 200_000) + `"}`
	c := dial(t, p)
	_, err := fmt.Fprintf(c, "POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: "+
		"application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n", len(body))
	require.NoError(t, err)
	began := time.Now()
	for rest := body; rest != ""; {
		n := min(len(rest), 8_000)
		_, err = io.WriteString(c, rest[:n])
		require.NoError(t, err)
		rest = rest[n:]
		time.Sleep(120 * time.Millisecond) //nolint:forbidigo // a client of that pace
	}
	require.Greater(t, time.Since(began), 2*time.Second)
	require.Equal(t, http.StatusUnprocessableEntity, untilClosed(t, c, 20*time.Second), "the password is too long")
}

func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	late := dial(t, p)
	_, err := io.WriteString(late, "GET /healthz HTTP/1.1\r\nHost: loc")
	require.NoError(t, err)
	large := dial(t, p)
	_, err = fmt.Fprintf(large, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Large: %s\r\n\r\n", strings.Repeat("x", 100_000))
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, untilClosed(t, large, 10*time.Second))
	untilClosed(t, late, 30*time.Second)
}

// unfinished opens sign-ins whose bodies never come. Connections that the server has ended are no failure.
func unfinished(t *testing.T, p *apptest.Product, count int) {
	t.Helper()
	for range count {
		c, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(t.Context(), "tcp", strings.TrimPrefix(p.URL, "http://"))
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		_, _ = io.WriteString(c, "POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: "+
			"application/json\r\nContent-Length: 100\r\n\r\n{")
	}
}

func healthy(t *testing.T, p *apptest.Product) {
	t.Helper()
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/healthz", nil)
	require.NoError(t, err)
	answer, err := client.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)
}

func TestUnfinishedSignInsLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]map[string]string{
		"from one address": {"COUNTERSIGN_MAX_CONNECTIONS_PER_ADDRESS": "64"},
		"in total": {
			"COUNTERSIGN_MAX_CONNECTIONS": "64", "COUNTERSIGN_MAX_CONNECTIONS_PER_ADDRESS": "64",
			"COUNTERSIGN_TRUSTED_PROXIES": "127.0.0.1",
		},
		"from a known proxy": {
			"COUNTERSIGN_MAX_CONNECTIONS": "64", "COUNTERSIGN_MAX_CONNECTIONS_PER_ADDRESS": "16",
			"COUNTERSIGN_TRUST_PROXY": "true",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := apptest.Start(t, apptest.Options{Env: env})
			// A stream that the server works on is not ended for them.
			chat := p.Admin.Conversation(t, nil)
			stream := chat.Send(t, apptest.Scripted(endless))
			stream.UntilType(t, "text-delta")
			for range 5 {
				unfinished(t, p, 100)
				healthy(t, p)
			}
			stream.UntilType(t, "text-delta")
			chat.Stop(t)
			stream.Drain(t)
			chat.Idle(t)
			require.Contains(t, p.Log.String(), "Connection limit reached")
		})
	}
}

// The process may have fewer files open than there are connections.
func TestAProcessWithFewFilesKeepsAnswering(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("prlimit"); err != nil {
		t.Skip("prlimit is not installed")
	}
	p := apptest.Start(t, apptest.Options{})
	env := map[string]string{"COUNTERSIGN_MAX_CONNECTIONS": "100000", "COUNTERSIGN_MAX_CONNECTIONS_PER_ADDRESS": "100000"}
	s := p.Spawn(t, "api", env)
	other := &apptest.Product{URL: s.URL}
	out, err := exec.CommandContext(t.Context(), "prlimit", "--pid", strconv.Itoa(s.Pid),
		"--nofile=128:128").CombinedOutput()
	require.NoError(t, err, string(out))
	for range 4 {
		unfinished(t, other, 100)
		healthy(t, other)
	}
}
