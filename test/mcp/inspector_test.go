package mcp_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/stretchr/testify/require"

	"countersign/api/mcp/endpoint"
	"countersign/app/apptest"
	"countersign/internal/egress/porttest"
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
	p := apptest.Start(t, apptest.Options{})
	c := p.Application(t, p.Role(t, everyRule(t, p)...))
	i := newInspector(t, p.URL)
	inspect := func(arguments ...string) []byte {
		return i.run(t, nil, append([]string{"--protocol-era", era, "--header", "Authorization: Bearer " + c.Token()}, arguments...)...)
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
	require.NoError(
		t,
		json.Unmarshal(inspect("--method", "tools/call", "--tool-name", "catalog_createSystem", "--tool-arg", "name=Inspected"), &proposed),
	)
	require.Equal(t, proposal.Proposed, proposed.StructuredContent.Status)
	require.NoError(
		t,
		json.Unmarshal(
			inspect("--method", "tools/call", "--tool-name", "proposal_apply", "--tool-arg", "token="+proposed.StructuredContent.Token),
			&proposed,
		),
	)
	require.Equal(t, proposal.Applied, proposed.StructuredContent.Status)
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM catalog_systems WHERE name = 'Inspected'`))
}

// The inspector finds out by the address alone how its person signs in, and keeps what it was given; what it asks for
// then is decided about in the app. Its command line cannot ask anybody itself.
func TestTheInspectorSignsItsPersonIn(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := &signedIn{Client: p.Person(t, p.Role(t, "catalog.system.read", "catalog.system.manage")), p: p}
	i := newInspector(t, known(p))
	callback := fmt.Sprintf("http://127.0.0.1:%d/oauth/callback", porttest.Free(t))
	first := i.run(t, func(address string) {
		answer, err := ada.allow(t)(t.Context(), &sdkauth.AuthorizationArgs{URL: address})
		require.NoError(t, err)
		back, err := http.Get(callback + "?" + url.Values{"code": {answer.Code}, "state": {answer.State}, "iss": {answer.Iss}}.Encode())
		require.NoError(t, err)
		require.NoError(t, back.Body.Close())
	}, "--callback-url", callback, "--method", "tools/list")
	require.Contains(t, string(first), "catalog_createSystem")
	require.Equal(t, 1, ada.asked)

	call := func(name, argument string) endpoint.Outcome {
		var answer struct {
			StructuredContent endpoint.Outcome `json:"structuredContent"`
		}
		require.NoError(
			t,
			json.Unmarshal(i.run(t, nil, "--stored-auth-only", "--method", "tools/call", "--tool-name", name, "--tool-arg", argument), &answer),
		)
		return answer.StructuredContent
	}
	asked := call("catalog_createSystem", "name=By the inspector")
	require.Equal(t, proposal.Proposed, asked.Status)
	require.Empty(t, asked.Token)
	ada.Apply(t, asked.ProposalID)
	require.Equal(t, proposal.Applied, call("proposal_wait", "proposalId="+asked.ProposalID.String()).Status)
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM catalog_systems WHERE name = 'By the inspector'`))
	require.Equal(t, 1, ada.asked, "once")
}

// inspector is the command line of the inspector for one server, with what it keeps.
type inspector struct {
	suite

	address, home string
}

func newInspector(t *testing.T, address string) inspector {
	t.Helper()
	return inspector{conformanceSuite(t), address + endpoint.Path, t.TempDir()}
}

// run is what it answers. browse is told where the browser of its person goes; nil for whoever has none.
func (i inspector) run(t *testing.T, browse func(address string), arguments ...string) []byte {
	t.Helper()
	cmd := i.command(t, "mcp-inspector", append([]string{"--cli", i.address}, arguments...)...)
	cmd.Env = append(cmd.Env, "HOME="+i.home, "BROWSER=true", "MCP_INSPECTOR_SECRET_STORE=file")
	if browse != nil {
		cmd.Env = append(cmd.Env, "MCP_AUTO_OPEN_ENABLED=true")
	}
	var said bytes.Buffer
	cmd.Stdout = &said
	complains, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var complained strings.Builder
	for lines := bufio.NewScanner(complains); lines.Scan(); {
		complained.WriteString(lines.Text() + "\n")
		if _, address, ok := strings.Cut(lines.Text(), "navigate to: "); ok && browse != nil {
			browse(strings.TrimSpace(address))
		}
	}
	require.NoError(t, cmd.Wait(), "%.4000s\n%.2000s", complained.String(), said.String())
	return said.Bytes()
}
