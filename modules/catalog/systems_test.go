package catalog_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/modules/catalog"
)

func TestASystemIsCreatedReadChangedAndDeleted(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	platform := a.team(t, "Platform")

	created := a.Do(t, "root", http.MethodPost, systems, object{
		"name": "  Payments API ", "description": "Takes money.\nOften.", "tags": []string{"PCI", "core", "pci"},
		"metadata": object{"tier": 1, "links": []string{"a"}}, "ownerTeamId": platform,
	})
	require.Equal(t, http.StatusCreated, created.Status, created.Body)
	s := apitest.Decode[catalog.System](t, created)
	require.Equal(t, "Payments API", s.Name)
	require.Equal(t, []string{"core", "pci"}, s.Tags)
	require.Equal(t, []catalog.Owner{{TeamID: platform, TeamName: "Platform"}}, s.Owners)
	require.Equal(t, access.Own, s.Access)
	require.Equal(t, `"1"`, created.Header.Get("ETag"))
	require.Contains(t, created.Body, `"groups":[],"environments":[],"contacts":[],"links":[]`)

	read := a.Do(t, "root", http.MethodGet, at(systems, s.ID), nil)
	require.Equal(t, created.Body, read.Body, "what a write answers is what a read shows")

	patched := apitest.Decode[catalog.System](
		t,
		a.Do(t, "root", http.MethodPatch, at(systems, s.ID), `{"description":null,"metadata":{"tier":2}}`),
	)
	require.Empty(t, patched.Description, "null clears")
	require.Equal(t, "Payments API", patched.Name, "absent keeps")
	require.Equal(t, []string{"core", "pci"}, patched.Tags)
	require.JSONEq(t, `{"tier":2}`, marshal(t, patched.Metadata), "metadata is replaced as a whole")
	require.Equal(t, int64(2), patched.Revision)
	require.True(t, patched.UpdatedAt.After(s.UpdatedAt))
	require.Equal(t, s.CreatedAt, patched.CreatedAt)

	require.Equal(t, http.StatusNoContent, a.Do(t, "root", http.MethodDelete, at(systems, s.ID), nil).Status)
	a.Do(t, "root", http.MethodDelete, at(systems, s.ID), nil).Refused(t, problem.NotFound)
	a.Do(t, "root", http.MethodGet, at(systems, s.ID), nil).Refused(t, problem.NotFound)
}

func TestNullClearsMetadataAndTagsAndCannotClearTheName(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := apitest.Decode[catalog.System](
		t,
		a.Do(t, "root", http.MethodPost, systems, object{"name": "A", "tags": []string{"x"}, "metadata": object{"k": 1}}),
	)
	cleared := apitest.Decode[catalog.System](t, a.Do(t, "root", http.MethodPatch, at(systems, s.ID), `{"metadata":null,"tags":null}`))
	require.Empty(t, cleared.Tags)
	require.Empty(t, cleared.Metadata)
	require.Equal(t, "name", a.Do(t, "root", http.MethodPatch, at(systems, s.ID), `{"name":null}`).Refused(t, problem.Invalid).Issues[0].Path)
}

func TestAChangeToWhatIsThereAlreadyLeavesTheRevision(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := apitest.Decode[catalog.System](t, a.Do(t, "root", http.MethodPost, systems, object{"name": "A", "metadata": object{"n": 1}}))
	same := apitest.Decode[catalog.System](t, a.Do(t, "root", http.MethodPatch, at(systems, s.ID), `{"name":" A ","metadata":{"n":1.0}}`))
	require.Equal(t, int64(1), same.Revision)
	require.Equal(t, s.UpdatedAt, same.UpdatedAt)
}

func TestMetadataKeepsItsDigits(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.Do(t, "root", http.MethodPost, systems, `{"name":"A","metadata":{"id":12345678901234567890,"price":1.10,"text":"<b>"}}`)
	require.Contains(t, s.Body, `12345678901234567890`)
	again := a.Do(t, "root", http.MethodGet, at(systems, apitest.Decode[catalog.System](t, s).ID), nil)
	require.Contains(t, again.Body, `12345678901234567890`)
}

