package modeltest

import (
	"encoding/json"
	"net/http"
	"regexp"
)

var geminiName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$`)

// geminiError is Google's form of errors.
func geminiError(message string) string {
	return `[{"error":{"code":400,"message":"` + message + `","status":"INVALID_ARGUMENT"}}]`
}

// unsigned finds the first call of a step of the current turn without the signature that it came with. Earlier turns
// are exempt: https://ai.google.dev/gemini-api/docs/thought-signatures.
func unsigned(signed func(r *Request, m Message) bool) func(*Request) []string {
	return func(r *Request) []string {
		for i := r.current(); i < len(r.Messages); i++ {
			if m := r.Messages[i]; len(m.Calls) > 0 && !signed(r, m) {
				return []string{m.Calls[0].Name, place("%d", i+1)}
			}
		}
		return nil
	}
}

// Gemini is Google's endpoint for OpenAI's clients with a model that signs its calls.
func Gemini() Provider {
	const schemaNames = `Invalid JSON payload received. Unknown name \"$1\" at '$2': Cannot find field.`
	return Provider{
		Name: "gemini", Model: "gemini-3-pro-preview", Path: "/v1beta/openai", Rules: []Rule{
			{
				Name:   "signature of a call",
				Source: "TokenRhythm/opensquilla issue 225",
				Status: http.StatusBadRequest,
				Body: geminiError(
					"Function call is missing a thought_signature in functionCall parts. This is required for tools to work " +
						"correctly, and missing thought_signature may lead to degraded model performance. Additional data, function " +
						"call `default_api:$1` , position $2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
				),
				broken: unsigned(func(r *Request, m Message) bool {
					var extra struct {
						Google struct {
							Signature string `json:"thought_signature"`
						} `json:"google"`
					}
					_ = json.Unmarshal(m.Calls[0].Members["extra_content"], &extra)
					return extra.Google.Signature != "" && r.said(extra.Google.Signature)
				}),
			},
			{
				Name:   "name of a tool",
				Source: "google-gemini/gemini-cli issue 6704",
				Status: http.StatusBadRequest,
				Body: geminiError(
					`* GenerateContentRequest.tools[0].function_declarations[$3].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.) or dashes (-), with a maximum length of 64.\n`,
				),
				broken: toolNames(geminiName),
			},
			{
				Name: "format of a text", Source: "google-gemini/gemini-cli issue 3178", Status: http.StatusBadRequest,
				Body: geminiError(`* $1.format: only 'enum' and 'date-time' are supported for STRING type\n`),
				broken: eachSchema(func(at string, s map[string]any) []string {
					if format, ok := s["format"].(string); ok && s["type"] == "string" && format != "enum" && format != "date-time" {
						return []string{at}
					}
					return nil
				}),
			},
			{
				Name: "list of types", Source: "google/generative-ai-docs issue 444", Status: http.StatusBadRequest,
				Body: geminiError(`Invalid JSON payload received. Unknown name \"type\" at '$1': Proto field is not repeating, cannot start list.`),
				broken: eachSchema(func(at string, s map[string]any) []string {
					if _, list := s["type"].([]any); list {
						return []string{at}
					}
					return nil
				}),
			},
			{
				Name: "constant", Source: "taylorwilsdon/google_workspace_mcp issue 1099", Status: http.StatusBadRequest,
				Body: geminiError(schemaNames), broken: schemaMember("const"),
			},
			{
				Name: "bounds that exclude", Source: "hideya/langchain-mcp-tools-ts issue 36", Status: http.StatusBadRequest,
				Body: geminiError(schemaNames), broken: schemaMember("exclusiveMinimum", "exclusiveMaximum"),
			},
			{
				Name: "list without items", Source: "TokenRhythm/opensquilla issue 1263", Status: http.StatusBadRequest,
				Body: geminiError(`* $1.items: missing field.\n`),
				broken: eachSchema(func(at string, s map[string]any) []string {
					if _, ok := s["items"].(map[string]any); s["type"] == "array" && !ok {
						return []string{at}
					}
					return nil
				}),
			},
			{
				Name: "choice that is not among texts", Source: "musistudio/llms pull request 20", Status: http.StatusBadRequest,
				Body: geminiError(`* $1.enum: only allowed for STRING type\n`),
				broken: eachSchema(func(at string, s map[string]any) []string {
					if _, ok := s["enum"]; ok && s["type"] != "string" {
						return []string{at}
					}
					return nil
				}),
			},
			{
				Name: "properties of what is no object", Source: "anomalyco/opencode issue 11889", Status: http.StatusBadRequest,
				Body: geminiError(`* $1.properties: only allowed for OBJECT type\n`),
				broken: eachSchema(func(at string, s map[string]any) []string {
					if _, ok := s["properties"]; ok && s["type"] != "object" {
						return []string{at}
					}
					return nil
				}),
			},
		},
		style: style{id: random("function-call-", 20), signature: "extra_content"},
	}
}

// schemaMember finds a member that the schema subset lacks.
func schemaMember(names ...string) func(*Request) []string {
	return eachSchema(func(at string, s map[string]any) []string {
		for _, name := range names {
			if _, ok := s[name]; ok {
				return []string{name, at}
			}
		}
		return nil
	})
}
