package mcpserver

import (
	"context"
	"net/url"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/modules/mcpserver/mcpserverdb"
)

// The type in the audit log, as people read it.
var auditedServer = audit.Declare(audit.Type{
	ID: ObjectType, Label: "MCP server", Plural: "MCP servers",
	Kept: []string{"name", "server", "auth", "issuer", "enabled", "accepted", "tools", "others"},
})

// Audited lets managers of servers read the history of servers.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{audit.Ruled(auditedServer, Manage, audit.ByUUID(m.Get))}
}

// record writes an audit event about a change, in its transaction.
func (m *Module) record(ctx context.Context, action audit.Action, row mcpserverdb.McpServer, summary string, fields audit.Fields) error {
	return audit.Record(
		ctx,
		m.DB,
		audit.Event{Action: action, Object: audit.Object(ObjectType, row.ID, row.Name), Summary: summary, Fields: fields},
	)
}

// recordGuess writes an audit event for the enumeration guard: the caller named the slug of a server that they cannot
// see. The event is about the caller and names neither.
func recordGuess(ctx context.Context, db *store.DB, noun string) error {
	who := principal.FromContext(ctx)
	object := audit.Object("auth."+string(who.Kind), who.ID, who.Name)
	return audit.Record(ctx, db, audit.Event{
		Action: audit.NameRefused, Object: object, Summary: "A name was refused that an " + noun + " has which they do not see",
	})
}

// recordFinding writes an audit event about a change that the product itself detected at a server.
func (m *Module) recordFinding(ctx context.Context, row mcpserverdb.McpServer, summary string, fields audit.Fields) error {
	return audit.Record(ctx, m.DB, audit.Event{
		Action:  audit.Ran,
		Object:  audit.Object(ObjectType, row.ID, row.Name),
		Summary: summary,
		Fields:  fields,
		Actor:   principal.Principal{Kind: principal.Service},
	})
}

func changedFields(before, after mcpserverdb.McpServer) (fields audit.Fields) {
	fields.Compare("name", before.Name, after.Name)
	fields.Compare("server", origin(before.Address), origin(after.Address))
	fields.Mention("address", before.Address != after.Address)
	fields.Compare("auth", before.Auth, after.Auth)
	fields.Compare("header", before.Header, after.Header)
	fields.Compare("secret", before.Secret, after.Secret)
	fields.Compare("clientId", before.ClientID, after.ClientID)
	fields.Compare("issuer", before.Issuer, after.Issuer)
	fields.Compare("scopes", before.Scopes, after.Scopes)
	fields.Compare("enabled", before.Enabled, after.Enabled)
	return fields
}

// origin returns the scheme and host of an address.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
