package endpoint

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/audit"
	"countersign/chat/turn"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/tool"
	"countersign/tool/kit"
	"countersign/tool/proposal"
)

// Outcome is the answer to a call that changes something: the proposal and its state.
type Outcome struct {
	Status     proposal.Status `json:"status" jsonschema:"enum=proposed,enum=applying,enum=applied,enum=failed,enum=declined,enum=expired,enum=skipped,description=proposed: nothing has changed and a person has to decide. applying: it was agreed to and is on its way. applied: it has happened. All others: it has not happened and will not."`
	ProposalID uuid.UUID       `json:"proposalId"`
	Tool       string          `json:"tool"`
	Effect     string          `json:"effect" jsonschema:"enum=mutate,enum=destructive"`
	Summary    string          `json:"summary" jsonschema:"description=What would change"`
	Diff       []tool.Change   `json:"diff,omitempty"`
	Effects    []string        `json:"effects,omitempty" jsonschema:"description=What happens beside the change itself"`
	TwoPerson  bool            `json:"twoPerson,omitempty" jsonschema:"description=A person other than the requester has to agree"`
	ConfirmURL string          `json:"confirmUrl" jsonschema:"description=Where a person sees the proposal and decides"`
	ExpiresAt  time.Time       `json:"expiresAt" jsonschema:"description=Until when a person can decide"`
	Reason     string          `json:"reason,omitempty" jsonschema:"description=Why it was decided like this"`
	// Token lets a trusted caller decide for the person; see Endpoint.decides.
	Token  string            `json:"token,omitempty" jsonschema:"description=Spend it with proposal_apply once a person has agreed to exactly this change"`
	Result json.RawMessage   `json:"result,omitempty"`
	Error  *proposal.Failure `json:"error,omitempty"`
}

var outcomeSchema = kit.SchemaOf[Outcome]()

// outcome answers with a card. withToken includes its token, for a caller who may use it.
func (e *Endpoint) outcome(card proposal.Card, withToken bool) *sdk.CallToolResult {
	o := Outcome{
		Status:     card.Status,
		ProposalID: card.ProposalID,
		Tool:       tool.WireNameOf(card.ToolName),
		Effect:     string(card.Effect),
		Summary:    card.Summary,
		Diff:       changesOf(card),
		Effects:    card.Effects,
		TwoPerson:  card.TwoPerson,
		ConfirmURL: e.link(card.ProposalID),
		ExpiresAt:  card.ExpiresAt,
		Reason:     card.DecisionReason,
		Result:     card.Result,
		Error:      card.Error,
	}
	next := nextStep(card, withToken)
	document, err := tool.Canonical(o)
	if err != nil {
		return refusedResult(err, false)
	}
	document = scrub.JSON(document)
	content := []sdk.Content{&sdk.TextContent{Text: turn.ToolResult{Output: document}.ForModel()}, &sdk.TextContent{Text: next}}
	out := &sdk.CallToolResult{Content: content, StructuredContent: document, IsError: card.Status == proposal.Failed}
	if withToken && card.Token != "" {
		out.StructuredContent = withMember(document, "token", card.Token)
	}
	return out
}

// withMember adds a member after scrubbing, which would remove the token as a credential.
func withMember(document json.RawMessage, name, value string) any {
	var members map[string]json.RawMessage
	if json.Unmarshal(document, &members) != nil {
		return document
	}
	text, err := json.Marshal(value)
	if err != nil {
		return document
	}
	members[name] = text
	return members
}

// link returns the address of the card in the app.
func (e *Endpoint) link(id uuid.UUID) string {
	return e.URL + proposal.Path(id)
}

// nextStep tells the model how to proceed.
func nextStep(card proposal.Card, withToken bool) string {
	switch card.Status {
	case proposal.Proposed:
		text := "Nothing has changed yet. Tell the person what would change and give them confirmUrl, where they " +
			"decide. Then call " + waitName + " with the proposalId to hear of the decision. Do not propose it again."
		if card.TwoPerson {
			text = "Nothing has changed yet, and a person other than the requester has to agree. Give them " +
				"confirmUrl. " + waitName + " tells what was decided. Do not propose it again."
		}
		if withToken && card.Token != "" {
			text += " If the person has agreed to exactly this change, " + applyName + " carries it out with the token " + card.Token
		}
		return text
	case proposal.Applying:
		return "It was agreed to and is on its way. " + waitName + " tells when it has happened."
	case proposal.Applied:
		return "It has happened, once."
	}
	return "It has not happened. " + problemText(card)
}

func problemText(card proposal.Card) string {
	switch {
	case card.Status == proposal.Declined:
		return "Somebody has declined it: do not propose it again unless the person asks for it."
	case card.Status == proposal.Expired:
		return "Nobody has decided in time. Propose it again if the person still wants it."
	case card.Error != nil && card.Error.Code == problem.Drift:
		return "The target has changed meanwhile. Read it again before you propose anything."
	}
	return "Read the error before you propose anything."
}

// canSpeakForPerson reports whether requests of p can count as a person's decision: an application is trusted by the person who
// gave it its token, a program if an administrator trusts it.
func (e *Endpoint) canSpeakForPerson(ctx context.Context, p principal.Principal) (bool, error) {
	switch {
	case p.ReadOnly():
		return false, nil
	case p.Kind == principal.Application:
		return true, nil
	case p.Client == nil || e.Trusts == nil:
		return false, nil
	}
	return e.Trusts(ctx, *p.Client)
}

// canDecide reports whether p may decide on the proposal through the client, by token or form: p's requests count as a
// decision, p proposed the change here, and it neither removes anything nor needs a second person. Other proposals
// are decided on the card.
func (e *Endpoint) canDecide(ctx context.Context, p principal.Principal, card proposal.Card) (bool, error) {
	if card.Effect != tool.Mutate || card.TwoPerson || card.Token == "" || card.Status != proposal.Proposed || !proposedHere(p, card) {
		return false, nil
	}
	return e.canSpeakForPerson(ctx, p)
}

// proposedHere reports whether p proposed the change at this endpoint, through the same program. A trusted client has
// not shown its person proposals of a chat, with the contents it has read, nor those of other programs or users.
func proposedHere(p principal.Principal, card proposal.Card) bool {
	if card.Proposer.Kind != p.Kind || card.Proposer.ID != p.ID || card.TurnID != nil || card.Way != audit.ByMCP {
		return false
	}
	if p.Client == nil {
		return card.Program == nil
	}
	return card.Program != nil && *card.Program == p.Client.ID
}
