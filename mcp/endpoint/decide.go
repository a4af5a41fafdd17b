package endpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/principal"
	"countersign/problem"
	"countersign/rest/sse"
	"countersign/text"
	"countersign/tool"
	"countersign/tool/proposal"
)

const (
	// applyWait is how long a call waits for a change that was agreed to.
	applyWait = 20 * time.Second
	// pageWait is how long a call waits for a person who was sent to the card, once their client says that they went there.
	pageWait = 45 * time.Second

	question    = "decision"
	maxQuestion = 2_000
	agree       = "apply"
)

// proposed is the answer to a call of which a proposal was made: a question to the person, where the client can ask it, and
// else the proposal.
func (e *Endpoint) proposed(
	ctx context.Context,
	req *sdk.CallToolRequest,
	name string,
	input json.RawMessage,
	card proposal.Card,
) (*sdk.CallToolResult, error) {
	p := exchangeOf(ctx).principal
	mayDecide, err := e.decides(ctx, p, card)
	if err != nil {
		return nil, e.rpcError(ctx, methodCall, err)
	}
	form, page := asks(req)
	// A revision that has no questions in answers would be asked by a request of ours, which nothing could answer.
	if req.ProtocolVersion() < withQuestions || card.Status != proposal.Proposed {
		form, page = false, false
	}
	var ask *sdk.ElicitParams
	st := state{proposal: card.ProposalID, expires: card.ExpiresAt}
	// Nobody agrees in a form to what it does not show.
	message, whole := questionText(card)
	switch {
	case form && mayDecide && whole:
		st.how = askedForm
		ask = &sdk.ElicitParams{Mode: "form", Message: message, RequestedSchema: decisionForm}
	case page:
		st.how = askedPage
		ask = &sdk.ElicitParams{Mode: "url", Message: message, URL: e.link(card.ProposalID), ElicitationID: card.ProposalID.String()}
	default:
		return e.outcome(card, mayDecide), nil
	}
	return &sdk.CallToolResult{
		InputRequests: sdk.InputRequestMap{question: ask}, RequestState: e.states.seal(p, name, input, st),
	}, nil
}

// withQuestions is the first revision in which an answer can hold a question.
const withQuestions = "2026-07-28"

// asks reports how a client can ask its person: by a form, and by opening a page.
func asks(req *sdk.CallToolRequest) (form, page bool) {
	capabilities := req.ClientCapabilities()
	if capabilities == nil || capabilities.Elicitation == nil {
		return false, false
	}
	c := capabilities.Elicitation
	return c.Form != nil || c.URL == nil, c.URL != nil
}

// decisionForm is what a person fills in.
var decisionForm = json.RawMessage(`{"type":"object","properties":{` +
	`"decision":{"type":"string","title":"Decision","description":"Whether to make exactly this change","enum":["apply","decline"]},` +
	`"reason":{"type":"string","title":"Reason","description":"Why; kept with the proposal","maxLength":500}},"required":["decision"]}`)

// questionText is what a person decides by, and whether it says all that would change.
func questionText(card proposal.Card) (message string, whole bool) {
	var b strings.Builder
	b.WriteString(card.Summary)
	whole = true
	for _, change := range changesOf(card) {
		before, allBefore := short(change.Before, card.Labels)
		after, allAfter := short(change.After, card.Labels)
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
	message, all := shown(b.String(), maxQuestion)
	return message, whole && all
}

// changesOf are the changes of a card. One that makes something has none: all that it makes is new.
func changesOf(card proposal.Card) []tool.Change {
	if len(card.Diff) > 0 || len(card.Payload) == 0 {
		return card.Diff
	}
	// What is stored is JSON.
	made, _ := tool.Diff(struct{}{}, card.Payload)
	return made
}

func short(value any, labels map[string]string) (said string, whole bool) {
	if value == nil {
		return "nothing", true
	}
	if id, ok := value.(string); ok && labels[id] != "" {
		return shown(labels[id], 200)
	}
	raw, err := tool.Canonical(value)
	if err != nil {
		return "?", false
	}
	return shown(string(raw), 200)
}

// shown is a text as somebody can read it, and whether all of it is there.
func shown(value string, limit int) (said string, whole bool) {
	said = text.Shown(value, limit)
	return said, said == text.Shown(value, len(value)+1)
}

// resume is a call that comes with the answer to a question.
func (e *Endpoint) resume(ctx context.Context, req *sdk.CallToolRequest, name string, input json.RawMessage) (*sdk.CallToolResult, error) {
	p := exchangeOf(ctx).principal
	now, err := e.Now(ctx)
	if err != nil {
		return nil, e.rpcError(ctx, methodCall, err)
	}
	st, err := e.states.open(req.Params.RequestState, p, name, input, now)
	if err != nil {
		return refused(err, false), nil
	}
	card, err := e.Proposals.Get(ctx, p, st.proposal)
	if err != nil {
		return e.undecided(ctx, err)
	}
	said, ok := req.Params.InputResponses[question].(*sdk.ElicitResult)
	if !ok {
		return refused(
			problem.InvalidInput(
				"The answer to the question is missing.",
				problem.Issue{Path: "inputResponses." + question, Message: "is required"},
			),
			false,
		), nil
	}
	mayDecide, err := e.decides(ctx, p, card)
	if err != nil {
		return nil, e.rpcError(ctx, methodCall, err)
	}
	switch {
	case st.how == askedPage && said.Action == "accept":
		return e.await(ctx, card, pageWait)
	case st.how == askedPage:
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
		return e.undecided(ctx, err)
	}
	return e.seen(ctx, p, card)
}

// seen is the answer about a card as the caller may see it.
func (e *Endpoint) seen(ctx context.Context, p principal.Principal, card proposal.Card) (*sdk.CallToolResult, error) {
	card, err := e.Proposals.Get(ctx, p, card.ProposalID)
	if err != nil {
		return e.undecided(ctx, err)
	}
	mayDecide, err := e.decides(ctx, p, card)
	if err != nil {
		return nil, e.rpcError(ctx, methodCall, err)
	}
	return e.outcome(card, mayDecide), nil
}

// undecided is the answer to a decision, or to a question about one, that was refused.
func (e *Endpoint) undecided(ctx context.Context, err error) (*sdk.CallToolResult, error) {
	if code := problem.CodeOf(err); code == problem.Internal || code == problem.Budget {
		return nil, e.rpcError(ctx, methodCall, err)
	}
	return refused(err, false), nil
}

// await waits for a decision about a card that the caller sees, and for the change to be made.
func (e *Endpoint) await(ctx context.Context, card proposal.Card, wait time.Duration) (*sdk.CallToolResult, error) {
	if card.Status.Final() {
		return e.outcome(card, false), nil
	}
	place, err := e.Places.Take(ctx, exchangeOf(ctx).principal, e.Waits)
	if err != nil {
		return e.undecided(ctx, err)
	}
	defer place.GiveBack(ctx)
	tool.Report(ctx, "Waiting for a decision")
	open, end := sse.Open(ctx)
	defer end()
	waiting, cancel := context.WithTimeout(open, wait)
	defer cancel()
	if _, err := e.Proposals.Await(waiting, card.ProposalID); err != nil {
		return e.undecided(ctx, err)
	}
	// Meanwhile the token may have been revoked, or the person have lost a right.
	p, err := e.authenticate(exchangeOf(ctx).request)
	if err != nil {
		return e.undecided(ctx, err)
	}
	return e.seen(ctx, p, card)
}
