package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/modules/agent/agentdb"
	"countersign/principal"
	"countersign/problem"
	"countersign/script"
	"countersign/secret/scrub"
	"countersign/store"
	"countersign/tool"
	"countersign/tool/audit"
	"countersign/tool/budget"
)

// Calls reserve tool calls and keep their audit rows. *budget.Budget is one.
type Calls interface {
	Reserve(ctx context.Context, c budget.Call) (uuid.UUID, error)
	Finish(ctx context.Context, id uuid.UUID, failure error) error
}

// Placeholders are what tools get in place of secrets.
type Placeholders interface {
	// Mint makes one for each of these secrets, by name, that are worth something in the hands of p only.
	Mint(ctx context.Context, p principal.Principal, agent, revision uuid.UUID, id string, secrets []string) (map[string]string, error)
}

// CallInput are the arguments of a call.
type CallInput struct {
	Args json.RawMessage `json:"args" doc:"An object that fits the tool's args_schema."`
}

// CallError is what went wrong in a tool.
type CallError struct {
	Code    script.ToolCode `json:"code"`
	Message string          `json:"message"`
	Line    int             `json:"line,omitempty" doc:"In the author's source."`
}

// AuthRequired says that a call needs somebody who has signed in.
type AuthRequired struct {
	Provider string `json:"provider" enum:"countersign"`
	Detail   string `json:"detail"`
}

// Called is how a call of a live tool went. Whatever the tool did is an answer.
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

// Call calls a live tool as the principal of ctx. based is the ETag of the bundle that the caller wants to run, "" for whichever is live.
func (s *service) Call(ctx context.Context, ref, id, based string, in CallInput) (Called, error) {
	l, err := s.live(ctx, ref, id)
	if err != nil {
		return Called{}, err
	}
	if based = strings.TrimPrefix(based, "W/"); based != "" && based != l.version() {
		return Called{}, problem.Errorf(
			problem.Precondition,
			"Another revision of the agent is live than the one that this call is for. Nothing was done.",
		)
	}
	input, err := tool.ParseSchema(l.ArgsSchema)
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
		// Freezing refuses these. One that is there all the same is nothing that could be checked.
		return Called{}, problem.Errorf(problem.Forbidden, "The tool wants an identity that nobody here can confirm, so it does not run.")
	}
	if p.TurnID != uuid.Nil {
		return s.run(ctx, p, l, in.Args)
	}
	return s.reserved(ctx, p, l, in.Args)
}

// reserved is run for a call that is none of a tool call, which has reserved its own.
func (s *service) reserved(ctx context.Context, p principal.Principal, l live, args json.RawMessage) (Called, error) {
	call, err := s.Calls.Reserve(
		ctx,
		budget.Call{ID: store.NewID(), Principal: p, Transport: budget.API, Tool: l.name(), Effect: l.effect(), Arguments: args},
	)
	if err != nil {
		return Called{}, err
	}
	called, err := s.run(ctx, p, l, args)
	if settled := s.Calls.Finish(context.WithoutCancel(ctx), call, err); err == nil && settled != nil {
		err = settled
	}
	return called, err
}

// run calls the tool in the sandbox, and puts that on record.
func (s *service) run(ctx context.Context, p principal.Principal, l live, args json.RawMessage) (Called, error) {
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
			return Called{}, problem.Errorf(problem.Unavailable, "There is nothing here that could stand for secrets.")
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
			err = s.onRecord(ctx, p, l, args, outcome{code: string(code)}, err)
		}
		return Called{}, err
	}
	called := Called{ToolID: l.ID, OK: ran.OK, Revision: int(l.Number), Logs: ran.Logs, DurationMs: ran.DurationMs}
	went := outcome{ok: ran.OK, ms: ran.DurationMs}
	if ran.OK {
		called.Result = scrub.JSON(ran.Result)
	} else if e := ran.Error; e != nil {
		called.Error = &CallError{Code: e.Code, Message: scrub.Text(e.Message), Line: e.Line}
		went.code = string(e.Code)
	}
	return called, s.onRecord(ctx, p, l, args, went, nil)
}

// outcome is what is kept of a call.
type outcome struct {
	ok   bool
	code string
	ms   float64
}

// onRecord keeps that a tool was called, and returns failure unless that cannot be kept.
func (s *service) onRecord(ctx context.Context, p principal.Principal, l live, args json.RawMessage, went outcome, failure error) error {
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
