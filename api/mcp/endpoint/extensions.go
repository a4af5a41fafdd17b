package endpoint

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// handleExtension handles requests about the additions of Options.More; known is false for others.
//
//nolint:revive // a result and its error, and whether they mean something
func (e *Endpoint) handleExtension(
	ctx context.Context,
	next sdk.MethodHandler,
	method string,
	req sdk.Request,
) (result sdk.Result, err error, known bool) {
	switch r := req.(type) {
	case *sdk.CallToolRequest:
		if r.Params.Name == placeholderTool {
			return nil, nil, false
		}
		result, err = next(ctx, method, req)
		return result, err, !isUnknown(err, "unknown tool")
	case *sdk.GetPromptRequest:
		if r.Params.Name == placeholderPrompt {
			return nil, nil, false
		}
		result, err = next(ctx, method, req)
		return result, err, !isUnknown(err, "unknown prompt")
	case *sdk.ListToolsRequest, *sdk.ListPromptsRequest, *sdk.ListResourcesRequest, *sdk.ListResourceTemplatesRequest:
		result, err = e.listWithExtensions(ctx, next, method, req)
		return result, err, true
	}
	return nil, nil, false
}

// isUnknown reports whether the library did not find the requested item.
func isUnknown(err error, text string) bool {
	wire, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && strings.HasPrefix(wire.Message, text)
}

// listWithExtensions adds the additions to the first page of a list.
func (e *Endpoint) listWithExtensions(ctx context.Context, next sdk.MethodHandler, method string, req sdk.Request) (sdk.Result, error) {
	switch r := req.(type) {
	case *sdk.ListToolsRequest:
		out, err := e.listTools(ctx, r)
		if err != nil || r.Params != nil && r.Params.Cursor != "" {
			return out, err
		}
		added, err := next(ctx, method, req)
		if l, ok := added.(*sdk.ListToolsResult); ok {
			out.Tools = append(out.Tools, slices.DeleteFunc(l.Tools, func(t *sdk.Tool) bool { return t.Name == placeholderTool })...)
		}
		return out, err
	case *sdk.ListPromptsRequest:
		out, err := e.listPrompts(ctx, r)
		if err != nil || r.Params != nil && r.Params.Cursor != "" {
			return out, err
		}
		added, err := next(ctx, method, req)
		if l, ok := added.(*sdk.ListPromptsResult); ok {
			out.Prompts = append(out.Prompts, slices.DeleteFunc(l.Prompts, func(p *sdk.Prompt) bool { return p.Name == placeholderPrompt })...)
		}
		return out, err
	case *sdk.ListResourcesRequest:
		out, err := e.listResources(ctx, r)
		if err != nil || r.Params != nil && r.Params.Cursor != "" {
			return out, err
		}
		added, err := next(ctx, method, req)
		if l, ok := added.(*sdk.ListResourcesResult); ok {
			out.Resources = append(out.Resources, l.Resources...)
		}
		return out, err
	}
	out, err := e.listTemplates(ctx)
	if err != nil {
		return out, err
	}
	added, err := next(ctx, method, req)
	if l, ok := added.(*sdk.ListResourceTemplatesResult); ok {
		out.ResourceTemplates = append(
			out.ResourceTemplates,
			slices.DeleteFunc(l.ResourceTemplates, func(t *sdk.ResourceTemplate) bool { return t.URITemplate == anyResource })...)
	}
	return out, err
}
