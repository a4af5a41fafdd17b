package catalog_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/catalog"
)

func TestASystemHasUsersAndMailboxesAsContacts(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Payments")
	path := at(systems, s.ID) + "/contacts"

	made := a.Do(t, "root", http.MethodPost, path, object{"type": "user", "userId": ada, "label": " On-call "})
	require.Equal(t, http.StatusCreated, made.Status)
	require.Equal(t, `"2"`, made.Header.Get("ETag"), "the revision of the system")
	user := apitest.Decode[catalog.Contact](t, made)
	require.Equal(
		t,
		catalog.Contact{
			ID:        user.ID,
			Type:      catalog.UserContact,
			Label:     "On-call",
			UserID:    &ada,
			UserName:  "Ada Lovelace",
			UserEmail: "ada@example.org",
		},
		user,
	)
	mailbox := apitest.Decode[catalog.Contact](
		t,
		a.Do(t, "root", http.MethodPost, path, object{"type": "mailbox", "email": "team@example.org"}),
	)
	require.Equal(t, []catalog.Contact{user, mailbox}, a.readSystem(t, s.ID).Contacts)

	a.Do(t, "root", http.MethodPost, path, object{"type": "mailbox", "email": "team@example.org"}).Refused(t, problem.Conflict)
	a.Do(t, "root", http.MethodPost, path, object{"type": "user", "userId": ada}).Refused(t, problem.Conflict)

	require.Equal(t, http.StatusNoContent, a.Do(t, "root", http.MethodDelete, path+"/"+user.ID.String(), nil).Status)
	a.Do(t, "root", http.MethodDelete, path+"/"+user.ID.String(), nil).Refused(t, problem.NotFound)
	after := a.readSystem(t, s.ID)
	require.Equal(t, []catalog.Contact{mailbox}, after.Contacts)
	require.Equal(t, int64(4), after.Revision)
}

// Beside people and mailboxes there are numbers to dial and rooms to open.
func TestASystemHasPhonesChatsAndPagersAsContacts(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Payments")
	path := at(systems, s.ID) + "/contacts"
	var want []catalog.Contact
	for _, add := range []catalog.NewContact{
		{Type: catalog.PhoneContact, Label: "On call", Address: " +49 (30) 123-4567 "},
		{Type: catalog.ChatContact, Address: "https://chat.example.org/rooms/payments?x=1"},
		{Type: catalog.PagerContact, Address: "https://pager.example.org/services/7"},
		{Type: catalog.PagerContact, Address: "112"},
	} {
		made := apitest.Decode[catalog.Contact](t, a.Do(t, "root", http.MethodPost, path, add))
		require.Equal(t, catalog.Contact{ID: made.ID, Type: add.Type, Label: add.Label, Address: strings.TrimSpace(add.Address)}, made)
		want = append(want, made)
	}
	require.Equal(t, want, a.readSystem(t, s.ID).Contacts)
	a.Do(t, "root", http.MethodPost, path, object{"type": "phone", "address": "112"}).Refused(t, problem.Conflict)

	phone := a.proposed(t, "addSystemContact", object{"systemId": s.ID, "type": "phone", "address": "+49 30 99999", "label": "Desk"})
	require.Equal(t, "Add +49 30 99999 as a contact of the system Payments (Desk)", phone.Summary)
	a.applied(t, "addSystemContact", phone)
	_, err := a.propose(t, "root", "addSystemContact", object{"systemId": s.ID, "type": "phone", "address": "+49 30 99999"})
	require.Error(t, err)
	removal := a.proposed(t, "removeSystemContact", object{"systemId": s.ID, "contactId": want[0].ID})
	require.Equal(t, "Remove +49 (30) 123-4567 from the contacts of the system Payments", removal.Summary)
}

func TestAContactWhoseUserIsGoneStaysWithoutAName(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Payments")
	a.Do(t, "root", http.MethodPost, at(systems, s.ID)+"/contacts", object{"type": "user", "userId": ada})
	_, err := a.DB.Conn(t.Context()).Exec(t.Context(), "UPDATE catalog_contacts SET user_id = $1", uuid.New())
	require.NoError(t, err)
	contact := a.readSystem(t, s.ID).Contacts[0]
	require.Equal(t, catalog.UserContact, contact.Type)
	require.Empty(t, contact.UserName)
}

