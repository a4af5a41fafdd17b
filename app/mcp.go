package app

import (
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/api"
	"countersign/api/mcp/calls"
	"countersign/api/mcp/endpoint"
	"countersign/internal/store/quota"
)

// buildMCP constructs the endpoint of MCP clients.
func (a *App) buildMCP(p *parts) (*endpoint.Endpoint, error) {
	var more []func(*mcp.Server)
	for _, m := range p.list.Protocols() {
		more = append(more, m.Protocol)
	}
	running := calls.New(a.db)
	a.listener.Subscribe(running.Subscriptions())
	e, err := endpoint.New(endpoint.Options{
		Log:           a.log,
		Authenticator: p.auth.Authenticator,
		Registry:      p.registry,
		Invoke:        p.invoke,
		Proposals:     p.proposals,
		Calls:         running,
		Quota:         p.quota,
		Waits: quota.Kind{
			Name:       "mcp wait",
			Plural:     "calls that wait for a decision",
			Max:        a.config.MaxOpenStreams,
			TTL:        2 * time.Minute,
			RetryAfter: 10 * time.Second,
		},
		Streams: a.streams(
			"mcp listener",
			"MCP clients listening",
		),
		OlderStreams: a.streams("mcp stream", "streams of MCP clients"),
		Heartbeat:    a.config.StreamHeartbeat,
		ListBurst:    a.config.MCPLists,
		Trusts:       p.mcp.Trusts,
		Extensions:   more,
		Challenge:    p.auth.Authenticator.Challenge,
		Rule:         api.ChatRule,
		URL:          a.config.URL,
		StateKey:     p.keys.Derive("mcp request states"),
		Now:          a.db.Now,
		Version:      Version,
	})
	if err != nil {
		return nil, fmt.Errorf("endpoint of MCP clients: %w", err)
	}
	return e, nil
}
