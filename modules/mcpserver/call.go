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

	"countersign/principal"
	"countersign/problem"
	"countersign/store"
	"countersign/store/once"
	"countersign/tool"
	"countersign/tool/budget"
)

// Call calls a tool of a server as the principal of ctx. based is the ETag of what the caller wants to have called, "" for whatever
// it is now. With a key, "" for none, a change is called once: see package once.
func (m *Module) Call(ctx context.Context, server uuid.UUID, id, based, key string, in CallInput) (Called, error) {
	l, err := m.one(ctx, server, id)
	if err != nil {
		return Called{}, err
	}
	if based = strings.TrimPrefix(based, "W/"); based != "" && based != l.version() {
		return Called{}, problem.Errorf(problem.Precondition, "The tool is another one than the one that this call is for. Nothing was done.")
	}
	definition, err := definitionOf(l.Accepted)
	if err != nil || definition == nil {
		return Called{}, errors.Join(err, errors.New("call a tool of an MCP server without a definition"))
	}
	input, err := tool.ParseSchema(definition.InputSchema)
	if err != nil {
		return Called{}, err
	}
	if err := input.Validate(ctx, in.Args); err != nil {
		return Called{}, err
	}
	p := principal.FromContext(ctx)
	if l.effect() == tool.Read || key == "" {
		return m.reserved(ctx, p, l, in.Args)
	}
	if p.ReadOnly() {
		return Called{}, tool.ReadOnly(l.name())
	}
	args, err := tool.Canonical(in.Args)
	if err != nil {
		return Called{}, err
	}
	hash := sha256.Sum256([]byte(l.name() + "\n" + l.version() + "\n" + string(args)))
	return once.Do(ctx, m.Once, once.Call{Principal: p, Key: key, Hash: hash[:], Time: callTimeout, Lost: unknown(l)},
		func(ctx context.Context) (Called, error) { return m.reserved(ctx, p, l, in.Args) })
}

// unknown is said of a change of which nobody knows whether it has happened.
func unknown(l live) *problem.Error {
	return problem.Errorf(
		problem.Conflict,
		"The call of %s was sent to the MCP server %s, and no answer came back. Whether it has happened there is not known, so it is not sent again. Look at that server before you ask for it once more.",
		l.Name,
		l.ServerName,
	)
}

// reserved calls a tool once it has a place, and a reserved call with an audit row. A tool call has reserved its own.
func (m *Module) reserved(ctx context.Context, p principal.Principal, l live, args json.RawMessage) (called Called, err error) {
	// Where nobody vouches for where arguments go each read has to be decided about, too.
	if p.ReadOnly() && (l.effect() != tool.Read || !l.Trusted) {
		return called, tool.ReadOnly(l.name())
	}
	place, err := m.Places.Take(ctx, p, m.calling)
	if err != nil {
		return called, err
	}
	defer place.GiveBack(ctx)
	if p.TurnID != uuid.Nil {
		return m.run(ctx, p, l, args)
	}
	id, err := m.Calls.Reserve(
		ctx,
		budget.Call{ID: store.NewID(), Principal: p, Transport: budget.API, Tool: l.name(), Effect: l.effect(), Arguments: args},
	)
	if err != nil {
		return called, err
	}
	called, err = m.run(ctx, p, l, args)
	if failed := m.Calls.Finish(context.WithoutCancel(ctx), id, err); failed != nil {
		// The call was sent: an error would have it sent again.
		m.Log.Error("Audit row of a call of an MCP server not settled", "call", id, "error", failed)
	}
	return called, err
}

// run asks the server what its tools are, and calls one that is still what was accepted.
func (m *Module) run(ctx context.Context, p principal.Principal, l live, args json.RawMessage) (Called, error) {
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
	x, listed, err := m.ask(ctx, p, row, "call of "+l.name(), false)
	if err != nil {
		return Called{}, err
	}
	defer x.close()
	if !still(listed, l) {
		// What the server says now is kept, so that the tool is off for everybody and an administrator sees why.
		if err := m.keep(ctx, x, listed); err != nil {
			return Called{}, err
		}
		return Called{}, changedSince(l)
	}
	// Asking has taken a while, in which an administrator may have said that the tool has another effect, or switched it off.
	now, err := m.one(tool.Judge(ctx, l.name(), l.version()), l.ServerID, l.ToolID)
	if err != nil {
		return Called{}, err
	}
	if l.Trusted && !now.Trusted {
		// Trust is no part of the version, which binds what waits for a decision: a person decides about that anyway.
		return Called{}, problem.Errorf(
			problem.Precondition,
			"The tool %s was trusted when this call began, and is not any more. So nothing was called. Ask for it again.",
			l.name(),
		)
	}
	tool.Report(ctx, "Calling "+row.Name)
	return x.call(ctx, l, args)
}

func changedSince(l live) error {
	return problem.Errorf(
		problem.Conflict,
		"The MCP server %s has changed the tool %s since an administrator accepted it, so nothing was called. The tool is off until an administrator has read and accepted what it says now.",
		l.ServerName,
		l.Name,
	)
}

// still reports whether a server says of a tool what was accepted.
func still(listed []*sdk.Tool, l live) bool {
	var found []*sdk.Tool
	for _, t := range listed {
		if t.Name == l.Name {
			found = append(found, t)
		}
	}
	if len(found) != 1 {
		return false
	}
	one, why := take(found[0])
	return why == "" && l.AcceptedHash != nil && one.hash == *l.AcceptedHash
}

// call calls a tool. An error says that nothing was called, or that nobody knows.
func (x *session) call(ctx context.Context, l live, args json.RawMessage) (Called, error) {
	called := Called{Server: l.Slug, Tool: l.ToolID}
	x.door.sent.Store(false)
	result, err := x.client.CallTool(ctx, &sdk.CallToolParams{Name: l.Name, Arguments: args})
	if err != nil {
		return x.uncalled(ctx, l, err)
	}
	if result.NeedsInput() {
		called.Text = "(The server wants to be told more in the middle of the call, which it cannot be from here.)"
		return called, nil
	}
	x.show(&called, result)
	return called, nil
}

// uncalled is what is known of a call without a result.
func (x *session) uncalled(ctx context.Context, l live, err error) (Called, error) {
	status := x.door.status.Load()
	refused, answered := x.refusal(err)
	switch {
	case !x.door.sent.Load():
		return Called{}, x.failed(ctx, err)
	case answered && ctx.Err() == nil && status < http.StatusInternalServerError:
		return Called{Server: l.Slug, Tool: l.ToolID, Text: "The server refused the call: " + x.said(refused.Message)}, nil
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError && x.door.failure.Load() == nil:
		return Called{}, x.failed(ctx, err)
	case l.effect() == tool.Read:
		return Called{}, x.failed(ctx, err)
	}
	e := unknown(l)
	e.Detail += " What was seen of it: " + x.reason(ctx, err) + "."
	return Called{}, e
}
