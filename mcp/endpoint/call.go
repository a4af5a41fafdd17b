package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/chat/turn"
	"countersign/problem"
	"countersign/tool"
	"countersign/tool/audit"
	"countersign/tool/budget"
)

const (
	maxKey = 255
	// tellEvery is how often a client hears that its call goes on.
	tellEvery = 3 * time.Second
)

// call is every call of a tool: route has put its name into ctx.
func (e *Endpoint) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	ctx = audit.Via(ctx, audit.ByMCP)
	linkTrace(ctx, req.Params.GetMeta())
	name, _ := ctx.Value(calledKey{}).(string)
	input := inputOf(req.Params.Arguments)
	ctx, end := e.tell(ctx, req)
	defer end()
	switch name {
	case waitName:
		return e.callWait(ctx, input)
	case applyName:
		return e.callApply(ctx, input)
	}
	if req.Params.RequestState != "" {
		// The call that asked has its place in the budget. Its answers have a pace, as there may be any number of them.
		if err := e.paced(ctx, methodCall); err != nil {
			return nil, err
		}
		return e.resume(ctx, req, name, input)
	}
	key, reason, err := given(req.Params.GetMeta())
	if err != nil {
		return refused(err, false), nil
	}
	answer, err := e.Invoke.Call(ctx, exchangeOf(ctx).principal, budget.MCP, name, input, key, reason)
	if err != nil {
		return e.failed(ctx, name, answer.Tool, err)
	}
	if answer.Card != nil {
		return e.proposed(ctx, req, name, input, *answer.Card)
	}
	result := turn.ToolResult{Output: answer.Output.JSON, Untrusted: answer.Output.Untrusted, Trusted: answer.Tool.Trusted}
	out := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: result.ForModel()}}}
	// Clients of older revisions take objects only.
	if len(answer.Output.JSON) > 0 && answer.Output.JSON[0] == '{' {
		out.StructuredContent = answer.Output.JSON
	}
	if answer.Output.Untrusted {
		out.Meta = sdk.Meta{MetaUntrusted: true}
	}
	return out, nil
}

// given reads what a client may send beside the arguments of a call.
func given(meta map[string]any) (key, reason string, err error) {
	for name, into := range map[string]*string{MetaKey: &key, MetaReason: &reason} {
		value, sent := meta[name]
		if !sent {
			continue
		}
		text, ok := value.(string)
		if !ok {
			return "", "", problem.InvalidInput("What stands in _meta does not fit.", problem.Issue{Path: name, Message: "must be a string"})
		}
		*into = text
	}
	if len(key) > maxKey {
		return "", "", problem.InvalidInput(
			"What stands in _meta does not fit.",
			problem.Issue{Path: MetaKey, Message: "has more than 255 bytes"},
		)
	}
	return key, reason, nil
}

// failed is the answer to a call that came to nothing. What a model can do something about is a result that it reads; a tool
// that is not there for the caller, an exhausted budget, a scope that the person has not granted and a fault of the server are
// errors of the protocol.
func (e *Endpoint) failed(ctx context.Context, name string, t tool.Tool, err error) (*sdk.CallToolResult, error) {
	switch code := problem.CodeOf(err); {
	case code == problem.Internal, code == problem.Budget, code == problem.Spend, lacksScope(problem.As(err)):
		return nil, e.rpcError(ctx, methodCall, err)
	case code == problem.NotFound:
		// The tool was not found, or what it looked for.
		_, known, lookupErr := e.Registry.Visible(ctx, exchangeOf(ctx).principal, name)
		if lookupErr != nil {
			return nil, e.rpcError(ctx, methodCall, lookupErr)
		}
		if !known {
			return nil, e.rpcError(ctx, methodCall, err)
		}
	}
	return refused(err, t.Untrusted && problem.CodeOf(err) != problem.Invalid), nil
}

// refused is the result of a call that was refused, for a model to read.
func refused(err error, untrusted bool) *sdk.CallToolResult {
	result := turn.ToolResult{Error: turn.FailureOf(err), Untrusted: untrusted}
	out := &sdk.CallToolResult{
		IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: result.ForModel()}}, Meta: sdk.Meta{MetaProblem: result.Error},
	}
	if untrusted {
		out.Meta[MetaUntrusted] = true
	}
	return out
}

// wireError is a problem as an error of the protocol, whose data is its code and when the same request can succeed.
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

// tell tells a client that asked for it how far its call is, until the returned function is called: at each stage that
// the tool reports, and now and then that it goes on.
func (e *Endpoint) tell(ctx context.Context, req *sdk.CallToolRequest) (telling context.Context, end func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return ctx, func() {}
	}
	ended, stopped := make(chan struct{}), make(chan struct{})
	stages := make(chan string, 1)
	telling = tool.WithProgress(ctx, func(stage string) {
		// The latest one is told.
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
		tick := time.NewTicker(tellEvery)
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
			// Whoever does not hear it hears the answer.
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
