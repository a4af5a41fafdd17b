package mcp_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// fixtures are what the scenarios of the conformance suite call by name. It is a module beside the product's own; what it adds is served
// by the product's endpoint, behind its authentication, with its lists.
type fixtures struct {
	// changeTools and changePrompts change what the product lists for the client.
	changeTools, changePrompts func(ctx context.Context) error
}

// Protocol implements module.Protocol.
func (f *fixtures) Protocol(server *sdk.Server) {
	for name, answer := range plain {
		addFixture(server, name, `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: answer}, nil
		})
	}
	for name, handler := range acting {
		addFixture(server, name, `{"type":"object"}`, handler)
	}
	addFixture(server, "json_schema_2020_12_tool", schema202012, acting["test_streaming_elicitation"])
	addFixture(
		server,
		"test_x_mcp_header",
		`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`,
		acting["test_streaming_elicitation"],
	)
	addFixture(server, "test_trigger_tool_change", `{"type":"object"}`, changing(&f.changeTools))
	addFixture(server, "test_trigger_prompt_change", `{"type":"object"}`, changing(&f.changePrompts))
	for uri, contents := range map[string]*sdk.ResourceContents{
		"test://static-text":      {MIMEType: "text/plain", Text: "This is the content of the static text resource."},
		"test://static-binary":    {MIMEType: "image/png", Blob: picture},
		"test://watched-resource": {MIMEType: "text/plain", Text: "Watched"},
	} {
		server.AddResource(&sdk.Resource{Name: strings.TrimPrefix(uri, "test://"), URI: uri, MIMEType: contents.MIMEType}, reading(contents))
	}
	server.AddResourceTemplate(&sdk.ResourceTemplate{Name: "template", URITemplate: "test://template/{id}/data", MIMEType: "application/json"},
		func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			return reading(
				&sdk.ResourceContents{
					MIMEType: "application/json",
					Text:     fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id),
				},
			)(
				ctx,
				r,
			)
		})
	server.AddPrompt(&sdk.Prompt{Name: "test_simple_prompt", Description: "Simple"}, prompt(text("This is a simple prompt for testing.")))
	server.AddPrompt(
		&sdk.Prompt{Name: "test_prompt_with_image", Description: "Image"},
		prompt(&sdk.ImageContent{Data: picture, MIMEType: "image/png"}, text("Please analyze the image above.")),
	)
	server.AddPrompt(
		&sdk.Prompt{
			Name:        "test_prompt_with_arguments",
			Description: "Arguments",
			Arguments:   []*sdk.PromptArgument{{Name: "arg1", Required: true}, {Name: "arg2", Required: true}},
		},
		func(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			a := r.Params.Arguments
			return prompt(text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])))(ctx, r)
		},
	)
	server.AddPrompt(
		&sdk.Prompt{
			Name:        "test_prompt_with_embedded_resource",
			Description: "Embedded",
			Arguments:   []*sdk.PromptArgument{{Name: "resourceUri", Required: true}},
		},
		func(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return prompt(embedded(r.Params.Arguments["resourceUri"]), text("Please process the embedded resource above."))(ctx, r)
		},
	)
	server.AddPrompt(
		&sdk.Prompt{Name: "test_input_required_result_prompt", Description: "Asks"},
		func(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			if content := accepted(r.Params.InputResponses, "user_context"); content != nil {
				return prompt(text(fmt.Sprint("Context: ", content["context"])))(ctx, r)
			}
			return &sdk.GetPromptResult{
				InputRequests: sdk.InputRequestMap{"user_context": asking("Please provide context", "context", "string")},
			}, nil
		},
	)
}

func addFixture(server *sdk.Server, name, schema string, handler sdk.ToolHandler) {
	server.AddTool(&sdk.Tool{Name: name, Description: "Fixture " + name, InputSchema: json.RawMessage(schema)}, handler)
}

func changing(change *func(context.Context) error) sdk.ToolHandler {
	return func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return said("Changed"), (*change)(ctx)
	}
}

var (
	picture = decoded("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	sound   = decoded("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
)

func decoded(text string) []byte {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err) // the texts are above
	}
	return raw
}

func text(content string) sdk.Content { return &sdk.TextContent{Text: content} }

func said(content string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{text(content)}}
}

func embedded(uri string) sdk.Content {
	return &sdk.EmbeddedResource{
		Resource: &sdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "Embedded resource content for testing."},
	}
}

func reading(contents *sdk.ResourceContents) sdk.ResourceHandler {
	return func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		c := *contents
		c.URI = r.Params.URI
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&c}}, nil
	}
}

func prompt(contents ...sdk.Content) sdk.PromptHandler {
	return func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		out := &sdk.GetPromptResult{}
		for _, c := range contents {
			out.Messages = append(out.Messages, &sdk.PromptMessage{Role: "user", Content: c})
		}
		return out, nil
	}
}

// plain are the tools that always answer the same.
var plain = map[string][]sdk.Content{
	"test_simple_text":       {text("This is a simple text response for testing.")},
	"test_image_content":     {&sdk.ImageContent{Data: picture, MIMEType: "image/png"}},
	"test_audio_content":     {&sdk.AudioContent{Data: sound, MIMEType: "audio/wav"}},
	"test_embedded_resource": {embedded("test://embedded-resource")},
	"test_multiple_content_types": {
		text("Multiple content types test:"), &sdk.ImageContent{Data: picture, MIMEType: "image/png"}, embedded("test://mixed-content-resource"),
	},
}

// asking asks for one value.
func asking(message, name, kind string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Message: message, RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{name: map[string]any{"type": kind}}, "required": []string{name},
	}}
}

func sampling(question string) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{MaxTokens: 100, Messages: []*sdk.SamplingMessage{{Role: "user", Content: text(question)}}}
}

// accepted is what a person has filled in.
func accepted(responses sdk.InputResponseMap, key string) map[string]any {
	if r, ok := responses[key].(*sdk.ElicitResult); ok && r.Action == "accept" {
		return r.Content
	}
	return nil
}

func required(state string, requests sdk.InputRequestMap) (*sdk.CallToolResult, error) {
	return &sdk.CallToolResult{InputRequests: requests, RequestState: state}, nil
}

// signed is a state of a fixture; anything else is refused.
const signed = "fixture-state"

func confirming(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if r.Params.RequestState != "" && r.Params.RequestState != signed {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "The state was altered"}
	}
	if accepted(r.Params.InputResponses, "confirm") != nil && r.Params.RequestState == signed {
		return said("state-ok: the state came back with the answer"), nil
	}
	return required(signed, sdk.InputRequestMap{"confirm": asking("Please confirm", "ok", "boolean")})
}

// acting are the tools that depend on what they are sent.
var acting = map[string]sdk.ToolHandler{
	"test_streaming_elicitation": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return said("Done"), nil },
	"test_logging_tool": func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_ = r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: "logged"})
		return said("Logged"), nil
	},
	"test_tool_with_logging": func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for _, step := range []string{"started", "processing", "completed"} {
			_ = r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: step})
		}
		return said("Logged"), nil
	},
	"test_tool_with_progress": func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for _, done := range []float64{0, 50, 100} {
			if err := r.Session.NotifyProgress(
				ctx,
				&sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: done, Total: 100},
			); err != nil {
				return nil, err
			}
		}
		return said(fmt.Sprint(r.Params.GetProgressToken())), nil
	},
	"test_error_handling": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		out := said("This tool intentionally returns an error for testing")
		out.IsError = true
		return out, nil
	},
	"test_missing_capability": func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if c := r.ClientCapabilities(); c != nil && c.Sampling != nil {
			return said("Done"), nil
		}
		data, err := json.Marshal(
			sdk.MissingRequiredClientCapabilityData{RequiredCapabilities: &sdk.ClientCapabilities{Sampling: &sdk.SamplingCapabilities{}}},
		)
		if err != nil {
			return nil, err
		}
		return nil, &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities, Message: "The client must be able to sample", Data: data}
	},
	"test_input_required_result_elicitation": func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if name, _ := accepted(r.Params.InputResponses, "user_name")["name"].(string); name != "" {
			return said("Hello, " + name + "!"), nil
		}
		return required("", sdk.InputRequestMap{"user_name": asking("What is your name?", "name", "string")})
	},
	"test_input_required_result_sampling": func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if _, answered := r.Params.InputResponses["capital_question"].(*sdk.CreateMessageWithToolsResult); answered {
			return said("Sampled"), nil
		}
		return required("", sdk.InputRequestMap{"capital_question": sampling("What is the capital of France?")})
	},
	"test_input_required_result_list_roots": func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if roots, answered := r.Params.InputResponses["client_roots"].(*sdk.ListRootsResult); answered {
			return said(fmt.Sprint("Roots: ", len(roots.Roots))), nil
		}
		return required("", sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}})
	},
	"test_input_required_result_request_state":  confirming,
	"test_input_required_result_tampered_state": confirming,
	"test_input_required_result_multiple_inputs": func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if len(r.Params.InputResponses) == 3 {
			return said("All of it"), nil
		}
		return required(signed, sdk.InputRequestMap{
			"user_name": asking(
				"What is your name?",
				"name",
				"string",
			),
			"greeting":     sampling("Generate a greeting"),
			"client_roots": &sdk.ListRootsParams{},
		})
	},
	"test_input_required_result_multi_round": func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		name, _ := accepted(r.Params.InputResponses, "step1")["name"].(string)
		color, _ := accepted(r.Params.InputResponses, "step2")["color"].(string)
		switch r.Params.RequestState {
		case "":
			return required("round 1", sdk.InputRequestMap{"step1": asking("Step 1: What is your name?", "name", "string")})
		case "round 1":
			return required("round 2, "+name, sdk.InputRequestMap{"step2": asking("Step 2: What is your favorite color?", "color", "string")})
		}
		return said(strings.TrimPrefix(r.Params.RequestState, "round 2, ") + " likes " + color), nil
	},
	"test_input_required_result_capabilities": func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if len(r.Params.InputResponses) > 0 {
			return said("Answered"), nil
		}
		requests, can := sdk.InputRequestMap{}, r.ClientCapabilities()
		if can != nil && can.Elicitation != nil {
			requests["user_name"] = asking("What is your name?", "name", "string")
		}
		if can != nil && can.Sampling != nil {
			requests["greeting"] = sampling("Generate a greeting")
		}
		if can != nil && can.RootsV2 != nil {
			requests["client_roots"] = &sdk.ListRootsParams{}
		}
		if len(requests) == 0 {
			return said("There is nothing that this client could be asked"), nil
		}
		return required("", requests)
	},
}

const schema202012 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
"additionalProperties":false}`
