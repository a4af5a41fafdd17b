package audit

import (
	"context"

	"github.com/google/uuid"

	"countersign/event"
	"countersign/internal/principal"
)

// The transports of a change.
const (
	ByPage        = "page"
	ByAPI         = "api"
	ByApplication = "application"
	ByChat        = "chat"
	ByMCP         = "mcp"
	ByAutomation  = "automation"
	BySystem      = "system"
)

// Origin describes how a change arrives. It travels in the context of the process, so no request can set it.
type Origin struct {
	// Operation is the id of the REST operation, empty outside of a request.
	Operation string
	// Transport is one of the constants above.
	Transport string
	// Proposal is set while a proposal is being applied.
	Proposal *Proposal
}

// Proposal identifies the proposal that a change carries out, and its requester.
type Proposal struct {
	ID          uuid.UUID
	AskedByKind principal.Kind
	AskedBy     uuid.UUID
	// TurnID is the turn of the request, nil for a call without one.
	TurnID *uuid.UUID
	// Transport is the transport of the request.
	Transport string
	// Run is the run of the request, nil elsewhere.
	Run *uuid.UUID
}

type originKey struct{}

// Arriving notes the operation and the transport of a request. A request that the process makes itself keeps the
// transport of the outer request.
func Arriving(ctx context.Context, operation, transport string) context.Context {
	o := originOf(ctx)
	o.Operation = operation
	if o.Transport == "" {
		o.Transport = transport
	}
	return context.WithValue(caused(ctx, o), originKey{}, o)
}

// caused notes the origin as the cause of the events of a change.
func caused(ctx context.Context, o Origin) context.Context {
	c := event.CauseOf(ctx)
	c.Request = o.Operation
	if o.Proposal != nil {
		c.Proposal = o.Proposal.ID
		if o.Proposal.TurnID != nil {
			c.Turn = *o.Proposal.TurnID
		}
		if o.Proposal.Run != nil {
			c.Run = o.Proposal.Run.String()
		}
	}
	return event.WithCause(ctx, c)
}

// Via notes the transport of in-process work under ctx.
func Via(ctx context.Context, transport string) context.Context {
	o := originOf(ctx)
	o.Transport = transport
	return context.WithValue(ctx, originKey{}, o)
}

// Applying notes that work under ctx carries out a proposal.
func Applying(ctx context.Context, p Proposal) context.Context {
	o := Origin{Transport: p.Transport, Proposal: &p}
	return context.WithValue(caused(ctx, o), originKey{}, o)
}

// Way returns the transport of ctx, "" when none is noted.
func Way(ctx context.Context) string { return originOf(ctx).Transport }

func originOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}

// transport returns the noted transport, or that of the principal.
func (o Origin) transport(p principal.Principal) string {
	switch {
	case o.Transport != "":
		return o.Transport
	case p.IsZero() || p.Kind == principal.Service:
		return BySystem
	case p.Run != nil:
		return ByAutomation
	case p.TurnID != uuid.Nil:
		return ByChat
	case p.Kind == principal.Application:
		return ByApplication
	}
	return ByAPI
}

// Carries returns the proposal that ctx carries out, if any.
func Carries(ctx context.Context) (Proposal, bool) {
	o := originOf(ctx)
	if o.Proposal == nil {
		return Proposal{}, false
	}
	return *o.Proposal, true
}
