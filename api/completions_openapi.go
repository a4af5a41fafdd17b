package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/rest"
)

// Describe adds the routes to the OpenAPI document: they stream, and their errors have a form of their own.
func (h *Completions) Describe(api huma.API) {
	complete := rest.Op("create-chat-completion", http.MethodPost, "/v1/chat/completions", "Chat with the assistant as a client of the OpenAI protocol", rest.Rules(ChatRule), rest.SelfIdempotent(),
		rest.Doc("A turn of a conversation, as in POST /api/ai/chat. What has been said is the server's to know: the messages tell which conversation goes on, and the last one is answered."))
	complete.Parameters = []*huma.Param{{Name: conversationHeader, In: "header", Schema: &huma.Schema{
		Type: huma.TypeString, Description: "The conversation, by its id or by a name of the client's own; found by the messages when absent",
	}}}
	complete.RequestBody = &huma.RequestBody{Required: true, Content: body[completionRequest](api)}
	complete.Responses = map[string]*huma.Response{"200": {Description: "The answer, or a stream of its chunks", Content: map[string]*huma.MediaType{
		"application/json":  {Schema: component[chatCompletion](api)},
		"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString, Description: "Chunks of the answer, and [DONE]"}},
	}}}

	models := rest.Op("list-chat-models", http.MethodGet, "/v1/models", "List what one can chat with", rest.Rules(ChatRule),
		rest.Doc("The assistant, the assistant with each skill that is made for chats, and each agent with a live tool that the caller may use."))
	models.Responses = map[string]*huma.Response{"200": {Description: "All of them", Content: body[completionModels](api)}}

	model := rest.Op("get-chat-model", http.MethodGet, "/v1/models/{model}", "Look up one of them", rest.Rules(ChatRule))
	model.Parameters = []*huma.Param{{Name: "model", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}}
	model.Responses = map[string]*huma.Response{"200": {Description: "It", Content: body[completionModel](api)}}

	for _, op := range []*huma.Operation{&complete, &models, &model} {
		op.Responses["default"] = &huma.Response{Description: "An error of the protocol", Content: body[completionError](api)}
		api.OpenAPI().AddOperation(op)
	}
}
