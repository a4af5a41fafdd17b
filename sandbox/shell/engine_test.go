package shell_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
	"countersign/sandbox/shell"
)

var _ sandbox.Runner = (*shell.Engine)(nil)

func TestASyntaxErrorHasItsPosition(t *testing.T) {
	t.Parallel()
	o := run(t, sandbox.Job{Name: "job.sh", Source: "echo a\nif true; then\n  echo )\nfi\n"})
	require.Equal(t, sandbox.Failed, o.Kind)
	require.Equal(t, -1, o.ExitCode)
	require.Empty(t, o.Stdout, "nothing of a script runs that does not parse")
	require.Equal(t, "SyntaxError", o.Failure.Name)
	require.Equal(t, []sandbox.Frame{{File: "job.sh", Line: 3, Column: 8}}, o.Failure.Stack)
}

func TestOutputIsKeptInOrderAndApart(t *testing.T) {
	t.Parallel()
	o := run(t, sandbox.Job{Source: "echo a; echo b >&2; echo c; printf d"})
	require.Equal(t, "a\nc\nd", o.Stdout)
	require.Equal(t, "b\n", o.Stderr)
	require.Equal(
		t,
		[]sandbox.Log{{Level: "stdout", Text: "a"}, {Level: "stderr", Text: "b"}, {Level: "stdout", Text: "c"}, {Level: "stdout", Text: "d"}},
		o.Logs,
	)
	require.False(t, o.OutputCut)
}

func TestOutputIsCutAtItsLimit(t *testing.T) {
	t.Parallel()
	o := run(t, sandbox.Job{Source: "yes | head -c 100000; echo end >&2; exit 4", Limits: sandbox.Limits{Output: 1000}})
	require.Equal(t, sandbox.OK, o.Kind)
	require.Equal(t, 4, o.ExitCode)
	require.True(t, o.OutputCut)
	require.Len(t, o.Stdout+o.Stderr, 1000)
}

func TestLinesThatAreKeptAreBounded(t *testing.T) {
	t.Parallel()
	o := run(t, sandbox.Job{Source: "yes '' | head -n 100000"})
	require.Len(t, o.Stdout, 100_000)
	require.Len(t, o.Logs, 20_000)
	require.True(t, o.OutputCut)
}

func TestEnvironmentAndInputReachTheScript(t *testing.T) {
	t.Parallel()
	o := run(t, sandbox.Job{
		Source: `echo "$A|$PATH|${LD_PRELOAD-}|${DYLD_X-}|${BUN_X-}|${NODE_OPTIONS-}|$(cat)"; env | grep -c '^bad name'`,
		Env: map[string]string{
			"A":               "x y",
			"PATH":            "/evil",
			"LD_PRELOAD":      "e",
			"LD_LIBRARY_PATH": "e",
			"DYLD_X":          "e",
			"BUN_X":           "e",
			"NODE_OPTIONS":    "e",
			"bad name":        "e",
		},
		Stdin: []byte("in\x00put"),
	})
	require.Equal(t, "x y|/bin|||||input\n0\n", strings.ReplaceAll(o.Stdout, "\x00", ""))
}

func TestACanceledJobIsAnError(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := engine.Run(ctx, sandbox.Job{Source: "while :; do :; done"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestMemoryIsLimitedForEachJob(t *testing.T) {
	t.Parallel()
	source := "head -c 30M /dev/zero > f; wc -c < f"
	o := run(t, sandbox.Job{Source: source, Limits: sandbox.Limits{Memory: 1}})
	require.Equal(t, sandbox.Memory, o.Kind, "%+v", o)
	require.Equal(t, -1, o.ExitCode)
	require.Less(t, o.MemoryPeak, 32<<20)
	o = run(t, sandbox.Job{Source: source, Limits: sandbox.Limits{Memory: 128 << 20}})
	require.Equal(t, sandbox.OK, o.Kind, "%+v", o.Failure)
	require.Equal(t, "31457280\n", o.Stdout)
}

func TestRandomNumbersAreNotThoseOfTheSnapshot(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 4 {
		seen[run(t, sandbox.Job{Source: "echo $RANDOM $RANDOM $RANDOM $SRANDOM; shuf -i 1-1000 -n 3 | tr '\\n' ' '; mktemp -u"}).Stdout] = true
	}
	require.Len(t, seen, 4)
	seen = map[string]bool{}
	for range 4 {
		seen[run(t, sandbox.Job{Source: "echo $RANDOM $RANDOM $RANDOM $RANDOM"}).Stdout] = true
	}
	require.Len(t, seen, 4)
}

// Whoever gives up does not wait for the guest, which takes seconds to compile, and the next one finds it.
func TestAStartThatSomebodyGaveUpIsOfUseLater(t *testing.T) {
	t.Parallel()
	e, err := shell.New(t.Context(), shell.Options{CacheDir: cacheDir(), Slots: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close(context.WithoutCancel(t.Context()))) })
	gone, leave := context.WithCancel(t.Context())
	leave()
	require.ErrorIs(t, e.Warm(gone), context.Canceled)
	o, err := e.Run(t.Context(), sandbox.Job{Source: "echo hi"})
	require.NoError(t, err)
	require.Equal(t, "hi\n", o.Stdout)
}

func TestAnEngineThatIsClosedRunsNothing(t *testing.T) {
	t.Parallel()
	e, err := shell.New(t.Context(), shell.Options{CacheDir: cacheDir(), Slots: 1})
	require.NoError(t, err)
	o, err := e.Run(t.Context(), sandbox.Job{Source: "echo a"})
	require.NoError(t, err)
	require.Equal(t, "a\n", o.Stdout)
	require.NoError(t, e.Close(t.Context()))
	require.NoError(t, e.Close(t.Context()))
	_, err = e.Run(t.Context(), sandbox.Job{Source: "echo a"})
	require.ErrorIs(t, err, shell.ErrClosed)
}

func TestAFolderThatOthersMayWriteToHoldsNoCode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o777))
	e, err := shell.New(t.Context(), shell.Options{CacheDir: dir})
	require.NoError(t, err)
	_, err = e.Run(t.Context(), sandbox.Job{Source: "echo a"})
	require.ErrorContains(t, err, "others may write")
}

