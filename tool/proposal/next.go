package proposal

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/disposition"
	"countersign/tool/proposal/proposaldb"
)

// Next is a proposal that can be or was made of an ended one.
type Next struct {
	ProposalID *uuid.UUID `json:"proposalId,omitempty" doc:"The proposal that you have made like this already"`
}

// Step is a follow-up of an ended proposal.
type Step string

// Again proposes the same change once more, Undo reverts an applied one.
const (
	Again Step = "again"
	Undo  Step = "undo"
)

// id derives the id of the one proposal that p makes by a step, so that a repeat finds the first one.
func (s Step) id(from uuid.UUID, p principal.Principal) uuid.UUID {
	return uuid.NewSHA1(from, []byte(string(s)+" "+p.Key()))
}

// NextCall is the call of a step. It is not a proposal yet: the dry run of its tool uses the current state.
type NextCall struct {
	// ID is the id of the proposal, made or not.
	ID    uuid.UUID
	Tool  tool.Tool
	Input json.RawMessage
	// New is inherited from the old proposal: the request, the taint of the conversation, and the need for a second
	// person. The old decision is not.
	New New
	// Rebase is that of the tool whose change is undone; nil for none.
	Rebase tool.Rebase
}

// Step returns the call of p's step on an ended proposal. It is NotFound where p does not see that proposal, Forbidden
// where p may not make the call, and a Conflict where the proposal's state allows no step.
func (s *Service) Step(ctx context.Context, p principal.Principal, id uuid.UUID, step Step) (NextCall, error) {
	r, err := s.reader(ctx, p)
	if err != nil {
		return NextCall{}, err
	}
	card, row, err := r.card(ctx, id)
	if err != nil {
		return NextCall{}, err
	}
	if !r.canSee(card) {
		return NextCall{}, notFound()
	}
	if step == Again && !r.isProposer(card) {
		return NextCall{}, problem.Errorf(
			problem.Forbidden,
			"Only who proposed this can propose it again. Ask for the change yourself: then it is your proposal.",
		)
	}
	name, input, ok := r.after(card, row.AiProposal, step)
	if !ok {
		return NextCall{}, unstepped(card, step)
	}
	// A new seal would hide a manipulation of the stored row.
	if err := s.verifySeal(row.AiProposal); err != nil {
		return NextCall{}, err
	}
	planned := NextCall{ID: step.id(id, p), Input: input, New: r.draftNext(card, row.AiProposal, step)}
	if t, known := r.toolOf(card); known && step == Undo {
		planned.Rebase = t.Impact.Rebase
	}
	planned.Tool, err = s.Registry.Decidable(ctx, p, name)
	switch {
	case err != nil:
	case p.ReadOnly():
		// The same holds for a read that could exfiltrate data.
		err = tool.ReadOnly(planned.Tool.Name)
	case planned.Tool.Access.ChatOnly:
		err = problem.Errorf(problem.Invalid, "The tool %s makes sense in a conversation only.", planned.Tool.Name)
	default:
		err = s.proposable(ctx, p, planned.Tool, input)
	}
	planned.New.ID, planned.New.Principal, planned.New.Tool = planned.ID, p, planned.Tool
	return planned, err
}

// after returns the call of a step on a proposal; ok is false where there is none.
func (r *reader) after(c Card, row proposaldb.AiProposal, step Step) (name string, input json.RawMessage, ok bool) {
	t, known := r.toolOf(c)
	if !known {
		return "", nil, false
	}
	if step == Again {
		ended := slices.Contains([]Status{Failed, Expired, Skipped}, c.Status)
		return c.ToolName, row.Payload, ended && !holdsSealed(t, row.Payload) && (t.Effect != tool.Read || t.MayLeave())
	}
	if c.Status != Applied || t.Impact.Inverse == nil {
		return "", nil, false
	}
	k, _ := parseSealedRecord(row)
	return t.Impact.Inverse(tool.Done{Payload: row.Payload, Diff: c.Diff, Result: row.Result, Before: k.Before})
}

// holdsSealed reports whether a payload holds a secret, which was encrypted for its one proposal.
func holdsSealed(t tool.Tool, payload json.RawMessage) bool {
	var members map[string]json.RawMessage
	return len(t.Schema.SealedInput) > 0 &&
		(json.Unmarshal(payload, &members) != nil || slices.ContainsFunc(t.Schema.SealedInput, func(name string) bool {
			value, there := members[name]
			return there && string(value) != "null"
		}))
}

