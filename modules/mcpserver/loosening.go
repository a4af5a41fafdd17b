package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/modules/mcpserver/mcpserverdb"
	"countersign/rest"
	"countersign/store"
	"countersign/tool"
)

// identityOf is what an address is for policies: spellings of one address, with another scheme, case, default port, user, dot segments or
// slash at the end, are one.
func identityOf(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return "mcp:" + strings.ToLower(address)
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	if port := u.Port(); port != "" && port != "80" && port != "443" {
		host += ":" + port
	}
	return "mcp:" + strings.ToLower(strings.TrimSuffix(host+path.Clean("/"+u.Path), "/"))
}

// keepIdentities notes what a server and its tools are, for policies.
func (m *Module) keepIdentities(ctx context.Context, id uuid.UUID, address string) error {
	if err := m.queries(ctx).KeepIdentities(ctx, mcpserverdb.KeepIdentitiesParams{ID: id, Address: identityOf(address)}); err != nil {
		return fmt.Errorf("keep what an MCP server is: %w", err)
	}
	return nil
}

// addressLoosening finds the policies of tools at the address that a server gets: another name for them is a way beside the policy.
func (m *Module) addressLoosening(ctx context.Context, input json.RawMessage, set []string) (rest.Loosening, error) {
	var in struct {
		ID      string  `json:"id"`
		Address *string `json:"address"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return rest.Loosening{Widens: true}, nil //nolint:nilerr // the operation refuses what it cannot read
	}
	if in.Address == nil {
		return rest.Loosening{}, nil
	}
	if id, err := uuid.Parse(in.ID); err == nil {
		row, err := m.queries(ctx).Server(ctx, id)
		if store.NoRows(err) || err == nil && identityOf(row.Address) == identityOf(*in.Address) {
			return rest.Loosening{}, nil
		}
		if err != nil {
			return rest.Loosening{}, fmt.Errorf("find an MCP server: %w", err)
		}
	}
	names, err := m.queries(ctx).NamesAtAddress(ctx, mcpserverdb.NamesAtAddressParams{Names: set, Address: identityOf(*in.Address)})
	if err != nil {
		return rest.Loosening{}, fmt.Errorf("find tools at an address: %w", err)
	}
	return rest.Loosening{Policies: names}, nil
}

// severity orders effects: a lower one is held by fewer rules.
var severity = map[tool.Effect]int{tool.Read: 0, tool.Mutate: 1, tool.Destructive: 2}

// choiceLoosening finds the policies that the acceptance of tools loosens: by a lower effect than before, or than that of a tool which
// nobody has accepted yet, and by trust.
func (m *Module) choiceLoosening(ctx context.Context, input json.RawMessage, set []string) (rest.Loosening, error) {
	var in struct {
		ID    string   `json:"id"`
		Tools []Choice `json:"tools"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return rest.Loosening{Widens: true}, nil //nolint:nilerr // the operation refuses what it cannot read
	}
	var l rest.Loosening
	id, err := uuid.Parse(in.ID)
	if err != nil {
		return l, nil //nolint:nilerr // what is no id names no server
	}
	row, err := m.queries(ctx).Server(ctx, id)
	if store.NoRows(err) {
		return l, nil
	}
	if err != nil {
		return l, fmt.Errorf("find an MCP server: %w", err)
	}
	known, err := m.queries(ctx).Tools(ctx, id)
	if err != nil {
		return l, fmt.Errorf("list tools of an MCP server: %w", err)
	}
	for _, c := range in.Tools {
		at := slices.IndexFunc(known, func(t mcpserverdb.McpTool) bool { return t.ToolID == c.ID })
		if at < 0 || !lowers(known[at], c) {
			continue
		}
		l.Widens = true
		names, err := m.queries(ctx).NamesOfTool(ctx, mcpserverdb.NamesOfToolParams{Names: set, Tool: known[at].Name})
		if err != nil {
			return l, fmt.Errorf("find tools of a name: %w", err)
		}
		l.Policies = append(l.Policies, names...)
		// A tool that the server has renamed has left its policy under the name that it had.
		for _, name := range set {
			gone, ofServer := strings.CutPrefix(name, nameOf(row.Slug, ""))
			there := slices.ContainsFunc(known, func(t mcpserverdb.McpTool) bool { return t.ToolID == gone && t.SeenHash != nil })
			if name == namePrefix+row.Slug || ofServer && (gone == c.ID || !there) {
				l.Policies = append(l.Policies, name)
			}
		}
	}
	slices.Sort(l.Policies)
	l.Policies = slices.Compact(l.Policies)
	return l, nil
}

// lowers reports whether a choice gives a tool a lower effect or trust that it does not have.
func lowers(t mcpserverdb.McpTool, c Choice) bool {
	effect, before, trusted := c.Effect, tool.Effect(t.Effect), t.Trusted
	if effect == "" {
		effect = tool.Mutate
	}
	if t.AcceptedHash == nil {
		before, trusted = tool.Mutate, false
	}
	return severity[effect] < severity[before] || c.Trusted && !trusted
}
