package auth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool/disposition"
)

// run opens a run of an application.
func (a *app) run(t *testing.T, application uuid.UUID) auth.NewRun {
	t.Helper()
	n := auth.NewRun{
		ID: uuid.New(), Application: application, Definition: principal.Definition{Kind: "test", ID: uuid.New(), Revision: 2},
		Author: uuid.New(),
		Policy: disposition.RunPolicy{Apply: []string{"catalog.createSystem"}}, TokenCap: 1000,
	}
	opened, err := a.Runs.Open(t.Context(), n)
	require.NoError(t, err)
	require.True(t, opened)
	return n
}

// The credential of a run acts as its application with the rights of now, whatever becomes of the token.
func TestARunActsAsItsApplicationWithoutAToken(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	reads := a.role(t, "Readers", "catalog.system.read")
	made, token := a.application(t, "CI", reads.ID)
	n := a.run(t, made.ID)
	p, err := a.Runs.Principal(t.Context(), n.ID)
	require.NoError(t, err)
	require.Equal(t, principal.Application, p.Kind)
	require.Equal(t, made.ID, p.ID)
	require.Equal(t, &principal.Run{ID: n.ID, Definition: n.Definition, AuthorID: &n.Author}, p.Run)
	require.Equal(t, []string{"catalog.system.read"}, p.Rules)
	require.Equal(t, p, a.again(t, p))
	loaded, err := a.Authenticator.Load(t.Context(), p.Kind, p.ID, p.SessionID)
	require.NoError(t, err)
	require.Equal(t, p, loaded)
	kept, err := a.Runs.Run(t.Context(), n.ID)
	require.NoError(t, err)
	require.Equal(t, n, kept.NewRun)
	require.Nil(t, kept.EndedAt)

	turn := uuid.New()
	credential := a.Delegator.Mint(p, turn, 0)
	acts := func() principal.Principal {
		t.Helper()
		p, err := a.principalOf(t, bearer(credential), from("127.0.0.1:0"))
		require.NoError(t, err)
		require.Equal(t, turn, p.TurnID)
		return p
	}
	require.Equal(t, p.Run, acts().Run)
	_, _, err = a.Directory.ReplaceToken(t.Context(), root, made.ID, auth.TokenReplacement{}, nil)
	require.NoError(t, err)
	_, err = a.principalOf(t, bearer(token))
	require.True(t, problem.Is(err, problem.Unauthorized))
	acts()
	a.exec(t, `UPDATE applications SET expires_at = now() - interval '1 day' WHERE id = $1`, made.ID)
	acts()
	none := []uuid.UUID{}
	_, err = a.Directory.UpdateApplication(t.Context(), root, made.ID, auth.ApplicationChange{RoleIDs: &none}, nil)
	require.NoError(t, err)
	require.Empty(t, acts().Rules)
}

// Each of the three ends it: the run, the revision of its definition, and the application.
func TestARunEndsWithAnyOfThree(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, a *app, n auth.NewRun){
		"run": func(t *testing.T, a *app, n auth.NewRun) {
			t.Helper()
			for _, want := range []bool{true, false} {
				ended, err := a.Runs.End(t.Context(), n.ID)
				require.NoError(t, err)
				require.Equal(t, want, ended, "whether this call did it")
			}
		},
		"revision": func(t *testing.T, a *app, n auth.NewRun) {
			t.Helper()
			for _, want := range []bool{true, false} {
				revoked, err := a.Runs.RevokeRevision(t.Context(), n.Definition.ID, n.Definition.Revision)
				require.NoError(t, err)
				require.Equal(t, want, revoked, "whether this call did it")
			}
		},
		"disabled application": func(t *testing.T, a *app, n auth.NewRun) {
			t.Helper()
			yes := true
			_, err := a.Directory.UpdateApplication(t.Context(), root, n.Application, auth.ApplicationChange{Disabled: &yes}, nil)
			require.NoError(t, err)
		},
		"deleted application": func(t *testing.T, a *app, n auth.NewRun) {
			t.Helper()
			require.NoError(t, a.Directory.DeleteApplication(t.Context(), root, n.Application, nil))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t)
			made, _ := a.application(t, "CI")
			n := a.run(t, made.ID)
			p, err := a.Runs.Principal(t.Context(), n.ID)
			require.NoError(t, err)
			client := a.inProcess(a.Delegator.Mint(p, uuid.New(), 0))
			_, err = client.Get(t.Context(), "/api/me", nil)
			require.NoError(t, err)

			end(t, a, n)
			_, err = client.Get(t.Context(), "/api/me", nil)
			require.True(t, problem.Is(err, problem.Unauthorized), err)
			require.Contains(t, problem.As(err).Detail, "This run may not act any more")
			_, err = a.Runs.Principal(t.Context(), n.ID)
			require.True(t, problem.Is(err, problem.Unauthorized), err)
			_, err = a.Authenticator.Load(t.Context(), p.Kind, p.ID, p.SessionID)
			require.True(t, problem.Is(err, problem.Unauthorized), err)
			require.True(t, a.again(t, p).IsZero())

			next := n
			next.ID = uuid.New()
			opened, err := a.Runs.Open(t.Context(), next)
			if name == "run" {
				require.NoError(t, err)
				require.True(t, opened)
				return
			}
			require.True(t, problem.Is(err, problem.Forbidden), err)
			require.False(t, opened)
			if name == "revision" {
				next.Definition.Revision++
				_, err = a.Runs.Open(t.Context(), next)
				require.NoError(t, err)
			}
		})
	}
}

