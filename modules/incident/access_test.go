package incident_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/note"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/incident"
)

// An incident follows its systems: who sees none of them does not see it, and others see those that they see.
func TestAnIncidentFollowsItsSystems(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments, secret := a.system(t, "Payments"), a.system(t, "Secret")
	both := a.open(t, "Both", payments, object{"systemIds": []uuid.UUID{payments, secret}})
	hidden := a.open(t, "Hidden", secret)
	a.hide(t, secret, "bob")

	require.Equal(t, []incident.System{{ID: payments, Name: "Payments"}}, a.get(t, "reader", both.ID).Systems)
	require.Len(t, a.get(t, "bob", both.ID).Systems, 2)
	require.Equal(t, []string{"Both"}, a.titles(t, "reader", ""))
	require.Equal(t, []string{"Hidden", "Both"}, a.titles(t, "bob", ""))
	require.Empty(t, a.titles(t, "outsider", ""))
	for _, who := range []string{"reader", "ada", "outsider"} {
		missing := uuid.New()
		there, none := a.Do(t, who, http.MethodGet, at(hidden.ID), nil), a.Do(t, who, http.MethodGet, at(missing), nil)
		require.Equal(t, http.StatusNotFound, there.Status)
		require.Equal(t, none.Status, there.Status)
	}
	refused(t, problem.NotFound, a.Do(t, "ada", http.MethodPost, at(hidden.ID, "resolve"), object{}))
	refused(t, problem.NotFound, a.Do(t, "ada", http.MethodPost, at(hidden.ID, "updates"), object{"message": "Hello"}))
	refused(t, problem.NotFound, a.Do(t, "ada", http.MethodDelete, at(hidden.ID), nil))
	refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPost, at(both.ID, "merge"), object{"into": hidden.ID}))

	// A manager replaces the systems that they see; the hidden one stays.
	search := a.system(t, "Search")
	a.Do(t, "ada", http.MethodPatch, at(both.ID), object{"systemIds": []uuid.UUID{search}})
	require.Equal(t, []incident.System{{ID: search, Name: "Search"}}, a.get(t, "ada", both.ID).Systems)
	require.Len(t, a.get(t, "bob", both.ID).Systems, 2)
	refused(t, problem.Invalid, a.Do(t, "ada", http.MethodPatch, at(both.ID), object{"systemIds": []uuid.UUID{secret}}))

	types, payloads := a.events(t, "reader", both.ID)
	require.NotEmpty(t, types)
	require.Equal(t, []uuid.UUID{search}, payloads[len(payloads)-1].SystemIDs, "events name no hidden system")
	types, _ = a.events(t, "reader", hidden.ID)
	require.Empty(t, types)
}

func TestReadersMayNotChangeIncidents(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments := a.system(t, "Payments")
	one := a.open(t, "Slow", payments)
	for _, r := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPost, incidents, input("Mine", payments)},
		{http.MethodPatch, at(one.ID), object{"title": "Mine"}},
		{http.MethodDelete, at(one.ID), nil},
		{http.MethodPost, at(one.ID, "resolve"), object{}},
		{http.MethodPost, at(one.ID, "reopen"), object{}},
		{http.MethodPost, at(one.ID, "acknowledge"), nil},
		{http.MethodPost, at(one.ID, "merge"), object{"into": one.ID}},
		{http.MethodPost, at(one.ID, "updates"), object{"message": "Mine"}},
		{http.MethodPost, at(one.ID, "links"), object{"url": "https://example.org"}},
	} {
		answer := refused(t, problem.Forbidden, a.Do(t, "reader", r.method, r.path, r.body))
		require.Equal(t, []string{incident.Manage}, answer.MissingRules)
	}
	require.Equal(t, "Slow", a.get(t, "reader", one.ID).Title)
	require.Equal(t, "viewer", string(a.get(t, "reader", one.ID).Access))
}

