package modeltest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/model/modeltest"
)

type object = map[string]any

// chat is a request that every rule of a provider lets pass: a turn with a call before, and the second step of another.
type chat struct {
	Members             object
	First, Last, Answer object // the messages with calls, and the answer between them
	Person              object
	Tool, Property      object
}

// proper is a proper request for a provider, with ids and further members in its form.
func proper(p modeltest.Provider, signature string) chat {
	id := map[string]string{"mistral": "abcDEF123", "vllm": "abcDEF123", "kimi": "functions.ai_listDocs:0"}[p.Name]
	if id == "" {
		id = "call_0123456789"
	}
	calls := func(text string) object {
		call := object{"id": id, "type": "function", "function": object{"name": "ai_listDocs", "arguments": `{"query":"` + text + `"}`}}
		m := object{"role": "assistant", "content": nil, "tool_calls": []any{call}}
		switch p.Name {
		case "deepseek":
			m["reasoning_content"] = ""
		case "kimi":
			m["reasoning_content"] = " "
		case "gemini":
			call["extra_content"] = object{"google": object{"thought_signature": signature}}
		case "openrouter":
			m["reasoning_details"] = []any{object{"type": "reasoning.encrypted", "data": signature, "id": id}}
		case "litellm":
			m["thinking_blocks"] = []any{object{"type": "thinking", "thinking": "", "signature": signature}}
		}
		return m
	}
	c := chat{
		First:  calls("a"),
		Last:   calls("b"),
		Answer: object{"role": "assistant", "content": "There are two."},
		Person: object{"role": "user", "content": "And now?"},
	}
	c.Property = object{"type": "string"}
	c.Tool = object{"name": "ai_listDocs", "parameters": object{"type": "object", "properties": object{"query": c.Property}}}
	result := object{"role": "tool", "tool_call_id": id, "content": "{}"}
	c.Members = object{
		"model":  p.Model,
		"stream": true,
		"tools":  []any{object{"type": "function", "function": c.Tool}},
		"messages": []any{
			object{"role": "system", "content": "Be brief."},
			object{"role": "user", "content": "Which pages?"},
			c.First,
			result,
			c.Answer,
			c.Person,
			c.Last,
			result,
		},
	}
	return c
}

func (c chat) messages() []any { return c.Members["messages"].([]any) }

// drop takes the n-th message out.
func (c chat) drop(n int) {
	c.Members["messages"] = append(append([]any{}, c.messages()[:n]...), c.messages()[n+1:]...)
}

func (c chat) call() object     { return c.Last["tool_calls"].([]any)[0].(object) }
func (c chat) function() object { return c.call()["function"].(object) }

func (c chat) send(t *testing.T, p modeltest.Provider) *modeltest.Request {
	t.Helper()
	raw, err := json.Marshal(c.Members)
	require.NoError(t, err)
	r, err := modeltest.ParseRequest(raw)
	require.NoError(t, err)
	if p.Query != "" {
		r.Query = map[string][]string{"api-version": {"2025-04-01-preview"}}
	}
	return r
}

// openAI are the ways to break OpenAI's rules, which are Azure's as well.
var openAI = map[string]func(*chat){
	"max_tokens of a reasoning model":              func(c *chat) { c.Members["max_tokens"] = 16 },
	"id longer than 40":                            func(c *chat) { c.call()["id"] = strings.Repeat("a", 41) },
	"name of a call empty":                         func(c *chat) { c.function()["name"] = "" },
	"name of a call":                               func(c *chat) { c.function()["name"] = "ai.listDocs" },
	"name of a tool":                               func(c *chat) { c.Tool["name"] = "ai.listDocs" },
	"name of a tool longer than 64":                func(c *chat) { c.Tool["name"] = strings.Repeat("a", 65) },
	"description of a tool longer than 1024":       func(c *chat) { c.Tool["description"] = strings.Repeat("é", 1025) },
	"calls without results":                        func(c *chat) { c.drop(3) },
	"results without calls":                        func(c *chat) { c.drop(2) },
	"role of a model that takes no system message": func(c *chat) { c.Members["model"] = "o1-mini" },
	"unknown member":                               func(c *chat) { c.Members["top_k"] = 1 },
}

