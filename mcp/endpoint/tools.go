package endpoint

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/problem"
	"countersign/tool"
)

const (
	// pageSize is how many tools a page lists.
	pageSize = 50
	// freshFor is how long a client may keep a list, in milliseconds: rights and live tools change at any moment.
	freshFor = 5_000
)

// The members of _meta that are the product's own.
const (
	// MetaEffect is what a tool does when it is carried out: read, mutate or destructive.
	MetaEffect = "countersign/effect"
	// MetaUntrusted is set where a result holds content from outside.
	MetaUntrusted = "countersign/untrusted"
	// MetaProblem is the code, the message and the issues of a call that was refused.
	MetaProblem = "countersign/problem"
	// MetaKey is a key by which a repeated call finds the proposal of the first; MetaReason is why it is wanted. A client sends them.
	MetaKey    = "countersign/idempotencyKey"
	MetaReason = "countersign/reason"
)

// listTools lists the tools that the principal may use at this moment, by their names on the wire, a page at a time.
func (e *Endpoint) listTools(ctx context.Context, req *sdk.ListToolsRequest) (*sdk.ListToolsResult, error) {
	after := ""
	if req.Params != nil {
		name, err := base64.RawURLEncoding.DecodeString(req.Params.Cursor)
		if err != nil {
			return nil, e.rpcError(ctx, "tools/list", problem.UnknownCursor())
		}
		after = string(name)
	}
	all, err := e.offered(ctx)
	if err != nil {
		return nil, e.rpcError(ctx, "tools/list", err)
	}
	from, found := slices.BinarySearchFunc(all, after, func(t *sdk.Tool, name string) int { return cmp.Compare(t.Name, name) })
	if found {
		from++
	}
	to := min(from+pageSize, len(all))
	page := &sdk.ListToolsResult{Tools: slices.Clone(all[from:to]), Cacheable: sdk.Cacheable{TTLMs: freshFor, CacheScope: "private"}}
	if page.Tools == nil {
		page.Tools = []*sdk.Tool{}
	}
	if to < len(all) {
		page.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(all[to-1].Name))
	}
	return page, nil
}

// offered are the tools of the principal as the protocol describes them, by name.
func (e *Endpoint) offered(ctx context.Context) ([]*sdk.Tool, error) {
	p := exchangeOf(ctx).principal
	tools, err := e.Invoke.Offered(ctx, p)
	if err != nil {
		return nil, err
	}
	all := []*sdk.Tool{waitTool()}
	speaks, err := e.speaks(ctx, p)
	if err != nil {
		return nil, err
	}
	if speaks {
		all = append(all, applyTool())
	}
	for _, t := range tools {
		if !t.ChatOnly {
			all = append(all, describe(t))
		}
	}
	slices.SortFunc(all, func(a, b *sdk.Tool) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// describe is a tool as clients see it. Calling one that writes makes a proposal, and its hints say what carrying that out does.
func describe(t tool.Tool) *sdk.Tool {
	d := &sdk.Tool{
		Name: t.WireName(), Title: titleOf(t), Description: t.Description, InputSchema: objects(t.Input.JSON()),
		Annotations: hints(t.Effect, t.Untrusted || t.MayLeave()), Meta: sdk.Meta{MetaEffect: string(t.Effect)},
	}
	switch {
	case t.Effect != tool.Read:
		d.OutputSchema = objects(outcomeSchema.JSON())
	case !t.Made() && !t.MayLeave():
		d.OutputSchema = objects(t.Output.JSON())
	}
	return d
}

func hints(effect tool.Effect, open bool) *sdk.ToolAnnotations {
	reads := effect == tool.Read
	return &sdk.ToolAnnotations{ReadOnlyHint: reads, IdempotentHint: reads, DestructiveHint: new(effect == tool.Destructive), OpenWorldHint: new(open)}
}

// titleOf makes words of a name: "List systems (catalog)" of catalog.listSystems, and "refund (billing)" of agent.billing.refund.
func titleOf(t tool.Tool) string {
	module, verb, _ := strings.Cut(t.Name, ".")
	if owner, name, made := strings.Cut(verb, "."); made {
		return name + " (" + owner + ")"
	}
	return tool.Spoken(verb) + " (" + module + ")"
}

// inputOf is what a tool is called with: an object, also where a client leaves it out.
func inputOf(arguments json.RawMessage) json.RawMessage {
	if len(arguments) == 0 || string(arguments) == "null" {
		return json.RawMessage("{}")
	}
	return arguments
}
