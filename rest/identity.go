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

// Identity is the tool by which policies know an administrative operation. No model is offered that tool.
type Identity struct {
	// Tool is its name, such as ai.createSkill. Operations that share a name share a policy.
	Tool   string
	Effect string
	// Title is what people call it, where that is not the summary of the operation.
	Title string
	// ByHand operations are for a person in a session: no application, delegated program or tool call makes them.
	ByHand bool
	// Direct operations cannot become a proposal: while a policy asks for a decision they are refused.
	Direct bool
	// External operations act outside of the database, so they are not rehearsed.
	External bool
	// Rules are what deciding about a proposal needs, for an operation that declares no rules itself.
	Rules []string
	// Revised operations without a body are about the record above them as it is: a proposal keeps its revision.
	Revised bool
	// Secrets are the members of the body that a proposal keeps sealed.
	Secrets []string
	// Loosens finds the policies that a change loosens; nil is none.
	Loosens Loosens
}

// Loosening is what a change takes from the policies that are set.
type Loosening struct {
	// Widens reports a lower effect, trust, or a copy that no policy binds: it is never made by a program while a
	// policy is set, and needs a second person while any policy asks for one.
	Widens bool
	// Policies are the names of the tools whose policies the change loosens: it is decided by their rules.
	Policies []string
	// Covers are the names of the tools whose effect the change has among its own, as it is with this input: it is
	// decided by their rules, and programs may propose it.
	Covers []string
}

// Loosens finds what a change with this input loosens. set are the names of the tools that have a policy.
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

// Titled names what people call operations that share an identity.
func Titled(title string) func(*Identity) { return func(i *Identity) { i.Title = title } }

// ByHand restricts the operation to a person in a session.
func ByHand() func(*Identity) { return func(i *Identity) { i.ByHand = true } }

// Direct declares that the operation cannot become a proposal.
func Direct() func(*Identity) { return func(i *Identity) { i.Direct = true } }

// External declares that the operation acts outside of the database.
func External() func(*Identity) { return func(i *Identity) { i.External = true } }

// AtRevision declares that the operation is about the record above it at the revision of that record.
func AtRevision() func(*Identity) { return func(i *Identity) { i.Revised = true } }

// Decided names the rules that deciding about a proposal needs.
func Decided(rules ...string) func(*Identity) { return func(i *Identity) { i.Rules = rules } }

// Secrets names the members of the body that hold a secret.
func Secrets(members ...string) func(*Identity) { return func(i *Identity) { i.Secrets = members } }

// WithLoosening declares how the policies are found that a change loosens.
func WithLoosening(l Loosens) func(*Identity) { return func(i *Identity) { i.Loosens = l } }

// IdentityOf is the identity of an operation; false for one without.
func IdentityOf(op *huma.Operation) (Identity, bool) {
	identity, ok := op.Metadata[identityKey].(Identity)
	return identity, ok
}
