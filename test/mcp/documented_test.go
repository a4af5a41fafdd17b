package mcp_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"countersign/app/apptest"
)

var (
	fenced    = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```")
	addressed = regexp.MustCompile(`https://countersign\.example\.com[^\s'",\]]*`)
)

// The pages about clients have configurations in them. Each is one that its format reads, and each address in it is
// served: an endpoint of MCP lists tools, and one of the OpenAI protocol the model that is configured.
func TestTheConfigurationsOfClientsAreServed(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	c := p.Application(t, p.Role(t, "ai.chat.read", "catalog.system.read"))
	asked := map[string]int{}
	for page, least := range map[string]int{
		"connect-an-editor": 8, "use-open-webui-or-librechat": 3,
		"chat-from-a-library": 6, "connect-an-mcp-client": 1,
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", "how-to", page+".md"))
		require.NoError(t, err)
		blocks := fenced.FindAllStringSubmatch(string(text), -1)
		require.GreaterOrEqual(t, len(blocks), least, page)
		for _, block := range blocks {
			language, body := block[1], block[2]
			var document any
			switch language {
			case "json":
				require.NoError(t, json.Unmarshal([]byte(body), &document), "%s\n%s", page, body)
				serversAreNamed(t, body, document)
			case "yaml":
				require.NoError(t, yaml.Unmarshal([]byte(body), &document), "%s\n%s", page, body)
			default:
				require.Contains(t, []string{"sh", "ts", "python"}, language, page)
			}
			addresses := addressed.FindAllString(body, -1)
			require.NotEmpty(t, addresses, "%s\n%s", page, body)
			for _, address := range addresses {
				u, err := url.Parse(address)
				require.NoError(t, err)
				asked[u.Path]++
				isServed(t, p, c, u.Path, body)
			}
		}
	}
	require.Positive(t, asked["/mcp"])
	require.Positive(t, asked["/v1"])
	require.Len(t, asked, 2)
}

// isServed asks an address as the client does whose configuration has it.
func isServed(t *testing.T, p *apptest.Product, c *apptest.Client, path, body string) {
	t.Helper()
	switch path {
	case "/mcp":
		message, headers := request("tools/list", "", map[string]any{})
		require.Nil(t, rpc(t, post(t, p, c.Token(), message, headers...)).Error)
		require.Equal(t, http.StatusUnauthorized, post(t, p, "", message, headers...).Status, "what signs people in is asked to")
	case "/v1":
		var list struct {
			Data []struct{ ID string }
		}
		c.Get(t, "/v1/models", &list)
		require.True(t, slices.ContainsFunc(list.Data, func(m struct{ ID string }) bool { return m.ID == "countersign" }))
		crossSite := apptest.Header{Name: "Sec-Fetch-Site", Value: "cross-site"}
		require.Equal(t, http.StatusForbidden, c.Call(t, http.MethodPost, "/v1/chat/completions", map[string]any{},
			crossSite).Status, "a browser elsewhere")
		require.True(t, strings.Contains(body, "countersign") && !strings.Contains(body, "/v1/"),
			"clients add the rest of the path\n%s", body)
	default:
		require.Fail(t, "a page names another address", "%s\n%s", path, body)
	}
}

// serversAreNamed compares the members of a configuration with those that the client reads.
func serversAreNamed(t *testing.T, body string, document any) {
	t.Helper()
	top, ok := document.(map[string]any)
	require.True(t, ok, body)
	known := []string{"servers", "inputs", "mcpServers", "context_servers", "language_models"}
	for name, value := range top {
		require.Contains(t, known, name, body)
		servers, ok := value.(map[string]any)
		if !ok || name == "language_models" {
			continue
		}
		server, ok := servers["countersign"].(map[string]any)
		require.True(t, ok, body)
		if name == "servers" {
			require.Equal(t, "http", server["type"], body)
		}
		require.True(t, server["url"] != nil || server["command"] == "npx", body)
	}
}
