package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/audit"
	"countersign/chat/turn"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/budget"
)

const (
	maxKey = 255
	// progressInterval is the interval of progress notifications.
	progressInterval = 3 * time.Second
)

// call handles every call of a tool; route has put the tool's name into ctx.
func (e *Endpoint) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	ctx = audit.Via(ctx, audit.ByMCP)
	linkTrace(ctx, req.Params.GetMeta())
	name, _ := ctx.Value(nameKey{}).(string)
	input := inputOf(req.Params.Arguments)
	ctx, end := e.reportProgress(ctx, req)
	defer end()
	switch name {
	case waitName:
		return e.callWait(ctx, input)
	case applyName:
		return e.callApply(ctx, input)
	}
	if req.Params.RequestState != "" {
		// The first call has reserved budget. Answers to its question are rate limited instead, as a client can send
		// any number.
		if err := e.rateLimit(ctx, methodCall); err != nil {
			return nil, err
		}
		return e.resume(ctx, req, name, input)
	}
	key, reason, err := callMeta(req.Params.GetMeta())
	if err != nil {
		return refusedResult(err, false), nil
	}
	answer, err := e.Invoke.Call(ctx, exchangeOf(ctx).principal, budget.MCP, name, input, key, reason)
	if err != nil {
		return e.callError(ctx, name, answer.Tool, err)
	}
	if answer.Card != nil {
		return e.answerProposal(ctx, req, name, input, *answer.Card)
	}
	result := turn.ToolResult{Output: answer.Output.JSON, Untrusted: answer.Output.Untrusted, Trusted: answer.Tool.Result.Trusted}
	out := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: result.ForModel()}}}
	// Clients of older revisions accept structured content that is an object only.
	if len(answer.Output.JSON) > 0 && answer.Output.JSON[0] == '{' {
		out.StructuredContent = answer.Output.JSON
	}
	if answer.Output.Untrusted {
		out.Meta = sdk.Meta{MetaUntrusted: true}
	}
	return out, nil
}

// callMeta reads the idempotency key and the reason from the _meta of a call.
func callMeta(meta map[string]any) (key, reason string, err error) {
	for name, into := range map[string]*string{MetaKey: &key, MetaReason: &reason} {
		value, sent := meta[name]
		if !sent {
			continue
		}
		text, ok := value.(string)
		if !ok {
			return "", "", problem.InvalidInput("A member of _meta is invalid.", problem.Issue{Path: name, Message: "must be a string"})
		}
		*into = text
	}
	if len(key) > maxKey {
		return "", "", problem.InvalidInput(
			"A member of _meta is invalid.",
			problem.Issue{Path: MetaKey, Message: "has more than 255 bytes"},
		)
	}
	return key, reason, nil
}

// callError converts the error of a call. Errors that a model can act on become a tool result; an unknown tool, an
// exhausted budget, a missing scope and an internal error become protocol errors.
func (e *Endpoint) callError(ctx context.Context, name string, t tool.Tool, err error) (*sdk.CallToolResult, error) {
	switch code := problem.CodeOf(err); {
	case code == problem.Internal, code == problem.Budget, code == problem.Spend, lacksScope(problem.As(err)):
		return nil, e.rpcError(ctx, methodCall, err)
	case code == problem.NotFound:
		// Not found is the tool itself, or a record that it looked for.
		_, known, lookupErr := e.Registry.Visible(ctx, exchangeOf(ctx).principal, name)
		if lookupErr != nil {
			return nil, e.rpcError(ctx, methodCall, lookupErr)
		}
		if !known {
			return nil, e.rpcError(ctx, methodCall, err)
		}
	}
	return refusedResult(err, t.Result.Untrusted && problem.CodeOf(err) != problem.Invalid), nil
}

// refusedResult converts the error of a refused call to a tool result for the model.
func refusedResult(err error, untrusted bool) *sdk.CallToolResult {
	result := turn.ToolResult{Error: turn.FailureOf(err), Untrusted: untrusted}
	out := &sdk.CallToolResult{
		IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: result.ForModel()}}, Meta: sdk.Meta{MetaProblem: result.Error},
	}
	if untrusted {
		out.Meta[MetaUntrusted] = true
	}
	return out
}

// wireError converts a problem to a protocol error, whose data holds the code and the time to retry.
func wireError(p *problem.Error) error {
	data, err := json.Marshal(struct {
		Code       problem.Code    `json:"code"`
		Issues     []problem.Issue `json:"issues,omitempty"`
		RetryAfter int             `json:"retryAfterSeconds,omitempty"`
	}{p.Code, p.Issues, p.RetryAfterSeconds()})
	if err != nil {
		return errors.New(p.Detail)
	}
	return &jsonrpc.Error{Code: p.Code.RPC(), Message: p.Detail, Data: data}
}

// reportProgress sends progress notifications to a client that asked for them, until end is called: each stage that the tool
// reports, and a periodic keepalive.
func (e *Endpoint) reportProgress(ctx context.Context, req *sdk.CallToolRequest) (telling context.Context, end func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return ctx, func() {}
	}
	ended, stopped := make(chan struct{}), make(chan struct{})
	stages := make(chan string, 1)
	telling = tool.WithProgress(ctx, func(stage string) {
		// Only the latest stage is sent.
		select {
		case <-stages:
		default:
		}
		select {
		case stages <- stage:
		default:
		}
	})
	go func() {
		defer close(stopped)
		began, stage := time.Now(), "Running"
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ctx.Done():
				return
			case stage = <-stages:
			case <-tick.C:
			}
			// A lost notification does no harm: the answer follows.
			_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: token, Progress: time.Since(began).Seconds(), Message: stage,
			})
		}
	}()
	return telling, func() {
		close(ended)
		<-stopped
	}
}
