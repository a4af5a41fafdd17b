package chat

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"countersign/api"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/chat/conversation"
	"countersign/chat/turn"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/modules/feedback"
	"countersign/tool/disposition"
	"countersign/tool/proposal"
)

// Conversations are the routes of a person's conversations.
type Conversations struct {
	Service   *conversation.Service
	Turns     *turn.Store
	Proposals *proposal.Service
	// Feedback is included in a person's data export.
	Feedback *feedback.Module
	// URL is the public address of the app, without a trailing slash, for links in exports.
	URL string
}

type conversationBody struct {
	Body conversation.Conversation
}

// ConversationSettings are what a person may choose for a conversation.
type ConversationSettings struct {
	Title          *string           `json:"title,omitempty" maxLength:"200" doc:"One line"`
	ConnectionID   *uuid.UUID        `json:"connectionId,omitempty" doc:"One of GET /api/ai/integrations; the default one when absent"`
	Model          *string           `json:"model,omitempty" maxLength:"200" doc:"A model the connection does not allow becomes its default"`
	PermissionMode *disposition.Mode `json:"permissionMode,omitempty" enum:"approve,auto"`
}

func (s ConversationSettings) settings() conversation.Settings {
	return conversation.Settings{Title: s.Title, ConnectionID: s.ConnectionID, Model: s.Model, PermissionMode: s.PermissionMode}
}

type newConversation struct {
	ConversationSettings
	ReuseDraft bool `json:"reuseDraft,omitempty" doc:"Use your untitled conversation without messages again, if there is one, with these settings"`
}

// exported is a conversation in a person's data export.
type exported struct {
	transcript
	Feedback []feedback.Feedback `json:"feedback"`
}

type transcript struct {
	conversation.Conversation
	Messages []conversation.Message `json:"messages" nullable:"false" doc:"In order, in the shape of the AI SDK's UIMessage; the answer that is running is not among them"`
	Outside  []disposition.Taint    `json:"outside" nullable:"false" doc:"Content from outside that the conversation holds and you have not accepted, the latest first. While there is some, auto mode asks about every change."`
	rest.Next
}

// heldContent is outside content in a conversation, not written by its owner.
type heldContent struct {
	Outside []disposition.Taint `json:"outside" nullable:"false" doc:"Content from outside that the conversation holds and you have not accepted, the latest first. While there is some, auto mode asks about every change."`
}

// acceptance says up to which event the person has reviewed the conversation's outside content.
type acceptance struct {
	Through int64 `json:"through" minimum:"1" doc:"The highest seq of what you have seen. What has come since still counts."`
}

