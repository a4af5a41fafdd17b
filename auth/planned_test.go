package auth_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
)

// What is asked with every request and every call of a tool is planned once by a connection, and not each time: that takes ten times as
// long as the answer.
func TestWhoAsksIsNotPlannedEachTime(t *testing.T) {
	t.Parallel()
	const asked, untilPlansAreKept = 12, 6
	a := newApp(t)
	user := a.user(t, "person@example.org")
	session := a.signIn(t, "person@example.org")
	_, token := a.application(t, "Reporting")
	ask := func(ctx context.Context, with with) error {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/me", nil)
		with(r)
		_, err := a.Authenticator.Authenticate(ctx, r)
		return err
	}
	// One connection, as plans belong to those.
	require.NoError(t, a.db.InTx(t.Context(), func(ctx context.Context) error {
		authors := auth.NewAuthors(a.db)
		for range asked {
			require.NoError(t, ask(ctx, session))
			require.NoError(t, ask(ctx, bearer(token)))
			_, err := authors.LessPrivileged(ctx, person(user.ID, nil, "ai.chat.read"), []uuid.UUID{uuid.New()})
			require.NoError(t, err)
		}
		for _, query := range []string{"PrincipalBySession", "PrincipalByToken", "LesserAuthors"} {
			var kept, anew int
			require.NoError(t, a.db.Conn(ctx).QueryRow(
				ctx,
				"SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE '-- name: ' || $1 || ' %'",
				query,
			).Scan(&kept, &anew))
			require.LessOrEqual(t, anew, untilPlansAreKept, query)
			require.GreaterOrEqual(t, kept, asked-untilPlansAreKept, query)
		}
		return nil
	}))
}
