package rest

import (
	"context"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

const identityKey = "identity"

// Effects of operations, as those of tools.
const (
	Mutates  = "mutate"
	Destroys = "destructive"
)

// Identity is the tool name under which policies address an administrative operation. Models do not get that tool.
type Identity struct {
	// Tool is the name, such as ai.createSkill. Operations that share a name share a policy.
	Tool   string
	Effect string
	// Title is the name for people, where it differs from the summary of the operation.
	Title string
	// ByHand operations are for a person in a session: no application, delegated program or tool call makes them.
	ByHand bool
	// Direct operations cannot become a proposal: while a policy requires a decision they are refused.
	Direct bool
	// External operations act outside of the database, so they are not rehearsed.
	External bool
	// Rules are the rules for deciding about a proposal, where the operation declares none itself.
	Rules []string
	// Revised operations without a body depend on the record above them: a proposal keeps its revision.
	Revised bool
	// Secrets are the members of the body that a proposal keeps encrypted.
	Secrets []string
	// Loosens finds the policies that a change loosens; nil is none.
	Loosens Loosens
}

// Loosening is the part of the configured policies that a change weakens.
type Loosening struct {
	// Widens reports a lower effect, trust, or a copy without policies: a program never makes such a change while a
	// policy is set, and it needs a second person while any policy requires one.
	Widens bool
	// Policies are the tools whose policies the change loosens; their rules decide about it.
	Policies []string
	// Covers are the tools whose effect the change includes with this input: their rules decide about it, and programs
	// may propose it.
	Covers []string
}

// Loosens finds the policies that a change with this input loosens. set are the tools with a policy.
type Loosens func(ctx context.Context, input json.RawMessage, set []string) (Loosening, error)

// Tool gives the operation its identity.
func Tool(name, effect string, refine ...func(*Identity)) Option {
	return func(op *huma.Operation) {
		identity := Identity{Tool: name, Effect: effect}
		for _, r := range refine {
			r(&identity)
		}
		op.Metadata[identityKey] = identity
	}
}

// Titled sets the name for people of operations that share an identity.
func Titled(title string) func(*Identity) { return func(i *Identity) { i.Title = title } }

// ByHand restricts the operation to a person in a session.
func ByHand() func(*Identity) { return func(i *Identity) { i.ByHand = true } }

// Direct declares that the operation cannot become a proposal.
func Direct() func(*Identity) { return func(i *Identity) { i.Direct = true } }

// External declares that the operation acts outside of the database.
func External() func(*Identity) { return func(i *Identity) { i.External = true } }

// AtRevision declares that the operation checks the revision of the record above it.
func AtRevision() func(*Identity) { return func(i *Identity) { i.Revised = true } }

// Decided sets the rules for deciding about a proposal.
func Decided(rules ...string) func(*Identity) { return func(i *Identity) { i.Rules = rules } }

// Secrets sets the members of the body that hold a secret.
func Secrets(members ...string) func(*Identity) { return func(i *Identity) { i.Secrets = members } }

// WithLoosening declares how a change loosens policies.
func WithLoosening(l Loosens) func(*Identity) { return func(i *Identity) { i.Loosens = l } }

// IdentityOf returns the identity of an operation; false for one without.
func IdentityOf(op *huma.Operation) (Identity, bool) {
	identity, ok := op.Metadata[identityKey].(Identity)
	return identity, ok
}
