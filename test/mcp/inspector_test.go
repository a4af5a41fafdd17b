package mcp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/mcp/endpoint"
	"countersign/tool/proposal"
)

// The inspector of those who make the protocol lists everything, finds nothing in the schemas that other clients could not read,
// reads, proposes, applies and hears of it: as a client of the older revisions, with their handshake, and of the newest, without.
func TestTheInspector(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			inspected(t, era)
		})
	}
}

func inspected(t *testing.T, era string) {
	t.Helper()
	folder := os.Getenv("COUNTERSIGN_TEST_CONFORMANCE")
	if folder == "" {
		t.Skip("COUNTERSIGN_TEST_CONFORMANCE is not set: run `make conformance`")
	}
	bin := filepath.Join(folder, "node_modules", ".bin")
	p := apptest.Start(t, apptest.Options{})
	c := p.Application(t, p.Role(t, everyRule(t, p)...))
	home := t.TempDir()
	inspect := func(arguments ...string) []byte {
		arguments = append([]string{"--cli", p.URL + endpoint.Path, "--protocol-era", era, "--header", "Authorization: Bearer " + c.Token()}, arguments...)
		inspector := exec.CommandContext(t.Context(), filepath.Join(bin, "mcp-inspector"), arguments...)
		inspector.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+home)
		var said, complained bytes.Buffer
		inspector.Stdout, inspector.Stderr = &said, &complained
		err := inspector.Run()
		require.NoError(t, err, "%.4000s\n%.2000s", complained.String(), said.String())
		return said.Bytes()
	}
	var tools struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	require.NoError(t, json.Unmarshal(inspect("--method", "tools/list", "--strict"), &tools))
	require.Greater(t, len(tools.Tools), 50, "more than a page")
	require.Contains(t, string(inspect("--method", "resources/templates/list")), "countersign://systems/{system}")
	require.Contains(t, string(inspect("--method", "resources/read", "--uri", "countersign://docs/reference/mcp")), "Who may")
	require.NotEmpty(t, inspect("--method", "prompts/list"))
	require.Contains(t, string(inspect("--method", "tools/call", "--tool-name", "ai_searchDocs", "--tool-arg", "query=proposals")), "slug")

	var proposed struct {
		StructuredContent endpoint.Outcome `json:"structuredContent"`
	}
	require.NoError(t, json.Unmarshal(inspect("--method", "tools/call", "--tool-name", "catalog_createSystem", "--tool-arg", "name=Inspected"), &proposed))
	require.Equal(t, proposal.Proposed, proposed.StructuredContent.Status)
	require.NoError(t, json.Unmarshal(inspect("--method", "tools/call", "--tool-name", "proposal_apply", "--tool-arg", "token="+proposed.StructuredContent.Token), &proposed))
	require.Equal(t, proposal.Applied, proposed.StructuredContent.Status)
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM catalog_systems WHERE name = 'Inspected'`))
}
