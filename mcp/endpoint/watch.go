package endpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/problem"
)

// mostSubscriptions bounds the resources of one listener, which are looked after at each heartbeat.
const mostSubscriptions = 10

// subscribable and unsubscribable say whether a server can tell of changes: that of a listener can. A client of an older revision
// subscribes in one request and would have to be told in another, which only a session could tie together.
func subscribable(context.Context, *sdk.SubscribeRequest) error { return nil }

func unsubscribable(context.Context, *sdk.SubscribeRequest) error {
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeMethodNotFound,
		Message: "There are no sessions in which changes could be told. Subscribe by subscriptions/listen, in the revision 2026-07-28.",
	}
}

// withoutNews is what an older client is told of the server: it cannot subscribe to resources, and hears that a list
// has changed only in the one revision that has a stream for it. The list of resources is never said to have changed.
func withoutNews(begun *sdk.InitializeResult) *sdk.InitializeResult {
	if begun.Capabilities == nil {
		return begun
	}
	told, capabilities := *begun, *begun.Capabilities
	if capabilities.Resources != nil {
		capabilities.Resources = &sdk.ResourceCapabilities{}
	}
	if begun.ProtocolVersion != withStream {
		if capabilities.Tools != nil {
			capabilities.Tools = &sdk.ToolCapabilities{}
		}
		if capabilities.Prompts != nil {
			capabilities.Prompts = &sdk.PromptCapabilities{}
		}
	}
	told.Capabilities = &capabilities
	return &told
}

// gone is the state of a resource that the principal cannot read any more, or could never.
var gone = sum{}

// subscriptions are the states of the resources that a listener wants to hear of, by address. Who subscribes to what they cannot read
// hears that it is not there.
func (e *Endpoint) subscriptions(ctx context.Context, p *sdk.SubscriptionsListenParams) (map[string]sum, error) {
	if p == nil || p.Notifications == nil {
		return nil, nil
	}
	addresses := p.Notifications.ResourceSubscriptions
	if len(addresses) > mostSubscriptions {
		return nil, &jsonrpc.Error{
			Code:    jsonrpc.CodeInvalidParams,
			Message: fmt.Sprintf("A listener has at most %d resources. Open several.", mostSubscriptions),
		}
	}
	states := make(map[string]sum, len(addresses))
	for _, address := range addresses {
		state, err := e.state(ctx, address)
		switch {
		case err != nil:
			return nil, e.rpcError(ctx, listenMethod, err)
		case state == gone:
			return nil, sdk.ResourceNotFoundError(address)
		}
		states[address] = state
	}
	return states, nil
}

// tellUpdates tells a listener which resources are others than they were. What cannot be found out now is found out the next time.
func (e *Endpoint) tellUpdates(ctx context.Context, server *sdk.Server, watched map[string]sum) {
	for address, known := range watched {
		now, err := e.state(ctx, address)
		if err != nil || now == known {
			continue
		}
		watched[address] = now
		// Whoever does not hear it is not there any more.
		_ = server.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: address})
	}
}

// state is a hash of what a resource is made of, for the principal as they are now: gone when they cannot read it. It is looked up in
// the REST API, as lists of resources are, and shown to nobody, so it is no call of a tool.
func (e *Endpoint) state(ctx context.Context, address string) (sum, error) {
	kinds, err := e.usable(ctx)
	if err != nil {
		return gone, err
	}
	for _, k := range kinds {
		value, ok := k.match(address)
		if !ok {
			continue
		}
		input, err := k.input(ctx, e, value)
		var content json.RawMessage
		switch {
		case err != nil:
		case k.watched == "":
			content, err = e.page(ctx, value)
		default:
			_, err = e.client(ctx).Get(ctx, fmt.Sprintf(k.watched, theOne(input)), &content)
		}
		if problem.CodeOf(err) == problem.Internal || problem.CodeOf(err) == problem.Unavailable {
			return gone, err
		}
		if err != nil {
			return gone, nil //nolint:nilerr // it is not there, or not to be seen
		}
		return sumOf(content)
	}
	return gone, nil
}

// theOne is the value of an input that names a record; limits name none.
func theOne(input map[string]any) any {
	for member, value := range input {
		if member != "limit" {
			return value
		}
	}
	return ""
}

// page is what the list of pages says of one.
func (e *Endpoint) page(ctx context.Context, slug string) (json.RawMessage, error) {
	pages, err := e.pages(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(pages, func(p docPage) bool { return p.Slug == slug })
	if i < 0 {
		return nil, problem.Errorf(problem.NotFound, "There is no such page.")
	}
	return json.Marshal(pages[i])
}
