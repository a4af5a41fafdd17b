package catalog_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/modules/catalog"
)

// What the database refuses, the service must have refused before: nothing that somebody sends is a host failure.

func FuzzASystemIsCreatedAsSentOrRefused(f *testing.F) {
	for _, body := range []string{
		`{"name":"A"}`, `{"name":"A","metadata":{"a":{"b":[1,2.5,null,"\ud800",1e30]}}}`, `{"name":"\ud83d\ude00 ﷺ İ ǅ"}`,
		`{"name":"a","name":"b"}`, `{"name":1}`, `null`, `[]`, `{`, `{"name":"a","tags":["ﬀ","İ",""]}`, `{"name":"a","metadata":{"":1}}`,
		`{"name":"a","metadata":{"n":-0.0,"m":1E-30,"o":1e9999999999}}`, `{"name":"a","metadata":null,"tags":null,"ownerTeamId":null}`,
		"{\"name\":\"\xff\"}", `{"name":"a","description":"\r\n\u2028"}`,
	} {
		f.Add(body)
	}
	a := newApp(f)
	f.Fuzz(func(t *testing.T, body string) {
		r := a.Do(t, "root", http.MethodPost, systems, body)
		require.Less(t, r.Status, 500, "%s", r.Body)
		if r.Status != http.StatusCreated {
			return
		}
		made := apitest.Decode[catalog.System](t, r)
		read := a.Do(t, "root", http.MethodGet, at(systems, made.ID), nil)
		require.Equal(t, r.Body, read.Body)
		same := apitest.Decode[catalog.System](t, a.Do(t, "root", http.MethodPatch, at(systems, made.ID),
			object{"name": made.Name, "description": made.Description, "metadata": made.Metadata, "tags": made.Tags}))
		require.Equal(t, int64(1), same.Revision, "what is stored is accepted back and is no change")
		require.Contains(t, a.list(t, "root", "?name="+url.QueryEscape(made.Name)), made.Name)
		require.Equal(t, http.StatusNoContent, a.Do(t, "root", http.MethodDelete, at(systems, made.ID), nil).Status)
	})
}

func FuzzAListIsFilteredByAnything(f *testing.F) {
	f.Add("a", "b", "c", "QQ")
	f.Add("%_\\'", "\x00", "İ", "====")
	f.Add("\xff", " ", "\u202e", "AA")
	f.Add("\x00", "", "", "")
	f.Add("", "\xff", "", "")
	f.Add("", "", "\x00", "QQ")
	a := newApp(f)
	a.system(f, "A")
	f.Fuzz(func(t *testing.T, query, name, tag, cursor string) {
		q := url.Values{"query": {query}, "name": {name}, "tag": {tag}, "cursor": {cursor}}
		for _, collection := range []string{systems, groups, environments} {
			r := a.Do(t, "root", http.MethodGet, collection+"?"+q.Encode(), nil)
			require.Less(t, r.Status, 500, "%s", r.Body)
		}
	})
}

func FuzzAContactOrLinkIsAddedOrRefused(f *testing.F) {
	f.Add("team@example.org", "On-call", "https://example.org")
	f.Add("\"a b\"@example.org", "", "http://[::1]:80/%zz")
	f.Add("a@\x00b", "\x00", "https://example.org/\x00")
	f.Add("ä@ö.example", "\u2028", "HTTP://EXAMPLE.ORG#\xff")
	a := newApp(f)
	f.Fuzz(func(t *testing.T, email, label, address string) {
		s := a.system(t, "A")
		for part, body := range map[string]object{
			"contacts": {"type": "mailbox", "email": email, "label": label},
			"links":    {"url": address, "label": label},
		} {
			r := a.Do(t, "root", http.MethodPost, at(systems, s.ID)+"/"+part, body)
			require.Less(t, r.Status, 500, "%s", r.Body)
		}
		require.Equal(t, http.StatusNoContent, a.Do(t, "root", http.MethodDelete, at(systems, s.ID), nil).Status)
	})
}