// A recorder remembers requests and gives one answer.
type recorder struct {
	mu       sync.Mutex
	requests []sandbox.Request
	answer   sandbox.Response
	err      error
}

func (r *recorder) Fetch(_ context.Context, q sandbox.Request) (sandbox.Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, q)
	return r.answer, r.err
}

func TestCurl(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		script  string
		answer  sandbox.Response
		err     error
		stdout  string
		code    int
		request sandbox.Request
	}{
		"prints the body": {
			script: "curl -s https://a.example/x", answer: sandbox.Response{Status: 200, Body: []byte("hi\x00\xff")}, stdout: "hi\x00\uFFFD",
			request: sandbox.Request{Method: "GET", URL: "https://a.example/x"},
		},
		"sends data, headers and a method": {
			script: `curl -sX PUT -H 'A: b' -H 'Content-Type: application/json' --data-raw '{"a":1}' https://a.example; echo 'x' > f; :`,
			answer: sandbox.Response{Status: 200},
			request: sandbox.Request{
				Method:  "PUT",
				URL:     "https://a.example",
				Headers: map[string]string{"A": "b", "Content-Type": "application/json"},
				Body:    []byte(`{"a":1}`),
			},
		},
		"joins data and reads files": {
			script: "echo c=d > f; curl -s -d a=b -d @f --data-urlencode 'e=f g' https://a.example", answer: sandbox.Response{Status: 200},
			request: sandbox.Request{
				Method:  "POST",
				URL:     "https://a.example",
				Headers: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
				Body:    []byte("a=b&c=d&e=f+g"),
			},
		},
		"puts data into the query": {
			script: "curl -sG -d a=b 'https://a.example?x=y'", answer: sandbox.Response{Status: 200},
			request: sandbox.Request{Method: "GET", URL: "https://a.example?x=y&a=b"},
		},
		"fails on a status": {
			script: "curl -sf https://a.example", answer: sandbox.Response{Status: 404, Body: []byte("no")}, code: 22,
			request: sandbox.Request{Method: "GET", URL: "https://a.example"},
		},
		"writes out and to a file": {
			script: `curl -s -o f -w '%{http_code} %{content_type}\n' https://a.example; cat f`,
			answer: sandbox.Response{
				Status:  201,
				Headers: map[string]string{"content-type": "text/x"},
				Body:    []byte("body"),
			},
			stdout:  "201 text/x\nbody",
			request: sandbox.Request{Method: "GET", URL: "https://a.example"},
		},
		"takes the name of the remote file": {
			script: "curl -sO https://a.example/d/file.txt?x; cat file.txt", answer: sandbox.Response{Status: 200, Body: []byte("b")}, stdout: "b",
			request: sandbox.Request{Method: "GET", URL: "https://a.example/d/file.txt?x"},
		},
		"shows headers": {
			script:  "curl -sI https://a.example | tr -d '\\r'",
			answer:  sandbox.Response{Status: 204, StatusText: "No Content", Headers: map[string]string{"B": "2", "A": "1"}},
			stdout:  "HTTP/1.1 204 No Content\nA: 1\nB: 2\n\n",
			request: sandbox.Request{Method: "HEAD", URL: "https://a.example"},
		},
		"feeds jq": {
			script: "curl -fsS https://a.example | jq -r .a", answer: sandbox.Response{Status: 200, Body: []byte(`{"a":"b"}`)}, stdout: "b\n",
			request: sandbox.Request{Method: "GET", URL: "https://a.example"},
		},
		"sends a user": {
			script: "curl -s -u a:b https://a.example", answer: sandbox.Response{Status: 200},
			request: sandbox.Request{Method: "GET", URL: "https://a.example", Headers: map[string]string{"Authorization": "Basic YTpi"}},
		},
		"says what the policy refuses": {
			script: "curl -sS https://a.example 2>&1", err: errors.New("not on the list"), stdout: "curl: (7) not on the list\n", code: 7,
			request: sandbox.Request{Method: "GET", URL: "https://a.example"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &recorder{answer: c.answer, err: c.err}
			o := run(t, sandbox.Job{Source: c.script, Fetch: r})
			require.Equal(t, sandbox.OK, o.Kind, "%+v", o.Failure)
			require.Equal(t, c.stdout, o.Stdout, "stderr: %s", o.Stderr)
			require.Equal(t, c.code, o.ExitCode)
			require.Len(t, r.requests, 1)
			require.Equal(t, 1, o.HostCalls)
			got := r.requests[0]
			require.Equal(t, string(c.request.Body), string(got.Body))
			if len(c.request.Headers) == 0 {
				require.Empty(t, got.Headers)
			} else {
				require.Equal(t, c.request.Headers, got.Headers)
			}
			require.Equal(t, c.request.Method+" "+c.request.URL, got.Method+" "+got.URL)
		})
	}
	t.Run("has no network without a fetcher", func(t *testing.T) {
		t.Parallel()
		o := run(t, sandbox.Job{Source: "curl -sS https://a.example; echo $?"})
		require.Equal(t, "7\n", o.Stdout)
		require.Contains(t, o.Stderr, "no access to the network")
	})
	t.Run("refuses what it does not do", func(t *testing.T) {
		t.Parallel()
		r := &recorder{}
		o := run(t, sandbox.Job{Source: "for x in -L -k '-F a=b' -v; do curl -s $x https://a.example; echo $?; done 2> /dev/null", Fetch: r})
		require.Equal(t, "2\n2\n2\n2\n", o.Stdout)
		require.Empty(t, r.requests)
	})
}

