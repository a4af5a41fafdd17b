package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

const (
	// soon bounds the time in which a process must report the outage of Temporal, and accept a message during it: one
	// call to Temporal, and some more on a busy machine.
	soon = 40 * time.Second
	// glance is the interval at which the readiness of the processes is read.
	glance = 2 * time.Second
)

// witness checks the product's guarantees during an outage of Temporal: processes are ready and report degraded mode, a
// message is accepted and its turn ends eventually, an approved change is applied eventually, and an undecided card
// expires in time. Work beyond the outage is awaited with witnesses.
func (x *outages) witness(ctx context.Context, d time.Duration) {
	if d < soon {
		wait(ctx, d)
		return
	}
	over, end := context.WithTimeout(ctx, d)
	defer end()
	x.attend(ctx, "message", func(ctx context.Context, p *person) error { return x.message(ctx, over, p) })
	x.attend(ctx, "agreed", func(ctx context.Context, p *person) error { return x.agreed(ctx, over, p) })
	if d > x.ttl+soon {
		x.attend(ctx, "expired", func(ctx context.Context, p *person) error { return x.expired(ctx, over, p) })
	}
	var looking sync.WaitGroup
	for _, s := range x.stage.fleet.slots {
		looking.Go(func() {
			if err := x.ready(over, s); err != nil && ctx.Err() == nil {
				x.ledger.complain(violation{what: "readiness", text: err.Error()})
			}
		})
	}
	looking.Wait()
	<-over.Done()
}

// attend makes a request during and after an outage of Temporal.
func (x *outages) attend(ctx context.Context, what string, do func(ctx context.Context, p *person) error) {
	x.witnesses.Go(func() {
		r := x.ledger.begin("witness " + what)
		defer r.end()
		limited, cancel := context.WithTimeout(ctx, x.stage.crowd.limit)
		defer cancel()
		if err := do(limited, x.stage.crowd.person(r, rand.New(rand.NewPCG(x.seed, uint64(len(what)))))); err != nil && ctx.Err() == nil {
			x.ledger.complain(violation{"while Temporal is away", r.first(), what + ": " + err.Error()})
		}
	})
}

// message sends a message, which must be accepted during the outage of Temporal. It returns when Temporal is back.
func (x *outages) message(ctx, over context.Context, p *person) error {
	conversation, err := p.conversation(ctx, "approve")
	if err != nil {
		return err
	}
	t := p.message(conversation, pace+"script: tokens=20")
	taken := make(chan struct{})
	first := sync.OnceFunc(func() { close(taken) })
	t.onChunk = func(int) { first() }
	late := make(chan error, 1)
	go func() {
		select {
		case <-taken:
			late <- nil
		case <-time.After(soon):
			late <- fmt.Errorf("a message was not taken within %s", soon)
		case <-over.Done():
			late <- errors.New("a message was taken only when Temporal was back")
		}
	}()
	_, err = t.post(ctx)
	return errors.Join(err, <-late)
}

// agreed creates and applies a proposal during the outage of Temporal. The response may be that the apply is still
// running.
func (x *outages) agreed(ctx, over context.Context, p *person) error {
	id, err := p.propose(ctx)
	if err != nil {
		return err
	}
	if over.Err() != nil {
		return errors.New("a proposal was made only when Temporal was back")
	}
	if err := p.apply(ctx, id); err != nil {
		return err
	}
	c, err := p.final(ctx, id)
	if err == nil && c.Status != "applied" && c.Status != "expired" {
		err = fmt.Errorf("a change that was agreed to is %s", c.Status)
	}
	return err
}

// expired leaves a card undecided. It expires by the database clock, so before Temporal is back, and its token with it.
func (x *outages) expired(ctx, over context.Context, p *person) error {
	id, err := p.propose(ctx)
	if err != nil {
		return err
	}
	before, err := p.card(ctx, id)
	if err != nil {
		return err
	}
	c, err := p.final(ctx, id)
	switch {
	case err != nil:
		return err
	case c.Status != "expired":
		return fmt.Errorf("a card that nobody decided about is %s", c.Status)
	case over.Err() != nil:
		return errors.New("a card expired only when Temporal was back")
	}
	a, err := p.insist(ctx, http.MethodPost, "/api/ai/proposals/apply", object{"token": before.Token}, "")
	if err == nil && a.status != http.StatusGone {
		err = fmt.Errorf("the token of an expired card was answered with %d: %s", a.status, clip(a.body))
	}
	return err
}

// ready checks a process until Temporal is back: it must report degraded mode within soon, and always be ready.
func (x *outages) ready(over context.Context, s *slot) error {
	began, degraded := time.Now(), false
	for over.Err() == nil {
		status, word, err := readiness(over, s.url())
		switch {
		case over.Err() != nil:
		case err != nil:
			return fmt.Errorf("%s cannot be asked whether it is ready: %w", s.name(), err)
		case status != http.StatusOK:
			return fmt.Errorf("%s answered %d at /readyz", s.name(), status)
		case word == "degraded":
			degraded = true
		case degraded || time.Since(began) > soon:
			return fmt.Errorf("%s said that it is %s %s after Temporal had gone", s.name(), word, time.Since(began).Round(time.Second))
		}
		wait(over, glance)
	}
	if !degraded {
		return fmt.Errorf("%s never said that Temporal is away", s.name())
	}
	return nil
}

func readiness(ctx context.Context, url string) (status int, word string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
	if err != nil {
		return 0, "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	var said struct {
		Status string `json:"status"`
	}
	err = json.NewDecoder(res.Body).Decode(&said)
	return res.StatusCode, said.Status, err
}
