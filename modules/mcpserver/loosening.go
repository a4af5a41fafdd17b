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

	"countersign/internal/egress"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/mcpserver/mcpserverdb"
	"countersign/tool"
)

// identityOf normalises an address for policies: spellings that differ in scheme, case, default port, form of the
// host, dot segments or a trailing slash have one identity.
func identityOf(address string) string {
	address = strings.TrimSpace(address)
	if target, err := egress.ParseTarget(address); err == nil {
		// The stored address has this form.
		address = target.URL.String()
	}
	u, err := url.Parse(address)
	if err != nil {
		return "mcp:" + strings.ToLower(address)
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	if port := u.Port(); port != "" && port != "80" && port != "443" {
		host += ":" + port
	}
	return "mcp:" + strings.ToLower(strings.TrimSuffix(host+path.Clean("/"+u.Path), "/"))
}

// keepIdentities stores the identities of a server and its tools, for policies.
func (m *Module) keepIdentities(ctx context.Context, id uuid.UUID, address string) error {
	if err := m.queries(ctx).AddIdentities(ctx, mcpserverdb.AddIdentitiesParams{ID: id, Address: identityOf(address)}); err != nil {
		return fmt.Errorf("keep what an MCP server is: %w", err)
	}
	return nil
}

// addressLoosening finds the policies of tools at the address that a server gets: another name for these tools would
// bypass the policy.
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

// severity orders effects by how many rules they need.
var severity = map[tool.Effect]int{tool.Read: 0, tool.Mutate: 1, tool.Destructive: 2}

// choiceLoosening finds the policies that accepting tools loosens: by a lower effect than before (or than that of a
// tool that was never accepted), by trust, and by accepting a tool with the name of a policy-bound tool at another
// address.
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
		if at < 0 {
			continue
		}
		lower := weakens(known[at], c)
		l.Widens = l.Widens || lower
		names, err := m.policiesOfToolName(ctx, row, known[at], set, lower)
		if err != nil {
			return l, err
		}
		l.Policies = append(l.Policies, names...)
		for _, name := range set {
			if lower && isPolicyOf(name, row.Slug, c.ID, known) {
				l.Policies = append(l.Policies, name)
			}
		}
	}
	slices.Sort(l.Policies)
	l.Policies = slices.Compact(l.Policies)
	return l, nil
}

// policiesOfToolName finds the policies of tools with this name at any address: those that a lower effect loosens, or, for a
// first acceptance, those that the tool would bypass because its address may be an alias of the bound server.
func (m *Module) policiesOfToolName(ctx context.Context, row mcpserverdb.McpServer, t mcpserverdb.McpTool, set []string,
	lower bool,
) ([]string, error) {
	if !lower && t.AcceptedHash != nil {
		return nil, nil
	}
	found, err := m.queries(ctx).NamesOfTool(ctx, mcpserverdb.NamesOfToolParams{Names: set, Address: identityOf(row.Address), Tool: t.Name})
	if err != nil {
		return nil, fmt.Errorf("find tools of a name: %w", err)
	}
	var names []string
	for _, n := range found {
		binds := n.Bound || n.Name == namePrefix+row.Slug || n.Name == nameOf(row.Slug, t.ToolID)
		if lower || !binds {
			names = append(names, n.Name)
		}
	}
	return names, nil
}

// isPolicyOf reports whether a policy name belongs to the server or the tool, or to a tool that the server has
// renamed since.
func isPolicyOf(name, slug, id string, known []mcpserverdb.McpTool) bool {
	gone, ofServer := strings.CutPrefix(name, nameOf(slug, ""))
	there := slices.ContainsFunc(known, func(t mcpserverdb.McpTool) bool { return t.ToolID == gone && t.SeenHash != nil })
	return name == namePrefix+slug || ofServer && (gone == id || !there)
}

// weakens reports whether a choice lowers the effect of a tool or adds trust.
func weakens(t mcpserverdb.McpTool, c Choice) bool {
	effect, before, trusted := c.Effect, tool.Effect(t.Effect), t.Trusted
	if effect == "" {
		effect = tool.Mutate
	}
	if t.AcceptedHash == nil {
		before, trusted = tool.Mutate, false
	}
	return severity[effect] < severity[before] || c.Trusted && !trusted
}
