package apptest

import (
	"net/http"
	"testing"
)

// Changes is the event stream of a browser.
type Changes struct{ *Stream }

// Changes opens the event stream of the person, after the event with this id; "" begins anew. It is ready when it has said its first ping.
func (c *Client) Changes(t testing.TB, last string, headers ...Header) Changes {
	t.Helper()
	if last != "" {
		headers = append(headers, Header{"Last-Event-ID", last})
	}
	s := Changes{c.Stream(t, http.MethodGet, "/api/events", nil, headers...)}
	s.Until(t, func(e Event) bool { return e.Name == "ping" })
	return s
}

// Hears reads up to the event of a name with these data.
func (s Changes) Hears(t testing.TB, name, data string) Event {
	t.Helper()
	return s.Until(t, func(e Event) bool { return e.Name == name && e.Chunk == data })
}

// Said is all that was heard but pings, as "name data".
func (s Changes) Said() (all []string) {
	for _, e := range s.Events {
		if e.Name != "ping" {
			all = append(all, e.Name+" "+e.Chunk)
		}
	}
	return all
}
