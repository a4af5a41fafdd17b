package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/egress/porttest"
	"countersign/modules/mcpserver"
	"countersign/tool/proposal"
)

// The reference servers of those who make the protocol, behind the product: their tools are taken, accepted, read and changed with.
func TestStockServersBehindTheProduct(t *testing.T) {
	t.Parallel()
	programs := conformanceSuite(t)
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_EGRESS_ALLOW": "127.0.0.1"}})
	for name, try := range map[string]func(*testing.T, *apptest.Product, suite){
		"everything": everythingIsUsed, "files": filesAreWritten, "memory": aMemoryIsKept, "budget": aBudgetIsRead,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			try(t, p, programs)
		})
	}
}

func everythingIsUsed(t *testing.T, p *apptest.Product, programs suite) {
	port := porttest.Free(t)
	serve(t, programs, []string{fmt.Sprint("PORT=", port)}, "mcp-server-everything", "streamableHttp")
	s := take(t, p, "everything", port, map[string]string{"get-sum": "mutate"})
	require.Greater(t, len(s.tools), 5)
	require.Contains(t, s.call(t, "echo", map[string]any{"message": "hello"}).Text, "hello")
	require.NotEmpty(t, s.call(t, "get-tiny-image", map[string]any{}).LeftOut)
	require.NotEmpty(t, s.call(t, "get-structured-content", map[string]any{"location": "New York"}).Structured)
	require.NotEmpty(t, s.call(t, "trigger-long-running-operation", map[string]any{"duration": 1, "steps": 2}).Text)
	require.Contains(t, s.change(t, "get-sum", map[string]any{"a": 2, "b": 40}).Text, "42")
}

// A file is written once somebody has agreed, and not before.
func filesAreWritten(t *testing.T, p *apptest.Product, programs suite) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	port := porttest.Free(t)
	bridge(t, programs, port, "mcp-server-filesystem", folder)
	s := take(t, p, "files", port, map[string]string{"write_file": "destructive"})
	note := filepath.Join(folder, "note.txt")
	card := p.Admin.Propose(t, "mcp.files.write_file", map[string]any{"path": note, "content": "Countersigned"})
	require.Equal(t, proposal.Proposed, card.Status)
	require.NoFileExists(t, note)
	require.Equal(t, proposal.Applied, p.Admin.Apply(t, card.ProposalID).Status)
	written, err := os.ReadFile(note)
	require.NoError(t, err)
	require.Equal(t, "Countersigned", string(written))
	require.Contains(t, s.call(t, "read_text_file", map[string]any{"path": note}).Text, "Countersigned")
	outside := s.answer(t, "read_text_file", map[string]any{"path": "/etc/hostname"})
	require.False(t, outside.OK, "what the server refuses is a result that says so: %+v", outside)
}

func aMemoryIsKept(t *testing.T, p *apptest.Product, programs suite) {
	port := porttest.Free(t)
	bridge(t, programs, port, "mcp-server-memory")
	s := take(t, p, "memory", port, map[string]string{"create_entities": "mutate"})
	s.change(
		t,
		"create_entities",
		map[string]any{
			"entities": []any{map[string]any{"name": "Payments", "entityType": "system", "observations": []any{"is slow on Mondays"}}},
		},
	)
	require.Contains(t, string(s.call(t, "search_nodes", map[string]any{"query": "Payments"}).Structured), "slow on Mondays")
}

// A server of the newest revision, whose tools come with pages of their own, which are no part of a result.
func aBudgetIsRead(t *testing.T, p *apptest.Product, programs suite) {
	port := porttest.Free(t)
	serve(t, programs, []string{fmt.Sprint("PORT=", port)}, "mcp-budget-allocator-server")
	s := take(t, p, "budget", port, nil)
	require.NotEmpty(t, s.call(t, "get-budget-data", map[string]any{}).Structured)
}

// stocked is a server that the product has taken.
type stocked struct {
	p          *apptest.Product
	slug, path string
	tools      []mcpserver.Tool
}

// take adds the server at a port and accepts its tools, trusted and as reads but for those of effects.
func take(t *testing.T, p *apptest.Product, slug string, port int, effects map[string]string) stocked {
	t.Helper()
	var added mcpserver.Server
	p.Admin.Post(
		t,
		"/api/mcp/servers",
		map[string]any{"slug": slug, "name": slug, "address": fmt.Sprintf("http://127.0.0.1:%d/mcp", port)},
		&added,
	)
	s := stocked{p: p, slug: slug, path: "/api/mcp/servers/" + added.ID.String()}
	apptest.Eventually(
		t,
		"the server answers",
		func() bool { return p.Admin.Call(t, http.MethodPost, s.path+"/refresh", nil).Status == http.StatusOK },
	)
	p.Admin.Get(t, s.path, &added)
	require.Empty(t, added.LeftOut)
	var list struct{ Tools []mcpserver.Tool }
	p.Admin.Get(t, s.path+"/tools", &list)
	choices := []any{}
	for _, one := range list.Tools {
		effect := "read"
		if other := effects[one.ID]; other != "" {
			effect = other
		}
		choices = append(choices, map[string]any{"id": one.ID, "hash": one.Hash, "effect": effect, "trusted": true})
	}
	answer := p.Admin.Call(t, http.MethodPut, s.path+"/tools", map[string]any{"tools": choices})
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	s.tools = list.Tools
	return s
}

func (s stocked) answer(t *testing.T, id string, args any) (answer mcpserver.Called) {
	t.Helper()
	s.p.Admin.Post(t, s.path+"/tools/"+id+"/call", map[string]any{"args": args}, &answer)
	return answer
}

func (s stocked) call(t *testing.T, id string, args any) mcpserver.Called {
	t.Helper()
	answer := s.answer(t, id, args)
	require.True(t, answer.OK, "%s: %+v", id, answer)
	return answer
}

// change proposes a call and applies it.
func (s stocked) change(t *testing.T, id string, args any) (result mcpserver.Called) {
	t.Helper()
	card := s.p.Admin.Propose(t, "mcp."+s.slug+"."+id, args)
	card = s.p.Admin.Apply(t, card.ProposalID)
	require.Equal(t, proposal.Applied, card.Status, "%+v", card.Error)
	require.NoError(t, json.Unmarshal(card.Result, &result))
	require.True(t, result.OK, "%s: %+v", id, result)
	return result
}

// bridge serves a server that speaks on its standard streams.
func bridge(t *testing.T, programs suite, port int, command ...string) {
	t.Helper()
	serve(
		t,
		programs,
		[]string{"MEMORY_FILE_PATH=" + filepath.Join(t.TempDir(), "memory.jsonl")},
		"mcp-proxy",
		append(
			[]string{"--host", "127.0.0.1", "--port", fmt.Sprint(port), "--server", "stream", "--", filepath.Join(string(programs), command[0])},
			command[1:]...)...)
}

// serve runs a program of npm until the test ends.
func serve(t *testing.T, programs suite, env []string, name string, args ...string) {
	t.Helper()
	server := programs.command(t, name, args...)
	server.Env = append(server.Env, env...)
	var said bytes.Buffer
	server.Stdout, server.Stderr = &said, &said
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		if t.Failed() {
			t.Logf("%s said: %s", name, said.String())
		}
	})
}