func TestWrongContactsAndLinksNameTheirPlace(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Payments")
	for _, c := range []struct {
		part, path string
		body       object
	}{
		{"contacts", "userId", object{"type": "user"}},
		{"contacts", "userId", object{"type": "user", "userId": uuid.New()}},
		{"contacts", "email", object{"type": "user", "userId": ada, "email": "a@example.org"}},
		{"contacts", "email", object{"type": "mailbox"}},
		{"contacts", "email", object{"type": "mailbox", "email": "Ada <ada@example.org>"}},
		{"contacts", "email", object{"type": "mailbox", "email": "a@example.org\r\nBcc: b@example.org"}},
		{"contacts", "userId", object{"type": "mailbox", "email": "a@example.org", "userId": ada}},
		{"contacts", "type", object{"type": "pigeon"}},
		{"contacts", "address", object{"type": "phone"}},
		{"contacts", "address", object{"type": "phone", "address": "12"}},
		{"contacts", "address", object{"type": "phone", "address": "+49 30 1234567 1234567 8"}},
		{"contacts", "address", object{"type": "phone", "address": "030 12345;phone-context=evil"}},
		{"contacts", "address", object{"type": "phone", "address": "https://chat.example.org/room"}},
		{"contacts", "address", object{"type": "chat", "address": "+49 30 1234567"}},
		{"contacts", "address", object{"type": "chat", "address": "http://chat.example.org/room"}},
		{"contacts", "address", object{"type": "chat", "address": "javascript:alert(1)"}},
		{"contacts", "address", object{"type": "chat", "address": "https://ada:word@chat.example.org/room"}},
		{"contacts", "address", object{"type": "pager", "address": "page me"}},
		{"contacts", "address", object{"type": "mailbox", "email": "a@example.org", "address": "030 12345"}},
		{"contacts", "address", object{"type": "user", "userId": ada, "address": "030 12345"}},
		{"contacts", "email", object{"type": "phone", "address": "030 12345", "email": "a@example.org"}},
		{"contacts", "userId", object{"type": "phone", "address": "030 12345", "userId": ada}},
		{"contacts", "label", object{"type": "mailbox", "email": "a@example.org", "label": "a\nb"}},
		{"links", "url", object{"url": "javascript:alert(1)"}},
		{"links", "url", object{"url": "ftp://example.org"}},
		{"links", "url", object{"url": "https://"}},
		{"links", "url", object{"url": "/runbook"}},
		{"links", "url", object{"url": "https://user:secret@example.org"}},
		{"links", "url", object{"url": "https://example.org/a b"}},
		{"links", "url", object{"url": "https://example.org/\u202e"}},
	} {
		e := a.Do(t, "root", http.MethodPost, at(systems, s.ID)+"/"+c.part, c.body).Refused(t, problem.Invalid)
		require.Equal(t, c.path, e.Issues[0].Path, "%v: %v", c.body, e.Issues)
	}
	require.Equal(t, int64(1), a.readSystem(t, s.ID).Revision)
}

func TestASystemHasLinks(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Payments")
	path := at(systems, s.ID) + "/links"
	link := apitest.Decode[catalog.Link](
		t,
		a.Do(t, "root", http.MethodPost, path, object{"url": " HTTPS://example.org/run?a=1#b ", "label": "Runbook"}),
	)
	require.Equal(t, "HTTPS://example.org/run?a=1#b", link.URL)
	a.Do(t, "root", http.MethodPost, path, object{"url": link.URL}).Refused(t, problem.Conflict)
	require.Equal(t, []catalog.Link{link}, a.readSystem(t, s.ID).Links)
	require.Equal(t, http.StatusNoContent, a.Do(t, "root", http.MethodDelete, path+"/"+link.ID.String(), nil).Status)
	a.Do(t, "root", http.MethodDelete, path+"/"+link.ID.String(), nil).Refused(t, problem.NotFound)
	require.Empty(t, a.readSystem(t, s.ID).Links)
}

func TestAContactOrLinkIsRemovedOnlyThroughItsOwnSystem(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	mine, other := a.system(t, "Mine"), a.system(t, "Other")
	link := apitest.Decode[catalog.Link](
		t,
		a.Do(t, "root", http.MethodPost, at(systems, other.ID)+"/links", object{"url": "https://example.org"}),
	)
	contact := apitest.Decode[catalog.Contact](
		t,
		a.Do(t, "root", http.MethodPost, at(systems, other.ID)+"/contacts", object{"type": "user", "userId": ada}),
	)
	a.Do(t, "root", http.MethodDelete, at(systems, mine.ID)+"/links/"+link.ID.String(), nil).Refused(t, problem.NotFound)
	a.Do(t, "root", http.MethodDelete, at(systems, mine.ID)+"/contacts/"+contact.ID.String(), nil).Refused(t, problem.NotFound)
}

