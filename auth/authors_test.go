package auth_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/auth"
	"countersign/internal/access"
	"countersign/internal/principal"
)

// wrote records that somebody made an object and has changed these fields of it.
func (a *app) wrote(t testing.TB, who principal.Principal, object uuid.UUID, action audit.Action, fields ...string) {
	t.Helper()
	var changed audit.Fields
	for _, field := range fields {
		changed.Mention(field, true)
	}
	ctx := principal.NewContext(t.Context(), who)
	require.NoError(t, a.db.InTx(ctx, func(ctx context.Context) error {
		return audit.Record(
			ctx,
			a.db,
			audit.Event{Action: action, Object: audit.Object(system, object, "Thing"), Summary: "It was written", Fields: changed},
		)
	}))
}

func person(id uuid.UUID, teams []uuid.UUID, rules ...string) principal.Principal {
	return principal.Principal{Kind: principal.User, ID: id, TeamIDs: teams, Rules: rules}
}

// Whose text counts: everybody's who does not hold all that the reader holds, as things are now.
func TestWhoHoldsLessThanTheReader(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	managers, readers := a.role(t, "Managers", "catalog.system.manage"), a.role(t, "Readers", "auth.teams.read")
	author := a.user(t, "author@example.org", managers.ID)
	team, object := a.team(t, "Payments"), uuid.New()
	a.wrote(t, person(author.ID, nil), object, audit.Created)
	authors := auth.NewAuthors(a.db)
	base := []string{"ai.chat.read", "catalog.system.read", "catalog.system.manage"}
	lesser := func(reader principal.Principal) bool {
		t.Helper()
		found, err := authors.LessPrivileged(t.Context(), reader, []uuid.UUID{uuid.New(), object})
		require.NoError(t, err)
		for _, w := range found {
			require.Equal(t, []any{object, author.ID, system}, []any{w.ID, w.AuthorID, w.Type})
		}
		return len(found) > 0
	}
	reader := a.user(t, "reader@example.org").ID
	require.False(t, lesser(person(reader, nil, base...)), "an equal")
	require.False(t, lesser(person(reader, nil, base[:1]...)), "somebody who holds more than the reader")
	require.True(t, lesser(person(reader, nil, append(base, "auth.users.manage")...)), "a rule is missing")
	require.True(t, lesser(person(reader, nil, principal.Admin)), "an administrator holds every rule")
	require.False(t, lesser(person(author.ID, nil, principal.Admin)), "one's own text")

	require.True(t, lesser(person(reader, []uuid.UUID{team.ID}, base...)), "a team is missing")
	_, err := a.Directory.AddMember(t.Context(), team.ID, author.ID, nil)
	require.NoError(t, err)
	require.False(t, lesser(person(reader, []uuid.UUID{team.ID}, base...)))

	open, closed := uuid.New(), uuid.New()
	a.grant(t, open, false, of("user", reader, access.Own))
	require.False(t, lesser(person(reader, nil, base...)), "what a rule opens anyway")
	a.grant(t, closed, true, of("user", reader, access.Edit))
	require.True(t, lesser(person(reader, nil, base...)), "a grant on what is private")
	a.grant(t, closed, true, of("user", reader, access.Edit), of("user", author.ID, access.View))
	require.True(t, lesser(person(reader, nil, base...)), "a grant at a lower level")
	a.grant(t, closed, true, of("user", reader, access.Edit), of("team", team.ID, access.Edit))
	require.False(t, lesser(person(reader, nil, base...)), "the same by a team")

	// Rights are those of now, and nobody is trusted for what they once were.
	setRoles := func(ids ...uuid.UUID) {
		t.Helper()
		a.exec(t, `DELETE FROM user_roles WHERE user_id = $1`, author.ID)
		for _, id := range ids {
			a.exec(t, `INSERT INTO user_roles (user_id, role_id) VALUES ($1, $2)`, author.ID, id)
		}
	}
	setRoles(readers.ID)
	require.True(t, lesser(person(reader, nil, base...)))
	setRoles(auth.AdminRole)
	require.False(t, lesser(person(reader, []uuid.UUID{uuid.New()}, principal.Admin)))
	a.exec(t, `UPDATE users SET disabled = true WHERE id = $1`, author.ID)
	require.True(t, lesser(person(reader, nil, base[:1]...)), "a disabled account holds nothing")
	a.exec(t, `DELETE FROM users WHERE id = $1`, author.ID)
	found, err := authors.LessPrivileged(t.Context(), person(reader, nil, base[:1]...), []uuid.UUID{object})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Empty(t, found[0].Author, "an account that is gone")
}

// Which changes leave somebody's text, and which take it away.
func TestWhoseTextStandsInARecord(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	reader := person(uuid.New(), nil, principal.Admin)
	one, two := person(a.user(t, "one@example.org").ID, nil), person(a.user(t, "two@example.org").ID, nil)
	authors := auth.NewAuthors(a.db)
	of := func(object uuid.UUID) []uuid.UUID {
		t.Helper()
		found, err := authors.LessPrivileged(t.Context(), reader, []uuid.UUID{object})
		require.NoError(t, err)
		ids := []uuid.UUID{}
		for _, w := range found {
			ids = append(ids, w.AuthorID)
		}
		return ids
	}
	product := principal.Principal{Kind: principal.Service}
	object := uuid.New()
	a.wrote(t, product, object, audit.Created)
	require.Empty(t, of(object), "what the product makes is nobody's text")
	for _, action := range []audit.Action{
		audit.Added, audit.Removed, audit.Granted, audit.Withdrawn, audit.Archived,
		audit.Ran, audit.SignedIn,
	} {
		a.wrote(t, one, object, action)
	}
	a.wrote(t, one, object, audit.Changed, "private")
	require.Empty(t, of(object), "memberships, grants and switches are no text")
	a.wrote(t, one, object, audit.Changed, "description", "name")
	require.Equal(t, []uuid.UUID{one.ID}, of(object))
	a.wrote(t, two, object, audit.Changed, "description")
	require.ElementsMatch(t, []uuid.UUID{one.ID, two.ID}, of(object), "the name is still the first one's")
	a.wrote(t, two, object, audit.Changed, "name")
	require.Equal(t, []uuid.UUID{two.ID}, of(object), "both are replaced as a whole")
	a.wrote(t, one, object, audit.Changed, "metadata")
	a.wrote(t, reader, object, audit.Changed, "metadata")
	require.ElementsMatch(t, []uuid.UUID{one.ID, two.ID}, of(object), "of metadata a part may have stayed")
	a.wrote(t, one, object, audit.Changed)
	a.wrote(t, one, object, audit.Deleted)
	require.Empty(t, of(object))
}
