package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/store"
	"countersign/modules/agent/agentdb"
	"countersign/script"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/kit"
)

// Calls reserves tool calls against the budget and writes their audit rows. *budget.Budget implements it.
type Calls interface {
	Reserve(ctx context.Context, c budget.Call) (uuid.UUID, error)
	Finish(ctx context.Context, id uuid.UUID, failure error) error
}

// Placeholders issues the placeholders that tools receive instead of secrets.
type Placeholders interface {
	// Mint issues one for each of these secrets, by name, usable by p only.
	Mint(ctx context.Context, p principal.Principal, agent, revision uuid.UUID, id string, secrets []string) (map[string]string, error)
}

// CallInput holds the arguments of a call.
type CallInput struct {
	Args json.RawMessage `json:"args" doc:"An object that fits the tool's args_schema."`
}

// CallError is an error of a tool.
type CallError struct {
	Code    script.ToolCode `json:"code"`
	Message string          `json:"message"`
	Line    int             `json:"line,omitempty" doc:"In the author's source."`
}

// AuthRequired reports that a call needs a signed-in person.
type AuthRequired struct {
	Provider string `json:"provider" enum:"countersign"`
	Detail   string `json:"detail"`
}

// Called is the result of a call of a live tool. A failure of the tool is a result, too.
type Called struct {
	ToolID       string           `json:"tool_id"`
	OK           bool             `json:"ok"`
	Result       json.RawMessage  `json:"result,omitempty"`
	Error        *CallError       `json:"error,omitempty"`
	AuthRequired *AuthRequired    `json:"auth_required,omitempty" doc:"The tool did not run: it runs only for a person who has signed in."`
	Revision     int              `json:"revision" doc:"The number of the revision that ran."`
	Logs         []script.ToolLog `json:"logs,omitempty" nullable:"false"`
	DurationMs   float64          `json:"duration_ms"`
}

// Origin implements tool.Originated.
func (c Called) Origin() string { return "the custom tool " + c.ToolID }

// Call calls a live tool as the principal of ctx. based is the ETag of the bundle that the caller means, "" for the
// live one.
func (s *service) Call(ctx context.Context, ref, id, based string, in CallInput) (Called, error) {
	l, err := s.findLiveTool(ctx, ref, id)
	if err != nil {
		return Called{}, err
	}
	if based = strings.TrimPrefix(based, "W/"); based != "" && based != l.version() {
		return Called{}, problem.Errorf(
			problem.Precondition,
			"Another revision of the agent has gone live since this call was prepared. Nothing was done.",
		)
	}
	input, err := kit.ParseSchema(l.ArgsSchema)
	if err != nil {
		return Called{}, err
	}
	if err := input.Validate(ctx, in.Args); err != nil {
		return Called{}, err
	}
	p := principal.FromContext(ctx)
	if l.effect() != tool.Read && p.ReadOnly() {
		return Called{}, tool.ReadOnly(l.name())
	}
	switch l.rule().RequiresIdentity {
	case "":
	case IdentityCountersign:
		if p.Kind != principal.User {
			return Called{ToolID: l.ID, Revision: int(l.Number), AuthRequired: &AuthRequired{
				Provider: IdentityCountersign, Detail: "This tool runs only for a person who has signed in. Ask for it in a conversation of your own.",
			}}, nil
		}
	default:
		// Freezing refuses other identities. A stored one cannot be checked.
		return Called{}, problem.Errorf(problem.Forbidden, "The tool requires an identity that cannot be confirmed here, so it does not run.")
	}
	if p.TurnID != uuid.Nil {
		return s.runTool(ctx, p, l, in.Args)
	}
	return s.callReserved(ctx, p, l, in.Args)
}

