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

	"countersign/problem"
	"countersign/tool"
)

const (
	// pageSize is how many tools a page lists: all of the product's own, as many clients read one page.
	pageSize = 250
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

// listed is the order of the list by names on the wire. The tools about proposals come first: nothing that is proposed
// ends without them, and a client may read one page.
func listed(a, b string) int {
	place := func(name string) int {
		if name == waitName || name == applyName {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}

// listTools lists the tools that the principal may use at this moment, by their names on the wire, a page at a time.
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

// toolsAfter is a page of the list of tools, and the cursor of the next one: "" for the last.
func (e *Endpoint) toolsAfter(ctx context.Context, params *sdk.ListToolsParams) (page []described, next string, err error) {
	after := ""
	if params != nil {
		name, err := base64.RawURLEncoding.DecodeString(params.Cursor)
		if err != nil {
			return nil, "", e.rpcError(ctx, methodList, problem.UnknownCursor())
		}
		after = string(name)
	}
	all, err := e.offered(ctx)
	if err != nil {
		return nil, "", e.rpcError(ctx, methodList, err)
	}
	from, found := slices.BinarySearchFunc(all, after, func(d described, name string) int { return listed(d.tool.Name, name) })
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

// described is a tool as the protocol describes it, and as a list has it. Nobody may change either.
type described struct {
	tool     *sdk.Tool
	document json.RawMessage
}

func describedAs(t *sdk.Tool) (described, error) {
	document, err := json.Marshal(t)
	return described{t, document}, err
}

// offered are the tools of the principal as the protocol describes them, in the order of the list.
func (e *Endpoint) offered(ctx context.Context) ([]described, error) {
	p := exchangeOf(ctx).principal
	tools, err := e.Invoke.Offered(ctx, p)
	if err != nil {
		return nil, err
	}
	speaks, err := e.speaks(ctx, p)
	if err != nil {
		return nil, err
	}
	all := make([]described, 0, len(tools)+2)
	all = append(all, e.wait)
	if speaks {
		all = append(all, e.apply)
	}
	for _, t := range tools {
		// What would have to be proposed by a program that may propose nothing is only refused.
		if t.ChatOnly || p.ReadOnly() && t.AlwaysLeaves() {
			continue
		}
		d, err := e.describe(t)
		if err != nil {
			return nil, fmt.Errorf("describe the tool %s: %w", t.Name, err)
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b described) int { return listed(a.tool.Name, b.tool.Name) })
	return all, nil
}

// describe is describe of a tool, which is done once for those of the product: they are the same as long as the process lives.
func (e *Endpoint) describe(t tool.Tool) (described, error) {
	if t.Made() {
		return describedAs(describe(t))
	}
	if known, ok := e.fixed.Load(t.Name); ok {
		if d, ok := known.(described); ok {
			return d, nil
		}
	}
	d, err := describedAs(describe(t))
	if err == nil {
		e.fixed.Store(t.Name, d)
	}
	return d, err
}

// describe is a tool as clients see it. Calling one that writes makes a proposal, and its hints say what carrying that out does.
func describe(t tool.Tool) *sdk.Tool {
	d := &sdk.Tool{
		Name: t.WireName(), Title: titleOf(t), Description: t.Description, InputSchema: objects(t.Input.JSON()),
		Annotations: hints(t.Effect, t.Untrusted || t.MayLeave()), Meta: sdk.Meta{MetaEffect: string(t.Effect)},
	}
	switch {
	case t.EffectByInput: // what comes back depends on the input, too
	case t.Effect != tool.Read:
		d.OutputSchema = objects(outcomeSchema.JSON())
	case !t.Made() && !t.MayLeave():
		d.OutputSchema = objects(t.Output.JSON())
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
