package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/modules/mcpserver/mcpserverdb"
)

// Refresh lists a server's tools and saves them. New and changed tools are off until an administrator accepts them.
func (m *Module) Refresh(ctx context.Context, id uuid.UUID) (Server, error) {
	row, err := m.servers.See(ctx, id)
	if err != nil {
		return Server{}, err
	}
	if err := kind.Sight(ctx).Permit(ctx, m.DB, id, row.Name, nil, access.Edit); err != nil {
		return Server{}, err
	}
	place, err := m.Quota.Acquire(ctx, principal.FromContext(ctx), m.calling)
	if err != nil {
		return Server{}, err
	}
	defer place.Release(ctx)
	if err := m.refreshTools(ctx, principal.FromContext(ctx), row); err != nil {
		return Server{}, err
	}
	return m.Get(ctx, id)
}

// refreshTools lists a server's tools and saves the answer or the failure.
func (m *Module) refreshTools(ctx context.Context, p principal.Principal, row mcpserverdb.McpServer) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	x, listed, err := m.openSession(ctx, p, row, "the tools of the MCP server "+row.Slug, true)
	if err == nil {
		defer x.close()
		return m.saveListing(ctx, x, listed)
	}
	if problem.CodeOf(err) != problem.Internal {
		kept := m.queries(
			ctx,
		).SaveFailure(
			context.WithoutCancel(ctx),
			mcpserverdb.SaveFailureParams{ID: row.ID, Address: row.Address, RefreshError: problem.As(err).Detail},
		)
		if kept != nil {
			return fmt.Errorf("keep why an MCP server did not answer: %w", kept)
		}
	}
	return err
}

// openSession opens an exchange with a server as p and lists its tools. A rejected OAuth token is renewed once; no tool was
// called until then.
func (m *Module) openSession(
	ctx context.Context,
	p principal.Principal,
	row mcpserverdb.McpServer,
	purpose string,
	quotes bool,
) (*session, []*sdk.Tool, error) {
	held, err := m.credential(ctx, p, row, purpose)
	if err != nil {
		return nil, nil, err
	}
	x, listed, err := m.dialAndList(ctx, row, held.value, quotes)
	if held.generation == 0 || !errors.Is(err, errUnauthorized) {
		return x, listed, err
	}
	if held, err = m.renewToken(ctx, p, row, held.generation, purpose, true); err != nil {
		return nil, nil, err
	}
	return m.dialAndList(ctx, row, held.value, quotes)
}

// dialAndList dials a server with a credential and lists its tools.
func (m *Module) dialAndList(
	ctx context.Context,
	row mcpserverdb.McpServer,
	value secret.Value,
	quotes bool,
) (*session, []*sdk.Tool, error) {
	x, err := m.dial(ctx, row, value, quotes)
	if err != nil {
		return nil, nil, err
	}
	listed, err := x.list(ctx)
	if err != nil {
		x.close()
		return nil, nil, err
	}
	return x, listed, nil
}

// vaultSecret reads the secret of a server from the vault. Users of its tools have it sent without access to the secret, by
// the administrator's decision, and are recorded as its users.
func (m *Module) vaultSecret(ctx context.Context, p principal.Principal, row mcpserverdb.McpServer, purpose string) (secret.Value, error) {
	if row.Secret == "" {
		return secret.Value{}, nil
	}
	const longest = 200
	values, err := m.Secrets.Use(ctx, p, []string{row.Secret}, purpose[:min(len(purpose), longest)])
	if err != nil {
		return secret.Value{}, err
	}
	value, ok := values[row.Secret]
	if !ok {
		return value, problem.Errorf(problem.Conflict, "The secret %s of the MCP server %s does not exist.", row.Secret, row.Name)
	}
	return value, nil
}

// saveListing saves a listing of a server if its address is unchanged.
func (m *Module) saveListing(ctx context.Context, x *session, listed []*sdk.Tool) error {
	return m.DB.InTx(ctx, func(ctx context.Context) error {
		q := m.queries(ctx)
		row, err := q.LockServer(ctx, x.server.ID)
		if store.NoRows(err) {
			return kind.Missing(x.server.ID)
		}
		if err != nil {
			return fmt.Errorf("lock MCP server: %w", err)
		}
		if row.Address != x.server.Address {
			return problem.Errorf(problem.Conflict, "The address of the MCP server %s was changed meanwhile. Refresh it again.", row.Name)
		}
		known, err := q.Tools(ctx, row.ID)
		if err != nil {
			return fmt.Errorf("list tools of an MCP server: %w", err)
		}
		taken, left := parseTools(listed, acceptedNames(known))
		if left == nil {
			left = []LeftOut{}
		}
		others, err := m.saveTools(ctx, row.ID, known, taken)
		if err != nil {
			return err
		}
		if err := m.keepIdentities(ctx, row.ID, row.Address); err != nil {
			return err
		}
		implementation, protocol := x.protocol()
		if err := q.SaveAnswer(
			ctx,
			mcpserverdb.SaveAnswerParams{ID: row.ID, Implementation: implementation, Protocol: protocol, LeftOut: left},
		); err != nil {
			return fmt.Errorf("keep the answer of an MCP server: %w", err)
		}
		if len(others) == 0 {
			return nil
		}
		var fields audit.Fields
		fields.Compare("others", []string{}, others)
		return m.recordFinding(ctx, row, "Tools of an MCP server were found to be others than before", fields)
	})
}

func acceptedNames(known []mcpserverdb.McpTool) []string {
	var names []string
	for _, t := range known {
		if t.AcceptedHash != nil {
			names = append(names, t.Name)
		}
	}
	return names
}

