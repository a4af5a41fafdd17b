package mcpserver_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"countersign/api/apitest"
)

func TestTheServersConform(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	apitest.Conform(t, apitest.Subject{
		Server: a.Server, Module: a.Module, Foreign: []string{"vault.secret.read"},
		Records: []apitest.Record{{
			Path: servers, Change: object{"name": "Changed"}, New: func(n int) object {
				// Each text in each field makes one, and there can be 200.
				if n%150 == 0 {
					a.Exec(t, `DELETE FROM mcp_servers`)
				}
				return object{
					"slug":    fmt.Sprintf("s%d-%s", n, uuid.NewString()[:8]),
					"name":    fmt.Sprint("Server ", n),
					"address": "https://mcp.example.org/mcp",
					"auth":    "oauth",
				}
			},
			Parts: object{
				"/tools":             object{"tools": []object{}},
				"/tools/{tool}/call": object{"args": object{}},
			},
		}},
		Unpaged: map[string]string{
			servers: "an administrator adds a handful", servers + "/{id}/tools": "at most 128",
		},
	})
}