// callReserved runs a tool. Outside of a turn it also reserves budget and writes the audit row; a tool call of a turn has
// done both.
func (s *service) callReserved(ctx context.Context, p principal.Principal, l liveTool, args json.RawMessage) (Called, error) {
	call, err := s.Calls.Reserve(
		ctx,
		budget.Call{ID: store.NewID(), Principal: p, Transport: budget.API, Tool: l.name(), Effect: l.effect(), Arguments: args},
	)
	if err != nil {
		return Called{}, err
	}
	called, err := s.runTool(ctx, p, l, args)
	if settled := s.Calls.Finish(context.WithoutCancel(ctx), call, err); err == nil && settled != nil {
		err = settled
	}
	return called, err
}

// runTool executes the tool in the sandbox and records the use.
func (s *service) runTool(ctx context.Context, p principal.Principal, l liveTool, args json.RawMessage) (Called, error) {
	if s.Runs == nil {
		return Called{}, problem.Errorf(problem.Unavailable, "There is no sandbox here that could run the tool.")
	}
	compiled, err := s.queries(ctx).CompiledTool(ctx, agentdb.CompiledToolParams{RevisionID: l.RevisionID, ID: l.ID})
	if err != nil {
		return Called{}, fmt.Errorf("load a compiled tool: %w", err)
	}
	var placeholders map[string]string
	if names := l.secrets(); len(names) > 0 {
		if s.Placeholders == nil {
			return Called{}, problem.Errorf(problem.Unavailable, "Placeholders for secrets are not available here.")
		}
		if placeholders, err = s.Placeholders.Mint(ctx, p, l.AgentID, l.RevisionID, l.ID, names); err != nil {
			return Called{}, err
		}
	}
	ran, err := s.Runs.CallTool(ctx, script.ToolCall{
		Tool:      l.name(),
		JS:        compiled.CompiledJs,
		SourceMap: compiled.SourceMap,
		Action:    script.DefaultAction,
		Args:      args,
		Secrets:   placeholders,
		Timeout:   l.spec.timeout(),
	})
	if err != nil {
		if code := problem.CodeOf(err); code != problem.Internal {
			err = s.recordUse(ctx, p, l, args, useOutcome{code: string(code)}, err)
		}
		return Called{}, err
	}
	called := Called{ToolID: l.ID, OK: ran.OK, Revision: int(l.Number), Logs: ran.Logs, DurationMs: ran.DurationMs}
	went := useOutcome{ok: ran.OK, ms: ran.DurationMs}
	if ran.OK {
		called.Result = scrub.JSON(ran.Result)
	} else if e := ran.Error; e != nil {
		called.Error = &CallError{Code: e.Code, Message: scrub.Text(e.Message), Line: e.Line}
		went.code = string(e.Code)
	}
	return called, s.recordUse(ctx, p, l, args, went, nil)
}

// useOutcome is the stored result of a call.
type useOutcome struct {
	ok   bool
	code string
	ms   float64
}

// recordUse stores the use of a tool, and returns failure or the error of storing.
func (s *service) recordUse(
	ctx context.Context,
	p principal.Principal,
	l liveTool,
	args json.RawMessage,
	went useOutcome,
	failure error,
) error {
	hash := tool.Hash(args)
	err := s.DB.InTx(context.WithoutCancel(ctx), func(ctx context.Context) error {
		call := agentdb.AddCallParams{
			ID: store.NewID(), AgentID: l.AgentID, Number: l.Number, ToolID: l.ID, PrincipalKind: string(p.Kind), PrincipalID: p.ID, ArgsHash: hash,
			Ok: went.ok, ErrorCode: went.code, DurationMs: went.ms,
		}
		if p.TurnID != uuid.Nil {
			call.TurnID = &p.TurnID
		}
		if err := s.queries(ctx).AddCall(ctx, call); err != nil {
			return fmt.Errorf("record a call: %w", err)
		}
		var fields audit.Fields
		fields.Compare("tool", "", l.ID)
		fields.Compare("revision", "", strconv.Itoa(int(l.Number)))
		fields.Compare("argsHash", "", hash)
		fields.Compare("ok", "", went.ok)
		return s.record(ctx, audit.Ran, agentdb.Agent{ID: l.AgentID, Name: l.AgentName}, "A custom tool was called", fields)
	})
	if err != nil && failure == nil {
		return err
	}
	return failure
}