// Routes declares the operations.
func (r *Conversations) Routes(to huma.API) {
	huma.Register(
		to,
		rest.Op("list-conversations", http.MethodGet, "/api/ai/conversations", "List your conversations", rest.Rules(api.ChatRule),
			rest.Doc("The latest first.")),
		r.list,
	)
	huma.Register(
		to,
		rest.Op("create-conversation", http.MethodPost, "/api/ai/conversations", "Start a conversation", rest.Rules(api.ChatRule)),
		func(ctx context.Context, in *struct {
			Body *newConversation `required:"false"`
		},
		) (*conversationBody, error) {
			p, err := person(ctx)
			if err != nil {
				return nil, err
			}
			if in.Body == nil {
				in.Body = &newConversation{}
			}
			create := r.Service.Create
			if in.Body.ReuseDraft {
				create = r.Service.Draft
			}
			c, err := create(ctx, p, in.Body.settings())
			return &conversationBody{c}, err
		},
	)
	huma.Register(
		to,
		rest.Op("export-conversations", http.MethodGet, "/api/ai/conversations/export", "Download your conversations",
			rest.Rules(api.ChatRule), rest.Doc("All of them with their messages and your feedback, archived ones included, as one JSON document.")),
		r.export,
	)
	huma.Register(
		to,
		rest.Op(
			"search-conversations",
			http.MethodGet,
			"/api/ai/conversations/search",
			"Find words in your conversations",
			rest.Rules(api.ChatRule),
			rest.Doc(
				"Those with all words in their title or in one message, archived ones included, the latest first. A word is found by its beginning.",
			),
		),
		r.search,
	)
	huma.Register(
		to,
		rest.Op(
			"export-conversation",
			http.MethodGet,
			"/api/ai/conversations/{id}/markdown",
			"Download a conversation as Markdown",
			rest.Rules(api.ChatRule),
			rest.Doc(
				"For people to read: what was said and when, which tools were called, and what became of proposals. HTML, images "+
					"and links with code in them are made text. Results of tools are not in it.",
			),
		),
		r.markdown,
	)
	huma.Register(
		to,
		rest.Op(
			"get-conversation",
			http.MethodGet,
			"/api/ai/conversations/{id}",
			"Read a conversation with its messages",
			rest.Rules(api.ChatRule),
			rest.Doc("The newest messages, in order; nextCursor leads to those before them."),
		),
		func(ctx context.Context, in *struct {
			rest.ByID
			rest.Page
		},
		) (*struct{ Body transcript }, error) {
			c, err := r.Service.Get(ctx, principal.FromContext(ctx), in.ID)
			if err != nil {
				return nil, err
			}
			messages, next, err := r.Service.Newest(ctx, c.ID, in.Page)
			if err != nil {
				return nil, err
			}
			body, err := r.resolved(ctx, c, messages)
			body.Next = next
			return &struct{ Body transcript }{body}, err
		},
	)
	huma.Register(
		to,
		rest.Op(
			"accept-outside-content",
			http.MethodPost,
			"/api/ai/conversations/{id}/outside/accept",
			"Let auto mode go on after content from outside",
			rest.Rules(api.ChatRule),
			rest.Status(http.StatusOK),
			rest.Doc(
				"Only you can do this, signed in: no application and no turn of the assistant. It holds for what the conversation holds so far.",
			),
		),
		func(ctx context.Context, in *struct {
			ID   uuid.UUID `path:"id" format:"uuid"`
			Body acceptance
		},
		) (*struct{ Body heldContent }, error) {
			held, err := r.accept(ctx, in.ID, in.Body.Through)
			return &struct{ Body heldContent }{held}, err
		},
	)
	huma.Register(
		to,
		rest.Op(
			"update-conversation",
			http.MethodPatch,
			"/api/ai/conversations/{id}",
			"Rename a conversation or change its settings",
			rest.Rules(api.ChatRule),
		),
		func(ctx context.Context, in *struct {
			ID   uuid.UUID `path:"id" format:"uuid"`
			Body ConversationSettings
		},
		) (*conversationBody, error) {
			c, err := r.Service.Update(ctx, principal.FromContext(ctx), in.ID, in.Body.settings())
			return &conversationBody{c}, err
		},
	)
	huma.Register(to, rest.Op("archive-conversation", http.MethodPost, "/api/ai/conversations/{id}/archive", "Archive a conversation",
		rest.Rules(api.ChatRule), rest.Status(http.StatusOK), rest.Doc("It disappears from lists and is kept.")),
		func(ctx context.Context, in *rest.ByID) (*struct{ Body archived }, error) {
			changed, err := r.Service.Archive(ctx, principal.FromContext(ctx), in.ID)
			return &struct{ Body archived }{archived{changed}}, err
		})
	huma.Register(
		to,
		rest.Op("restore-conversation", http.MethodPost, "/api/ai/conversations/{id}/restore", "Restore an archived conversation",
			rest.Rules(api.ChatRule), rest.Status(http.StatusOK)),
		func(ctx context.Context, in *rest.ByID) (*struct{ Body restored }, error) {
			changed, err := r.Service.Restore(ctx, principal.FromContext(ctx), in.ID)
			return &struct{ Body restored }{restored{changed}}, err
		},
	)
	huma.Register(
		to,
		rest.Op(
			"send-withheld-content",
			http.MethodPost,
			"/api/ai/conversations/{id}/withheld/send",
			"Send content again that a model provider has refused",
			rest.Rules(api.ChatRule),
			rest.Status(http.StatusOK),
			rest.Doc("The next message sends it, to any model. What the provider refuses again is left out again, and named in the answer."),
		),
		func(ctx context.Context, in *rest.ByID) (*struct{ Body released }, error) {
			n, err := r.Service.SendWithheld(ctx, principal.FromContext(ctx), in.ID)
			return &struct{ Body released }{released{n}}, err
		},
	)
}

// released is what the next message sends again.
type released struct {
	Parts int64 `json:"parts" doc:"How many parts of the conversation the next message sends again; 0 when none were left out"`
}