func TestWrongInputsNameTheirPlace(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for _, c := range []struct{ name, body, path string }{
		{"no name", `{}`, ""},
		{"empty name", `{"name":" \t "}`, "name"},
		{"long name", `{"name":"` + strings.Repeat("é", 121) + `"}`, "name"},
		{"NUL", `{"name":"a\u0000b"}`, "name"},
		{"line break", `{"name":"a\nb"}`, "name"},
		{"text that runs backwards", `{"name":"Payments \u202eIPA"}`, "name"},
		{"invisible character", `{"name":"Pay\u200bments"}`, "name"},
		{"long description", `{"name":"a","description":"` + strings.Repeat("x", 2001) + `"}`, "description"},
		{"control character", `{"name":"a","description":"\u0007"}`, "description"},
		{"too many tags", `{"name":"a","tags":[` + strings.Repeat(`"a",`, 20) + `"b"]}`, "tags"},
		{"empty tag", `{"name":"a","tags":["x"," "]}`, "tags[1]"},
		{"large metadata", `{"name":"a","metadata":{"k":"` + strings.Repeat("x", 17000) + `"}}`, "metadata"},
		{"NUL in metadata", `{"name":"a","metadata":{"k":["\u0000"]}}`, "metadata.k[0]"},
		{"NUL in a metadata name", `{"name":"a","metadata":{"\u0000":1}}`, "metadata"},
		{"deep metadata", `{"name":"a","metadata":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{}}}}}}}}}}`, "metadata.a.a.a.a.a.a.a.a"},
		{"number that the database would write out", `{"name":"a","metadata":{"n":1e200}}`, "metadata.n"},
		{"metadata that is no object", `{"name":"a","metadata":[1]}`, "metadata"},
		{"unknown member", `{"name":"a","nmae":"b"}`, "nmae"},
		{"no such team", `{"name":"a","ownerTeamId":"` + uuid.NewString() + `"}`, "ownerTeamId"},
		{"nil team", `{"name":"a","ownerTeamId":"` + uuid.Nil.String() + `"}`, "ownerTeamId"},
		{"no id", `{"name":"a","ownerTeamId":"x"}`, ""},
	} {
		e := a.Do(t, "root", http.MethodPost, systems, c.body).Refused(t, problem.Invalid)
		if c.path != "" {
			require.Equal(t, c.path, e.Issues[0].Path, "%s: %v", c.name, e.Issues)
		}
	}
	require.Empty(t, a.list(t, "root", ""), "nothing was created")
}

func TestNamesAreUniqueWhateverTheirCaseOrComposition(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	cafe := a.system(t, "Café Straße")
	for _, name := range []string{"café straße", "CAFÉ STRASSE", "Cafe\u0301 Straße"} {
		e := a.Do(t, "root", http.MethodPost, systems, object{"name": name}).Refused(t, problem.Conflict)
		require.Contains(t, e.Detail, "A system named Café Straße exists already (id "+cafe.ID.String()+")")
	}
	other := a.system(t, "Other")
	e := a.Do(t, "root", http.MethodPatch, at(systems, other.ID), object{"name": "CAFÉ straße"}).Refused(t, problem.Conflict)
	require.Contains(t, e.Detail, cafe.ID.String())
	renamed := apitest.Decode[catalog.System](t, a.Do(t, "root", http.MethodPatch, at(systems, cafe.ID), object{"name": "CAFÉ Straße"}))
	require.Equal(t, "CAFÉ Straße", renamed.Name, "its own name in another case is free")
}

