package chat

import (
	"net/http"
	"reflect"

	"countersign/api"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/chat/turn"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/modules/question"
	"countersign/tool/proposal"
)

// Describe adds the chat's routes to the OpenAPI document: they stream, so they are not huma operations.
func (h *Chat) Describe(to huma.API) {
	events := map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{
		Type: huma.TypeString, Description: "Chunks of the AI SDK's UI message stream, version 1. The id of an event is its sequence number.",
	}}}
	followed := &huma.Response{Description: "The turn as it happens", Content: events}
	conversation := &huma.Param{Name: "id", In: "path", Required: true, Schema: &huma.Schema{
		Type: huma.TypeString, Description: "The conversation's id, or what the client that started it calls it",
	}}

	post := rest.Op(
		"chat",
		http.MethodPost,
		"/api/ai/chat",
		"Send a message, or let the assistant acknowledge a decision",
		rest.Rules(api.ChatRule),
		rest.SelfIdempotent(),
		rest.Doc(
			"A message is answered once: the same messageId finds the same turn. 409 while the conversation is busy, "+
				"or when the proposal is not in the state that the decision claims. "+
				"The default request of an AI SDK chat is accepted too: see the page about stock clients.",
		),
	)
	post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
		Schema: &huma.Schema{AnyOf: []*huma.Schema{component[chatRequest](to), component[clientChat](to)}},
	}}}
	post.Responses = map[string]*huma.Response{"200": followed}

	post.Parameters = append(post.Parameters, runningParameter())
	resume := rest.Op("resume-chat", http.MethodGet, "/api/ai/chat/{id}/stream", "Follow the running turn", rest.Rules(api.ChatRule),
		rest.Doc("From its beginning, or after the event that Last-Event-ID names, on any process."))
	resume.Parameters = []*huma.Param{conversation, {Name: "Last-Event-ID", In: "header", Schema: &huma.Schema{Type: huma.TypeString}}}
	resume.Responses = map[string]*huma.Response{"200": followed, "204": {Description: "No turn is running"}}

	stop := rest.Op(
		"stop-chat",
		http.MethodPost,
		"/api/ai/chat/{id}/stop",
		"Stop the running turn",
		rest.Rules(api.ChatRule),
		rest.SelfIdempotent(),
		rest.Doc("The model call ends within two seconds; what it has said is kept."),
	)
	stop.Parameters = []*huma.Param{conversation}
	stop.Responses = map[string]*huma.Response{
		"202": {Description: "It is being stopped", Content: body[stopping](to)},
		"200": {Description: "No turn was running", Content: body[stopping](to)},
	}

	for _, op := range []*huma.Operation{&post, &resume, &stop} {
		op.Responses["default"] = &huma.Response{
			Description: "A problem document",
			Content:     map[string]*huma.MediaType{"application/problem+json": {Schema: component[problem.Error](to)}},
		}
		to.OpenAPI().AddOperation(op)
	}
	component[messageData](to)
}

func body[T any](to huma.API) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: component[T](to)}}
}

// component adds the schema of T to the document, and refers to it.
func component[T any](to huma.API) *huma.Schema {
	return to.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}

// messageData are the product's own parts of a message: a part of type data-proposal holds the member proposal.
type messageData struct {
	Proposal proposal.Card     `json:"proposal"`
	Applied  proposal.Card     `json:"applied"`
	Question question.Question `json:"question"`
	Notice   turn.Notice       `json:"notice"`
	Error    turn.Failure      `json:"error"`
}

// stopping reports whether a turn was running.
type stopping struct {
	Stopping bool       `json:"stopping"`
	TurnID   *uuid.UUID `json:"turnId,omitempty" format:"uuid"`
}
