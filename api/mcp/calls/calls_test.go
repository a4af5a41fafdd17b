package calls_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/mcp/calls"
	"countersign/internal/principal"
)

// Nothing that tells two requests apart is lost in their names, and what says the same is the same name.
func TestANameIsThatOfOneRequest(t *testing.T) {
	t.Parallel()
	p := principal.Principal{Kind: principal.User, ID: uuid.UUID{1}, SessionID: uuid.UUID{2}}
	other, app, token := p, p, p
	other.ID, app.Kind, token.SessionID = uuid.UUID{9}, principal.Application, uuid.UUID{9}
	names := map[calls.ID]string{}
	for what, one := range map[string]struct {
		p               principal.Principal
		client, request string
	}{
		"it": {p, "a", `3`}, "another person": {other, "a", `3`}, "an application": {app, "a", `3`}, "another token": {token, "a", `3`},
		"another client": {p, "b", `3`}, "another request": {p, "a", `4`}, "below zero": {p, "a", `-3`}, "a string": {p, "a", `"3"`},
		"a part of the client": {p, "anumber", `"3"`}, "nothing": {p, "a", `""`}, "letters": {p, "a", `"é"`},
	} {
		id, ok := calls.IDOf(one.p, one.client, json.RawMessage(one.request))
		require.True(t, ok, what)
		require.Empty(t, names[id], what)
		names[id] = what
	}
	again, ok := calls.IDOf(p, "a", json.RawMessage(`"\u00e9"`))
	require.True(t, ok)
	require.Equal(t, "letters", names[again])

	for _, request := range []string{``, `null`, `true`, `3.0`, `1e3`, `03`, `9007199254740993`, `{}`, `["3"]`, `"`} {
		_, ok := calls.IDOf(p, "a", json.RawMessage(request))
		require.False(t, ok, request)
	}
	_, ok = calls.IDOf(p, "", json.RawMessage(`3`))
	require.False(t, ok, "a client without a name")
}
