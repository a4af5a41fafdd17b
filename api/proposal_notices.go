package api

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/event"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/tool"
	"countersign/tool/proposal"
)

// TopicProposal is the topic of proposals that wait for a decision.
const TopicProposal = "proposal.waiting"

// proposerDelay is how long a proposal waits that its proposer can decide about: they look at its card as a rule.
const proposerDelay = time.Minute

// mostDeciders bounds the people who are notified of one proposal.
const mostDeciders = 500

// Deciders finds people by their rights.
type Deciders interface {
	// Deciders returns people who belong to one of the sets, in no order and without repetition.
	Deciders(ctx context.Context, sets []proposal.Holders, most int) ([]uuid.UUID, error)
}

// Consumers notify those who may decide about proposals, and end that when these are decided.
func (r *Proposals) Consumers() []event.Consumer {
	return []event.Consumer{{
		Name: "proposal.notices", Types: []string{proposal.EventWaiting, proposal.EventDecided, proposal.EventExpired}, Handle: r.notify,
	}}
}

// Notices are the proposals, which are read as the person who gets the message.
func (r *Proposals) Notices() []notice.Subject {
	return []notice.Subject{{
		Kind: proposal.SubjectProposal, Facts: r.facts,
		Topics: []notice.Topic{{
			ID: TopicProposal, Label: "Proposals to decide", Description: "A proposed change waits for your decision.",
		}},
	}}
}

func (r *Proposals) notify(ctx context.Context, e event.Event) error {
	// The three payloads share these fields, and Decode refuses the others.
	var p proposal.ExpiredPayload
	err := json.Unmarshal(e.Payload, &p)
	if err != nil {
		return fmt.Errorf("read payload of event %d: %w", e.ID, err)
	}
	if p.Automatic || p.ProposalID == uuid.Nil {
		return nil
	}
	about := notice.About{Kind: proposal.SubjectProposal, ID: p.ProposalID}
	switch e.Type {
	case proposal.EventExpired:
		_, err = r.Ledger.Stop(ctx, notice.Stop{About: about, Reason: "Nobody decided in time."})
	case proposal.EventDecided:
		_, err = r.Ledger.Stop(ctx, notice.Stop{About: about, Reason: r.decided(ctx, p.ProposalID)})
	default:
		err = r.waiting(ctx, about)
	}
	return err
}

// decided is the reason for which deliveries about a proposal are no longer wanted. It names no record.
func (r *Proposals) decided(ctx context.Context, id uuid.UUID) string {
	c, err := r.Service.Decided(ctx, id)
	switch {
	case err != nil || c.DecidedBy == nil:
		return "It has been decided."
	case c.Withdrawn():
		return "It was withdrawn."
	case c.Status == proposal.Declined:
		return "Declined by " + c.DecidedBy.Name + "."
	}
	return "Accepted by " + c.DecidedBy.Name + "."
}

func (r *Proposals) waiting(ctx context.Context, about notice.About) error {
	w, open, err := r.Service.Waiting(ctx, about.ID, ChatRule)
	if err != nil || !open {
		return err
	}
	n := notice.Notice{About: about, Topic: TopicProposal, Edge: "waiting", Phase: notice.Problem}
	if w.TurnID != nil {
		// The cards of one plan are one message.
		n.Bundle = "turn:" + w.TurnID.String()
	}
	var to []notice.Recipient
	if w.Alone {
		n.Delay = proposerDelay
		to = append(to, notice.Person(w.Proposer.ID))
	} else if len(w.Holders) > 0 {
		if w.Unattended {
			n.Delay = proposerDelay
		}
		people, err := r.Deciders.Deciders(ctx, w.Holders, mostDeciders)
		if err != nil {
			return fmt.Errorf("find who may decide: %w", err)
		}
		for _, id := range people {
			if !slices.Contains(w.Not, id) {
				to = append(to, notice.Person(id))
			}
		}
	}
	if len(to) == 0 {
		return nil
	}
	_, err = r.Ledger.Tell(ctx, n, to...)
	return err
}

// facts are a proposal as its reader may decide about it. They hold no token: the page has it, for who is signed in.
func (r *Proposals) facts(ctx context.Context, n notice.Notice) (notice.Facts, error) {
	c, err := r.Service.Decidable(ctx, principal.FromContext(ctx), n.ID)
	if err != nil {
		return notice.Facts{}, err
	}
	f := notice.Facts{
		Title: "Waiting for a decision: " + c.Summary, Text: c.Reason, Path: "/proposals?proposal=" + c.ProposalID.String(),
		Over: c.Status != proposal.Proposed, Severity: notice.Info, Fields: []notice.Field{
			{Label: "Tool", Value: c.ToolName},
			{Label: "Proposed by", Value: c.Proposer.Name},
			{Label: "Expires", Value: c.ExpiresAt.UTC().Format(time.RFC3339)},
		},
	}
	if c.Effect == tool.Destructive {
		f.Severity = notice.Warning
	}
	if f.Over {
		f.Title, f.Severity = "No longer waiting: "+c.Summary, notice.Good
	}
	return f, nil
}
