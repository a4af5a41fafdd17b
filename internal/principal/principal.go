// Package principal says who acts. Every request, tool call and effect is made by a Principal; package auth resolves
// one from a session, an API token or a turn's delegated credential, and everything below reads it from the context.
package principal

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"
)

// Kind is the kind of a principal.
type Kind string

// User is a person, Application an API token, Service a part of the product itself, which never drives tools.
const (
	User        Kind = "user"
	Application Kind = "application"
	Service     Kind = "service"
)

// Admin is the access rule that grants every rule.
const Admin = "*"

// Principal is the authenticated caller with its current rights.
type Principal struct {
	Kind Kind
	ID   uuid.UUID
	Name string
	// Email is set for users.
	Email string
	// Rules are the access rules of all roles, sorted; Admin stands for every rule.
	Rules []string
	// TeamIDs are the teams a user is a member of.
	TeamIDs []uuid.UUID
	// Grants is the highest relation that p or a team of p holds on any object of a type: "catalog.system" has "editor".
	Grants map[string]string
	// SessionID is the login session of a user, the token id or the run of an application. Revoking it ends every credential
	// derived from it.
	SessionID uuid.UUID
	// IssuerID is who made the token of an application, nil when that is not known.
	IssuerID *uuid.UUID
	// TurnID is set when the principal acts through a tool call of this turn.
	TurnID uuid.UUID
	// Client is the program through which a person acts, nil for the person directly. SessionID is then that of their
	// consent.
	Client *Client
	// Run is the run in which an application acts without a token, nil elsewhere. SessionID is then its id.
	Run *Run
	// MustChangePassword is set while another person knows the user's password. All other requests are refused.
	MustChangePassword bool
}

// Scopes of a program that acts for a person. A scope narrows the person's current rights, and never widens them.
const (
	// ScopeRead lets a program read what the person may see.
	ScopeRead = "countersign:read"
	// ScopeWrite lets it also ask for what changes something.
	ScopeWrite = "countersign:write"
)

// Client is a program that a person has let act for them.
type Client struct {
	// ID is its id as an OAuth client: the address of its metadata document, or a random text.
	ID string
	// Name is the program's unverified name for itself.
	Name string
	// Scopes are the scopes that the person has granted, sorted.
	Scopes []string
}

// Run is one execution of a definition, such as an automation, in which an application acts.
type Run struct {
	ID         uuid.UUID
	Definition Definition
	// AuthorID is the person who wrote the revision of the definition, nil when that is not known.
	AuthorID *uuid.UUID
}

// Definition is a revision of what a run executes. Kind says what it is, such as "automation".
type Definition struct {
	Kind     string
	ID       uuid.UUID
	Revision int64
}

// ReadOnly reports whether p may change nothing, whatever its rules: a program acts that was let read alone.
func (p Principal) ReadOnly() bool {
	return p.Client != nil && !slices.Contains(p.Client.Scopes, ScopeWrite)
}

// InPerson reports whether p is a person who acts themselves, and neither an application nor a program that acts for them.
func (p Principal) InPerson() bool { return p.Kind == User && p.Client == nil }

// ByHand reports whether p is a person in the web app: InPerson, and not a tool call of a turn, which has their rights
// too. Actions that no program may do in their place, such as giving feedback, sharing a chat or authorising a program,
// require it.
func (p Principal) ByHand() bool { return p.InPerson() && p.TurnID == uuid.Nil }

// Has reports whether p holds the rule.
func (p Principal) Has(rule string) bool {
	return slices.Contains(p.Rules, rule) || slices.Contains(p.Rules, Admin)
}

// Missing returns the rules of the list that p lacks.
func (p Principal) Missing(rules ...string) []string {
	var missing []string
	for _, rule := range rules {
		if !p.Has(rule) {
			missing = append(missing, rule)
		}
	}
	return missing
}

// Key names the principal in budgets, audit rows and idempotency keys: "user:<id>".
func (p Principal) Key() string { return string(p.Kind) + ":" + p.ID.String() }

// IsZero reports whether the caller is not signed in.
func (p Principal) IsZero() bool { return p.Kind == "" }

// Clone is p with lists of its own.
func (p Principal) Clone() Principal {
	p.Rules, p.TeamIDs, p.Grants = slices.Clone(p.Rules), slices.Clone(p.TeamIDs), maps.Clone(p.Grants)
	if p.IssuerID != nil {
		p.IssuerID = new(*p.IssuerID)
	}
	if p.Run != nil {
		p.Run = new(*p.Run)
		if p.Run.AuthorID != nil {
			p.Run.AuthorID = new(*p.Run.AuthorID)
		}
	}
	if p.Client != nil {
		client := *p.Client
		client.Scopes = slices.Clone(client.Scopes)
		p.Client = &client
	}
	return p
}

type contextKey struct{}

// NewContext returns a context that carries p.
func NewContext(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// FromContext returns the principal of ctx, zero without one.
func FromContext(ctx context.Context) Principal {
	p, _ := ctx.Value(contextKey{}).(Principal)
	return p
}
