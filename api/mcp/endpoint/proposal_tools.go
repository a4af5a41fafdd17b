package endpoint

import (
	"context"
	_ "embed"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/kit"
	"countersign/tool/proposal"
)

// instructions tell a client's model how to work with the product.
//
//go:embed instructions.md
var instructions string

// The two tools about proposals, beside those of the registry. A chat has cards instead.
const (
	waitName  = "proposal_wait"
	applyName = "proposal_apply"

	// Names in budgets and audit rows: of these tools, and of requests that read records without a tool.
	waitDotted     = "proposal.wait"
	applyDotted    = "proposal.apply"
	listDotted     = "resources.list"
	completeDotted = "completion.complete"
)

//go:embed wait.md
var waitText string

//go:embed apply.md
var applyText string

type waitInput struct {
	ProposalID uuid.UUID `json:"proposalId"`
	Seconds    int       `json:"seconds,omitempty" jsonschema:"minimum=0,maximum=45,description=How long to wait; 0 tells how it stands"`
}

type applyInput struct {
	Token  string `json:"token" jsonschema:"minLength=1,maxLength=200,description=The token of the proposal"`
	Reason string `json:"reason,omitempty" jsonschema:"maxLength=500" jsonschema_description:"Why the person agrees, in their words"`
}

var (
	waitSchema  = kit.SchemaOf[waitInput]()
	applySchema = kit.SchemaOf[applyInput]()
)

func waitTool() *sdk.Tool {
	return &sdk.Tool{
		Name:         waitName,
		Title:        "Wait for a decision",
		Description:  waitText,
		InputSchema:  waitSchema.JSON(),
		OutputSchema: objectSchemas(outcomeSchema.JSON()),
		Annotations:  hints(tool.Read, false),
		Meta:         sdk.Meta{MetaEffect: string(tool.Read)},
	}
}

func applyTool() *sdk.Tool {
	return &sdk.Tool{
		Name:         applyName,
		Title:        "Apply a proposal",
		Description:  applyText,
		InputSchema:  applySchema.JSON(),
		OutputSchema: objectSchemas(outcomeSchema.JSON()),
		Annotations:  hints(tool.Mutate, false),
		Meta:         sdk.Meta{MetaEffect: string(tool.Mutate)},
	}
}

// decode parses the input of one of these tools.
func decode[In any](ctx context.Context, schema tool.Schema, input json.RawMessage) (in In, err error) {
	if err := schema.Validate(ctx, input); err != nil {
		return in, err
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return in, problem.InvalidInput("The input does not fit the tool's schema.")
	}
	return in, nil
}

// runCounted runs do as a tool call: it reserves budget and writes an audit row with the result.
func (e *Endpoint) runCounted(ctx context.Context, name string, effect tool.Effect, about any, do func() error) error {
	arguments, err := json.Marshal(about)
	if err != nil {
		return err
	}
	id, err := e.Invoke.Budget.Reserve(ctx, budget.Call{
		ID: store.NewID(), Principal: exchangeOf(ctx).principal, Transport: budget.MCP, Tool: name, Effect: effect, Arguments: arguments,
	})
	if err != nil {
		return err
	}
	err = do()
	if settleErr := e.Invoke.Budget.Finish(context.WithoutCancel(ctx), id, err); settleErr != nil {
		return settleErr
	}
	return err
}

// callWait returns the state of a proposal after waiting for the decision. It is a read and counts as a call.
func (e *Endpoint) callWait(ctx context.Context, input json.RawMessage) (*sdk.CallToolResult, error) {
	in, err := decode[waitInput](ctx, waitSchema, input)
	if err != nil {
		return refusedResult(err, false), nil
	}
	var result *sdk.CallToolResult
	err = e.runCounted(ctx, waitDotted, tool.Read, input, func() error {
		card, err := e.Proposals.Get(ctx, exchangeOf(ctx).principal, in.ProposalID)
		if err == nil {
			result, err = e.awaitDecision(ctx, card, time.Duration(in.Seconds)*time.Second)
		}
		return err
	})
	if err != nil {
		return e.answerRefusedDecision(ctx, err)
	}
	return result, nil
}

// callApply spends the token of a proposal, as POST /api/ai/proposals/apply does, within the limits of client
// decisions. The token is the idempotency key: a repeat returns the first result. The call reserves budget like the
// proposed one did.
func (e *Endpoint) callApply(ctx context.Context, input json.RawMessage) (*sdk.CallToolResult, error) {
	p := exchangeOf(ctx).principal
	in, err := decode[applyInput](ctx, applySchema, input)
	if err != nil {
		return refusedResult(err, false), nil //nolint:nilerr // the client is told
	}
	id, _, ok := proposal.ParseToken(in.Token)
	// The audit row holds no trace of the token, not even its hash.
	about := map[string]any{"proposalId": id, "reason": in.Reason}
	var card proposal.Card
	err = e.runCounted(ctx, applyDotted, tool.Mutate, about, func() error {
		if ok {
			if err := e.checkDecidable(ctx, id); err != nil {
				return err
			}
		}
		card, err = e.Proposals.Apply(ctx, p, in.Token, "mcp", in.Reason, applyWait)
		return err
	})
	if err != nil {
		return e.answerRefusedDecision(ctx, err)
	}
	return e.answerCard(ctx, p, card)
}

// checkDecidable refuses a proposal that p may not decide through the client. An unknown one is refused where tokens are
// spent, which counts it.
func (e *Endpoint) checkDecidable(ctx context.Context, id uuid.UUID) error {
	p := exchangeOf(ctx).principal
	card, err := e.Proposals.Get(ctx, p, id)
	if problem.Is(err, problem.NotFound) {
		if _, loadErr := e.Proposals.Load(ctx, id); problem.Is(loadErr, problem.NotFound) {
			return nil
		}
	}
	if err != nil || card.Status != proposal.Proposed {
		return err
	}
	mayDecide, err := e.canDecide(ctx, p, card)
	if err == nil && !mayDecide {
		err = problem.Errorf(problem.Forbidden, "This has to be decided about in the app, at %s.", e.link(id))
	}
	return err
}
