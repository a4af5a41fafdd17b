package endpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/internal/problem"
)

// maxSubscriptions limits the resources of one listener, which are checked at each heartbeat.
const maxSubscriptions = 10

// subscribable and unsubscribable are the subscription handlers with and without notifications. Older revisions
// subscribe in one request and would be notified in another, which needs a session.
func subscribable(context.Context, *sdk.SubscribeRequest) error { return nil }

func unsubscribable(context.Context, *sdk.SubscribeRequest) error {
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeMethodNotFound,
		Message: "Notifications need subscriptions/listen of the revision 2026-07-28, as there are no sessions.",
	}
}

// withoutNotifications removes capabilities from an older client's initialisation: it cannot subscribe to resources, and
// receives list changes in the one revision with a stream. Changes of the list of resources are never sent.
func withoutNotifications(begun *sdk.InitializeResult) *sdk.InitializeResult {
	if begun.Capabilities == nil {
		return begun
	}
	told, capabilities := *begun, *begun.Capabilities
	if capabilities.Resources != nil {
		capabilities.Resources = &sdk.ResourceCapabilities{}
	}
	if begun.ProtocolVersion != streamRevision {
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

// missingResource is the hash of a resource that the principal cannot read.
var missingResource = digest{}

// subscriptions returns the hashes of the resources that a listener subscribes to, by address. An unreadable one
// counts as missing.
func (e *Endpoint) subscriptions(ctx context.Context, p *sdk.SubscriptionsListenParams) (map[string]digest, error) {
	if p == nil || p.Notifications == nil {
		return nil, nil
	}
	addresses := p.Notifications.ResourceSubscriptions
	if len(addresses) > maxSubscriptions {
		return nil, &jsonrpc.Error{
			Code:    jsonrpc.CodeInvalidParams,
			Message: fmt.Sprintf("A listener has at most %d resources. Open several.", maxSubscriptions),
		}
	}
	states := make(map[string]digest, len(addresses))
	for _, address := range addresses {
		state, err := e.resourceDigest(ctx, address)
		switch {
		case err != nil:
			return nil, e.rpcError(ctx, listenMethod, err)
		case state == missingResource:
			return nil, sdk.ResourceNotFoundError(address)
		}
		states[address] = state
	}
	return states, nil
}

// notifyUpdates notifies a listener of changed resources. Failed checks are repeated at the next heartbeat.
func (e *Endpoint) notifyUpdates(ctx context.Context, server *sdk.Server, watched map[string]digest) {
	for address, known := range watched {
		now, err := e.resourceDigest(ctx, address)
		if err != nil || now == known {
			continue
		}
		watched[address] = now
		// A write error means that the client is gone.
		_ = server.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: address})
	}
}

// resourceDigest hashes a resource for the principal's current rights: gone when unreadable. It reads the REST API like lists
// of resources and shows nothing, so it is no tool call.
func (e *Endpoint) resourceDigest(ctx context.Context, address string) (digest, error) {
	kinds, err := e.usable(ctx)
	if err != nil {
		return missingResource, err
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
			content, err = e.docPage(ctx, value)
		default:
			_, err = e.client(ctx).Get(ctx, fmt.Sprintf(k.watched, recordID(input)), &content)
		}
		if problem.CodeOf(err) == problem.Internal || problem.CodeOf(err) == problem.Unavailable {
			return missingResource, err
		}
		if err != nil {
			return missingResource, nil //nolint:nilerr // it is not there, or not to be seen
		}
		return digestOf(content)
	}
	return missingResource, nil
}

// recordID returns the value of an input that names a record; limits name none.
func recordID(input map[string]any) any {
	for member, value := range input {
		if member != "limit" {
			return value
		}
	}
	return ""
}

// docPage returns the entry of a documentation page.
func (e *Endpoint) docPage(ctx context.Context, slug string) (json.RawMessage, error) {
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
