package endpoint

import (
	"context"
	_ "embed"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/problem"
	"countersign/store"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/proposal"
)

// instructions tell a client's model how to work with the product.
//
//go:embed instructions.md
var instructions string

// Beside the tools of the registry there are two about proposals, which a chat has cards for.
const (
	waitName  = "proposal_wait"
	applyName = "proposal_apply"

	// Their names in budgets and audit rows, and those of requests that read records without a tool.
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
	waitSchema  = tool.SchemaOf[waitInput]()
	applySchema = tool.SchemaOf[applyInput]()
)

func waitTool() *sdk.Tool {
	return &sdk.Tool{
		Name:         waitName,
		Title:        "Wait for a decision",
		Description:  waitText,
		InputSchema:  waitSchema.JSON(),
		OutputSchema: objects(outcomeSchema.JSON()),
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
		OutputSchema: objects(outcomeSchema.JSON()),
		Annotations:  hints(tool.Mutate, false),
		Meta:         sdk.Meta{MetaEffect: string(tool.Mutate)},
	}
}

// decode reads an input of one of these tools.
func decode[In any](ctx context.Context, schema *tool.Schema, input json.RawMessage) (in In, err error) {
	if err := schema.Validate(ctx, input); err != nil {
		return in, err
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return in, problem.InvalidInput("The input does not fit the tool's schema.")
	}
	return in, nil
}

// counted does what is no call of a tool as one: with a place in the budget, and an audit row that says how it ended.
func (e *Endpoint) counted(ctx context.Context, name string, effect tool.Effect, about any, do func() error) error {
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

// callWait tells how a proposal stands, and waits for the decision. It is a read like others, with a place in the budget.
func (e *Endpoint) callWait(ctx context.Context, input json.RawMessage) (*sdk.CallToolResult, error) {
	in, err := decode[waitInput](ctx, waitSchema, input)
	if err != nil {
		return refused(err, false), nil
	}
	var result *sdk.CallToolResult
	err = e.counted(ctx, waitDotted, tool.Read, input, func() error {
		card, err := e.Proposals.Get(ctx, exchangeOf(ctx).principal, in.ProposalID)
		if err == nil {
			result, err = e.await(ctx, card, time.Duration(in.Seconds)*time.Second)
		}
		return err
	})
	if err != nil {
		return e.undecided(ctx, err)
	}
	return result, nil
}

// callApply spends a token, as POST /api/ai/proposals/apply does, within what a client may decide about. The token is the key of
// the decision too: a repeat is told how the first one went. It has a place in the budget, as what it applies had when it was proposed.
func (e *Endpoint) callApply(ctx context.Context, input json.RawMessage) (*sdk.CallToolResult, error) {
	p := exchangeOf(ctx).principal
	in, err := decode[applyInput](ctx, applySchema, input)
	if err != nil {
		return refused(err, false), nil //nolint:nilerr // the client is told
	}
	id, _, ok := proposal.ParseToken(in.Token)
	// No trace of the token is kept, not even as a hash.
	about := map[string]any{"proposalId": id, "reason": in.Reason}
	var card proposal.Card
	err = e.counted(ctx, applyDotted, tool.Mutate, about, func() error {
		if ok {
			if err := e.spendable(ctx, id); err != nil {
				return err
			}
		}
		card, err = e.Proposals.Apply(ctx, p, in.Token, "mcp", in.Reason, applyWait)
		return err
	})
	if err != nil {
		return e.undecided(ctx, err)
	}
	return e.seen(ctx, p, card)
}

// spendable refuses a proposal that p may not decide about through the client. One that is not there is refused where tokens are spent,
// and counted.
func (e *Endpoint) spendable(ctx context.Context, id uuid.UUID) error {
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
	mayDecide, err := e.decides(ctx, p, card)
	if err == nil && !mayDecide {
		err = problem.Errorf(problem.Forbidden, "This has to be decided about in the app, at %s.", e.link(id))
	}
	return err
}
