package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/exactlyonce"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/kit"
)

// Call calls a tool of a server as the principal of ctx. based is the ETag of the tool that the caller means, "" for
// its current version. A change with an idempotency key ("" for none) is called at most once: see package exactlyonce.
func (m *Module) Call(ctx context.Context, server uuid.UUID, id, based, key string, in CallInput) (Called, error) {
	l, err := m.findLiveTool(ctx, server, id)
	if err != nil {
		return Called{}, err
	}
	if based = strings.TrimPrefix(based, "W/"); based != "" && based != l.version() {
		return Called{}, problem.Errorf(problem.Precondition, "The tool has changed since this call was prepared. Nothing was done.")
	}
	definition, err := definitionOf(l.Accepted)
	if err != nil || definition == nil {
		return Called{}, errors.Join(err, errors.New("call a tool of an MCP server without a definition"))
	}
	input, err := kit.ParseSchema(definition.InputSchema)
	if err != nil {
		return Called{}, err
	}
	if err := input.Validate(ctx, in.Args); err != nil {
		return Called{}, err
	}
	p := principal.FromContext(ctx)
	if l.effect() == tool.Read || key == "" {
		return m.callReserved(ctx, p, l, in.Args)
	}
	if p.ReadOnly() {
		return Called{}, tool.ReadOnly(l.name())
	}
	args, err := tool.Canonical(in.Args)
	if err != nil {
		return Called{}, err
	}
	hash := sha256.Sum256([]byte(l.name() + "\n" + l.version() + "\n" + string(args)))
	return exactlyonce.Do(
		ctx,
		m.Once,
		exactlyonce.Call{Principal: p, Key: key, Hash: hash[:], Timeout: callTimeout, Unknown: outcomeUnknown(l)},
		func(ctx context.Context) (Called, error) { return m.callReserved(ctx, p, l, in.Args) },
	)
}

// outcomeUnknown is the error for a change with an unknown outcome: sent, but not answered.
func outcomeUnknown(l liveTool) *problem.Error {
	return problem.Errorf(
		problem.Conflict,
		"The call of %s was sent to the MCP server %s, and no answer came back. It is unknown whether it happened there, "+
			"so it is not sent again. Check at that server before you ask for it again.",
		l.Name,
		l.ServerName,
	)
}

// callReserved calls a tool within the concurrency quota of the caller. Outside of a turn it also reserves budget and
// writes the audit row; a tool call of a turn has done both.
func (m *Module) callReserved(ctx context.Context, p principal.Principal, l liveTool, args json.RawMessage) (called Called, err error) {
	// Without trust in the recipient of the arguments, each read needs a decision, too.
	if p.ReadOnly() && (l.effect() != tool.Read || !l.Trusted) {
		return called, tool.ReadOnly(l.name())
	}
	place, err := m.Quota.Acquire(ctx, p, m.calling)
	if err != nil {
		return called, err
	}
	defer place.Release(ctx)
	if p.TurnID != uuid.Nil {
		return m.callIfUnchanged(ctx, p, l, args)
	}
	id, err := m.Calls.Reserve(
		ctx,
		budget.Call{ID: store.NewID(), Principal: p, Transport: budget.API, Tool: l.name(), Effect: l.effect(), Arguments: args},
	)
	if err != nil {
		return called, err
	}
	called, err = m.callIfUnchanged(ctx, p, l, args)
	if failed := m.Calls.Finish(context.WithoutCancel(ctx), id, err); failed != nil {
		// The call was sent; an error would make the caller send it again.
		m.Log.Error("Audit row of an MCP tool call not finished", "call", id, "error", failed)
	}
	return called, err
}

// callIfUnchanged lists the server's tools and calls the tool if its definition is unchanged since acceptance.
func (m *Module) callIfUnchanged(ctx context.Context, p principal.Principal, l liveTool, args json.RawMessage) (Called, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	row, err := m.queries(ctx).Server(ctx, l.ServerID)
	if store.NoRows(err) {
		return Called{}, kind.Missing(l.ServerID)
	}
	if err != nil {
		return Called{}, err
	}
	if row.Address != l.Address {
		return Called{}, changedSince(l)
	}
	tool.Report(ctx, "Asking "+row.Name)
	x, listed, err := m.openSession(ctx, p, row, "call of "+l.name(), false)
	if err != nil {
		return Called{}, err
	}
	defer x.close()
	if !isUnchanged(listed, l) {
		// Saving the listing switches the tool off for all callers and shows administrators why.
		if err := m.saveListing(ctx, x, listed); err != nil {
			return Called{}, err
		}
		return Called{}, changedSince(l)
	}
	// The listing took time, in which an administrator may have changed the tool's effect or switched it off.
	now, err := m.findLiveTool(tool.WithDecidedVersion(ctx, l.name(), l.version()), l.ServerID, l.ToolID)
	if err != nil {
		return Called{}, err
	}
	if l.Trusted && !now.Trusted {
		// Trust is no part of the version, which pending proposals are bound to: a person decides those anyway.
		return Called{}, problem.Errorf(
			problem.Precondition,
			"The tool %s was trusted when this call began, and is no longer. Nothing was called. Ask for it again.",
			l.name(),
		)
	}
	tool.Report(ctx, "Calling "+row.Name)
	return x.call(ctx, l, args)
}

func changedSince(l liveTool) error {
	return problem.Errorf(
		problem.Conflict,
		"The MCP server %s has changed the tool %s since an administrator accepted it, so nothing was called. The tool is "+
			"off until an administrator accepts its current definition.",
		l.ServerName,
		l.Name,
	)
}

// isUnchanged reports whether the server's current definition of a tool is the accepted one.
func isUnchanged(listed []*sdk.Tool, l liveTool) bool {
	var found []*sdk.Tool
	for _, t := range listed {
		if t.Name == l.Name {
			found = append(found, t)
		}
	}
	if len(found) != 1 {
		return false
	}
	one, why := parseTool(found[0])
	return why == "" && l.AcceptedHash != nil && one.hash == *l.AcceptedHash
}

// call calls a tool. An error means that nothing was called or that the outcome is unknown.
func (x *session) call(ctx context.Context, l liveTool, args json.RawMessage) (Called, error) {
	called := Called{Server: l.Slug, Tool: l.ToolID}
	x.transport.sent.Store(false)
	result, err := x.client.CallTool(ctx, &sdk.CallToolParams{Name: l.Name, Arguments: args})
	if err != nil {
		return x.callFailure(ctx, l, err)
	}
	if result.NeedsInput() {
		called.Text = "(The server asks for more input during the call, which is not possible here.)"
		return called, nil
	}
	x.addResult(&called, result)
	return called, nil
}

// callFailure classifies a call without a result: not sent, refused, failed, or of unknown outcome.
func (x *session) callFailure(ctx context.Context, l liveTool, err error) (Called, error) {
	status := x.transport.status.Load()
	refused, answered := x.serverError(err)
	switch {
	case !x.transport.sent.Load():
		return Called{}, x.exchangeError(ctx, err)
	case answered && ctx.Err() == nil && status < http.StatusInternalServerError:
		return Called{Server: l.Slug, Tool: l.ToolID, Text: "The server refused the call: " + x.safeLine(refused.Message)}, nil
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError && x.transport.failure.Load() == nil:
		return Called{}, x.exchangeError(ctx, err)
	case l.effect() == tool.Read:
		return Called{}, x.exchangeError(ctx, err)
	}
	e := outcomeUnknown(l)
	e.Detail += " Failure: " + x.reason(ctx, err) + "."
	return Called{}, e
}