type conversationList struct {
	Body struct {
		Conversations []conversation.Conversation `json:"conversations" nullable:"false"`
		rest.Next
	}
}

func (r *Conversations) list(ctx context.Context, in *struct {
	rest.Page

	Archived bool `query:"archived" doc:"List the archived ones instead"`
},
) (*conversationList, error) {
	list := r.Service.List
	if in.Archived {
		list = r.Service.Archived
	}
	out := &conversationList{}
	var err error
	out.Body.Conversations, out.Body.Next, err = list(ctx, principal.FromContext(ctx), in.Page)
	return out, err
}

func (r *Conversations) search(ctx context.Context, in *struct {
	rest.Page

	Query string `query:"query" required:"true" minLength:"1" maxLength:"200" doc:"Words; those after the eighth count for nothing"`
},
) (*struct{ Body conversation.Found }, error) {
	found, err := r.Service.Search(ctx, principal.FromContext(ctx), in.Query, in.Page)
	return &struct{ Body conversation.Found }{found}, err
}

// export streams one conversation after the other, so that memory holds the largest one at most.
func (r *Conversations) export(ctx context.Context, _ *struct{}) (*huma.StreamResponse, error) {
	p, err := person(ctx)
	if err != nil {
		return nil, err
	}
	ids, err := r.Service.IDs(ctx, p)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "application/json")
		hc.SetHeader("Content-Disposition", `attachment; filename="conversations.json"`)
		w := hc.BodyWriter()
		_, _ = io.WriteString(w, `{"conversations":[`)
		encoder := json.NewEncoder(w)
		first := true
		for _, id := range ids {
			c, err := r.Service.Get(ctx, p, id)
			if problem.Is(err, problem.NotFound) {
				continue // it was deleted meanwhile
			}
			body, loadErr := r.transcript(ctx, c)
			if err != nil || loadErr != nil {
				return // the document stays open, so nobody takes it for complete
			}
			said, err := r.Feedback.Given(ctx, c.ID)
			if problem.Is(err, problem.NotFound) {
				continue // as above
			}
			if err != nil {
				return
			}
			if !first {
				_, _ = io.WriteString(w, ",")
			}
			first = false
			if err := encoder.Encode(exported{body, said}); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, "]}\n")
	}}, nil
}

func (r *Conversations) transcript(ctx context.Context, c conversation.Conversation) (transcript, error) {
	messages, err := r.Service.Messages(ctx, c.ID)
	if err != nil {
		return transcript{}, err
	}
	return r.resolved(ctx, c, messages)
}

// resolved returns a conversation with messages whose cards show their current state.
func (r *Conversations) resolved(ctx context.Context, c conversation.Conversation, messages []conversation.Message) (transcript, error) {
	if err := r.resolveApprovals(ctx, messages); err != nil {
		return transcript{}, err
	}
	held, err := r.Turns.Taints(ctx, c.ID)
	return transcript{Conversation: c, Messages: messages, Outside: held}, err
}

// accept is a decision like that about a card, so it needs a person at a browser: with the credential of a turn or of
// an application, injected content could accept itself.
func (r *Conversations) accept(ctx context.Context, id uuid.UUID, through int64) (heldContent, error) {
	p, err := person(ctx)
	if err != nil {
		return heldContent{}, err
	}
	if p.TurnID != uuid.Nil {
		return heldContent{}, problem.Errorf(problem.Forbidden, "Only a person who has signed in can do this.")
	}
	if _, err := r.Service.Get(ctx, p, id); err != nil {
		return heldContent{}, err
	}
	if _, err := r.Turns.AcceptTaints(ctx, id, p.ID, through); err != nil {
		return heldContent{}, err
	}
	left, err := r.Turns.Taints(ctx, id)
	return heldContent{left}, err
}

type restored struct {
	Restored bool `json:"restored" doc:"False when it was not archived"`
}

type archived struct {
	Archived bool `json:"archived" doc:"False when it was archived before"`
}

// person is the signed-in user; applications have no conversations.
func person(ctx context.Context) (principal.Principal, error) {
	p := principal.FromContext(ctx)
	if p.Kind != principal.User {
		return p, problem.Errorf(problem.Forbidden, "Conversations are for people. Applications call tools: POST /api/ai/tools/{name}/call.")
	}
	return p, nil
}
