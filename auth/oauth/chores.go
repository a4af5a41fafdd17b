package oauth

import (
	"context"
	"fmt"
	"time"

	"countersign/audit"
	"countersign/auth/oauth/oauthdb"
	"countersign/internal/store/chore"
)

// Chores are the periodic jobs of this package.
func (s *Server) Chores() []chore.Chore {
	return []chore.Chore{{Name: "sweep connected programs", Every: 10 * time.Minute, Do: s.Sweep}}
}

// Sweep deletes expired codes, tokens and consents, and unused programs.
func (s *Server) Sweep(ctx context.Context) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		q := oauthdb.New(s.db.Conn(ctx))
		consents, err := q.DeleteDeadConsents(ctx)
		if err != nil {
			return fmt.Errorf("delete dead consents: %w", err)
		}
		if _, err := q.DeleteDeadTokens(ctx); err != nil {
			return fmt.Errorf("delete dead tokens: %w", err)
		}
		if _, err := q.DeleteDeadCodes(ctx); err != nil {
			return fmt.Errorf("delete dead codes: %w", err)
		}
		if _, err := q.DeleteUnusedClients(
			ctx,
			oauthdb.DeleteUnusedClientsParams{KeptSeconds: idleLifetime.Seconds(), UnusedSeconds: unusedLifetime.Seconds()},
		); err != nil {
			return fmt.Errorf("delete unused programs: %w", err)
		}
		if consents == 0 {
			return nil
		}
		return audit.Record(ctx, s.db, audit.Event{
			Action:  audit.Deleted,
			Object:  audit.Ref{Type: typeClient},
			Summary: fmt.Sprintf("%d connections of programs that had expired were deleted", consents),
		})
	})
}
