package strategy_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
)

const playing = "COUNTERSIGN_TEST_PLAYS_SERVER"

// TestPlayServer is the server of the benchmarks in a process of its own, so that what is measured is the client alone.
func TestPlayServer(t *testing.T) {
	if os.Getenv(playing) == "" {
		t.Skip("it is started by the benchmarks")
	}
	listener := listen(t)
	accepting := listener
	if os.Getenv(playing) == "tls" {
		accepting = tls.NewListener(
			listener,
			&tls.Config{Certificates: []tls.Certificate{newAuthority(t).issue(t, "known.test", time.Hour)}, MinVersion: tls.VersionTLS12},
		)
	}
	_, _ = fmt.Fprintf(os.Stdout, "port %d\n", port(listener.Addr()))
	go func() {
		for {
			conn, err := accepting.Accept()
			if err != nil {
				return
			}
			go answerForever(conn)
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin) // until the benchmark goes
}

func answerForever(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	request := make([]byte, 4096)
	answer := []byte(
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\nDate: Sun, 22 Nov 2026 23:24:21 GMT\r\nServer: x\r\n\r\n" + `{"status":"ok"}`,
	)
	for {
		n, err := conn.Read(request)
		if err != nil {
			return
		}
		if strings.Contains(string(request[:n]), "\r\n\r\n") {
			if _, err := conn.Write(answer); err != nil {
				return
			}
		}
	}
}

func playServer(b *testing.B, scheme, kind string) string {
	command := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestPlayServer$")
	command.Env = append(os.Environ(), playing+"="+kind)
	in, err := command.StdinPipe()
	require.NoError(b, err)
	out, err := command.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, command.Start())
	b.Cleanup(func() { _ = in.Close(); _ = command.Wait() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var number int
		if _, err := fmt.Sscanf(lines.Text(), "port %d", &number); err == nil {
			return fmt.Sprintf("%s://127.0.0.1:%d/health", scheme, number)
		}
	}
	b.Fatal("the server did not start")
	return ""
}

// used is the time on a processor of this process.
func used(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measured runs do from many goroutines, as checks do.
func measured(b *testing.B, do func() error) {
	require.NoError(b, do())
	b.ReportAllocs()
	b.SetParallelism(16)
	before := used(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := do(); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64((used(b)-before).Microseconds())/float64(b.N), "cpu-us/op")
}

// BenchmarkHTTP compares a check, with all that a run does, with a bare loop of net/http that does the same requests.
func BenchmarkHTTP(b *testing.B) {
	for _, kind := range []struct{ scheme, name string }{{"http", "plain"}, {"https", "tls"}} {
		url := playServer(b, kind.scheme, kind.name)
		b.Run(kind.name+"/bare", func(b *testing.B) {
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
			measured(b, func() error {
				ctx, cancel := context.WithTimeout(b.Context(), 10*time.Second)
				defer cancel()
				request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
				if err != nil {
					return err
				}
				answer, err := client.Do(request)
				if err != nil {
					return err
				}
				defer answer.Body.Close()
				_, err = io.Copy(io.Discard, answer.Body)
				return err
			})
		})
		b.Run(kind.name+"/check", func(b *testing.B) {
			prepared, host := prepare(b, asks(url).with(object{"skipVerify": true}),
				check.Assertion{Field: "statusCode", Operator: "equals", Value: json.RawMessage("200")},
				check.Assertion{Field: "responseTimeMs", Operator: "lessThan", Value: json.RawMessage("10000")},
			), here(b)
			measured(b, func() error {
				if outcome := prepared.Run(b.Context(), host, 1, time.Now()); outcome.Verdict != check.Passed {
					return fmt.Errorf("the check ended with %d", outcome.Cause)
				}
				return nil
			})
		})
	}
}