// broken are the ways to break each other rule.
var broken = map[string]map[string]func(*chat){
	"openai": openAI,
	"azure":  openAI,
	"deepseek": {
		"thoughts of an answer with calls": func(c *chat) { delete(c.First, "reasoning_content") },
		"calls without results":            func(c *chat) { c.drop(7) },
		"results without calls":            func(c *chat) { c.drop(2) },
	},
	"kimi": {
		"thoughts of an answer with calls": func(c *chat) { c.First["reasoning_content"] = "" },
		"empty part of text":               func(c *chat) { c.Last["content"] = []any{object{"type": "text", "text": ""}} },
	},
	"gemini": {
		"signature of a call":            func(c *chat) { delete(c.call(), "extra_content") },
		"name of a tool":                 func(c *chat) { c.Tool["name"] = "1st" },
		"format of a text":               func(c *chat) { c.Property["format"] = "uri" },
		"list of types":                  func(c *chat) { c.Property["type"] = []any{"string", "null"} },
		"constant":                       func(c *chat) { c.Property["const"] = "a" },
		"bounds that exclude":            func(c *chat) { c.Property["type"], c.Property["exclusiveMinimum"] = "integer", 0 },
		"list without items":             func(c *chat) { c.Property["type"] = "array" },
		"choice that is not among texts": func(c *chat) { c.Property["type"], c.Property["enum"] = "integer", []any{1} },
		"properties of what is no object": func(c *chat) {
			c.Property["properties"] = object{"a": object{"type": "string"}}
		},
	},
	"mistral": {
		"id of nine letters":                        func(c *chat) { c.call()["id"] = "call_0123456789" },
		"a person behind a tool":                    func(c *chat) { c.drop(4) },
		"as many results as calls":                  func(c *chat) { c.drop(3) },
		"ends with a person or a tool":              func(c *chat) { c.Members["messages"] = c.messages()[:5] },
		"members that it does not know":             func(c *chat) { c.Members["user"] = "u" },
		"members of messages that it does not know": func(c *chat) { c.First["reasoning_content"] = "Hm." },
	},
	"groq": {
		"members of messages that it does not know": func(c *chat) { c.First["reasoning_content"] = "Hm." },
	},
	"xai": {
		"content without elements": func(c *chat) { c.Answer["content"] = []any{} },
	},
	"openrouter": {
		"reasoning details as they were": func(c *chat) { c.call()["id"] = "another" },
	},
	"vllm": {
		"stream_options":             func(c *chat) { c.Members["stream_options"] = object{"include_usage": true} },
		"max_completion_tokens":      func(c *chat) { c.Members["max_completion_tokens"] = 16 },
		"arguments that are no JSON": func(c *chat) { c.function()["arguments"] = `{"query":` },
		"id of nine letters":         func(c *chat) { c.call()["id"] = "chatcmpl-tool-0123456789" },
		"a person behind a tool":     func(c *chat) { c.drop(4) },
	},
	"llama.cpp": {
		"people and model take turns": func(c *chat) { c.drop(4) },
		"pattern without anchors":     func(c *chat) { c.Property["pattern"] = "[a-z]" },
		"schema without a type": func(c *chat) {
			delete(c.Property, "type")
			c.Property["description"] = "What to look for."
		},
		"arguments that are no JSON": func(c *chat) { c.function()["arguments"] = "{" },
	},
	"ollama": {
		"content of an answer without calls": func(c *chat) { c.Answer["content"] = nil },
		"arguments that are no JSON":         func(c *chat) { c.function()["arguments"] = "{" },
	},
	"litellm": {
		"calls without tools":           func(c *chat) { delete(c.Members, "tools") },
		"id of a call":                  func(c *chat) { c.call()["id"] = "functions.ai_listDocs:0" },
		"results directly behind calls": func(c *chat) { c.drop(7) },
		"ends with a person":            func(c *chat) { c.Members["messages"] = c.messages()[:5] },
		"thoughts before calls":         func(c *chat) { delete(c.Last, "thinking_blocks") },
		"empty text":                    func(c *chat) { c.First["content"] = "" },
	},
}

// elsewhere are the rules whose tests need a running server, or more of a request than its body.
var elsewhere = map[string]bool{"azure/api-version": true, "litellm/signature of thoughts": true}

