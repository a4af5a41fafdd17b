package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The fast path: tool calls and tool lists of older revisions are answered without the library, by the same functions
// that it would call. For a stateless request the library creates a session with streams and readers and decodes the
// body ten times, each time into a buffer of 32 KiB, which costs more than the answer itself. Everything beyond
// parsing a request and framing an answer is left to the library: refused requests, progress tokens, answers to
// questions, other revisions, batches and unusual forms. A test compares the answers of both paths.

// directRevisions are the revisions with a fast path.
var directRevisions = []string{"2025-03-26", "2025-06-18", "2025-11-25"}

// The methods with a fast path.
const (
	methodCall = "tools/call"
	methodList = "tools/list"
)

// plainID matches request ids that can be echoed unchanged. Parsers read larger integers differently.
var plainID = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,14}|".*")$`)

// directRequest is a request on the fast path.
type directRequest struct {
	id     json.RawMessage
	method string
	// call or list are its parameters, optional for a list.
	call *sdk.CallToolParamsRaw
	list *sdk.ListToolsParams
}

// parseDirect parses a request for the fast path; false for others. body is valid JSON without duplicate members.
func (e *Endpoint) parseDirect(r *http.Request, body []byte) (d directRequest, ok bool) {
	if len(e.Extensions) > 0 || !slices.Contains(directRevisions, r.Header.Get(revisionHeader)) || r.Header.Get("Last-Event-ID") != "" ||
		r.Header.Get("Mcp-Method") == listenMethod ||
		!isJSON(r.Header.Get("Content-Type")) ||
		!acceptsBoth(r.Header.Values("Accept")) {
		return d, false
	}
	message, ok := members(body, "jsonrpc", "id", "method", "params")
	if !ok || string(message["jsonrpc"]) != `"2.0"` || !plainID.Match(message["id"]) || !stringOf(message["method"], &d.method) {
		return d, false
	}
	d.id = message["id"]
	switch d.method {
	case methodCall:
		params, ok := members(message["params"], "name", "arguments", "_meta")
		d.call = &sdk.CallToolParamsRaw{Arguments: params["arguments"]}
		return d, ok && stringOf(params["name"], &d.call.Name) && metaOf(params["_meta"], &d.call.Meta)
	case methodList:
		if message["params"] == nil {
			return d, true
		}
		params, ok := members(message["params"], "cursor", "_meta")
		d.list = &sdk.ListToolsParams{}
		return d, ok && (params["cursor"] == nil || stringOf(params["cursor"], &d.list.Cursor)) && metaOf(params["_meta"], &d.list.Meta)
	}
	return d, false
}

// members decodes an object that has only these members, in exactly this case; encoding/json would ignore the case.
func members(object json.RawMessage, known ...string) (map[string]json.RawMessage, bool) {
	var found map[string]json.RawMessage
	if len(object) == 0 || json.Unmarshal(object, &found) != nil || found == nil {
		return nil, false
	}
	for name := range found {
		if !slices.Contains(known, name) {
			return nil, false
		}
	}
	return found, true
}

// stringOf decodes a string and refuses null.
func stringOf(raw json.RawMessage, into *string) bool {
	return len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, into) == nil
}

// metaOf decodes _meta, and refuses it when the library has to act on it: progress tokens and the revision.
func metaOf(raw json.RawMessage, into *sdk.Meta) bool {
	if raw == nil {
		return true
	}
	var meta map[string]any
	if raw[0] != '{' || json.Unmarshal(raw, &meta) != nil {
		return false
	}
	for name := range meta {
		if name == "progressToken" || strings.HasPrefix(name, "io.modelcontextprotocol/") {
			return false
		}
	}
	*into = meta
	return true
}

func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/json"
}

// acceptsBoth reports whether a client accepts both forms of answers, in the usual spellings.
func acceptsBoth(accept []string) bool {
	var document, stream bool
	for _, values := range accept {
		for value := range strings.SplitSeq(values, ",") {
			document = document || strings.TrimSpace(value) == "application/json"
			stream = stream || strings.TrimSpace(value) == "text/event-stream"
		}
	}
	return document && stream
}

// answerDirect answers a request as the library would: by one event.
func (e *Endpoint) answerDirect(ctx context.Context, w http.ResponseWriter, d directRequest) {
	var event bytes.Buffer
	event.Grow(eventSize)
	event.WriteString("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":")
	event.Write(d.id)
	frame := event.Len()
	err := e.writeResult(ctx, &event, d)
	if err != nil {
		event.Truncate(frame)
		event.WriteString(`,"error":`)
		if encode(&event, rpcErrorOf(err)) != nil {
			event.WriteString(`{"code":-32603,"message":"Internal error"}`)
		}
	}
	event.WriteString("}\n\n")
	h := w.Header()
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("Content-Type", "text/event-stream")
	h.Set("Connection", "keep-alive")
	// A write error means that the client is gone.
	_, _ = w.Write(event.Bytes())
}

// eventSize is larger than most answers.
const eventSize = 4 << 10

// writeResult executes the request and writes its result.
func (e *Endpoint) writeResult(ctx context.Context, event *bytes.Buffer, d directRequest) error {
	if d.call != nil {
		result, err := e.call(context.WithValue(ctx, nameKey{}, d.call.Name), &sdk.CallToolRequest{Params: d.call})
		if err != nil {
			return err
		}
		event.WriteString(`,"result":`)
		return writeCalled(event, result)
	}
	if err := e.rateLimit(ctx, d.method); err != nil {
		return err
	}
	page, next, err := e.toolsAfter(ctx, d.list)
	if err != nil {
		return err
	}
	event.WriteString(`,"result":`)
	return writeTools(event, page, next)
}

// rpcErrorOf converts an error to a protocol error. Internal errors keep their text private.
func rpcErrorOf(err error) *jsonrpc.Error {
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return wire
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error"}
}

// encode writes a value as JSON on one line.
func encode(into *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(into)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	if err == nil {
		into.Truncate(into.Len() - 1)
	}
	return err
}

// writeCalled writes the result of a call for revisions without questions.
func writeCalled(into *bytes.Buffer, result *sdk.CallToolResult) error {
	into.WriteString(`{"content":[`)
	for i, content := range result.Content {
		if i > 0 {
			into.WriteByte(',')
		}
		var err error
		if text, ok := content.(*sdk.TextContent); ok && text.Meta == nil && text.Annotations == nil {
			into.WriteString(`{"type":"text","text":`)
			err = encode(into, text.Text)
			into.WriteByte('}')
		} else {
			err = encode(into, content)
		}
		if err != nil {
			return err
		}
	}
	into.WriteByte(']')
	if len(result.Meta) > 0 {
		into.WriteString(`,"_meta":`)
		if err := encode(into, result.Meta); err != nil {
			return err
		}
	}
	if result.IsError {
		into.WriteString(`,"isError":true`)
	}
	switch structured := result.StructuredContent.(type) {
	case nil:
	case json.RawMessage:
		into.WriteString(`,"structuredContent":`)
		// Tools answer in canonical JSON, which is one line.
		into.Write(structured)
	default:
		into.WriteString(`,"structuredContent":`)
		if err := encode(into, structured); err != nil {
			return err
		}
	}
	into.WriteByte('}')
	return nil
}

// writeTools writes a page of the list of tools.
func writeTools(into *bytes.Buffer, page []listedTool, next string) error {
	size := eventSize
	for _, d := range page {
		size += len(d.document)
	}
	into.Grow(size)
	into.WriteString(`{"tools":[`)
	for i, d := range page {
		if i > 0 {
			into.WriteByte(',')
		}
		into.Write(d.document)
	}
	into.WriteByte(']')
	fresh, err := json.Marshal(private())
	if err != nil {
		return err
	}
	into.WriteByte(',')
	into.Write(fresh[1 : len(fresh)-1])
	if next != "" {
		into.WriteString(`,"nextCursor":`)
		if err := encode(into, next); err != nil {
			return err
		}
	}
	into.WriteByte('}')
	return nil
}