// proposable refuses a change that policies let no one propose.
func (s *Service) proposable(ctx context.Context, p principal.Principal, t tool.Tool, input json.RawMessage) error {
	policy, err := s.policy(ctx, t, input)
	if err != nil {
		return err
	}
	if !policy.Enabled {
		return errDisabled(t.Name)
	}
	if why := disposition.Undecidable(p, t.Access.Personal, policy); why != "" {
		return problem.Errorf(problem.Forbidden, "%s", why)
	}
	return nil
}

// whyUndo is the reason why an undo needs a person's decision.
const whyUndo = "This takes back an earlier change."

// draftNext returns the fields that a new proposal takes over, so that it shows no fewer warnings than the old one. Its maker sees
// all of it, so of another person's chat it holds only what they may see.
func (r *reader) draftNext(c Card, row proposaldb.AiProposal, step Step) New {
	n := New{WhyConfirm: c.WhyConfirm, Outside: c.Outside, TwoPerson: c.TwoPerson}
	if !r.isProposer(c) {
		n.Outside = sourceless(n.Outside)
	}
	if step == Undo {
		n.WhyConfirm = whyUndo
	} else {
		// Text from a chat is deleted with the chat.
		n.Conversation, n.Reason, n.Asked, n.Answered = row.ConversationID, c.Reason, row.Asked, row.Answered
	}
	return n
}

// unstepped explains why a proposal allows no step.
func unstepped(c Card, step Step) error {
	detail := fmt.Sprintf("This proposal is %s, so it cannot be proposed again. Ask for the change again if you still want it.", c.Status)
	switch {
	case step == Undo && c.Status == Applied:
		detail = "No single change takes all of this back. Ask the assistant for what you want instead."
	case step == Undo:
		detail = fmt.Sprintf("This proposal is %s, so there is nothing to take back.", c.Status)
	case slices.Contains([]Status{Failed, Expired, Skipped}, c.Status):
		detail = "This cannot be proposed again as it was: its tool is gone, or it holds a secret that was sealed for it " +
			"alone. Ask for the change again."
	}
	return problem.Errorf(problem.Conflict, "%s", detail).With("proposalStatus", c.Status)
}

// CanRehearse makes a hidden change as p in a transaction that is rolled back: only callers who could make the request
// may have it proposed. For other tools the dry run checks that.
func (s *Service) CanRehearse(ctx context.Context, p principal.Principal, planned NextCall) error {
	if !planned.Tool.Access.Hidden {
		return nil
	}
	return s.DB.DryRun(ctx, func(ctx context.Context) error {
		_, err := planned.Tool.Run(tool.Carry(ctx, planned.Tool.Name), s.Callers.Caller(p, planned.ID), planned.Input)
		return err
	})
}

// addNextSteps sets on ended cards the steps that the reader can make, after loadVisibility, and those already made.
func (r *reader) addNextSteps(ctx context.Context, cards []*Card, rows []proposaldb.AiProposal) error {
	type place struct {
		next **Next
		id   uuid.UUID
	}
	var places []place
	var ids []uuid.UUID
	for i, row := range rows[:len(cards)] {
		c := cards[i]
		if !c.Status.Final() || r.p.TurnID != uuid.Nil || r.p.ReadOnly() {
			continue
		}
		for step, next := range map[Step]**Next{Again: &c.Again, Undo: &c.Undo} {
			name, _, ok := r.after(*c, row, step)
			if !ok || step == Again && !r.isProposer(*c) {
				continue
			}
			if _, err := r.Registry.Decidable(ctx, r.p, name); err != nil {
				if problem.CodeOf(err) == problem.Internal {
					return err
				}
				continue
			}
			*next = &Next{}
			id := step.id(c.ProposalID, r.p)
			places, ids = append(places, place{next, id}), append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	made, err := r.CurrentCards(ctx, r.p, ids)
	for _, at := range places {
		if _, ok := made[at.id]; ok {
			(*at.next).ProposalID = &at.id
		}
	}
	return err
}

// namesFor returns the labels that a reader sees. Readers other than the proposer get the names of their visible
// targets and those in the summary: names resolved for the proposer may be hidden from others.
func (r *reader) namesFor(c Card) map[string]string {
	if r.isProposer(c) || len(c.Labels) == 0 {
		return c.Labels
	}
	targets, _ := r.targetsOf(c)
	kept := map[string]string{}
	for id, name := range c.Labels {
		if _, err := uuid.Parse(id); err != nil || namedBy(id, targets) || namesIt(c.Summary, name) {
			kept[id] = name
		}
	}
	return kept
}

// namedBy reports whether an id is that of a target, which every reader of the proposal can see.
func namedBy(id string, targets []tool.Target) bool {
	return slices.ContainsFunc(targets, func(t tool.Target) bool {
		return slices.Contains(strings.Split(t.Path, "/"), id)
	})
}

func namesIt(summary, name string) bool { return name != "" && strings.Contains(summary, name) }
