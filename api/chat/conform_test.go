package chat_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/api/apitest"
	"countersign/api/chat"
	"countersign/chat/conversation"
	"countersign/chat/turn"
	"countersign/internal/problem"
)

// anyConnection is a connection that allows every model.
type anyConnection struct{}

func (anyConnection) Settle(_ context.Context, _ *uuid.UUID, model string) (uuid.UUID, string, error) {
	return uuid.UUID{7}, model, nil
}

func TestTheConversationsConform(t *testing.T) {
	t.Parallel()
	server := apitest.New(t)
	module := &chat.Conversations{Service: conversation.New(server.DB, anyConnection{}, nil), Turns: turn.NewStore(server.DB)}
	server.Mount(t, module)
	apitest.Conform(t, apitest.Subject{
		Server: server, Module: module, Foreign: []string{api.ChatRule},
		Unpaged:   map[string]string{"/api/ai/conversations": "one's own, of which there is a most"},
		Unrevised: map[string]string{"update-conversation": "only its owner changes it", "archive-conversation": "only its owner does"},
	})
}

// A connection without a list allows any model, but none that could be read as another one.
func TestAModelThatHidesSomethingIsRefused(t *testing.T) {
	t.Parallel()
	server := apitest.New(t)
	server.Mount(t, &chat.Conversations{Service: conversation.New(server.DB, anyConnection{}, nil), Turns: turn.NewStore(server.DB)})
	server.Person("ada", api.ChatRule)
	for _, model := range []string{"gpt\x00", "gpt\u202e", "gpt\u200b"} {
		answer := server.Do(t, "ada", http.MethodPost, "/api/ai/conversations", map[string]any{"model": model})
		require.Equal(t, "model", answer.Refused(t, problem.Invalid).Issues[0].Path)
	}
}
