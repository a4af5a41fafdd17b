package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/modules/mcpserver"
	"countersign/tool/proposal"
)

// The reference server of those who make the protocol, behind the product: its tools are taken, accepted, read and changed with.
func TestTheStockServerBehindTheProduct(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("COUNTERSIGN_TEST_CONFORMANCE")
	if folder == "" {
		t.Skip("COUNTERSIGN_TEST_CONFORMANCE is not set: run `make conformance`")
	}
	bin := filepath.Join(folder, "node_modules", ".bin")
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := free.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // it listens on TCP
	require.NoError(t, free.Close())
	server := exec.CommandContext(t.Context(), filepath.Join(bin, "mcp-server-everything"), "streamableHttp")
	server.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), fmt.Sprint("PORT=", port))
	var said bytes.Buffer
	server.Stdout, server.Stderr = &said, &said
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})

	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_EGRESS_ALLOW": "127.0.0.1"}})
	var added mcpserver.Server
	p.Admin.Post(t, "/api/mcp/servers", map[string]any{"slug": "everything", "name": "Everything", "address": fmt.Sprintf("http://127.0.0.1:%d/mcp", port)}, &added)
	path := "/api/mcp/servers/" + added.ID.String()
	apptest.Eventually(t, "the server answers", func() bool { return p.Admin.Call(t, http.MethodPost, path+"/refresh", nil).Status == http.StatusOK })
	p.Admin.Get(t, path, &added)
	require.Empty(t, added.LeftOut)
	var list struct{ Tools []mcpserver.Tool }
	p.Admin.Get(t, path+"/tools", &list)
	require.Greater(t, len(list.Tools), 5)
	choices := []any{}
	for _, one := range list.Tools {
		effect := "read"
		if one.ID == "get-sum" {
			effect = "mutate"
		}
		choices = append(choices, map[string]any{"id": one.ID, "hash": one.Hash, "effect": effect, "trusted": true})
	}
	require.Equal(t, http.StatusOK, p.Admin.Call(t, http.MethodPut, path+"/tools", map[string]any{"tools": choices}).Status)

	call := func(id string, args any) mcpserver.Called {
		var answer mcpserver.Called
		p.Admin.Post(t, path+"/tools/"+id+"/call", map[string]any{"args": args}, &answer)
		require.True(t, answer.OK, "%s: %+v", id, answer)
		return answer
	}
	require.Contains(t, call("echo", map[string]any{"message": "hello"}).Text, "hello")
	require.NotEmpty(t, call("get-tiny-image", map[string]any{}).LeftOut)
	require.NotEmpty(t, call("get-structured-content", map[string]any{"location": "New York"}).Structured)
	require.NotEmpty(t, call("trigger-long-running-operation", map[string]any{"duration": 1, "steps": 2}).Text)

	card := p.Admin.Propose(t, "mcp.everything.get-sum", map[string]any{"a": 2, "b": 40})
	card = p.Admin.Apply(t, card.ProposalID)
	require.Equal(t, proposal.Applied, card.Status, "%+v", card.Error)
	var result mcpserver.Called
	require.NoError(t, json.Unmarshal(card.Result, &result))
	require.Contains(t, result.Text, "42")
}
