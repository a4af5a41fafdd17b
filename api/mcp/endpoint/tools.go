package endpoint

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/internal/problem"
	"countersign/tool"
)

const (
	// pageSize is larger than the number of the product's own tools, as many clients read one page only.
	pageSize = 250
	// listTTL is the time in milliseconds that a client may cache a list: rights and tools change at any time.
	listTTL = 5_000
)

// The product's own members of _meta.
const (
	// MetaEffect is the effect of a tool when applied: read, mutate or destructive.
	MetaEffect = "countersign/effect"
	// MetaUntrusted marks a result with untrusted content.
	MetaUntrusted = "countersign/untrusted"
	// MetaProblem holds the code, the message and the issues of a refused call.
	MetaProblem = "countersign/internal/problem"
	// MetaKey is an idempotency key, by which a repeated call finds the first one's proposal; MetaReason is the
	// reason for the change. Clients send them.
	MetaKey    = "countersign/idempotencyKey"
	MetaReason = "countersign/reason"
)

// compareListed sorts tools by wire name. The tools about proposals come first: clients need them and may read one page
// only.
func compareListed(a, b string) int {
	place := func(name string) int {
		if name == waitName || name == applyName {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}

// listTools lists the tools that the principal may use now, by wire name, in pages.
func (e *Endpoint) listTools(ctx context.Context, req *sdk.ListToolsRequest) (*sdk.ListToolsResult, error) {
	page, next, err := e.toolsAfter(ctx, req.Params)
	if err != nil {
		return nil, err
	}
	list := &sdk.ListToolsResult{Tools: make([]*sdk.Tool, len(page)), Cacheable: private(), NextCursor: next}
	for i, d := range page {
		list.Tools[i] = d.tool
	}
	return list, nil
}

// toolsAfter returns a page of the list of tools and the cursor of the next one, "" for the last.
func (e *Endpoint) toolsAfter(ctx context.Context, params *sdk.ListToolsParams) (page []listedTool, next string, err error) {
	after := ""
	if params != nil {
		name, err := base64.RawURLEncoding.DecodeString(params.Cursor)
		if err != nil {
			return nil, "", e.rpcError(ctx, methodList, problem.UnknownCursor())
		}
		after = string(name)
	}
	all, err := e.offeredTools(ctx)
	if err != nil {
		return nil, "", e.rpcError(ctx, methodList, err)
	}
	from, found := slices.BinarySearchFunc(all, after, func(d listedTool, name string) int { return compareListed(d.tool.Name, name) })
	if found {
		from++
	}
	if after == "" {
		from = 0
	}
	to := min(from+pageSize, len(all))
	if to < len(all) {
		next = base64.RawURLEncoding.EncodeToString([]byte(all[to-1].tool.Name))
	}
	return all[from:to], next, nil
}

// listedTool is a tool in the form of the protocol, with its JSON. Both are read-only.
type listedTool struct {
	tool     *sdk.Tool
	document json.RawMessage
}

func listedToolOf(t *sdk.Tool) (listedTool, error) {
	document, err := json.Marshal(t)
	return listedTool{t, document}, err
}

// offeredTools returns the principal's tools in the form of the protocol, in list order.
func (e *Endpoint) offeredTools(ctx context.Context) ([]listedTool, error) {
	p := exchangeOf(ctx).principal
	tools, err := e.Invoke.Offered(ctx, p)
	if err != nil {
		return nil, err
	}
	speaks, err := e.canSpeakForPerson(ctx, p)
	if err != nil {
		return nil, err
	}
	all := make([]listedTool, 0, len(tools)+2)
	all = append(all, e.wait)
	if speaks {
		all = append(all, e.apply)
	}
	for _, t := range tools {
		// A read-only program could only be refused.
		if t.Access.ChatOnly || p.ReadOnly() && t.AlwaysLeaves() {
			continue
		}
		d, err := e.describe(t)
		if err != nil {
			return nil, fmt.Errorf("describe the tool %s: %w", t.Name, err)
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b listedTool) int { return compareListed(a.tool.Name, b.tool.Name) })
	return all, nil
}

// describe caches descriptions of the product's own tools, which never change in a process.
func (e *Endpoint) describe(t tool.Tool) (listedTool, error) {
	if t.Made() {
		return listedToolOf(describe(t))
	}
	if known, ok := e.fixed.Load(t.Name); ok {
		if d, ok := known.(listedTool); ok {
			return d, nil
		}
	}
	d, err := listedToolOf(describe(t))
	if err == nil {
		e.fixed.Store(t.Name, d)
	}
	return d, err
}

// describe converts a tool to the protocol. Calling a writing tool creates a proposal; its hints describe the applied
// change.
func describe(t tool.Tool) *sdk.Tool {
	d := &sdk.Tool{
		Name: t.WireName(), Title: titleOf(t), Description: t.Description, InputSchema: objectSchemas(t.Input.JSON()),
		Annotations: hints(t.Effect, t.Result.Untrusted || t.MayLeave()), Meta: sdk.Meta{MetaEffect: string(t.Effect)},
	}
	switch {
	case t.Impact.EffectByInput: // what comes back depends on the input, too
	case t.Effect != tool.Read:
		d.OutputSchema = objectSchemas(outcomeSchema.JSON())
	case !t.Made() && !t.MayLeave():
		d.OutputSchema = objectSchemas(t.Output.JSON())
	}
	return d
}

func hints(effect tool.Effect, open bool) *sdk.ToolAnnotations {
	reads := effect == tool.Read
	return &sdk.ToolAnnotations{
		ReadOnlyHint:    reads,
		IdempotentHint:  reads,
		DestructiveHint: new(effect == tool.Destructive),
		OpenWorldHint:   new(open),
	}
}

// titleOf makes a title of a name: "List systems (catalog)" of catalog.listSystems, and "refund (billing)" of
// agent.billing.refund.
func titleOf(t tool.Tool) string {
	module, verb, _ := strings.Cut(t.Name, ".")
	if owner, name, made := strings.Cut(verb, "."); made {
		return name + " (" + owner + ")"
	}
	return tool.Humanize(verb) + " (" + module + ")"
}

// inputOf returns the arguments of a call; absent ones are an empty object.
func inputOf(arguments json.RawMessage) json.RawMessage {
	if len(arguments) == 0 || string(arguments) == "null" {
		return json.RawMessage("{}")
	}
	return arguments
}
