package auth

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
)

// Load returns the current principal with this id, if its session, API token or run still stands. Background work learns
// the current rights of its person or application by it.
func (a *Authenticator) Load(ctx context.Context, kind principal.Kind, id, sessionID uuid.UUID) (principal.Principal, error) {
	p, err := a.byID(ctx, kind, sessionID)
	if err != nil {
		return principal.Principal{}, err
	}
	if p.IsZero() && kind == principal.Application {
		return principal.Principal{}, problem.Errorf(
			problem.Unauthorized,
			"The API token or the run with which this was started has ended. Start it again with one that stands.",
		)
	}
	if p.IsZero() || p.ID != id || p.Kind != kind {
		return principal.Principal{}, problem.Errorf(
			problem.Unauthorized,
			"The session in which this was started has ended. Sign in and ask again.",
		)
	}
	return p, nil
}
