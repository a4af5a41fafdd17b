package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// plan are the used members of a plan.
type plan struct {
	PlanID    uuid.UUID `json:"planId"`
	Proposals []card    `json:"proposals"`
}

func (p plan) tokens() []string {
	tokens := []string{}
	for _, c := range p.Proposals {
		if c.Token != "" {
			tokens = append(tokens, c.Token)
		}
	}
	return tokens
}

func (p plan) final() bool {
	for _, c := range p.Proposals {
		if !c.final() {
			return false
		}
	}
	return true
}

func (p plan) expired() bool {
	return slices.ContainsFunc(p.Proposals, func(c card) bool { return c.Status == "expired" })
}

// applyAPlan asks for three systems in one answer and applies them together.
func applyAPlan(ctx context.Context, p *person) error {
	return p.decidePlan(ctx, "apply", func(shown plan) error {
		path, body := "/api/ai/plans/"+shown.PlanID.String()+"/apply", object{"tokens": shown.tokens()}
		a, err := p.insist(ctx, http.MethodPost, path, body, uuid.NewString())
		if err != nil {
			return err
		}
		if a.status == http.StatusOK {
			for _, c := range shown.Proposals {
				p.run.told(c.ProposalID)
			}
			return nil
		}
		if a.status == http.StatusAccepted || tooLate(a) {
			return nil
		}
		return fmt.Errorf("the apply of a plan was answered with %d: %s", a.status, clip(a.body))
	})
}

// tooLate reports whether a decision was refused only because its proposals had expired.
func tooLate(a answer) bool {
	var refused struct {
		Changed []card `json:"changed"`
	}
	if a.status != http.StatusConflict || json.Unmarshal(a.body, &refused) != nil {
		return false
	}
	return len(refused.Changed) > 0 && !slices.ContainsFunc(refused.Changed, func(c card) bool { return c.Status != "expired" })
}

// declineAPlan declines a whole plan. A retry after a lost response reports that it has been decided.
func declineAPlan(ctx context.Context, p *person) error {
	return p.decidePlan(ctx, "decline", func(shown plan) error {
		a, err := p.insist(ctx, http.MethodPost, "/api/ai/plans/"+shown.PlanID.String()+"/decline", nil, "")
		if err == nil && !a.ok() && a.status != http.StatusConflict {
			err = fmt.Errorf("the decline of a plan was answered with %d: %s", a.status, clip(a.body))
		}
		return err
	})
}

func (p *person) decidePlan(ctx context.Context, kind string, decide func(plan) error) error {
	conversation, err := p.conversation(ctx, "approve")
	if err != nil {
		return err
	}
	var script strings.Builder
	script.WriteString("script:")
	for range 3 {
		fmt.Fprintf(&script, ` tool=catalog.createSystem input={"name":%q}`, p.names())
	}
	message, err := p.message(conversation, pace+script.String()).post(ctx)
	if err != nil {
		return err
	}
	ids := cardsOf(message, "data-proposal")
	if len(ids) != 3 {
		return fmt.Errorf("a plan shows %d proposals instead of 3", len(ids))
	}
	for _, id := range ids {
		p.run.about(id)
	}
	id, err := p.planOf(ctx, ids[0])
	if err != nil {
		return err
	}
	shown, err := p.plan(ctx, id)
	if err != nil || len(shown.tokens()) != len(ids) {
		// Some proposals expired during a crash.
		return err
	}
	if err := decide(shown); err != nil {
		return err
	}
	for {
		now, err := p.plan(ctx, id)
		if err != nil {
			return err
		}
		if now.final() {
			p.run.saw(0)
			if now.expired() {
				return nil // A crash outlasted the time to live, so there is no decision to acknowledge.
			}
			break
		}
		wait(ctx, pollPause)
	}
	t := &talk{person: p, conversation: conversation, body: object{
		"conversationId": conversation, "decision": object{"planId": id, "kind": kind},
	}}
	_, err = t.post(ctx)
	return err
}

func (p *person) planOf(ctx context.Context, proposal uuid.UUID) (uuid.UUID, error) {
	var c struct {
		PlanID uuid.UUID `json:"planId"`
	}
	a, err := p.insist(ctx, http.MethodGet, "/api/ai/proposals/"+proposal.String(), nil, "")
	if err == nil {
		err = a.into(&c)
	}
	return c.PlanID, err
}

func (p *person) plan(ctx context.Context, id uuid.UUID) (plan, error) {
	var shown plan
	a, err := p.insist(ctx, http.MethodGet, "/api/ai/plans/"+id.String(), nil, "")
	if err == nil {
		err = a.into(&shown)
	}
	return shown, err
}
