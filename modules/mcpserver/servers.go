package mcpserver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/modules/mcpserver/mcpserverdb"
)

// List returns the servers that the caller may see, by slug.
func (m *Module) List(ctx context.Context) ([]Server, error) { return m.visibleServers(ctx, nil) }

// visibleServers lists the servers that the caller may see, or the one with an id.
func (m *Module) visibleServers(ctx context.Context, id *uuid.UUID) ([]Server, error) {
	sight := kind.Sight(ctx)
	rows, err := m.queries(ctx).Servers(ctx, mcpserverdb.ServersParams{
		ID: id, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return nil, fmt.Errorf("list MCP servers: %w", err)
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.McpServer.ID
	}
	levels, err := sight.Levels(ctx, m.DB, ids...)
	if err != nil {
		return nil, err
	}
	servers := make([]Server, len(rows))
	for i, row := range rows {
		servers[i] = m.serverView(row, levels[row.McpServer.ID])
	}
	return servers, nil
}

// Get returns one server.
func (m *Module) Get(ctx context.Context, id uuid.UUID) (Server, error) {
	servers, err := m.visibleServers(ctx, &id)
	if err != nil {
		return Server{}, err
	}
	if len(servers) == 0 {
		return Server{}, kind.Missing(id)
	}
	return servers[0], nil
}

func (m *Module) serverView(row mcpserverdb.ServersRow, level access.Level) Server {
	r := row.McpServer
	s := Server{
		ID:             r.ID,
		Slug:           r.Slug,
		Name:           r.Name,
		Address:        r.Address,
		Auth:           Auth(r.Auth),
		Header:         r.Header,
		Secret:         r.Secret,
		Enabled:        r.Enabled,
		ClientID:       r.ClientID,
		Issuer:         r.Issuer,
		Scopes:         r.Scopes,
		SignIn:         m.signInOf(row),
		Private:        row.Private,
		Access:         level,
		Implementation: r.Implementation,
		Protocol:       r.Protocol,
		RefreshedAt:    r.RefreshedAt,
		RefreshError:   r.RefreshError,
		LeftOut:        r.LeftOut,
		Usable:         int(row.Usable),
		Waiting:        int(row.Waiting),
		CreatedAt:      r.CreatedAt,
		UpdatedAt:      r.UpdatedAt,
	}
	s.Revision = r.Revision
	return s
}

// Create adds a server. It is dialled at its first refresh, and offers no tool before an administrator accepts one.
func (m *Module) Create(ctx context.Context, n NewServer) (Server, error) {
	v := validation{m: m}
	row := mcpserverdb.McpServer{
		ID:       store.NewID(),
		Slug:     n.Slug,
		Name:     v.name(n.Name),
		Address:  v.address(ctx, n.Address),
		Auth:     string(cmp.Or(n.Auth, NoAuth)),
		Header:   n.Header,
		Secret:   n.Secret,
		ClientID: n.ClientID,
		Issuer:   n.Issuer,
		Scopes:   n.Scopes,
		Enabled:  n.Enabled == nil || *n.Enabled,
	}
	v.credential(&row)
	if err := v.Err(); err != nil {
		return Server{}, err
	}
	if err := m.permitSecret(ctx, row.Secret); err != nil {
		return Server{}, err
	}
	return store.InTx(ctx, m.DB, func(ctx context.Context) (Server, error) {
		q := m.queries(ctx)
		count, err := q.CountServers(ctx)
		if err != nil {
			return Server{}, fmt.Errorf("count MCP servers: %w", err)
		}
		if count >= MaxServers {
			return Server{}, problem.Errorf(
				problem.Conflict,
				"There are %d MCP servers already, and no more are possible. Delete one that is not needed.",
				count,
			)
		}
		created, err := q.CreateServer(ctx, mcpserverdb.CreateServerParams{
			ID: row.ID, Slug: row.Slug, Name: row.Name, Address: row.Address, Auth: row.Auth, Header: row.Header, Secret: row.Secret,
			ClientID: row.ClientID, Issuer: row.Issuer, Scopes: row.Scopes, Enabled: row.Enabled,
		})
		if err := m.servers.Created(ctx, created, err, row.Slug, row.Slug); problem.Is(err, problem.Conflict) {
			// The text does not depend on whether the caller sees that server (enumeration guard).
			return Server{}, problem.Errorf(problem.Conflict, "An MCP server with the slug %q exists already. Choose another one.", row.Slug)
		} else if err != nil {
			return Server{}, err
		}
		if err := m.keepIdentities(ctx, row.ID, row.Address); err != nil {
			return Server{}, err
		}
		if err := m.record(ctx, audit.Created, row, "MCP server added", nil); err != nil {
			return Server{}, err
		}
		return m.Get(ctx, row.ID)
	})
}

// Update changes a server if it still has the revision based. A new address is a new server: its tools are deleted
// and a secret has to be named again, so that an editor without access to secrets cannot redirect one.
func (m *Module) Update(ctx context.Context, id uuid.UUID, c ServerChange, based *int64) (Server, error) {
	return store.InTx(ctx, m.DB, func(ctx context.Context) (Server, error) {
		before, err := m.servers.Hold(ctx, id, access.Edit, based)
		if err != nil {
			return Server{}, err
		}
		row, err := m.withChange(ctx, before, c)
		if err != nil {
			return Server{}, err
		}
		q := m.queries(ctx)
		if row.Address != before.Address {
			if err := q.DeleteAllTools(ctx, id); err != nil {
				return Server{}, fmt.Errorf("forget tools of an MCP server: %w", err)
			}
		}
		if signInSettingsOf(row) != signInSettingsOf(before) {
			if _, err := m.deleteSignIn(ctx, id); err != nil {
				return Server{}, err
			}
		}
		after, err := q.UpdateServer(ctx, mcpserverdb.UpdateServerParams{
			ID: id, Name: row.Name, Address: row.Address, Auth: row.Auth, Header: row.Header, Secret: row.Secret,
			ClientID: row.ClientID, Issuer: row.Issuer, Scopes: row.Scopes, Enabled: row.Enabled,
		})
		if err != nil {
			return Server{}, fmt.Errorf("change MCP server: %w", err)
		}
		if err := m.keepIdentities(ctx, id, after.Address); err != nil {
			return Server{}, err
		}
		if err := m.record(ctx, audit.Changed, after, "MCP server changed", changedFields(before, after)); err != nil {
			return Server{}, err
		}
		return m.Get(ctx, id)
	})
}

// withChange returns a row with a change applied.
func (m *Module) withChange(ctx context.Context, before mcpserverdb.McpServer, c ServerChange) (mcpserverdb.McpServer, error) {
	v, row := validation{m: m}, before
	if c.Name != nil {
		row.Name = v.name(*c.Name)
	}
	if c.Address != nil && *c.Address != before.Address {
		row.Address = v.address(ctx, *c.Address)
	}
	if c.Auth != nil {
		row.Auth = string(*c.Auth)
	}
	rest.Replace(&row.Header, c.Header)
	rest.Replace(&row.Secret, c.Secret)
	rest.Replace(&row.ClientID, c.ClientID)
	rest.Replace(&row.Issuer, c.Issuer)
	rest.Replace(&row.Scopes, c.Scopes)
	rest.Replace(&row.Enabled, c.Enabled)
	v.credential(&row)
	if row.Secret != "" && row.Address != before.Address && c.Secret == nil {
		v.Report("secret", "must be named again, as the address is another one")
	}
	if err := v.Err(); err != nil {
		return row, err
	}
	if row.Header != before.Header || signInSettingsOf(row) != signInSettingsOf(before) {
		return row, m.permitSecret(ctx, row.Secret)
	}
	return row, nil
}

// Delete removes a server with its tools.
func (m *Module) Delete(ctx context.Context, id uuid.UUID, based *int64) error {
	return m.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := m.servers.Hold(ctx, id, access.Own, based)
		if err != nil {
			return err
		}
		if err := m.queries(ctx).DeleteServer(ctx, id); err != nil {
			return fmt.Errorf("delete MCP server: %w", err)
		}
		if err := m.Grants.Remove(ctx, ObjectType, id); err != nil {
			return err
		}
		return m.record(ctx, audit.Deleted, row, "MCP server deleted", nil)
	})
}

// secretUser is the kind of records that refer to secrets.
const secretUser = "MCP server"

// SecretUsers lists the servers that receive the secret: by name for callers who may see servers, as a number for
// others.
func (m *Module) SecretUsers(ctx context.Context, name string) ([]secret.User, error) {
	rows, err := m.queries(ctx).ServersWithSecret(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("list MCP servers with a secret: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	levels, err := kind.Sight(ctx).Levels(ctx, m.DB, ids...)
	if err != nil {
		return nil, err
	}
	var users []secret.User
	hidden := 0
	for _, row := range rows {
		if levels[row.ID] == access.None {
			hidden++
			continue
		}
		users = append(users, secret.User{Kind: secretUser, ID: row.ID.String(), Name: row.Name})
	}
	if hidden > 0 {
		users = append(users, secret.Hidden(secretUser, hidden))
	}
	return users, nil
}
