package chat

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/turn"
	"countersign/internal/principal"
)

// The next message of another program, or of another person, does not stop a turn that no client reads.
func TestOnlyTheOwnerStopsATurnThatWasLeft(t *testing.T) {
	t.Parallel()
	ada, began := uuid.New(), uuid.New()
	running := turn.Turn{ID: uuid.New(), OwnerID: ada, SessionID: began}
	program := new(principal.Client)
	for _, c := range []struct {
		p   principal.Principal
		may bool
	}{
		{principal.Principal{Kind: principal.User, ID: ada, SessionID: began}, true},
		{principal.Principal{Kind: principal.User, ID: ada, SessionID: uuid.New()}, true},
		{principal.Principal{Kind: principal.User, ID: ada, SessionID: began, Client: program}, true},
		{principal.Principal{Kind: principal.Application, ID: ada}, true},
		{principal.Principal{Kind: principal.User, ID: ada, SessionID: uuid.New(), Client: program}, false},
		{principal.Principal{Kind: principal.User, ID: uuid.New(), SessionID: began}, false},
		{principal.Principal{Kind: principal.Application, ID: uuid.New()}, false},
	} {
		require.Equal(t, c.may, mayStopAbandoned(running, c.p), "%+v", c.p)
	}
}
