package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"countersign/internal/store"
)

// callsPath is where the server outside takes messages.
const callsPath = "/calls"

// called is what came of one delivery.
type called struct{ posts, accepted int }

// call takes a message; of every second delivery it refuses the first attempt.
func (o *outside) call(w http.ResponseWriter, r *http.Request) {
	id, err := uuid.Parse(r.Header.Get("Webhook-Id"))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.calls[id]
	c.posts++
	if c.posts == 1 && id[15]%2 == 1 {
		w.WriteHeader(http.StatusInternalServerError)
	} else {
		c.accepted++
	}
	o.calls[id] = c
}

// callOutside makes a policy whose two steps call the person by a webhook to the server outside.
func (c *crowd) callOutside(ctx context.Context, o *outside) error {
	p := c.person(&run{}, nil)
	var me, channel struct {
		ID uuid.UUID `json:"id"`
	}
	if err := p.do(ctx, http.MethodGet, "/api/me", nil, &me); err != nil {
		return err
	}
	hook := object{"kind": "webhook", "name": "Outside", "url": o.server.URL + callsPath}
	if err := p.do(ctx, http.MethodPost, "/api/notifications/channels", hook, &channel); err != nil {
		return err
	}
	rules := object{"rules": []object{{"channelId": channel.ID, "afterSeconds": 0}}}
	if err := p.do(ctx, http.MethodPut, "/api/notifications/preferences", rules, nil); err != nil {
		return err
	}
	target := []object{{"kind": "person", "id": me.ID}}
	steps := []object{{"delaySeconds": 0, "targets": target}, {"delaySeconds": 1, "targets": target}}
	return p.do(ctx, http.MethodPost, "/api/oncall/policies", object{"name": "Chaos", "default": true, "steps": steps}, nil)
}

// do makes one call while nothing dies yet.
func (p *person) do(ctx context.Context, method, path string, in, out any) error {
	a, err := p.attempt(ctx, p.apis[0], method, path, in, "")
	switch {
	case err != nil:
		return fmt.Errorf("%s %s: %w", method, path, err)
	case !a.ok():
		return fmt.Errorf("%s %s: status %d: %s", method, path, a.status, clip(a.body))
	case out == nil:
		return nil
	}
	return a.into(out)
}

// checkCalls finds messages that were lost or told twice. A post may be repeated under its id: its receiver knows that.
func (o *outside) checkCalls(ctx context.Context, db *store.DB, l *ledger) error {
	rows, err := db.Conn(ctx).Query(ctx, `
		SELECT d.id, n.about_id, n.phase, d.state, count(*) OVER (PARTITION BY n.about_id, n.phase),
		       CASE n.phase WHEN 'problem' THEN (SELECT count(*) FROM oncall_calls c WHERE c.incident_id = n.about_id) ELSE 1 END
		FROM notify_deliveries d JOIN notifications n ON n.id = d.notification_id WHERE n.topic = 'incident.called'`)
	if err != nil {
		return fmt.Errorf("list deliveries: %w", err)
	}
	defer rows.Close()
	o.mu.Lock()
	defer o.mu.Unlock()
	known, posts := 0, 0
	for rows.Next() {
		var id, incident uuid.UUID
		var phase, state string
		var told, wanted int
		if err := rows.Scan(&id, &incident, &phase, &state, &told, &wanted); err != nil {
			return fmt.Errorf("read deliveries: %w", err)
		}
		c := o.calls[id]
		known, posts = known+1, posts+c.posts
		if state != "sent" || c.accepted == 0 {
			l.complain(violation{"i8-deliveries", id, fmt.Sprintf("a delivery is %s, and its receiver accepted %d of %d posts",
				state, c.accepted, c.posts)})
		}
		if told != wanted {
			l.complain(violation{"i8-deliveries", incident, fmt.Sprintf("an incident has %d messages of the phase %s in place of %d",
				told, phase, wanted)})
		}
	}
	if known != len(o.calls) {
		text := fmt.Sprintf("%d deliveries were posted, and %d are known", len(o.calls), known)
		l.complain(violation{what: "i8-deliveries", text: text})
	}
	fmt.Printf("deliveries: %d, in %d posts\n", known, posts)
	return rows.Err()
}

// escalateAnIncident opens an incident, waits until each step of its policy was taken, once, and resolves it.
func escalateAnIncident(ctx context.Context, p *person) error {
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
		// The end of an incident stops the messages that wait, so all of them are delivered first.
		if err := p.delivered(ctx, incident.ID); err != nil {
			return err
		}
		a, err = p.insist(ctx, http.MethodPost, "/api/incidents/"+incident.ID.String()+"/resolve", object{}, uuid.NewString())
		if err == nil && !a.ok() && a.status != http.StatusConflict {
			err = fmt.Errorf("resolve: status %d: %s", a.status, clip(a.body))
		}
		return err
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

// delivered waits until no message about an incident waits.
func (p *person) delivered(ctx context.Context, incident uuid.UUID) error {
	list := "/api/notifications/deliveries?aboutKind=incident&state=waiting&aboutId=" + incident.String()
	for {
		a, err := p.insist(ctx, http.MethodGet, list, nil, "")
		if err != nil {
			return err
		}
		var waiting struct {
			Deliveries []struct{ ID uuid.UUID }
		}
		if err := a.into(&waiting); err != nil {
			return fmt.Errorf("read deliveries: %w", err)
		}
		if len(waiting.Deliveries) == 0 {
			return nil
		}
		wait(ctx, 200*time.Millisecond)
	}
}
