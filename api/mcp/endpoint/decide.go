package endpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest/sse"
	"countersign/internal/text"
	"countersign/tool"
	"countersign/tool/kit"
	"countersign/tool/proposal"
)

const (
	// applyWait is the time that a call waits for an accepted change to be applied.
	applyWait = 20 * time.Second
	// pageWait is the time that a call waits for a person who opened the card, by the word of their client.
	pageWait = 45 * time.Second

	question    = "decision"
	maxQuestion = 2_000
	agree       = "apply"
)

// answerProposal answers a call that became a proposal: with a question to the person (elicitation), if the client supports
// it, else with the proposal.
func (e *Endpoint) answerProposal(
	ctx context.Context,
	req *sdk.CallToolRequest,
	name string,
	input json.RawMessage,
	card proposal.Card,
) (*sdk.CallToolResult, error) {
	p := exchangeOf(ctx).principal
	mayDecide, err := e.canDecide(ctx, p, card)
	if err != nil {
		return nil, e.rpcError(ctx, methodCall, err)
	}
	form, page := elicitationModes(req)
	// Revisions without questions in answers would need a request from the server, which a stateless server cannot
	// match to its answer.
	if req.ProtocolVersion() < questionRevision || card.Status != proposal.Proposed {
		form, page = false, false
	}
	var ask *sdk.ElicitParams
	st := requestState{proposal: card.ProposalID, expires: card.ExpiresAt}
	// A person must not agree in a form to a change that it does not show fully.
	message, whole := questionText(card)
	switch {
	case form && mayDecide && whole:
		st.mode = askForm
		ask = &sdk.ElicitParams{Mode: "form", Message: message, RequestedSchema: decisionForm}
	case page:
		st.mode = askPage
		ask = &sdk.ElicitParams{Mode: "url", Message: message, URL: e.link(card.ProposalID), ElicitationID: card.ProposalID.String()}
	default:
		return e.outcome(card, mayDecide), nil
	}
	return &sdk.CallToolResult{
		InputRequests: sdk.InputRequestMap{question: ask}, RequestState: e.stateSealer.seal(p, name, input, st),
	}, nil
}

// questionRevision is the first revision whose answers can hold a question.
const questionRevision = "2026-07-28"

// elicitationModes reports how a client can ask its person: by a form, by opening a page.
func elicitationModes(req *sdk.CallToolRequest) (form, page bool) {
	capabilities := req.ClientCapabilities()
	if capabilities == nil || capabilities.Elicitation == nil {
		return false, false
	}
	c := capabilities.Elicitation
	return c.Form != nil || c.URL == nil, c.URL != nil
}

// decisionForm is the schema of the form for a decision.
var decisionForm = json.RawMessage(`{"type":"object","properties":{` +
	`"decision":{"type":"string","title":"Decision","description":"Whether to make exactly this change","enum":["apply","decline"]},` +
	`"reason":{"type":"string","title":"Reason","description":"Why; kept with the proposal","maxLength":500}},"required":["decision"]}`)

// questionText describes the change to decide on, and reports whether the text is complete.
func questionText(card proposal.Card) (message string, whole bool) {
	var b strings.Builder
	b.WriteString(card.Summary)
	whole = true
	for _, change := range changesOf(card) {
		before, allBefore := shortValue(change.Before, card.Labels)
		after, allAfter := shortValue(change.After, card.Labels)
		whole = whole && allBefore && allAfter
		fmt.Fprintf(&b, "\n%s: %s → %s", change.Path, before, after)
	}
	for _, effect := range card.Effects {
		b.WriteString("\n" + effect)
	}
	for _, why := range []string{card.WhyEffect, card.WhyConfirm} {
		if why != "" {
			b.WriteString("\n" + why)
		}
	}
	message, all := shorten(b.String(), maxQuestion)
	return message, whole && all
}

// changesOf returns the changes of a card. A card that creates a record has none: its whole payload is new.
func changesOf(card proposal.Card) []tool.Change {
	if len(card.Diff) > 0 || len(card.Payload) == 0 {
		return card.Diff
	}
	// The payload is stored JSON, so it compares without an error.
	made, _ := kit.Diff(struct{}{}, card.Payload)
	return made
}

func shortValue(value any, labels map[string]string) (said string, whole bool) {
	if value == nil {
		return "nothing", true
	}
	if id, ok := value.(string); ok && labels[id] != "" {
		return shorten(labels[id], 200)
	}
	raw, err := tool.Canonical(value)
	if err != nil {
		return "?", false
	}
	return shorten(string(raw), 200)
}

