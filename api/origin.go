package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/principal"
)

// noteOrigin stores the origin of a request in its context for the audit log: the operation, and the kind of client.
func noteOrigin() func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		c := humaecho.Unwrap(ctx)
		r := c.Request()
		c.SetRequest(r.WithContext(audit.Arriving(r.Context(), ctx.Operation().OperationID, ChannelOf(r))))
		next(ctx)
	}
}

// ChannelOf returns the kind of client. Browsers send Sec-Fetch-Site by themselves; a program with a person's session can
// forge it, so "page" is a claim of the client.
func ChannelOf(r *http.Request) string {
	p := principal.FromContext(r.Context())
	switch {
	case p.Run != nil:
		return audit.ByAutomation
	case p.TurnID != uuid.Nil:
		return audit.ByChat
	case p.Kind == principal.Application:
		return audit.ByApplication
	case r.Header.Get("Sec-Fetch-Site") != "":
		return audit.ByPage
	}
	return audit.ByAPI
}
