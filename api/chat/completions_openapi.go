package chat

import (
	"net/http"

	"countersign/api"
	"countersign/api/openai"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
)

// Describe adds the routes to the OpenAPI document: they stream, and have their own form of errors.
func (h *Completions) Describe(to huma.API) {
	complete := chatOperation[completionRequest, chatCompletion](to, "create-chat-completion", "/v1/chat/completions",
		"Chat with the assistant as a client of the OpenAI protocol",
		"A turn of a conversation, as in POST /api/ai/chat. The messages tell which conversation continues, and the last one is "+
			"answered. What the conversation does not hold of them is shown to the model as data.",
		"The answer, or a stream of its chunks", "Chunks of the answer, and [DONE]")
	respond := chatOperation[responseRequest, responseObject](to, "create-response", "/v1/responses",
		"Chat with the assistant as a client of the Responses API",
		"The same as POST /v1/chat/completions in another form. Responses are not stored: what was said is in the conversation.",
		"The answer, or a stream of its events", "Events of the Responses API, from response.created to response.completed")

	cancel := rest.Op("cancel-response", http.MethodPost, "/v1/responses/{id}/cancel", "Stop an answer",
		rest.Rules(api.ChatRule), rest.SelfIdempotent(),
		rest.Doc("Stops the turn of a response or of a chat completion that the same client has begun, by its id. "+
			"What was said so far is kept."))
	cancel.Parameters = []*huma.Param{{Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}}
	cancel.Responses = map[string]*huma.Response{"200": {
		Description: "The response, without what was said",
		Content:     body[responseObject](to),
	}}

	models := rest.Op("list-chat-models", http.MethodGet, "/v1/models", "List what one can chat with", rest.Rules(api.ChatRule),
		rest.Doc("The assistant, the assistant with each skill that is made for chats, and each agent with a live tool that the caller may use."))
	models.Responses = map[string]*huma.Response{"200": {Description: "All of them", Content: body[completionModels](to)}}

	model := rest.Op("get-chat-model", http.MethodGet, "/v1/models/{model}", "Look up one of them", rest.Rules(api.ChatRule))
	model.Parameters = []*huma.Param{{Name: "model", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}}
	model.Responses = map[string]*huma.Response{"200": {Description: "It", Content: body[completionModel](to)}}

	for _, op := range []*huma.Operation{&complete, &respond, &cancel, &models, &model} {
		op.Responses["default"] = &huma.Response{Description: "An error of the protocol", Content: body[openai.CompletionError](to)}
		to.OpenAPI().AddOperation(op)
	}
}

// chatOperation describes an operation that answers a message, as a whole or as a stream.
func chatOperation[In, Out any](to huma.API, id, path, summary, doc, answer, events string) huma.Operation {
	op := rest.Op(id, http.MethodPost, path, summary, rest.Rules(api.ChatRule), rest.SelfIdempotent(), rest.Doc(doc))
	op.Parameters = chatParameters()
	op.RequestBody = &huma.RequestBody{Required: true, Content: body[In](to)}
	op.Responses = map[string]*huma.Response{"200": {Description: answer, Content: map[string]*huma.MediaType{
		"application/json":  {Schema: component[Out](to)},
		"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString, Description: events}},
	}}}
	return op
}

// chatParameters are the optional headers of a client's message.
func chatParameters() []*huma.Param {
	return []*huma.Param{
		{Name: conversationHeader, In: "header", Schema: &huma.Schema{
			Type: huma.TypeString, Description: "The conversation, by its id or by a name of the client's own; " +
				"found by the messages when absent",
		}},
		runningParameter(),
		{Name: api.IdempotencyHeader, In: "header", Schema: &huma.Schema{
			Type: huma.TypeString, Description: "Makes a repeated request join the turn of the first one, for a day",
		}},
	}
}

// runningParameter is the header that selects the treatment of a message while a turn runs.
func runningParameter() *huma.Param {
	return &huma.Param{Name: runningHeader, In: "header", Schema: &huma.Schema{
		Type: huma.TypeString, Enum: []any{string(StopRunning), string(QueueBehind), string(RefuseBusy)},
		Description: "What a message does while a turn of its conversation runs: it stops it, waits for its end, or is refused with 409",
	}}
}