// shorten shortens a text to a readable one, and reports whether it is complete.
func shorten(value string, limit int) (said string, whole bool) {
	said = text.Shown(value, limit)
	return said, said == text.Shown(value, len(value)+1)
}

// resume continues a call that returns with the answer to a question.
func (e *Endpoint) resume(ctx context.Context, req *sdk.CallToolRequest, name string, input json.RawMessage) (*sdk.CallToolResult, error) {
	p := exchangeOf(ctx).principal
	now, err := e.Now(ctx)
	if err != nil {
		return nil, e.rpcError(ctx, methodCall, err)
	}
	st, err := e.stateSealer.open(req.Params.RequestState, p, name, input, now)
	if err != nil {
		return refusedResult(err, false), nil
	}
	card, err := e.Proposals.Get(ctx, p, st.proposal)
	if err != nil {
		return e.answerRefusedDecision(ctx, err)
	}
	said, ok := req.Params.InputResponses[question].(*sdk.ElicitResult)
	if !ok {
		return refusedResult(
			problem.InvalidInput(
				"The answer to the question is missing.",
				problem.Issue{Path: "inputResponses." + question, Message: "is required"},
			),
			false,
		), nil
	}
	mayDecide, err := e.canDecide(ctx, p, card)
	if err != nil {
		return nil, e.rpcError(ctx, methodCall, err)
	}
	switch {
	case st.mode == askPage && said.Action == "accept":
		return e.awaitDecision(ctx, card, pageWait)
	case st.mode == askPage:
		return e.outcome(card, false), nil
	case said.Action == "cancel" || card.Status != proposal.Proposed:
		return e.outcome(card, mayDecide), nil
	}
	decision, _ := said.Content["decision"].(string)
	reason, _ := said.Content["reason"].(string)
	switch {
	case said.Action == "decline" || decision == "decline":
		card, err = e.Proposals.Decline(ctx, p, card.ProposalID, reason)
	case said.Action != "accept" || decision != agree:
		err = problem.InvalidInput(
			"The answer does not fit the question.",
			problem.Issue{Path: "inputResponses." + question + ".content.decision", Message: "must be apply or decline"},
		)
	case !mayDecide:
		err = problem.Errorf(problem.Forbidden, "This has to be decided about in the app, at %s.", e.link(card.ProposalID))
	default:
		card, err = e.Proposals.Apply(ctx, p, card.Token, "", reason, applyWait)
	}
	if err != nil {
		return e.answerRefusedDecision(ctx, err)
	}
	return e.answerCard(ctx, p, card)
}

// answerCard answers with a card as far as the caller may see it.
func (e *Endpoint) answerCard(ctx context.Context, p principal.Principal, card proposal.Card) (*sdk.CallToolResult, error) {
	card, err := e.Proposals.Get(ctx, p, card.ProposalID)
	if err != nil {
		return e.answerRefusedDecision(ctx, err)
	}
	mayDecide, err := e.canDecide(ctx, p, card)
	if err != nil {
		return nil, e.rpcError(ctx, methodCall, err)
	}
	return e.outcome(card, mayDecide), nil
}

// answerRefusedDecision answers a decision, or a question about one, that was refused.
func (e *Endpoint) answerRefusedDecision(ctx context.Context, err error) (*sdk.CallToolResult, error) {
	if code := problem.CodeOf(err); code == problem.Internal || code == problem.Budget {
		return nil, e.rpcError(ctx, methodCall, err)
	}
	return refusedResult(err, false), nil
}

// awaitDecision waits for the decision on a card that the caller sees, and for the change to be applied.
func (e *Endpoint) awaitDecision(ctx context.Context, card proposal.Card, wait time.Duration) (*sdk.CallToolResult, error) {
	if card.Status.Final() {
		return e.outcome(card, false), nil
	}
	place, err := e.Quota.Acquire(ctx, exchangeOf(ctx).principal, e.Waits)
	if err != nil {
		return e.answerRefusedDecision(ctx, err)
	}
	defer place.Release(ctx)
	tool.Report(ctx, "Waiting for a decision")
	open, end := sse.Open(ctx)
	defer end()
	waiting, cancel := context.WithTimeout(open, wait)
	defer cancel()
	if _, err := e.Proposals.Await(waiting, card.ProposalID); err != nil {
		return e.answerRefusedDecision(ctx, err)
	}
	// The token may have been revoked meanwhile, or the person have lost a right.
	p, err := e.authenticate(exchangeOf(ctx).request)
	if err != nil {
		return e.answerRefusedDecision(ctx, err)
	}
	return e.answerCard(ctx, p, card)
}