// Only what the product has signed for exactly this run is accepted, and only inside of the process.
func TestTheCredentialOfARunCannotBeForged(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made, token := a.application(t, "CI")
	other, _ := a.application(t, "Other")
	n, foreignRun := a.run(t, made.ID), a.run(t, other.ID)
	p, err := a.Runs.Principal(t.Context(), n.ID)
	require.NoError(t, err)
	good := a.Delegator.Mint(p, uuid.New(), time.Minute)
	inProcess := from("127.0.0.1:0")
	_, err = a.principalOf(t, bearer(good), inProcess)
	require.NoError(t, err)
	for _, address := range []string{"127.0.0.1:54321", "203.0.113.9:0", "@", "", "[::1]:0"} {
		_, err = a.principalOf(t, bearer(good), from(address))
		require.True(t, problem.Is(err, problem.Unauthorized), "over the network, from %q", address)
	}

	changed := func(change func(p *principal.Principal)) string {
		of := p.Clone()
		change(&of)
		return a.Delegator.Mint(of, uuid.New(), time.Minute)
	}
	byToken, err := a.principalOf(t, bearer(token))
	require.NoError(t, err)
	foreign := newProcess(t, a.db, []byte(strings.Repeat("k", 32)))
	ofToken := a.Delegator.Mint(byToken, uuid.New(), time.Minute)
	for name, bad := range map[string]string{
		"expired":                a.Delegator.Mint(p, uuid.New(), time.Nanosecond),
		"a token without a turn": a.Delegator.Mint(byToken, uuid.Nil, 0),
		"another application":    changed(func(p *principal.Principal) { p.ID = other.ID }),
		"another run":            changed(func(p *principal.Principal) { p.SessionID = foreignRun.ID }),
		"another revision":       changed(func(p *principal.Principal) { p.Run.Definition.Revision++ }),
		"another definition":     changed(func(p *principal.Principal) { p.Run.Definition.ID = uuid.New() }),
		"a person":               changed(func(p *principal.Principal) { p.Kind = principal.User }),
		"the form of a session":  changed(func(p *principal.Principal) { p.Run = nil }),
		"a token as a run":       changed(func(p *principal.Principal) { p.SessionID = byToken.SessionID }),
		"another key":            foreign.Delegator.Mint(p, uuid.New(), 0),
		"truncated":              good[:len(good)-1],
		"cut to a session":       good[:len(ofToken)],
		"changed":                good[:30] + flip(good[30]) + good[31:],
		"changed revision":       good[:112] + flip(good[112]) + good[113:],
		"changed signature":      good[:len(good)-2] + flip(good[len(good)-2]) + good[len(good)-1:],
	} {
		_, err := a.principalOf(t, bearer(bad), inProcess)
		require.True(t, problem.Is(err, problem.Unauthorized), name)
	}
	// A step of a run acts without a turn.
	step, err := a.principalOf(t, bearer(a.Delegator.Mint(p, uuid.Nil, 0)), inProcess)
	require.NoError(t, err)
	require.Equal(t, n.ID, step.SessionID)
	require.Equal(t, uuid.Nil, step.TurnID)
	// The form of the version before goes on to act for tokens.
	q, err := a.principalOf(t, bearer(ofToken), inProcess)
	require.NoError(t, err)
	require.Nil(t, q.Run)
}

