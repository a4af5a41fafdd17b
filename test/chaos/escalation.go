package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// escalateAnIncident opens an incident and waits until each step of its policy was taken, once.
func escalateAnIncident(ctx context.Context, p *person) error {
	steps := []object{
		{"delaySeconds": 0, "targets": []object{{"kind": "channels"}}}, {"delaySeconds": 1, "targets": []object{{"kind": "channels"}}},
	}
	// The policy is there from the first incident on.
	a, err := p.insist(
		ctx,
		http.MethodPost,
		"/api/oncall/policies",
		object{"name": "Chaos", "default": true, "steps": steps},
		uuid.NewString(),
	)
	if err != nil {
		return err
	}
	if !a.ok() && a.status != http.StatusConflict {
		return fmt.Errorf("create a policy: status %d: %s", a.status, clip(a.body))
	}
	var system, incident struct {
		ID uuid.UUID `json:"id"`
	}
	if err := p.make(ctx, "/api/catalog/systems", object{"name": p.names()}, &system); err != nil {
		return err
	}
	input := object{"title": p.names(), "severity": "minor", "systemIds": []uuid.UUID{system.ID}}
	if err := p.make(ctx, "/api/incidents", input, &incident); err != nil {
		return err
	}
	p.run.about(incident.ID)
	for {
		a, err := p.insist(ctx, http.MethodGet, "/api/oncall/escalations/"+incident.ID.String(), nil, "")
		if err != nil {
			return err
		}
		var escalation struct {
			State string `json:"state"`
			Calls []struct {
				Step int `json:"step"`
			} `json:"calls"`
		}
		if err := a.into(&escalation); err != nil {
			return fmt.Errorf("read the escalation: %w", err)
		}
		if escalation.State != "exhausted" {
			wait(ctx, 200*time.Millisecond)
			continue
		}
		if c := escalation.Calls; len(c) != 2 || c[0].Step != 2 || c[1].Step != 1 {
			return fmt.Errorf("the steps of the escalation of %s are %+v", incident.ID, c)
		}
		return nil
	}
}

// make creates a record, once, however often processes die.
func (p *person) make(ctx context.Context, path string, in object, out any) error {
	key := uuid.NewString()
	for {
		a, err := p.insist(ctx, http.MethodPost, path, in, key)
		if err != nil {
			return err
		}
		if a.status == http.StatusConflict && ctx.Err() == nil {
			p.run.again()
			wait(ctx, time.Second)
			continue
		}
		if err := a.into(out); err != nil {
			return fmt.Errorf("create %s: %w", path, err)
		}
		return nil
	}
}
