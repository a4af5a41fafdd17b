package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/mcp/endpoint"
	"countersign/app/apptest"
)

// The suite of those who make the protocol, against the product with the fixtures that its scenarios call. It is a package of npm, so
// `make conformance` installs it, and names the folder. What is expected to fail stands in a file for each revision, with
// its reason.
func TestConformance(t *testing.T) { //nolint:tparallel // its parts share one installation, whose lists they change
	t.Parallel()
	s := conformanceSuite(t)
	f := &fixtures{}
	p := apptest.Start(t, apptest.Options{Modules: []any{f}, Env: map[string]string{"COUNTERSIGN_STREAM_HEARTBEAT": "200ms"}})
	c := p.Application(t, p.Role(t, everyRule(t, p)...))
	var changes atomic.Int32
	f.changeTools = func(ctx context.Context) error {
		// Once on, once off.
		return made(p.Admin.Send(ctx, http.MethodPatch, "/api/ai/policies/ai.listDocs", map[string]any{"enabled": changes.Add(1)%2 == 0}))
	}
	f.changePrompts = func(ctx context.Context) error {
		return made(c.Send(ctx, http.MethodPost, "/api/ai/skills", map[string]any{
			"name": "Skill " + uuid.NewString(), "description": "New", "targets": []string{"chat"}, "systemPrompt": "Be new.",
		}))
	}
	door := opened(t, p, c)
	for _, revision := range []string{"2026-07-28", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			baseline, err := filepath.Abs("conformance-" + revision + ".yml")
			require.NoError(t, err)
			s.run(t, door, "--requirements", revision, "--expected-failures", baseline)
		})
	}
}

// suite is the folder of the suite's programs, and of the other ones that npm installs with it.
type suite string

func conformanceSuite(t *testing.T) suite {
	t.Helper()
	folder := os.Getenv("COUNTERSIGN_TEST_CONFORMANCE")
	if folder == "" {
		t.Skip("COUNTERSIGN_TEST_CONFORMANCE is not set: run `make conformance`")
	}
	return suite(filepath.Join(folder, "node_modules", ".bin"))
}

// command is one of them, with the Node.js that it needs.
func (s suite) command(t *testing.T, name string, arguments ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(string(s), name), arguments...)
	command.Env = append(os.Environ(), "PATH="+string(s)+string(os.PathListSeparator)+os.Getenv("PATH"))
	return command
}

// opened is an address of the product where everybody is the client: the suite has no tokens for servers. What it sends
// is not changed otherwise.
func opened(t *testing.T, p *apptest.Product, c *apptest.Client) string {
	t.Helper()
	address, err := url.Parse(p.URL)
	require.NoError(t, err)
	door := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(address)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+c.Token())
	}})
	t.Cleanup(func() {
		door.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return door.URL
}

// run runs what the arguments choose.
func (s suite) run(t *testing.T, door string, arguments ...string) {
	t.Helper()
	output := t.TempDir()
	command := s.command(t, "conformance", append([]string{"server", "--url", door + endpoint.Path, "--output-dir", output}, arguments...)...)
	command.Dir = output
	said, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%q: %v\n%s\n%s", arguments, err, said, failures(t, output))
	}
}

// made is an error when a request was refused.
func made(answer apptest.Answer, err error) error {
	if err == nil && answer.Status >= http.StatusMultipleChoices {
		err = fmt.Errorf("%d %s", answer.Status, answer.Body)
	}
	return err
}

// failures are the checks that have failed, of the scenarios in a folder.
func failures(t *testing.T, output string) (lines string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(output, "*", "checks.json"))
	require.NoError(t, err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		var checks []struct {
			ID      string `json:"id"`
			Status  string `json:"status"`
			Message string `json:"errorMessage"`
		}
		require.NoError(t, json.Unmarshal(raw, &checks))
		for _, check := range checks {
			if check.Status == "FAILURE" || check.Status == "WARNING" {
				lines += filepath.Base(filepath.Dir(file)) + " " + check.ID + ": " + check.Message[:min(len(check.Message), 300)] + "\n"
			}
		}
	}
	return lines
}