func TestRunsAreOpenedOnceAndKeptForAWhile(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made, _ := a.application(t, "CI")
	n := a.run(t, made.ID)
	opened, err := a.Runs.Open(t.Context(), n)
	require.NoError(t, err)
	require.False(t, opened)
	for differs, change := range map[string]func(n *auth.NewRun){
		"another definition": func(n *auth.NewRun) { n.Definition.Revision++ },
		"another author":     func(n *auth.NewRun) { n.Author = uuid.New() },
		"another policy":     func(n *auth.NewRun) { n.Policy.Propose = true },
		"another policy.":    func(n *auth.NewRun) { n.Policy.Apply = nil },
		"another token cap":  func(n *auth.NewRun) { n.TokenCap = 0 },
	} {
		reused := n
		change(&reused)
		opened, err = a.Runs.Open(t.Context(), reused)
		require.True(t, problem.Is(err, problem.KeyReused), err)
		require.ErrorContains(t, err, differs)
		require.False(t, opened)
	}
	kept, err := a.Runs.Run(t.Context(), n.ID)
	require.NoError(t, err)
	require.Equal(t, n, kept.NewRun)
	_, err = a.Runs.Open(t.Context(), auth.NewRun{ID: uuid.New(), Application: made.ID, Definition: n.Definition})
	require.True(t, problem.Is(err, problem.Invalid), "it has no author")
	for _, bad := range []auth.NewRun{
		{},
		{ID: uuid.New(), Application: made.ID},
		{ID: uuid.New(), Application: made.ID, Definition: principal.Definition{Kind: "test", ID: uuid.New()}},
		{ID: uuid.New(), Application: made.ID, Definition: n.Definition, Author: n.Author, TokenCap: -1},
		{
			ID: uuid.New(), Application: made.ID, Definition: n.Definition, Author: n.Author,
			Policy: disposition.RunPolicy{Apply: make([]string, 201)},
		},
	} {
		_, err = a.Runs.Open(t.Context(), bad)
		require.True(t, problem.Is(err, problem.Invalid), err)
	}
	_, err = a.Runs.Open(t.Context(), auth.NewRun{ID: uuid.New(), Application: uuid.New(), Definition: n.Definition, Author: n.Author})
	require.True(t, problem.Is(err, problem.Forbidden), err)

	sweep := func() {
		t.Helper()
		for _, c := range a.Chores() {
			if c.Name == "delete ended runs" {
				require.NoError(t, c.Do(t.Context()))
			}
		}
	}
	sweep()
	require.Equal(t, 0, a.count(t, `SELECT count(*) FROM runs WHERE ended_at IS NOT NULL`), "it can still act")
	_, err = a.Runs.End(t.Context(), n.ID)
	require.NoError(t, err)
	sweep()
	require.Equal(t, 1, a.count(t, `SELECT count(*) FROM runs`))
	a.exec(t, `UPDATE runs SET kept_until = now() - interval '1 second'`)
	a.exec(t, `INSERT INTO ai_conversations (id, owner_id, kind) VALUES (gen_random_uuid(), $1, 'run')`, n.ID)
	sweep()
	require.Equal(t, 1, a.count(t, `SELECT count(*) FROM runs`), "its conversations are deleted first")
	a.exec(t, `DELETE FROM ai_conversations`)
	sweep()
	require.Equal(t, 0, a.count(t, `SELECT count(*) FROM runs`))
	_, err = a.Runs.Run(t.Context(), n.ID)
	require.True(t, problem.Is(err, problem.NotFound), err)
}

// The sweep ends a run that can never act again, as its opener may never do so.
func TestTheSweepEndsRunsThatCanNeverActAgain(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	deleted, _ := a.application(t, "Deleted")
	disabled, _ := a.application(t, "Disabled")
	ofDeleted, ofRevoked, ofDisabled := a.run(t, deleted.ID), a.run(t, disabled.ID), a.run(t, disabled.ID)
	_, err := a.Runs.RevokeRevision(t.Context(), ofRevoked.Definition.ID, ofRevoked.Definition.Revision)
	require.NoError(t, err)
	a.exec(t, `DELETE FROM applications WHERE id = $1`, deleted.ID)
	a.exec(t, `UPDATE applications SET disabled = true WHERE id = $1`, disabled.ID)
	for _, c := range a.Chores() {
		if c.Name == "delete ended runs" {
			require.NoError(t, c.Do(t.Context()))
		}
	}
	for _, n := range []auth.NewRun{ofDeleted, ofRevoked} {
		r, err := a.Runs.Run(t.Context(), n.ID)
		require.NoError(t, err)
		require.NotNil(t, r.EndedAt)
	}
	r, err := a.Runs.Run(t.Context(), ofDisabled.ID)
	require.NoError(t, err)
	require.Nil(t, r.EndedAt, "a disabled application may come back")
}
