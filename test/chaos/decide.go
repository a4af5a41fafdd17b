package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
)

// pollPause is the interval at which a person reads a proposal that is not final.
const pollPause = 250 * time.Millisecond

// card are the used members of a proposal's card.
type card struct {
	ProposalID uuid.UUID `json:"proposalId"`
	Status     string    `json:"status"`
	Token      string    `json:"token"`
}

func (c card) final() bool { return c.Status != "proposed" && c.Status != "applying" }

// createASystem asks for a system, applies the proposal and reads the model's acknowledgement.
func createASystem(ctx context.Context, p *person) error {
	return p.change(ctx, "create", fmt.Sprintf(`script: tool=catalog.createSystem input={"name":%q}`, p.names()), p.apply)
}

// updateASystem changes a system that it has made before. A second application would be refused as drift.
func updateASystem(ctx context.Context, p *person) error {
	id, err := p.system(ctx)
	if err != nil {
		return err
	}
	return p.change(
		ctx,
		"update",
		fmt.Sprintf(`script: tool=catalog.updateSystem input={"id":%q,"description":"changed by a proposal"}`, id),
		p.apply,
	)
}

// deleteASystem removes a system that it has made before. A second application would not find it.
func deleteASystem(ctx context.Context, p *person) error {
	id, err := p.system(ctx)
	if err != nil {
		return err
	}
	return p.change(ctx, "delete", fmt.Sprintf(`script: tool=catalog.deleteSystem input={"id":%q}`, id), p.apply)
}

func declineAProposal(ctx context.Context, p *person) error {
	return p.change(ctx, "decline", fmt.Sprintf(`script: tool=catalog.createSystem input={"name":%q}`, p.names()), p.decline)
}

// leaveAProposal creates a proposal through the API or in a chat and waits until it has expired.
func leaveAProposal(ctx context.Context, p *person) error {
	id, err := p.propose(ctx)
	if err != nil {
		return err
	}
	c, err := p.final(ctx, id)
	if err == nil && c.Status != "expired" {
		err = fmt.Errorf("a proposal that nobody decided about is %s", c.Status)
	}
	return err
}

// applyAgainstARival has two people apply one token concurrently, each at another API.
func applyAgainstARival(ctx context.Context, p *person) error {
	id, err := p.propose(ctx)
	if err != nil {
		return err
	}
	c, err := p.card(ctx, id)
	if err != nil || c.final() {
		return err
	}
	var both sync.WaitGroup
	errs := make([]error, len(p.apis))
	for i, api := range p.apis {
		rival := *p
		rival.rng, rival.apis = p.fork(), []string{api}
		both.Go(func() { errs[i] = rival.spend(ctx, c) })
	}
	both.Wait()
	return errors.Join(errs...)
}

// change asks for a write, decides about its proposal and follows the turn in which the model acknowledges it.
func (p *person) change(ctx context.Context, what, script string, decide func(context.Context, uuid.UUID) error) error {
	conversation, err := p.conversation(ctx, "approve")
	if err != nil {
		return err
	}
	message, err := p.message(conversation, pace+script).post(ctx)
	if err != nil {
		return err
	}
	ids := cardsOf(message, "data-proposal")
	if len(ids) != 1 {
		return fmt.Errorf("%s shows %d proposals instead of one", what, len(ids))
	}
	p.run.about(ids[0])
	if err := decide(ctx, ids[0]); err != nil {
		return err
	}
	c, err := p.final(ctx, ids[0])
	if err != nil {
		return err
	}
	kind := map[string]string{"applied": "apply", "declined": "decline"}[c.Status]
	if kind == "" {
		// The proposal expired during a crash.
		return nil
	}
	return p.acknowledge(ctx, conversation, ids[0], kind)
}

func (p *person) acknowledge(ctx context.Context, conversation, id uuid.UUID, kind string) error {
	t := &talk{person: p, conversation: conversation, body: object{
		"conversationId": conversation, "decision": object{"proposalId": id, "kind": kind},
	}}
	_, err := t.post(ctx)
	return err
}

// apply reads the card and spends its token.
func (p *person) apply(ctx context.Context, id uuid.UUID) error {
	c, err := p.card(ctx, id)
	if err != nil || c.final() {
		return err
	}
	if c.Token == "" {
		return fmt.Errorf("the card of an open proposal has no token: %s", c.Status)
	}
	return p.spend(ctx, c)
}

// spend applies a token with one Idempotency-Key until there is an answer, and checks what it says.
func (p *person) spend(ctx context.Context, c card) error {
	a, err := p.insist(ctx, http.MethodPost, "/api/ai/proposals/apply", object{"token": c.Token}, uuid.NewString())
	if err != nil {
		return err
	}
	if a.status == http.StatusOK {
		p.run.told(c.ProposalID)
		return nil
	}
	now, err := p.final(ctx, c.ProposalID)
	if err != nil {
		return err
	}
	switch {
	case a.status == http.StatusAccepted && now.Status == "applied", a.status == http.StatusGone && now.Status == "expired":
		return nil
	case a.status == http.StatusConflict && len(p.apis) == 1:
		return nil // the rival was first
	}
	return fmt.Errorf("the apply was answered with %d although the proposal is %s: %s", a.status, now.Status, clip(a.body))
}

// decline declines a proposal. A retry after a lost response may report that it has been decided: that was this person.
func (p *person) decline(ctx context.Context, id uuid.UUID) error {
	a, err := p.insist(ctx, http.MethodPost, "/api/ai/proposals/"+id.String()+"/decline", nil, "")
	if err != nil || a.ok() {
		return err
	}
	c, err := p.final(ctx, id)
	if err != nil || c.Status == "declined" || c.Status == "expired" {
		return err
	}
	return fmt.Errorf("the decline was answered with %d although the proposal is %s: %s", a.status, c.Status, clip(a.body))
}

func (p *person) card(ctx context.Context, id uuid.UUID) (card, error) {
	var c card
	a, err := p.insist(ctx, http.MethodGet, "/api/ai/proposals/"+id.String(), nil, "")
	if err == nil {
		err = a.into(&c)
	}
	return c, err
}

// final waits for a final state.
func (p *person) final(ctx context.Context, id uuid.UUID) (card, error) {
	for {
		c, err := p.card(ctx, id)
		if err != nil {
			return c, err
		}
		if c.final() {
			p.run.saw(0)
			return c, nil
		}
		wait(ctx, pollPause)
	}
}

// system creates a system over REST: a retry with the same key must get the first answer, never a name conflict.
func (p *person) system(ctx context.Context) (uuid.UUID, error) {
	var made struct {
		ID uuid.UUID `json:"id"`
	}
	a, err := p.insist(ctx, http.MethodPost, "/api/catalog/systems", object{"name": p.names()}, uuid.NewString())
	if err == nil {
		err = a.into(&made)
	}
	return made.ID, err
}
