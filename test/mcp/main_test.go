// Package mcp_test drives the endpoint of MCP clients over HTTP, with the client of the protocol's own library.
package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"countersign/api/mcp/endpoint"
	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/script/typescript"
)

func TestMain(m *testing.M) {
	// The compiler of scripts starts this binary again.
	typescript.RunIfChild()
	apptest.RunIfProcess()
	flag.Parse()
	goleak.VerifyTestMain(m)
}

// withToken sends a bearer token with each request.
type withToken struct{ token string }

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.token)
	return http.DefaultTransport.RoundTrip(r)
}

// connect connects a client of the library as c, with the newest revision unless another one is named.
func connect(t *testing.T, p *apptest.Product, c *apptest.Client, revision string, options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: p.URL + endpoint.Path, HTTPClient: &http.Client{Transport: withToken{c.Token()}}, MaxRetries: -1, DisableStandaloneSSE: true,
	}, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// call calls a tool that answers.
func call(t *testing.T, session *sdk.ClientSession, name string, arguments any) *sdk.CallToolResult {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	require.NoError(t, err)
	return result
}

// outcome calls a tool that changes something.
func outcome(t *testing.T, session *sdk.ClientSession, name string, arguments any) endpoint.Outcome {
	t.Helper()
	return outcomeOf(t, call(t, session, name, arguments))
}

func outcomeOf(t *testing.T, result *sdk.CallToolResult) (o endpoint.Outcome) {
	t.Helper()
	require.NotNil(t, result.StructuredContent, "%s", textOf(result))
	raw, err := json.Marshal(result.StructuredContent)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &o))
	return o
}

// textOf is what a model reads of a result.
func textOf(result *sdk.CallToolResult) string {
	var all string
	for _, content := range result.Content {
		if text, ok := content.(*sdk.TextContent); ok {
			all += text.Text + "\n"
		}
	}
	return all
}

// post sends a body as a program that has no library would.
func post(t *testing.T, p *apptest.Product, token string, body any, headers ...apptest.Header) apptest.Answer {
	t.Helper()
	raw, ok := body.(string)
	if !ok {
		document, err := json.Marshal(body)
		require.NoError(t, err)
		raw = string(document)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+endpoint.Path, bytes.NewReader([]byte(raw)))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for _, h := range headers {
		r.Header.Set(h.Name, h.Value)
		if h.Name == "Host" {
			r.Host = h.Value
		}
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return apptest.Answer{Status: response.StatusCode, Header: response.Header, Body: answer}
}

// request is one request of the newest revision, with the headers that go with it.
func request(method, name string, params map[string]any) (map[string]any, []apptest.Header) {
	params["_meta"] = map[string]any{
		sdk.MetaKeyProtocolVersion:    "2026-07-28",
		sdk.MetaKeyClientInfo:         map[string]any{"name": "raw", "version": "1"},
		sdk.MetaKeyClientCapabilities: map[string]any{"elicitation": map[string]any{"form": map[string]any{}}},
	}
	headers := []apptest.Header{{Name: "Mcp-Protocol-Version", Value: "2026-07-28"}, {Name: "Mcp-Method", Value: method}}
	if name != "" {
		headers = append(headers, apptest.Header{Name: "Mcp-Name", Value: name})
	}
	return map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, headers
}

// rpc is an answer as a document of the protocol, whether it came as an event or plainly.
func rpc(t *testing.T, answer apptest.Answer) (message struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
},
) {
	t.Helper()
	body := answer.Body
	if _, framed, ok := bytes.Cut(body, []byte("data: ")); ok {
		body, _, _ = bytes.Cut(framed, []byte("\n"))
	}
	require.NoError(t, json.Unmarshal(body, &message), "%s", answer.Body)
	return message
}

// problemOf is the problem document of an answer that is none of the protocol.
func problemOf(t *testing.T, answer apptest.Answer) (e problem.Error) {
	t.Helper()
	require.NoError(t, json.Unmarshal(answer.Body, &e), "%d %s", answer.Status, answer.Body)
	return e
}

func background(t *testing.T, f func(ctx context.Context)) (wait func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(t.Context())
	}()
	return func() { <-done }
}
