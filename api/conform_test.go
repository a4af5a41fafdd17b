package api_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"

	"countersign/api"
	"countersign/api/apitest"
	"countersign/chat/conversation"
	"countersign/chat/turn"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// anyConnection is a connection that allows every model.
type anyConnection struct{}

func (anyConnection) Settle(_ context.Context, _ *uuid.UUID, model string) (uuid.UUID, string, error) {
	return uuid.UUID{7}, model, nil
}

func TestTheConversationsConform(t *testing.T) {
	t.Parallel()
	server := apitest.New(t)
	module := &api.Conversations{Service: conversation.New(server.DB, anyConnection{}), Turns: turn.NewStore(server.DB)}
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
	server.Mount(t, &api.Conversations{Service: conversation.New(server.DB, anyConnection{}), Turns: turn.NewStore(server.DB)})
	server.Person("ada", api.ChatRule)
	for _, model := range []string{"gpt\x00", "gpt\u202e", "gpt\u200b"} {
		issues := server.Do(t, "ada", http.MethodPost, "/api/ai/conversations", map[string]any{"model": model}).Refused(t, problem.Invalid).Issues
		require.Equal(t, "model", issues[0].Path)
	}
}

func TestTheSettingsConform(t *testing.T) {
	t.Parallel()
	server := apitest.New(t)
	module := &api.Settings{Version: "test"}
	server.Mount(t, module)
	apitest.Conform(t, apitest.Subject{Server: server, Module: module})
}

// What the API serves beside the modules keeps what modules keep.
func TestTheOtherPartsConform(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]apitest.Subject{
		"gate":      {Module: &api.Gate{}, Unpaged: map[string]string{"/api/ai/operations": "no more than there are operations"}},
		"tools":     {Module: &api.Tools{}, Unpaged: map[string]string{"/api/ai/tools": "a model is told of all of them"}},
		"proposals": {Module: &api.Proposals{}, Widening: map[string]string{proposal.ManageRule: "its holder sees and decides about what others propose"}},
		"privacy":   {Module: &api.Privacy{}, Foreign: []string{api.PrivacyRule, api.RetentionRule}},
		"codec":     {Module: &api.Codec{Codec: converter.NewZlibCodec(converter.ZlibCodecOptions{})}, Foreign: []string{api.PayloadRule}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Server = apitest.New(t)
			s.Foreign = append(s.Foreign, api.ChatRule)
			s.Server.Mount(t, s.Module.(api.Routes))
			apitest.Conform(t, s)
		})
	}
}