// Each rule refuses a request that breaks it and no other, in the provider's words, and lets a proper one pass.
func TestEachRuleRefusesWhatBreaksIt(t *testing.T) {
	t.Parallel()
	for _, p := range modeltest.All() {
		rule, body := p.Check(proper(p, "s").send(t, p))
		require.Nil(t, rule, "%s refuses a proper request: %s", p.Name, body)
		for _, rule := range p.Rules {
			if elsewhere[p.Name+"/"+rule.Name] {
				continue
			}
			t.Run(p.Name+"/"+rule.Name, func(t *testing.T) {
				t.Parallel()
				require.NotEmpty(t, rule.Source)
				spoil := broken[p.Name][rule.Name]
				require.NotNil(t, spoil, "no request that breaks it")
				c := proper(p, "s")
				spoil(&c)
				refused, body := p.Check(c.send(t, p))
				require.NotNil(t, refused)
				require.Equal(t, rule.Name, refused.Name, body)
				require.GreaterOrEqual(t, refused.Status, 400)
				require.True(t, json.Valid([]byte(body)), body)
				require.NotRegexp(t, `\$[0-9]`, strings.ReplaceAll(body, "'$'", ""), "all of it is filled in")
			})
		}
	}
}

// post sends a request to a running provider.
func post(t *testing.T, address string, c chat, header string, key string) (status int, body string) {
	t.Helper()
	raw, err := json.Marshal(c.Members)
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(string(raw)))
	require.NoError(t, err)
	request.Header.Set(header, key)
	response, err := (&http.Client{Timeout: time.Minute}).Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(answer)
}

// Azure takes the key in a header of its own, and only with the version of its API.
func TestAzureWantsItsHeaderAndItsVersion(t *testing.T) {
	t.Parallel()
	s := modeltest.Start(t, modeltest.Azure())
	base, query, _ := strings.Cut(s.BaseURL(), "?")
	address := base + "/chat/completions"
	c := proper(s.Provider, "")
	status, _ := post(t, address+"?"+query, c, "Authorization", "Bearer "+modeltest.Key)
	require.Equal(t, http.StatusUnauthorized, status)
	status, _ = post(t, address, c, "Api-Key", modeltest.Key)
	require.Equal(t, http.StatusNotFound, status)
	status, body := post(t, address+"?"+query, c, "Api-Key", modeltest.Key)
	require.Equal(t, http.StatusOK, status, body)
	require.Len(t, s.Refusals(), 2)
	require.Equal(t, "api-version", s.Refusals()[1].Rule)
	require.Len(t, s.Accepted(), 1)
}

// A signature is good when it is the one that came.
func TestSignaturesAreThoseThatCame(t *testing.T) {
	t.Parallel()
	signature := regexp.MustCompile(`"(?:signature|thought_signature|data)":"([^"]+)"`)
	for _, p := range []modeltest.Provider{modeltest.Gemini(), modeltest.OpenRouter()} {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			s := modeltest.Start(t, p)
			ask := proper(p, "")
			ask.Members["messages"] = []any{object{"role": "user", "content": `script: tool=ai.listDocs text=done`}}
			status, body := post(t, s.BaseURL()+"/chat/completions", ask, "Authorization", "Bearer "+modeltest.Key)
			require.Equal(t, http.StatusOK, status, body)
			came := signature.FindStringSubmatch(body)
			require.NotNil(t, came, body)
			status, body = post(t, s.BaseURL()+"/chat/completions", proper(p, came[1]), "Authorization", "Bearer "+modeltest.Key)
			require.Equal(t, http.StatusOK, status, body)
			status, body = post(t, s.BaseURL()+"/chat/completions", proper(p, came[1]+"A"), "Authorization", "Bearer "+modeltest.Key)
			require.Equal(t, http.StatusBadRequest, status, body)
			require.Len(t, s.Refusals(), 1)
		})
	}
}

// Claude's thoughts are signed together with their text.
func TestThoughtsAreThoseThatWereSigned(t *testing.T) {
	t.Parallel()
	s := modeltest.Start(t, modeltest.LiteLLM())
	c := proper(s.Provider, "forged")
	status, body := post(t, s.BaseURL()+"/chat/completions", c, "Authorization", "Bearer "+modeltest.Key)
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, body, "Invalid `signature`")
	require.Equal(t, "signature of thoughts", s.Refusals()[0].Rule)
}
