package auth

import (
	"context"

	"github.com/google/uuid"

	"countersign/principal"
	"countersign/problem"
)

// Load is the principal with this id as it is now, if the session or API token it acts through still stands. It is how
// work that goes on without a request learns the rights of the person behind it.
func (a *Authenticator) Load(ctx context.Context, kind principal.Kind, id, sessionID uuid.UUID) (principal.Principal, error) {
	p, err := a.byID(ctx, kind, sessionID)
	if err != nil {
		return principal.Principal{}, err
	}
	if p.IsZero() || p.ID != id || p.Kind != kind {
		return principal.Principal{}, problem.Errorf(
			problem.Unauthorized,
			"The session in which this was started has ended. Sign in and ask again.",
		)
	}
	return p, nil
}
