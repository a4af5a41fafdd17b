package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/conversation"
	"countersign/principal"
	"countersign/problem"
	"countersign/rest"
)

// ChatRule is the access rule of everything around the assistant.
const ChatRule = "ai.chat.read"

// Conversations are the routes of a person's conversations.
type Conversations struct {
	Service *conversation.Service
}

type conversationBody struct {
	Body conversation.Conversation
}

type conversationSettings struct {
	Title          *string    `json:"title,omitempty" maxLength:"200" doc:"One line"`
	ConnectionID   *uuid.UUID `json:"connectionId,omitempty" doc:"One of GET /api/ai/integrations; the default one when absent"`
	Model          *string    `json:"model,omitempty" maxLength:"200" doc:"A model the connection does not allow becomes its default"`
	PermissionMode *string    `json:"permissionMode,omitempty" enum:"approve,auto"`
}

func (s conversationSettings) settings() conversation.Settings {
	return conversation.Settings{Title: s.Title, ConnectionID: s.ConnectionID, Model: s.Model, PermissionMode: s.PermissionMode}
}

type transcript struct {
	conversation.Conversation
	Messages []conversation.Message `json:"messages" doc:"In order, in the shape of the AI SDK's UIMessage; the answer that is running is not among them"`
}

// Routes declares the operations.
func (r *Conversations) Routes(api huma.API) {
	huma.Register(api, rest.Op("list-conversations", http.MethodGet, "/api/ai/conversations", "List your conversations", rest.Rules(ChatRule)),
		func(ctx context.Context, _ *struct{}) (*struct {
			Body struct {
				Conversations []conversation.Conversation `json:"conversations"`
			}
		}, error) {
			list, err := r.Service.List(ctx, principal.FromContext(ctx))
			out := new(struct {
				Body struct {
					Conversations []conversation.Conversation `json:"conversations"`
				}
			})
			out.Body.Conversations = list
			return out, err
		})
	huma.Register(api, rest.Op("create-conversation", http.MethodPost, "/api/ai/conversations", "Start a conversation", rest.Rules(ChatRule)),
		func(ctx context.Context, in *struct {
			Body *conversationSettings `required:"false"`
		}) (*conversationBody, error) {
			p, err := person(ctx)
			if err != nil {
				return nil, err
			}
			var set conversation.Settings
			if in.Body != nil {
				set = in.Body.settings()
			}
			c, err := r.Service.Create(ctx, p, set)
			return &conversationBody{c}, err
		})
	huma.Register(api, rest.Op("get-conversation", http.MethodGet, "/api/ai/conversations/{id}", "Read a conversation with its messages", rest.Rules(ChatRule)),
		func(ctx context.Context, in *idInput) (*struct{ Body transcript }, error) {
			c, err := r.Service.Get(ctx, principal.FromContext(ctx), in.ID)
			if err != nil {
				return nil, err
			}
			messages, err := r.Service.Messages(ctx, in.ID)
			return &struct{ Body transcript }{transcript{c, messages}}, err
		})
	huma.Register(api, rest.Op("update-conversation", http.MethodPatch, "/api/ai/conversations/{id}", "Rename a conversation or change its settings", rest.Rules(ChatRule)),
		func(ctx context.Context, in *struct {
			ID   uuid.UUID `path:"id"`
			Body conversationSettings
		}) (*conversationBody, error) {
			c, err := r.Service.Update(ctx, principal.FromContext(ctx), in.ID, in.Body.settings())
			return &conversationBody{c}, err
		})
	huma.Register(api, rest.Op("archive-conversation", http.MethodPost, "/api/ai/conversations/{id}/archive", "Archive a conversation",
		rest.Rules(ChatRule), rest.Status(http.StatusOK), rest.Doc("It disappears from lists and is kept.")),
		func(ctx context.Context, in *idInput) (*struct{ Body archived }, error) {
			changed, err := r.Service.Archive(ctx, principal.FromContext(ctx), in.ID)
			return &struct{ Body archived }{archived{changed}}, err
		})
}

type archived struct {
	Archived bool `json:"archived" doc:"False when it was archived before"`
}

type idInput struct {
	ID uuid.UUID `path:"id"`
}

// person is the signed-in user; applications have no conversations.
func person(ctx context.Context) (principal.Principal, error) {
	p := principal.FromContext(ctx)
	if p.Kind != principal.User {
		return p, problem.Errorf(problem.Forbidden, "Conversations are for people. Applications call tools: POST /api/ai/tools/{name}/call.")
	}
	return p, nil
}