// saveTools saves listed tools and returns the ids of those that have changed.
func (m *Module) saveTools(ctx context.Context, server uuid.UUID, known []mcpserverdb.McpTool, taken []listedTool) ([]string, error) {
	q := m.queries(ctx)
	byName, ids := map[string]mcpserverdb.McpTool{}, map[string]bool{}
	for _, t := range known {
		byName[t.Name], ids[t.ToolID] = t, true
	}
	names, others := []string{}, map[string]bool{}
	for _, one := range taken {
		names = append(names, one.name)
		before, there := byName[one.name]
		if there && before.SeenHash != nil && *before.SeenHash == one.hash {
			continue
		}
		id := before.ToolID
		if !there {
			id = idOf(one.name, func(id string) bool { return ids[id] })
			ids[id] = true
		}
		others[id] = true
		if err := q.SaveSeenTool(
			ctx,
			mcpserverdb.SaveSeenToolParams{ServerID: server, Name: one.name, ToolID: id, Seen: one.document, SeenHash: &one.hash},
		); err != nil {
			return nil, fmt.Errorf("keep a tool of an MCP server: %w", err)
		}
	}
	for _, t := range known {
		if t.SeenHash != nil && !slices.Contains(names, t.Name) {
			others[t.ToolID] = true
		}
	}
	if err := q.MarkMissingTools(ctx, mcpserverdb.MarkMissingToolsParams{ServerID: server, Names: names}); err != nil {
		return nil, fmt.Errorf("miss tools of an MCP server: %w", err)
	}
	if err := q.DeleteMissingTools(ctx, mcpserverdb.DeleteMissingToolsParams{ServerID: server, Names: names}); err != nil {
		return nil, fmt.Errorf("forget tools of an MCP server: %w", err)
	}
	return slices.Sorted(maps.Keys(others)), nil
}

// ToolsOf returns the tools of a server, by id.
func (m *Module) ToolsOf(ctx context.Context, id uuid.UUID) ([]Tool, error) {
	row, err := m.servers.See(ctx, id)
	if err != nil {
		return nil, err
	}
	rows, err := m.queries(ctx).Tools(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("list tools of an MCP server: %w", err)
	}
	tools := make([]Tool, len(rows))
	for i, t := range rows {
		if tools[i], err = shownTool(row, t); err != nil {
			return nil, err
		}
	}
	return tools, nil
}

// AcceptTools accepts tools by the hash of the definition that was read: all of them, or none if a definition has changed.
func (m *Module) AcceptTools(ctx context.Context, id uuid.UUID, c Choices, based *int64) (Server, error) {
	return store.InTx(ctx, m.DB, func(ctx context.Context) (Server, error) {
		if _, err := m.servers.Hold(ctx, id, access.Edit, based); err != nil {
			return Server{}, err
		}
		known, err := m.queries(ctx).Tools(ctx, id)
		if err != nil {
			return Server{}, fmt.Errorf("list tools of an MCP server: %w", err)
		}
		var on choiceAudit
		var issues problem.Issues
		chosen := map[string]bool{}
		for i, choice := range c.Tools {
			at := slices.IndexFunc(known, func(t mcpserverdb.McpTool) bool { return t.ToolID == choice.ID })
			path := fmt.Sprintf("tools[%d]", i)
			if at < 0 || chosen[choice.ID] {
				issues.Report(path+".id", "is no tool of this server, or is here twice")
				continue
			}
			chosen[choice.ID] = true
			if known[at].SeenHash == nil || *known[at].SeenHash != choice.Hash {
				return Server{}, problem.Errorf(
					problem.Precondition,
					"The definition of the tool %s has changed since you read it, or the server no longer has the tool. Nothing was "+
						"accepted. Read it again.",
					choice.ID,
				)
			}
			if err := m.acceptTool(ctx, known[at], choice, &on); err != nil {
				return Server{}, err
			}
		}
		if err := issues.Err(); err != nil {
			return Server{}, err
		}
		row, err := m.queries(ctx).BumpServer(ctx, id)
		if err != nil {
			return Server{}, fmt.Errorf("change MCP server: %w", err)
		}
		if err := m.record(ctx, audit.Changed, row, "Tools of an MCP server were accepted", on.fields()); err != nil {
			return Server{}, err
		}
		return m.Get(ctx, id)
	})
}

// Chores lists the periodic jobs.
func (m *Module) Chores() []chore.Chore {
	return []chore.Chore{{Name: "refresh the tools of MCP servers", Every: 10 * time.Minute, Do: m.refreshDue}}
}

const (
	// refreshAfter is the age at which a listing is refreshed for the administrators' pages. A call always lists again.
	refreshAfter = 6 * time.Hour
	maxRefreshed = 10
)

// refreshDue refreshes servers whose listing is old. The product itself sends no credentials: servers that need one
// are refreshed by people and their calls.
func (m *Module) refreshDue(ctx context.Context) error {
	if err := m.queries(ctx).DeleteExpiredAttempts(ctx); err != nil {
		return fmt.Errorf("delete expired sign-ins: %w", err)
	}
	due, err := m.queries(ctx).DueServers(ctx, mcpserverdb.DueServersParams{Seconds: refreshAfter.Seconds(), MaxRows: maxRefreshed})
	if err != nil {
		return fmt.Errorf("list MCP servers: %w", err)
	}
	var failed []error
	for _, row := range due {
		if err := m.refreshTools(ctx, principal.Principal{Kind: principal.Service}, row); err != nil && problem.CodeOf(err) == problem.Internal {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}
