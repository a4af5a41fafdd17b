package modeltest

import (
	"net/http"
	"strings"
)

// VLLM is an older server of vLLM with a model of Mistral, whose name does not say so.
func VLLM() Provider {
	return Provider{
		Name: "vllm", Model: "spark", Path: "/v1", Rules: []Rule{
			{
				Name:   "stream_options",
				Source: "modelscope/ms-agent issue 489",
				Status: http.StatusBadRequest,
				Body:   `{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': {}}]","type":"BadRequestError","param":null,"code":400}`,
				broken: has("stream_options"),
			},
			{
				Name:   "max_completion_tokens",
				Source: "1Panel-dev/MaxKB issue 2912",
				Status: http.StatusBadRequest,
				Body:   `{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted', 'input': 800}]","type":"BadRequestError","param":null,"code":400}`,
				broken: has("max_completion_tokens"),
			},
			{
				Name: "arguments that are no JSON", Source: "vllm-project/vllm issue 43995", Status: http.StatusBadRequest,
				Body:   `{"error":{"message":"Expecting ',' delimiter: line 1 column 54 (char 53)","type":"BadRequestError","param":null,"code":400}}`,
				broken: argumentsNotObject,
			},
			{
				Name:   "id of nine letters",
				Source: "jundot/omlx pull request 1997, ml-explore/mlx-lm issue 1375",
				Status: http.StatusBadRequest,
				Body:   `{"object":"error","message":"Tool call id was $1 but must be a-z, A-Z, 0-9, with a length of 9.","type":"BadRequestError","param":null,"code":400}`,
				broken: mistralID,
			},
			{
				Name: "a person behind a tool", Source: "mistralai/mistral-vibe issue 578", Status: http.StatusBadRequest,
				Body:   `{"error":{"message":"Unexpected role 'user' after role 'tool'","type":"BadRequestError","param":null,"code":400}}`,
				broken: follows("user", "tool"),
			},
		},
		style: style{id: random("chatcmpl-tool-", 32), thoughts: "reasoning_content", pieces: true},
	}
}

// turnsAlternate is the rule of Mistral's templates: people and model alternate, calls and results not counted. Its
// text is in nomic-ai/gpt4all issue 3255.
func turnsAlternate(r *Request) []string {
	turn := 0
	for i, m := range r.Messages {
		if i == 0 && m.Role == "system" || m.Role == "tool" || len(m.Calls) > 0 {
			continue
		}
		if (m.Role == "user") != (turn%2 == 0) {
			return found
		}
		turn++
	}
	return nil
}

// LlamaCPP is llama-server with the template of a model of Mistral, whose name does not say so.
func LlamaCPP() Provider {
	return Provider{
		Name: "llama.cpp", Model: "local", Path: "/v1", Rules: []Rule{
			{
				Name:   "people and model take turns",
				Source: "ggml-org/llama.cpp issue 19851, anomalyco/opencode issue 5034",
				Status: http.StatusInternalServerError,
				Body:   `{"error":{"code":500,"message":"\n------------\nWhile executing CallExpression at line 189, column 32 in source:\n...== 0) %}↵            {{- raise_exception('After the optional system message, con...\n                                           ^\nError: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.","type":"server_error"}}`,
				broken: turnsAlternate,
			},
			{
				Name:   "pattern without anchors",
				Source: "containers/kubernetes-mcp-server issue 758",
				Status: http.StatusBadRequest,
				Body:   `{"error":{"code":400,"message":"JSON schema conversion failed:\nPattern must start with '^' and end with '$'","type":"invalid_request_error"}}`,
				broken: eachSchema(func(_ string, s map[string]any) []string {
					if pattern, ok := s["pattern"].(string); ok && (!strings.HasPrefix(pattern, "^") || !strings.HasSuffix(pattern, "$")) {
						return found
					}
					return nil
				}),
			},
			{
				Name:   "schema without a type",
				Source: "browseros-ai/BrowserOS issue 255",
				Status: http.StatusBadRequest,
				Body:   `{"error":{"code":400,"message":"JSON schema conversion failed:\nUnrecognized schema: {\"description\":\"$1\"}","type":"invalid_request_error"}}`,
				broken: eachSchema(func(_ string, s map[string]any) []string {
					if description, ok := s["description"].(string); ok && len(s) == 1 {
						return []string{description}
					}
					return nil
				}),
			},
			{
				Name:   "arguments that are no JSON",
				Source: "am17an/llama.cpp issue 43, OpenHands/software-agent-sdk issue 2887",
				Status: http.StatusInternalServerError,
				Body:   `{"error":{"code":500,"message":"Failed to parse tool call arguments as JSON","type":"server_error"}}`,
				broken: argumentsNotObject,
			},
		},
		style: style{id: random("", 32), thoughts: "reasoning_content", pieces: true},
	}
}

// Ollama is a server of Ollama at its endpoint for OpenAI's clients.
func Ollama() Provider {
	return Provider{
		Name: "ollama", Model: "qwen3:8b", Path: "/v1", Rules: []Rule{
			{
				Name: "content of an answer without calls", Source: "ollama/ollama openai/openai.go", Status: http.StatusBadRequest,
				Body: `{"error":{"message":"invalid message content type: <nil>","type":"invalid_request_error","param":null,"code":null}}`,
				broken: eachMessage(func(_ int, m Message) []string {
					if m.Absent && len(m.Calls) == 0 {
						return found
					}
					return nil
				}),
			},
			{
				Name: "arguments that are no JSON", Source: "ollama/ollama openai/openai.go", Status: http.StatusBadRequest,
				Body:   `{"error":{"message":"invalid tool call arguments","type":"invalid_request_error","param":null,"code":null}}`,
				broken: argumentsNotObject,
			},
		},
		style: style{id: random("call_", 8), thoughts: "reasoning"},
	}
}