// None is answered before all have been asked.
func TestRequestsInTheBackgroundRunAtTheSameTime(t *testing.T) {
	t.Parallel()
	var underway sync.WaitGroup
	underway.Add(8)
	o := run(t, sandbox.Job{
		Source: "for i in 1 2 3 4 5 6 7 8; do curl -s https://a.example & done; wait",
		Fetch: asked(func(context.Context) (string, error) {
			underway.Done()
			underway.Wait()
			return "x", nil
		}),
	})
	require.Equal(t, "xxxxxxxx", o.Stdout, "%+v", o.Failure)
}

// A request ends with the time of its job. Whether the script or the deadline hears of it first is a race, which the script
// may not win.
func TestTheDeadlineOfAJobIsNoAnswerToItsRequests(t *testing.T) {
	t.Parallel()
	for range 20 {
		o := run(t, sandbox.Job{
			Source: "curl -s https://a.example || echo went on", Limits: sandbox.Limits{Timeout: 50 * time.Millisecond},
			Fetch: asked(func(ctx context.Context) (string, error) {
				<-ctx.Done()
				return "", ctx.Err()
			}),
		})
		require.Equal(t, sandbox.Timeout, o.Kind, "%+v", o)
		require.Empty(t, o.Stdout)
	}
}

func TestCurlGivesUpAfterItsTime(t *testing.T) {
	t.Parallel()
	never := asked(func(ctx context.Context) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	o := run(t, sandbox.Job{Source: "curl -s -m 0.05 https://a.example; echo $?", Fetch: never})
	require.Equal(t, "28\n", o.Stdout)
}

func TestHostCallsAreLimited(t *testing.T) {
	t.Parallel()
	r := &recorder{answer: sandbox.Response{Status: 200, Body: make([]byte, 1<<20)}}
	o := run(
		t,
		sandbox.Job{Source: "for i in $(seq 10); do curl -s https://a.example > /dev/null; done", Fetch: r, Limits: sandbox.Limits{HostCalls: 3}},
	)
	require.Equal(t, sandbox.HostCalls, o.Kind)
	require.Equal(t, 3, o.HostCalls)
	require.Len(t, r.requests, 3)
	require.Contains(t, o.Failure.Message, "3 requests")
	o = run(
		t,
		sandbox.Job{
			Source: "for i in $(seq 10); do curl -s https://a.example > /dev/null; done",
			Fetch:  r,
			Limits: sandbox.Limits{HostBytes: 2 << 20},
		},
	)
	require.Equal(t, sandbox.HostCalls, o.Kind)
	require.Contains(t, o.Failure.Message, "bytes")
}
