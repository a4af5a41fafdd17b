package auth_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool"
)

// again asks once more for p, in a trip of its own.
func (a *app) again(t *testing.T, p principal.Principal) principal.Principal {
	t.Helper()
	question := a.Authenticator.Requery(p)
	_, heard := question.Answer()
	require.False(t, heard, "nobody has asked yet")
	var batch store.Batch
	tell := store.Enqueue(&batch, question, a.Authenticator.Requery(p))
	require.Len(t, batch.QueuedQueries, 1, "what is the same is asked once")
	require.NoError(t, a.db.Conn(t.Context()).SendBatch(t.Context(), &batch).Close())
	tell()
	now, heard := question.Answer()
	require.True(t, heard)
	return now
}

func TestAskingAgainIsLookingAgain(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	role := a.role(t, "Editors", "catalog.system.manage")
	a.user(t, "ada@example.org", role.ID)
	person, err := a.principalOf(t, a.signIn(t, "ada@example.org"))
	require.NoError(t, err)
	made, token := a.application(t, "CI", role.ID)
	program, err := a.principalOf(t, bearer(token))
	require.NoError(t, err)
	require.Equal(t, person, a.again(t, person))
	require.Equal(t, program, a.again(t, program))

	none := []string{}
	_, err = a.Directory.UpdateRole(t.Context(), root, role.ID, auth.RoleChange{Rules: &none}, nil)
	require.NoError(t, err)
	require.Empty(t, a.again(t, program).Rules)
	_, _, err = a.Directory.ReplaceToken(t.Context(), root, made.ID, auth.TokenReplacement{}, nil)
	require.NoError(t, err)
	require.True(t, a.again(t, program).IsZero(), "a token that was replaced opens nothing")
	_, err = a.Sessions.Revoke(t.Context(), person, person.SessionID)
	require.NoError(t, err)
	require.True(t, a.again(t, person).IsZero())
}

// What was read of somebody together with the reservation of a call serves the one request that the call makes at once. The
// credential is needed all the same.
func TestASightServesOneRequestOfItsOwnCredential(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	made, token := a.application(t, "CI")
	p, err := a.principalOf(t, bearer(token))
	require.NoError(t, err)
	credential := a.Delegator.Mint(p, uuid.New(), 0)
	_, _, err = a.Directory.ReplaceToken(t.Context(), root, made.ID, auth.TokenReplacement{}, nil)
	require.NoError(t, err)
	sees := func() context.Context { return tool.WithRecentPrincipal(t.Context(), p, time.Now().Add(time.Hour)) }

	ctx := sees()
	_, err = a.inProcess(credential).Get(ctx, "/api/me", nil)
	require.NoError(t, err)
	_, err = a.inProcess(credential).Get(ctx, "/api/me", nil)
	require.True(t, problem.Is(err, problem.Unauthorized), "the next request reads that the token is gone: %v", err)

	other, otherToken := a.application(t, "Other")
	require.NotEqual(t, made.ID, other.ID)
	somebody, err := a.principalOf(t, bearer(otherToken))
	require.NoError(t, err)
	forged := somebody
	forged.SessionID = p.SessionID
	for name, bad := range map[string]string{
		"none": "", "another principal's": a.Delegator.Mint(forged, uuid.New(), 0), "expired": a.Delegator.Mint(p, uuid.New(), time.Nanosecond),
		"without a signature": credential[:len(credential)-4] + "AAAA",
	} {
		_, err = a.inProcess(bad).Get(sees(), "/api/me", nil)
		require.True(t, problem.Is(err, problem.Unauthorized), "%s: %v", name, err)
	}
	r, err := http.NewRequestWithContext(sees(), http.MethodGet, "/api/me", nil)
	require.NoError(t, err)
	r.RemoteAddr = "192.0.2.1:4711"
	r.Header.Set("Authorization", "Bearer "+credential)
	_, err = a.Authenticator.Authenticate(r.Context(), r)
	require.True(t, problem.Is(err, problem.Unauthorized), "over the network it is nothing: %v", err)
}

// Requests with one token that come at the same time look for their principal together. None may be answered by what was read before
// it came, and none may reach into the rights of another.
func TestRequestsThatLookTogetherSeeWhatWasTrueWhenTheyCame(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	role := a.role(t, "Editors", "catalog.system.manage")
	_, token := a.application(t, "CI", role.ID)
	for round := range 40 {
		var before, after sync.WaitGroup
		asked := make(chan principal.Principal, 32)
		look := func() {
			p, err := a.principalOf(t, bearer(token))
			if err != nil {
				p.Name = err.Error()
			}
			asked <- p
		}
		for range 16 {
			before.Go(look)
		}
		rules := []string{"ai.chat.read", "catalog.system.read"}[:1+round%2]
		_, err := a.Directory.UpdateRole(t.Context(), root, role.ID, auth.RoleChange{Rules: &rules}, nil)
		require.NoError(t, err)
		known := make(chan []string, 16)
		for range 16 {
			after.Go(func() {
				p, err := a.principalOf(t, bearer(token))
				if err != nil {
					known <- []string{err.Error()}
					return
				}
				known <- slices.Clone(p.Rules)
				clear(p.Rules) // it is nobody else's
			})
		}
		after.Wait()
		before.Wait()
		close(known)
		for got := range known {
			require.Equal(t, rules, got, "round %d", round)
		}
		close(asked)
		for p := range asked {
			require.Equal(t, "CI", p.Name)
		}
	}
}
