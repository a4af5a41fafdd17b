package endpoint

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

func posted(body string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, Path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

const plainCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a_b","arguments":{"q": 1}}}`

func TestPlainCallsAndListsAreAnsweredDirectly(t *testing.T) {
	t.Parallel()
	e := &Endpoint{}
	d, ok := e.parseDirect(posted(plainCall), []byte(plainCall))
	require.True(t, ok)
	require.Equal(t, `1`, string(d.id))
	require.Equal(t, "a_b", d.call.Name)
	require.JSONEq(t, `{"q":1}`, string(d.call.Arguments))
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"a_b","_meta":{"countersign/reason":"why","traceparent":"00-1"}}}`,
		`{"jsonrpc":"2.0","id":-7,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{}}`, `{"jsonrpc":"2.0","id":1,"method":"tools\/list","params":{"cursor":"x"}}`,
		strings.Replace(plainCall, `{"q": 1}`, `null`, 1),
	} {
		_, ok := e.parseDirect(posted(body), []byte(body))
		require.True(t, ok, body)
	}
	for _, revision := range directRevisions {
		_, ok := e.parseDirect(
			posted(
				plainCall,
				"Mcp-Protocol-Version",
				revision,
				"Accept",
				"text/event-stream,application/json",
				"Content-Type",
				"application/json; charset=utf-8",
			),
			[]byte(plainCall),
		)
		require.True(t, ok, revision)
	}
}

// What the library has more to do about is the library's.
func TestEverythingElseIsLeftToTheLibrary(t *testing.T) {
	t.Parallel()
	e := &Endpoint{}
	for _, body := range []string{
		`[` + plainCall + `]`, `{}`, `null`, `1`, `"x"`,
		`{"jsonrpc":"1.0","id":1,"method":"tools/list"}`, `{"id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","method":"tools/list"}`, `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1e2,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":[1],"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","more":1}`, `{"jsonrpc":"2.0","id":1,"Method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"method":7}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":7}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":null}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"a"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","requestState":"x"}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","inputResponses":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":1}}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":null}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
	} {
		_, ok := e.parseDirect(posted(body), []byte(body))
		require.False(t, ok, body)
	}
	for _, headers := range [][]string{
		{"Mcp-Protocol-Version", ""},
		{"Mcp-Protocol-Version", "2026-07-28"},
		{"Mcp-Protocol-Version", "2024-11-05"},
		{"Last-Event-ID", "1"},
		{"Mcp-Method", listenMethod},
		{"Content-Type", "text/plain"},
		{"Content-Type", ""},
		{"Accept", "application/json"},
		{"Accept", "*/*"},
		{"Accept", ""},
	} {
		_, ok := e.parseDirect(posted(plainCall, headers...), []byte(plainCall))
		require.False(t, ok, headers)
	}
	more := &Endpoint{Options: Options{Extensions: []func(*sdk.Server){func(*sdk.Server) {}}}}
	_, ok := more.parseDirect(posted(plainCall), []byte(plainCall))
	require.False(t, ok)
}

// What is written is what the library's own encoding says.
func TestResultsAreWrittenAsTheLibraryWritesThem(t *testing.T) {
	t.Parallel()
	for _, result := range []*sdk.CallToolResult{
		{Content: []sdk.Content{}},
		{Content: []sdk.Content{&sdk.TextContent{Text: "a\n\"<b>\" \u2028"}, &sdk.TextContent{Text: "b", Meta: sdk.Meta{"x": 1}}}},
		{Content: []sdk.Content{&sdk.ImageContent{Data: []byte("x"), MIMEType: "image/png"}}, IsError: true, Meta: sdk.Meta{MetaUntrusted: true}},
		{Content: []sdk.Content{&sdk.TextContent{}}, StructuredContent: json.RawMessage(`{"a":[1,"\u003c"]}`)},
		{Content: []sdk.Content{}, StructuredContent: map[string]any{"a": nil}},
	} {
		var ours bytes.Buffer
		require.NoError(t, writeCalled(&ours, result))
		theirs, err := json.Marshal(result)
		require.NoError(t, err)
		require.JSONEq(t, string(theirs), ours.String())
		require.NotContains(t, ours.String(), "\n")
	}
	one, err := listedToolOf(waitTool())
	require.NoError(t, err)
	for _, next := range []string{"", "more"} {
		for _, page := range [][]listedTool{{}, {one}, {one, one}} {
			list := &sdk.ListToolsResult{Tools: []*sdk.Tool{}, Cacheable: private(), NextCursor: next}
			for _, d := range page {
				list.Tools = append(list.Tools, d.tool)
			}
			var ours bytes.Buffer
			require.NoError(t, writeTools(&ours, page, next))
			theirs, err := json.Marshal(list)
			require.NoError(t, err)
			require.JSONEq(t, string(theirs), ours.String())
		}
	}
}
