package storetest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/store"
)

// envProcess names the variable with the database of a child process.
const envProcess = "COUNTERSIGN_TEST_PROCESS_DATABASE_URL"

// answerMark begins the lines of a child that are answers; the rest is the test framework's own.
const answerMark = "answer: "

// Process is an operating system process that works for a test: the test binary again, with a pool of its own.
type Process struct {
	process  *os.Process
	requests io.WriteCloser
	answers  *bufio.Scanner
}

// Processes starts n processes that run nothing but the calling test. In each of them this function does not return to
// the test: it answers the requests of the parent with serve, until the parent ends. All use the database at url.
func Processes(
	t *testing.T,
	url func(testing.TB) string,
	n int,
	serve func(db *store.DB, request string) string,
) (database string, processes []*Process) {
	t.Helper()
	if database = os.Getenv(envProcess); database != "" {
		serveParent(t, database, serve)
		t.SkipNow()
	}
	database = url(t)
	for range n {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v") //nolint:gosec // the test binary itself
		child.Env = append(os.Environ(), envProcess+"="+database)
		child.Stderr = os.Stderr
		requests, err := child.StdinPipe()
		require.NoError(t, err)
		answers, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		t.Cleanup(func() {
			_ = requests.Close()
			_, _ = io.Copy(io.Discard, answers)
			_ = child.Wait()
		})
		processes = append(processes, &Process{process: child.Process, requests: requests, answers: bufio.NewScanner(answers)})
	}
	return database, processes
}

func serveParent(t *testing.T, database string, serve func(db *store.DB, request string) string) {
	t.Helper()
	db, err := store.Open(t.Context(), database, store.Options{MaxConns: 8})
	require.NoError(t, err)
	defer db.Close()
	requests := bufio.NewScanner(os.Stdin)
	for requests.Scan() {
		_, err := fmt.Fprintln(os.Stdout, answerMark+serve(db, requests.Text()))
		require.NoError(t, err)
	}
}

// Ask sends the same request to all processes, so that they work on it at the same time, and returns their answers.
func Ask(t *testing.T, processes []*Process, request string) []string {
	t.Helper()
	for _, p := range processes {
		p.Send(t, request)
	}
	answers := make([]string, len(processes))
	for i, p := range processes {
		answers[i] = p.answer(t)
	}
	return answers
}

// Send sends a request without waiting for its answer, for a process that is to die of it.
func (p *Process) Send(t testing.TB, request string) {
	t.Helper()
	_, err := io.WriteString(p.requests, request+"\n")
	require.NoError(t, err)
}

// Signal sends a signal to the process, to suspend or kill it.
func (p *Process) Signal(t testing.TB, signal os.Signal) {
	t.Helper()
	require.NoError(t, p.process.Signal(signal))
}

func (p *Process) answer(t *testing.T) string {
	t.Helper()
	for p.answers.Scan() {
		if answer, ok := strings.CutPrefix(p.answers.Text(), answerMark); ok {
			return answer
		}
	}
	require.Fail(t, "a process has ended before the test")
	return ""
}