// Updates and links are seen by those for whom they are, in lists, single reads, events and tools.
func TestUpdatesAreSeenByTheirAudience(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	one := a.open(t, "Slow", a.system(t, "Payments"))
	written := map[note.Visibility]note.Note{}
	for _, v := range []note.Visibility{note.Public, note.LoggedIn, note.Internal} {
		written[v] = a.say(t, "ada", one.ID, object{"message": "For " + string(v), "visibility": v})
		a.Do(t, "ada", http.MethodPost, at(one.ID, "links"), object{"url": "https://example.org/" + string(v), "visibility": v})
	}
	require.Len(t, a.updates(t, "ada", one.ID), 3)
	require.Len(t, a.updates(t, "reader", one.ID), 2)
	require.Len(t, a.get(t, "ada", one.ID).Links, 3)
	require.Len(t, a.get(t, "reader", one.ID).Links, 2)
	refused(t, problem.NotFound, a.Do(t, "reader", http.MethodGet, at(one.ID, "updates", written[note.Internal].ID.String()), nil))
	require.NotContains(t, a.Call(t, "reader", "incident.get", object{"id": one.ID}), "internal")
	require.Contains(t, a.Call(t, "ada", "incident.get", object{"id": one.ID}), "For internal")
	_, payloads := a.events(t, "reader", one.ID)
	for _, p := range payloads {
		require.NotEqual(t, "internal", p.Visibility)
	}
	_, all := a.events(t, "ada", one.ID)
	require.Len(t, all, len(payloads)+1)

	// Nobody who has not signed in reads any of it, and the audience of the public is that of public notes.
	require.Equal(t, http.StatusUnauthorized, a.Do(t, "", http.MethodGet, at(one.ID, "updates"), nil).Status)
	require.Equal(t, []note.Visibility{note.Public}, note.Audience(principal.NewContext(t.Context(), principal.Principal{}), incident.Manage))
}

func TestAnEditKeepsWhatAnUpdateWas(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	one := a.open(t, "Slow", a.system(t, "Payments"))
	written := a.say(t, "ada", one.ID, object{"message": "The key is wrong: token=ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"})
	require.NotContains(t, written.Message, "0123456789abcdefghij", "credentials are no part of an update")
	edit := func(as string, body object) apitest.Answer {
		return a.Do(t, as, http.MethodPatch, at(one.ID, "updates", written.ID.String()), body)
	}
	edited := apitest.Decode[note.Note](t, edit("bob", object{"message": "The key is right.", "visibility": "internal"}))
	require.Equal(t, "The key is right.", edited.Message)
	require.NotNil(t, edited.EditedAt)
	require.Len(t, edited.Edits, 1)
	require.Equal(t, written.Message, edited.Edits[0].Message)
	require.Equal(t, note.Public, edited.Edits[0].Visibility)
	require.Equal(t, "bob", edited.Edits[0].EditorName)
	require.Equal(t, "ada", edited.AuthorName)
	require.Len(t, apitest.Decode[note.Note](t, edit("ada", object{"message": "The key is right."})).Edits, 1, "no edit without effect")
	refused(t, problem.NotFound, a.Do(t, "reader", http.MethodGet, at(one.ID, "updates", written.ID.String()), nil))
	apitest.Decode[note.Note](t, edit("ada", object{"visibility": "public"}))
	require.Empty(t, a.updates(t, "reader", one.ID)[0].Edits, "the history is for managers")
	require.Len(t, a.updates(t, "ada", one.ID)[0].Edits, 2)

	gone := at(one.ID, "updates", written.ID.String())
	require.Equal(t, http.StatusNoContent, a.Do(t, "ada", http.MethodDelete, gone, nil).Status)
	refused(t, problem.NotFound, a.Do(t, "ada", http.MethodDelete, gone, nil))
	require.Zero(t, a.Count(t, `SELECT count(*) FROM note_edits`))
}

// A deleted system leaves its incidents. One without any system is there for those who manage incidents.
func TestIncidentsOutliveTheirSystems(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments, search := a.system(t, "Payments"), a.system(t, "Search")
	both := a.open(t, "Both", payments, object{"systemIds": []uuid.UUID{payments, search}, "healthOverride": "degraded"})
	alone := a.open(t, "Alone", payments, object{"healthOverride": "unhealthy"})
	require.Equal(t, http.StatusNoContent, a.Do(t, "root", http.MethodDelete, systems+"/"+payments.String(), nil).Status)

	require.Equal(t, []incident.System{{ID: search, Name: "Search"}}, a.get(t, "reader", both.ID).Systems)
	require.Empty(t, a.get(t, "ada", alone.ID).Systems)
	refused(t, problem.NotFound, a.Do(t, "reader", http.MethodGet, at(alone.ID), nil))
	require.Equal(t, []string{"Both"}, a.titles(t, "reader", ""))
	require.Equal(t, []string{"Alone", "Both"}, a.titles(t, "ada", ""))
	require.True(t, a.move(t, "ada", alone.ID, "resolve", object{}).Changed)
	a.Do(t, "ada", http.MethodPatch, at(alone.ID), object{"systemIds": []uuid.UUID{search}})
	require.Equal(t, "Search", a.get(t, "reader", alone.ID).Systems[0].Name)
	require.Equal(t, 2, a.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE object_type = 'incident.incident' AND action = 'removed'`))
}