func TestSystemsAreFiltered(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	payments := apitest.Decode[catalog.System](
		t,
		a.Do(t, "root", http.MethodPost, systems, object{"name": "Payments API", "tags": []string{"core"}}),
	)
	a.Do(t, "root", http.MethodPost, systems, object{"name": "Billing", "description": "Sends PAYMENT reminders_100%"})
	a.system(t, "Search")
	checkout := a.group(t, "Checkout", payments.ID)
	production := a.environment(t, "Production")
	a.Do(t, "root", http.MethodPut, at(systems, payments.ID)+"/environments", object{"environmentIds": []uuid.UUID{production.ID}})

	for query, want := range map[string][]string{
		"":                                 {"Billing", "Payments API", "Search"},
		"?query=payment":                   {"Billing", "Payments API"},
		"?query=PAYMENTS":                  {"Payments API"},
		"?query=core":                      {"Payments API"},
		"?query=%25":                       {"Billing"},
		"?query=s_100":                     {"Billing"},
		"?query=nothing":                   {},
		"?name=payments+api":               {"Payments API"},
		"?name=payments":                   {},
		"?tag=CORE":                        {"Payments API"},
		"?tag=cor":                         {},
		"?groupId=" + checkout.ID.String(): {"Payments API"},
		"?environmentId=" + production.ID.String():      {"Payments API"},
		"?query=search&groupId=" + checkout.ID.String(): {},
	} {
		require.Equal(t, want, a.list(t, "root", query), query)
	}
	a.Do(t, "root", http.MethodGet, systems+"?groupId="+uuid.NewString(), nil).Refused(t, problem.NotFound)
	a.Do(t, "root", http.MethodGet, systems+"?environmentId="+uuid.NewString(), nil).Refused(t, problem.Invalid)
	a.Do(t, "root", http.MethodGet, systems+"?groupId=x", nil).Refused(t, problem.Invalid)
	a.Do(t, "root", http.MethodGet, systems+"?limit=0", nil).Refused(t, problem.Invalid)
	a.Do(t, "root", http.MethodGet, systems+"?cursor=%21", nil).Refused(t, problem.Invalid)
	a.Do(t, "root", http.MethodGet, systems+"?cursor=AA", nil).Refused(t, problem.Invalid)
}

func TestPagesStayStableWhileSystemsComeAndGo(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	byName := map[string]catalog.System{}
	for i := range 7 {
		name := fmt.Sprintf("System %d", i)
		byName[name] = a.system(t, name)
	}
	type page struct {
		Systems    []catalog.System
		NextCursor string
	}
	first := apitest.Decode[page](t, a.Do(t, "root", http.MethodGet, systems+"?limit=3", nil))
	require.Len(t, first.Systems, 3)

	a.system(t, "A before all")
	a.system(t, "System 45")
	require.Equal(t, http.StatusNoContent, a.Do(t, "root", http.MethodDelete, at(systems, byName["System 2"].ID), nil).Status)

	var rest []string
	for cursor := first.NextCursor; cursor != ""; {
		next := apitest.Decode[page](t, a.Do(t, "root", http.MethodGet, systems+"?limit=3&cursor="+cursor, nil))
		for _, s := range next.Systems {
			rest = append(rest, s.Name)
		}
		cursor = next.NextCursor
	}
	require.Equal(t, []string{"System 3", "System 4", "System 45", "System 5", "System 6"}, rest)
}

func TestAListCostsTheSameNumberOfQueriesForAnyNumberOfSystems(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	cost := func() int64 {
		before := a.DB.Stat().AcquireCount()
		a.Do(t, "root", http.MethodGet, systems, nil)
		return a.DB.Stat().AcquireCount() - before
	}
	s := a.system(t, "One")
	a.group(t, "Group", s.ID)
	one := cost()
	for i := range 20 {
		s := a.system(t, fmt.Sprintf("System %d", i))
		a.Do(t, "root", http.MethodPost, at(systems, s.ID)+"/contacts", object{"type": "user", "userId": ada})
		a.Do(t, "root", http.MethodPost, at(systems, s.ID)+"/links", object{"url": "https://example.org"})
	}
	require.Equal(t, one, cost())
}

func TestOfTwoChangesBasedOnOneRevisionOneWins(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "A")
	etag := a.Do(t, "root", http.MethodGet, at(systems, s.ID), nil).Header.Get("ETag")
	answers := parallel(8, func(i int) apitest.Answer {
		return a.Do(t, "root", http.MethodPatch, at(systems, s.ID), object{"description": fmt.Sprint(i)}, "If-Match", etag)
	})
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusPreconditionFailed: 7}, statuses(answers))
	require.Equal(t, int64(2), a.readSystem(t, s.ID).Revision)
}

