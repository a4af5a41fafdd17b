package auth

import (
	"context"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool"
)

// Routes declares the operations of this package.
func (a *Auth) Routes(api huma.API) {
	a.Sessions.routes(api, a.Directory)
	a.Directory.userRoutes(api)
	a.Links.routes(api)
	a.Directory.roleRoutes(api)
	a.Directory.applicationRoutes(api)
	a.Directory.teamRoutes(api)
	a.Grants.routes(api)
}

// change is the input of PATCH.
type change[T any] struct {
	rest.ByID
	rest.IfMatch
	Body T
}

// remove is the handler of a DELETE that depends on the caller.
func remove(
	do func(ctx context.Context, p principal.Principal, id uuid.UUID, based *int64) error,
) func(context.Context, *rest.Deletion) (*struct{}, error) {
	return rest.Delete(func(ctx context.Context, id uuid.UUID, based *int64) error {
		return do(ctx, principal.FromContext(ctx), id, based)
	})
}

// ByHand returns the principal of an operation that only a person at a browser may use; problem.Forbidden for all
// others. Sessions, passwords and API tokens outlive the turn whose tool call would create them, so a turn's credential
// gets none, and programs cannot authorize programs.
func ByHand(ctx context.Context) (principal.Principal, error) {
	p := principal.FromContext(ctx)
	if !p.ByHand() {
		return p, problem.Errorf(problem.Forbidden, "Only a person who has signed in can do this.")
	}
	return p, nil
}

// outsideTurn refuses a turn's credential, unless it applies a decided proposal of this tool.
func outsideTurn(ctx context.Context, name string) (principal.Principal, error) {
	p := principal.FromContext(ctx)
	// Decisions of a second person are applied with such a credential, too, and the model has no such tool.
	if p.TurnID != uuid.Nil && tool.Carried(ctx) != name {
		return p, problem.Errorf(
			problem.Forbidden,
			"The assistant cannot handle passwords and API tokens. Do this yourself on the administration page.",
		)
	}
	return p, nil
}

// requireAny refuses a principal without any of the rules.
func requireAny(ctx context.Context, action string, rules ...string) error {
	p := principal.FromContext(ctx)
	if len(p.Missing(rules...)) < len(rules) {
		return nil
	}
	e := problem.Errorf(problem.Forbidden, "Forbidden: %s (one of these permissions is needed: %s).", action, strings.Join(rules, ", "))
	e.MissingRules = rules
	return e
}
