package apptest

import (
	"net/http"
	"testing"
)

// Changes is the change stream of a browser.
type Changes struct{ *Stream }

// Changes opens the change stream of the person, after the event with this id; "" starts without one. It returns after
// the first ping.
func (c *Client) Changes(t testing.TB, last string, headers ...Header) Changes {
	t.Helper()
	if last != "" {
		headers = append(headers, Header{"Last-Event-ID", last})
	}
	s := Changes{c.Stream(t, http.MethodGet, "/api/events", nil, headers...)}
	s.Until(t, func(e Event) bool { return e.Name == "ping" })
	return s
}

// Hears reads up to the event with this name and data.
func (s Changes) Hears(t testing.TB, name, data string) Event {
	t.Helper()
	return s.Until(t, func(e Event) bool { return e.Name == name && e.Chunk == data })
}

// Said returns all received events except pings, as "name data".
func (s Changes) Said() (all []string) {
	for _, e := range s.Events {
		if e.Name != "ping" {
			all = append(all, e.Name+" "+e.Chunk)
		}
	}
	return all
}
