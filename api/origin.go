package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/google/uuid"

	"countersign/principal"
	"countersign/tool/audit"
)

// noteOrigin puts what the audit log says about a request into its context: the operation, and the way it has taken.
func noteOrigin() func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		c := humaecho.Unwrap(ctx)
		r := c.Request()
		c.SetRequest(r.WithContext(audit.Arriving(r.Context(), ctx.Operation().OperationID, wayOf(r))))
		next(ctx)
	}
}

// wayOf is how a request has come. Only browsers send Sec-Fetch-Site by themselves; a program that has a person's session
// can send it too, so a page is what the client says it is.
func wayOf(r *http.Request) string {
	p := principal.FromContext(r.Context())
	switch {
	case p.TurnID != uuid.Nil:
		return audit.ByChat
	case p.Kind == principal.Application:
		return audit.ByApplication
	case r.Header.Get("Sec-Fetch-Site") != "":
		return audit.ByPage
	}
	return audit.ByAPI
}
