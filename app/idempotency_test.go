package app_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/catalog"
	"countersign/tool/proposal"
)

func key(value string) apptest.Header { return apptest.Header{Name: "Idempotency-Key", Value: value} }

// A client that did not get the answer repeats the request with its key: it gets the first answer, and nothing happens
// twice.
func TestARepeatedWriteGetsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	beside := apptest.Start(t, apptest.Options{Beside: p, Roles: app.Roles{API: true}})
	const path = "/api/catalog/systems"
	first := p.Admin.Post(t, path, map[string]any{"name": "Payments API"}, nil, key("k1"))
	again := p.Admin.At(beside).Post(t, path, map[string]any{"name": "Payments API"}, nil, key("k1"))
	require.Equal(t, first.Status, again.Status)
	require.Equal(t, first.Header.Get("ETag"), again.Header.Get("ETag"))
	require.Equal(t, string(first.Body), string(again.Body))
	require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	require.Empty(t, first.Header.Get("Idempotency-Replayed"))
	require.Len(t, systems(t, p.Admin), 1)

	// The key stands for this request and no other.
	p.Admin.Refused(t, problem.KeyReused, http.MethodPost, path, map[string]any{"name": "Billing"}, key("k1"))
	p.Admin.Refused(t, problem.KeyReused, http.MethodPost, "/api/catalog/groups", map[string]any{"name": "Payments API"}, key("k1"))
	p.Admin.Post(t, path, map[string]any{"name": "Billing"}, nil, key("k2"))

	// Keys of different people do not meet.
	other := p.Person(t, p.Role(t, "catalog.system.manage"))
	other.Post(t, path, map[string]any{"name": "Shipping"}, nil, key("k1"))
	require.Equal(t, []string{"Billing", "Payments API", "Shipping"}, names(t, p.Admin))
}

func TestUpdatesAndDeletesAreRepeatable(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	system := "/api/catalog/systems/" + newSystem(t, p.Admin, "Payments API").String()
	revision := apptest.Header{Name: "If-Match", Value: `"1"`}
	for range 2 {
		var changed catalog.System
		p.Admin.Patch(t, system, map[string]any{"description": "Takes payments"}, &changed, key("k1"), revision)
		require.Equal(t, int64(2), changed.Revision)
	}
	p.Admin.Refused(t, problem.Precondition, http.MethodPatch, system, map[string]any{"description": "Takes payments"}, revision)
	for range 2 {
		require.Equal(t, http.StatusNoContent, p.Admin.Delete(t, system, key("k2")).Status)
	}
	p.Admin.Refused(t, problem.NotFound, http.MethodDelete, system, nil, key("k3"))
}

// A call that was refused has had no effect, so its key is free for the call that is corrected.
func TestARefusedWriteLeavesItsKeyFree(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	const path = "/api/catalog/systems"
	for range 2 {
		p.Admin.Refused(t, problem.Invalid, http.MethodPost, path, map[string]any{"name": ""}, key("k1"))
	}
	p.Admin.Post(t, path, map[string]any{"name": "Payments API"}, nil, key("k1"))
	require.Zero(t, p.Count(t, `SELECT count(*) FROM idempotency_keys WHERE status >= 400`))
}

