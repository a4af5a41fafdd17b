package app_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/model/demo"
)

// volatile are headers that differ between any two answers.
var volatile = []string{"Date", "X-Request-Id"}

// look is everything of an answer that its caller can see, with the id they asked for taken out.
func look(a apptest.Answer, id uuid.UUID) map[string]string {
	seen := map[string]string{"status": http.StatusText(a.Status), "body": strings.ReplaceAll(string(a.Body), id.String(), "*")}
	for name, values := range a.Header {
		if !slices.Contains(volatile, name) {
			seen["header "+name] = strings.ReplaceAll(strings.Join(values, ","), id.String(), "*")
		}
	}
	return seen
}

// Every route of a conversation answers the same for one of somebody else and for one that never was, byte by byte.
// Otherwise the difference would tell that it exists.
func TestAForeignConversationCannotBeToldFromAMissingOne(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	owner := p.Person(t, p.Role(t, "catalog.system.manage"))
	busy, archived := owner.Conversation(t, nil), owner.Conversation(t, nil)
	card := busy.Perform(t, createSystem).Card(t, "proposal")
	owner.Post(t, "/api/ai/conversations/"+archived.ID.String()+"/archive", nil, nil)
	running, pause := startPaused(t, provider, busy, apptest.Message{Text: "Hello"})

	message := func(id uuid.UUID) any {
		return map[string]any{"conversationId": id, "messageId": "m", "message": "script: text=hi", "model": demo.Scripted}
	}
	decision := func(proposal uuid.UUID) func(uuid.UUID) any {
		return func(id uuid.UUID) any {
			return map[string]any{"conversationId": id, "decision": map[string]any{"proposalId": proposal, "kind": "apply"}}
		}
	}
	constant := func(body any) func(uuid.UUID) any { return func(uuid.UUID) any { return body } }
	calls := map[string]struct {
		method, path string
		body         func(id uuid.UUID) any
		headers      []apptest.Header
	}{
		"get":                {http.MethodGet, "/api/ai/conversations/*", constant(nil), nil},
		"head":               {http.MethodHead, "/api/ai/conversations/*", constant(nil), nil},
		"rename":             {http.MethodPatch, "/api/ai/conversations/*", constant(map[string]any{"title": "Mine"}), nil},
		"empty change":       {http.MethodPatch, "/api/ai/conversations/*", constant(map[string]any{}), nil},
		"unknown connection": {http.MethodPatch, "/api/ai/conversations/*", constant(map[string]any{"connectionId": uuid.New()}), nil},
		"archive":            {http.MethodPost, "/api/ai/conversations/*/archive", constant(nil), nil},
		"archive with a key": {
			http.MethodPost,
			"/api/ai/conversations/*/archive",
			constant(nil),
			[]apptest.Header{{Name: "Idempotency-Key", Value: "one"}},
		},
		"restore":               {http.MethodPost, "/api/ai/conversations/*/restore", constant(nil), nil},
		"delete":                {http.MethodDelete, "/api/ai/conversations/*", constant(nil), nil},
		"stream":                {http.MethodGet, "/api/ai/chat/*/stream", constant(nil), nil},
		"stream from an event":  {http.MethodGet, "/api/ai/chat/*/stream", constant(nil), []apptest.Header{{Name: "Last-Event-ID", Value: "5"}}},
		"stop":                  {http.MethodPost, "/api/ai/chat/*/stop", constant(nil), nil},
		"message":               {http.MethodPost, "/api/ai/chat", message, nil},
		"decision":              {http.MethodPost, "/api/ai/chat", decision(card.ProposalID), nil},
		"decision of no one":    {http.MethodPost, "/api/ai/chat", decision(uuid.New()), nil},
		"message not a message": {http.MethodPost, "/api/ai/chat", func(id uuid.UUID) any { return map[string]any{"conversationId": id} }, nil},
	}
	strangers := map[string]*apptest.Client{
		"another person": p.Person(t, p.Role(t, "catalog.system.manage")), "an administrator": p.Admin, "an owner of other chats": p.Person(t),
	}
	strangers["an owner of other chats"].Conversation(t, nil)
	for who, stranger := range strangers {
		for _, name := range slices.Sorted(maps.Keys(calls)) {
			call := calls[name]
			answer := func(id uuid.UUID) map[string]string {
				return look(stranger.Call(t, call.method, strings.Replace(call.path, "*", id.String(), 1), call.body(id), call.headers...), id)
			}
			missing := answer(uuid.New())
			require.Equal(t, missing, answer(busy.ID), "%s: %s", who, name)
			require.Equal(t, missing, answer(archived.ID), "%s: %s, archived", who, name)
			require.NotEqual(t, http.StatusText(http.StatusOK), missing["status"], name)
		}
	}

	// The same holds for a proposal of somebody else, in a conversation of one's own.
	own := strangers["an owner of other chats"].Conversation(t, nil)
	decide := func(id uuid.UUID) map[string]string {
		return look(strangers["an owner of other chats"].Call(t, http.MethodPost, "/api/ai/chat", decision(id)(own.ID)), id)
	}
	require.Equal(t, decide(uuid.New()), decide(card.ProposalID))

	pause.Resume()
	require.Equal(t, "done", running.Rest(t).Metadata.Status, "nobody has stopped it")
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_conversations WHERE id = $1 AND archived_at IS NULL AND title <> 'Mine'`, busy.ID))
}

// Grants of a catalog object follow the object: they need one that exists, raise its revision, and hide with it.
func TestGrantsFollowTheirObject(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := p.Person(t)
	var system, group struct {
		ID       uuid.UUID `json:"id"`
		Revision int64     `json:"revision"`
	}
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Payments API"}, &system)
	p.Admin.Post(t, "/api/catalog/groups", map[string]any{"name": "Money"}, &group)
	for objectType, id := range map[string]uuid.UUID{"catalog.system": system.ID, "catalog.group": group.ID} {
		at := "/api/grants/" + objectType + "/"
		resource := "/api/catalog/" + strings.TrimPrefix(objectType, "catalog.") + "s/" + id.String()
		before := p.Admin.Get(t, resource, nil).Header.Get("ETag")
		ada.Get(t, at+id.String(), nil)
		closed := p.Admin.Call(t, http.MethodPut, at+id.String(), map[string]any{"private": true, "grants": []any{
			map[string]any{"subjectType": "user", "subjectId": p.Admin.ID, "relation": "owner"},
		}})
		require.Equal(t, http.StatusOK, closed.Status, "%s", closed.Body)
		require.NotEqual(t, before, p.Admin.Get(t, resource, nil).Header.Get("ETag"), "its revision rises")
		change := p.Admin.Call(t, http.MethodPatch, resource, map[string]any{"description": "x"}, apptest.Header{Name: "If-Match", Value: before})
		require.Equal(t, http.StatusPreconditionFailed, change.Status, "a change that is based on the old access is refused")

		missing := uuid.New()
		require.Equal(
			t,
			look(ada.Call(t, http.MethodGet, at+missing.String(), nil), missing),
			look(ada.Call(t, http.MethodGet, at+id.String(), nil), id),
		)
		require.Equal(
			t,
			http.StatusNotFound,
			p.Admin.Call(t, http.MethodPut, at+missing.String(), map[string]any{"private": false, "grants": []any{}}).Status,
		)
	}
	require.Equal(t, 4, p.Count(t, `SELECT count(*) FROM relation_tuples`))
}
