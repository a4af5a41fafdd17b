package auth

import (
	"context"
	"time"

	"countersign/internal/store/chore"
)

// Chores are the periodic jobs of this package.
func (a *Auth) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "settle refusals", Every: time.Minute, Do: refusals{a.Sessions.db}.settle},
		{Name: "sweep sessions", Every: 10 * time.Minute, Do: func(ctx context.Context) error {
			_, err := a.Sweep(ctx)
			return err
		}},
		{Name: "delete ended runs", Every: 10 * time.Minute, Do: a.Runs.sweep},
	}
}
