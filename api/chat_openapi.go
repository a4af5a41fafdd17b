package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/rest"
)

// Describe adds the chat's routes to the OpenAPI document: they stream, so they are not huma operations.
func (h *Chat) Describe(api huma.API) {
	events := map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{
		Type: huma.TypeString, Description: "Chunks of the AI SDK's UI message stream, version 1. The id of an event is its sequence number.",
	}}}
	stream := &huma.Response{Description: "The turn as it happens", Content: events}
	conversation := &huma.Param{Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString, Format: "uuid"}}

	post := rest.Op("chat", http.MethodPost, "/api/ai/chat", "Send a message, or let the assistant acknowledge a decision", rest.Rules(ChatRule),
		rest.Doc("A message is answered once: the same messageId finds the same turn. 409 while the conversation is busy, or when the proposal is not in the state that the decision claims."))
	post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: chatSchema()}}}
	post.Responses = map[string]*huma.Response{"200": stream}

	resume := rest.Op("resume-chat", http.MethodGet, "/api/ai/chat/{id}/stream", "Follow the running turn", rest.Rules(ChatRule),
		rest.Doc("From its beginning, or after the event that Last-Event-ID names, on any process."))
	resume.Parameters = []*huma.Param{conversation, {Name: "Last-Event-ID", In: "header", Schema: &huma.Schema{Type: huma.TypeString}}}
	resume.Responses = map[string]*huma.Response{"200": stream, "204": {Description: "No turn is running"}}

	stop := rest.Op("stop-chat", http.MethodPost, "/api/ai/chat/{id}/stop", "Stop the running turn", rest.Rules(ChatRule),
		rest.Doc("The model call ends within two seconds; what it has said is kept."))
	stop.Parameters = []*huma.Param{conversation}
	stop.Responses = map[string]*huma.Response{"202": {Description: "It is being stopped"}, "200": {Description: "No turn was running"}}

	for _, op := range []*huma.Operation{&post, &resume, &stop} {
		op.Responses["default"] = &huma.Response{
			Description: "A problem document",
			Content:     map[string]*huma.MediaType{"application/problem+json": {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}}},
		}
		api.OpenAPI().AddOperation(op)
	}
}

func chatSchema() *huma.Schema {
	text := func(doc string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: doc} }
	id := func(doc string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Format: "uuid", Description: doc}
	}
	most := maxMessageChars
	message := text("The message as text; a UIMessage is accepted too")
	message.MaxLength = &most
	return &huma.Schema{
		Type: huma.TypeObject, Required: []string{"conversationId"}, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{
			"conversationId": id("One of POST /api/ai/conversations"),
			"messageId":      text("Made by the client; it makes a repeated request the same turn"),
			"message":        message,
			"connectionId":   id("The conversation's, or the default one, when absent"),
			"model":          text("One that the connection allows"),
			"timeZone":       text("IANA name, such as Europe/Berlin"),
			"skillId":        text("The skill to work with, see GET /api/ai/skills"),
			"decision": {
				Type: huma.TypeObject, Required: []string{"kind"}, AdditionalProperties: false, Description: "Instead of a message",
				Properties: map[string]*huma.Schema{
					"proposalId": id("The decided proposal"),
					"token":      text("Its token, instead of proposalId"),
					"kind":       {Type: huma.TypeString, Enum: []any{"apply", "decline"}},
				},
			},
		},
	}
}