func TestASystemHasABoundedNumberOfContactsAndLinks(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Payments")
	for i := range max(catalog.MaxContacts, catalog.MaxLinks) {
		require.Equal(
			t,
			http.StatusCreated,
			a.Do(
				t,
				"root",
				http.MethodPost,
				at(systems, s.ID)+"/contacts",
				object{"type": "mailbox", "email": fmt.Sprintf("a%d@example.org", i)},
			).Status,
		)
		require.Equal(
			t,
			http.StatusCreated,
			a.Do(t, "root", http.MethodPost, at(systems, s.ID)+"/links", object{"url": fmt.Sprintf("https://example.org/%d", i)}).Status,
		)
	}
	a.Do(
		t,
		"root",
		http.MethodPost,
		at(systems, s.ID)+"/contacts",
		object{"type": "mailbox", "email": "one@example.org"},
	).Refused(
		t,
		problem.Conflict,
	)
	a.Do(t, "root", http.MethodPost, at(systems, s.ID)+"/links", object{"url": "https://example.org/one"}).Refused(t, problem.Conflict)
}

func TestTheOwnerOfASystemIsChosenAndTakenAway(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Payments")
	platform, search := a.team(t, "Platform"), a.team(t, "Search")
	path := at(systems, s.ID) + "/owner"

	owned := apitest.Decode[catalog.System](t, a.Do(t, "root", http.MethodPut, path, object{"teamId": platform}))
	require.Equal(t, []catalog.Owner{{TeamID: platform, TeamName: "Platform"}}, owned.Owners)
	require.Equal(t, int64(2), owned.Revision)
	same := apitest.Decode[catalog.System](t, a.Do(t, "root", http.MethodPut, path, object{"teamId": platform}))
	require.Equal(t, int64(2), same.Revision, "nothing changed")
	given := apitest.Decode[catalog.System](t, a.Do(t, "root", http.MethodPut, path, object{"teamId": search}))
	require.Equal(t, []catalog.Owner{{TeamID: search, TeamName: "Search"}}, given.Owners)
	none := apitest.Decode[catalog.System](t, a.Do(t, "root", http.MethodPut, path, object{"teamId": nil}))
	require.Empty(t, none.Owners)
	require.Equal(t, int64(4), none.Revision)

	for _, body := range []object{{"teamId": uuid.New()}, {"teamId": uuid.Nil}, {}} {
		a.Do(t, "root", http.MethodPut, path, body).Refused(t, problem.Invalid)
	}
	require.Equal(t, int64(4), a.readSystem(t, s.ID).Revision)
}

func TestTheEnvironmentsOfASystemAreReplaced(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "Payments")
	production, staging, test := a.environment(t, "Production"), a.environment(t, "Staging"), a.environment(t, "Test")
	path := at(systems, s.ID) + "/environments"
	set := func(ids ...uuid.UUID) catalog.System {
		if ids == nil {
			ids = []uuid.UUID{}
		}
		return apitest.Decode[catalog.System](t, a.Do(t, "root", http.MethodPut, path, object{"environmentIds": ids}))
	}
	revision := func(id uuid.UUID) int64 {
		return apitest.Decode[catalog.Environment](t, a.Do(t, "root", http.MethodGet, at(environments, id), nil)).Revision
	}

	two := set(staging.ID, production.ID, staging.ID)
	require.Equal(t, []catalog.Reference{{ID: production.ID, Name: "Production"}, {ID: staging.ID, Name: "Staging"}}, two.Environments)
	require.Equal(t, int64(2), two.Revision)
	require.Equal(t, int64(2), set(production.ID, staging.ID).Revision, "nothing changed")
	other := set(production.ID, test.ID)
	require.Equal(t, []catalog.Reference{{ID: production.ID, Name: "Production"}, {ID: test.ID, Name: "Test"}}, other.Environments)
	require.Equal(
		t,
		[]int64{1, 1, 1},
		[]int64{revision(production.ID), revision(staging.ID), revision(test.ID)},
		"who changes a system changes no environment",
	)
	require.Empty(t, set().Environments)

	e := a.Do(t, "root", http.MethodPut, path, object{"environmentIds": []uuid.UUID{production.ID, uuid.New()}}).Refused(t, problem.Invalid)
	require.Equal(t, "environmentIds[1]", e.Issues[0].Path)
	require.Empty(t, a.readSystem(t, s.ID).Environments, "all or nothing")
}