func TestConcurrentRepeatsHaveOneEffect(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	beside := apptest.Start(t, apptest.Options{Beside: p, Roles: app.Roles{API: true}})
	clients := []*apptest.Client{p.Admin, p.Admin.At(beside)}
	const repeats = 16
	bodies := make(chan string, repeats)
	var writing sync.WaitGroup
	for i := range repeats {
		writing.Go(func() {
			answer, err := clients[i%2].Send(t.Context(), http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Payments API"}, key("k1"))
			if err == nil && answer.Status == http.StatusCreated {
				bodies <- string(answer.Body)
			}
		})
	}
	writing.Wait()
	close(bodies)
	first := <-bodies
	n := 1
	for body := range bodies {
		require.Equal(t, first, body)
		n++
	}
	require.Equal(t, repeats, n)
	require.Len(t, systems(t, p.Admin), 1)
}

func TestAKeyHasToBeOne(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	for _, bad := range []string{"two words", "schlüssel", strings.Repeat("k", 256)} {
		p.Admin.Refused(t, problem.Invalid, http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Payments API"}, key(bad))
	}
	require.Empty(t, systems(t, p.Admin))
}

// A secret is made once for a key and shown once: the repeat makes no second one, which would revoke the first, and what it
// says is not stored.
func TestASecretIsMadeAndShownOnce(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	type made struct {
		Application struct{ ID uuid.UUID }
		Token       string
	}
	var created, replaced, later made
	const path = "/api/applications"
	p.Admin.Post(t, path, map[string]any{"name": "Deploys"}, &created, key("k1"))
	p.Admin.Refused(t, problem.Conflict, http.MethodPost, path, map[string]any{"name": "Deploys"}, key("k1"))
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM applications`))

	token := path + "/" + created.Application.ID.String() + "/token"
	hash := func() []string { return p.Column(t, `SELECT encode(token_hash, 'hex') FROM applications`) }
	p.Admin.Post(t, token, map[string]any{}, &replaced, key("k2"))
	first := hash()
	refused := p.Admin.Refused(t, problem.Conflict, http.MethodPost, token, map[string]any{}, key("k2"))
	require.Contains(t, refused.Detail, "shown once")
	require.Equal(t, first, hash(), "the repeat has made no other one")
	p.Admin.Refused(t, problem.KeyReused, http.MethodPost, token, map[string]any{"expiresAt": "2099-01-01T00:00:00Z"}, key("k2"))
	p.Admin.Post(t, token, map[string]any{}, &later, key("k3"))
	require.NotEqual(t, first, hash())

	const chats = "/api/auth/chat-tokens"
	var chat struct{ Token string }
	p.Admin.Post(t, chats, map[string]any{"name": "Editor"}, &chat, key("k4"))
	p.Admin.Refused(t, problem.Conflict, http.MethodPost, chats, map[string]any{"name": "Editor"}, key("k4"))
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM sessions WHERE name = 'Editor'`))

	require.NotEmpty(t, created.Token)
	require.NotEqual(t, created.Token, replaced.Token)
	require.NotEqual(t, replaced.Token, later.Token)
	require.NotEmpty(t, chat.Token)
	require.Zero(t, p.Count(t, `SELECT count(*) FROM idempotency_keys WHERE length(body) > 0`))
}

// Proposals and their applies are repeatable by their own means.
func TestAProposalAndItsApplyAreRepeatable(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	const propose = "/api/ai/tools/catalog.createSystem/propose"
	input := map[string]any{"input": map[string]any{"name": "Payments API"}}
	var first, again proposal.Card
	p.Admin.Post(t, propose, input, &first, key("k1"))
	p.Admin.Post(t, propose, input, &again, key("k1"))
	require.Equal(t, encode(t, first), encode(t, again))
	p.Admin.Refused(t, problem.KeyReused, http.MethodPost, propose, map[string]any{"input": map[string]any{"name": "Billing"}}, key("k1"))

	apply := map[string]any{"token": first.Token}
	answer := p.Admin.Post(t, "/api/ai/proposals/apply", apply, nil, key("k2"))
	repeat := p.Admin.Post(t, "/api/ai/proposals/apply", apply, nil, key("k2"))
	require.JSONEq(t, string(answer.Body), string(repeat.Body))
	p.Admin.Refused(t, problem.Conflict, http.MethodPost, "/api/ai/proposals/apply", apply, key("k3"))
	p.Admin.Refused(t, problem.Conflict, http.MethodPost, "/api/ai/proposals/apply", apply)
	require.Len(t, systems(t, p.Admin), 1)
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_tool_calls`))
}
