package httprequest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
)

func TestTheRequestsConform(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	apitest.Conform(t, apitest.Subject{
		Server: a.Server,
		Module: a.Module,
		Calls: map[string]apitest.Call{
			"http.request": apitest.Input(
				object{"method": "POST", "url": a.target.URL + "/orders", "headers": object{"X-Order": "7"}, "body": "one"},
			),
		},
	})
}

// Who decides about a request reads its body and headers on the card.
func TestWhatACardWouldNotShowIsNotProposed(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	proposed := func(header, body string) error {
		_, err := a.Propose(
			t,
			"ada",
			"http.request",
			object{"method": "POST", "url": a.target.URL, "headers": object{"X-Note": header}, "body": body},
		)
		return err
	}
	require.NoError(t, proposed("ünïcödé", "{\n\t\"note\":\"⚠️ \\u202e\"}"), "an escape is seen, and so is an emoji")
	require.ErrorContains(t, proposed("a\u202eb", "{}"), "U+202E")
	require.ErrorContains(t, proposed("a", "{\"to\":\"a\u200bb\"}"), "U+200B")
}