func TestOfCreatesWithOneNameOneWins(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	answers := parallel(8, func(i int) apitest.Answer {
		name := "Payments"
		if i%2 == 0 {
			name = "PAYMENTS"
		}
		return a.Do(t, "root", http.MethodPost, systems, object{"name": name})
	})
	require.Equal(t, map[int]int{http.StatusCreated: 1, http.StatusConflict: 7}, statuses(answers))
	require.Len(t, a.list(t, "root", ""), 1)
	for _, r := range answers {
		if r.Status == http.StatusConflict {
			require.Contains(t, r.Refused(t, problem.Conflict).Detail, "exists already (id ")
		}
	}
}

func TestOfRenamesToOneNameOneWins(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	var made []catalog.System
	for i := range 6 {
		made = append(made, a.system(t, fmt.Sprintf("System %d", i)))
	}
	answers := parallel(6, func(i int) apitest.Answer {
		return a.Do(t, "root", http.MethodPatch, at(systems, made[i].ID), object{"name": "Same"})
	})
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: 5}, statuses(answers))
}

func TestARepeatedCreateWithOneIdempotencyKeyIsOneSystem(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	answers := parallel(6, func(int) apitest.Answer {
		return a.Do(t, "root", http.MethodPost, systems, object{"name": "Payments"}, "Idempotency-Key", "k1")
	})
	require.Equal(t, map[int]int{http.StatusCreated: 6}, statuses(answers))
	for _, r := range answers {
		require.Equal(t, answers[0].Body, r.Body)
	}
	require.Equal(t, []string{"Payments"}, a.list(t, "root", ""))
	a.Do(t, "root", http.MethodPost, systems, object{"name": "Payments"}, "Idempotency-Key", "k2").Refused(t, problem.Conflict)
}

func TestAStaleRevisionIsRefusedByEveryChangeOfASystem(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.system(t, "A")
	g := a.group(t, "G", s.ID)
	contact := apitest.Decode[catalog.Contact](
		t,
		a.Do(t, "root", http.MethodPost, at(systems, s.ID)+"/contacts", object{"type": "user", "userId": ada}),
	)
	link := apitest.Decode[catalog.Link](t, a.Do(t, "root", http.MethodPost, at(systems, s.ID)+"/links", object{"url": "https://example.org"}))
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPatch, at(systems, s.ID), object{"name": "B"}},
		{http.MethodDelete, at(systems, s.ID), nil},
		{http.MethodPost, at(systems, s.ID) + "/contacts", object{"type": "mailbox", "email": "a@example.org"}},
		{http.MethodDelete, at(systems, s.ID) + "/contacts/" + contact.ID.String(), nil},
		{http.MethodPost, at(systems, s.ID) + "/links", object{"url": "https://example.org/2"}},
		{http.MethodDelete, at(systems, s.ID) + "/links/" + link.ID.String(), nil},
		{http.MethodPut, at(systems, s.ID) + "/environments", object{"environmentIds": []string{}}},
		{http.MethodPut, at(systems, s.ID) + "/owner", object{"teamId": nil}},
		{http.MethodPatch, at(groups, g.ID), object{"name": "H"}},
		{http.MethodDelete, at(groups, g.ID), nil},
		{http.MethodDelete, at(groups, g.ID) + "/systems/" + s.ID.String(), nil},
	} {
		e := a.Do(t, "root", c.method, c.path, c.body, "If-Match", `"1"`).Refused(t, problem.Precondition)
		require.Contains(t, e.Detail, "Read it again", "%s %s", c.method, c.path)
		a.Do(t, "root", c.method, c.path, c.body, "If-Match", `x`).Refused(t, problem.Invalid)
	}
	require.Equal(t, int64(3), a.readSystem(t, s.ID).Revision, "nothing changed: one contact, one link since it was made")
}

func parallel(n int, call func(i int) apitest.Answer) []apitest.Answer {
	answers := make([]apitest.Answer, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { answers[i] = call(i) })
	}
	wg.Wait()
	return answers
}

func statuses(answers []apitest.Answer) map[int]int {
	count := map[int]int{}
	for _, r := range answers {
		count[r.Status]++
	}
	return count
}
