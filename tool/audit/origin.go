package audit

import (
	"context"

	"github.com/google/uuid"

	"countersign/principal"
)

// Ways in which a change arrives.
const (
	ByPage        = "page"
	ByAPI         = "api"
	ByApplication = "application"
	ByChat        = "chat"
	ByMCP         = "mcp"
	ByAutomation  = "automation"
	BySystem      = "system"
)

// Origin says by what way a change arrives. It travels in the context of the process, so nothing that comes over a
// network can set it.
type Origin struct {
	// Operation is the id of the REST operation, empty outside of a request.
	Operation string
	// Transport is one of the ways above.
	Transport string
	// Proposal is set while a proposal is applied.
	Proposal *Proposal
}

// Proposal is the proposal that a change carries out: its id, and who has asked for it.
type Proposal struct {
	ID          uuid.UUID
	AskedByKind principal.Kind
	AskedBy     uuid.UUID
	// TurnID is the turn of the request, nil for a call without one.
	TurnID *uuid.UUID
	// Transport is the transport of the request.
	Transport string
}

type originKey struct{}

// Arriving notes the operation that a request is for and the way it takes. A request that the process makes itself
// keeps the way of what it belongs to.
func Arriving(ctx context.Context, operation, transport string) context.Context {
	o := originOf(ctx)
	o.Operation = operation
	if o.Transport == "" {
		o.Transport = transport
	}
	return context.WithValue(ctx, originKey{}, o)
}

// Via notes the way of what ctx is about to do in process.
func Via(ctx context.Context, transport string) context.Context {
	o := originOf(ctx)
	o.Transport = transport
	return context.WithValue(ctx, originKey{}, o)
}

// Applying notes that what ctx does carries out a proposal.
func Applying(ctx context.Context, p Proposal) context.Context {
	return context.WithValue(ctx, originKey{}, Origin{Transport: p.Transport, Proposal: &p})
}

// Way is the way of what ctx does, "" when nobody has noted one.
func Way(ctx context.Context) string { return originOf(ctx).Transport }

func originOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}

// transport is the way, that of the principal when nobody has noted one.
func (o Origin) transport(p principal.Principal) string {
	switch {
	case o.Transport != "":
		return o.Transport
	case p.IsZero() || p.Kind == principal.Service:
		return BySystem
	case p.TurnID != uuid.Nil:
		return ByChat
	case p.Kind == principal.Application:
		return ByApplication
	}
	return ByAPI
}

// Carries is the proposal that ctx carries out, false when it carries out none.
func Carries(ctx context.Context) (Proposal, bool) {
	o := originOf(ctx)
	if o.Proposal == nil {
		return Proposal{}, false
	}
	return *o.Proposal, true
}
