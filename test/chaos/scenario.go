package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/chat/stream"
)

// scenario is a task of a person.
type scenario struct {
	name string
	play func(ctx context.Context, p *person) error
	// limit bounds how many people run it concurrently; 0 is unlimited.
	limit int
}

func scenarios() []scenario {
	return []scenario{
		{name: "read", play: ask},
		{name: "retry", play: askOfABusyModel},
		{name: "stop", play: stopAnAnswer},
		{name: "stopwrite", play: stopWrites},
		{name: "create", play: createASystem},
		{name: "update", play: updateASystem},
		{name: "delete", play: deleteASystem},
		{name: "decline", play: declineAProposal},
		{name: "expire", play: leaveAProposal, limit: 3},
		{name: "auto", play: createInAutoMode},
		{name: "rival", play: applyAgainstARival},
		{name: "plan", play: applyAPlan},
		{name: "plandecline", play: declineAPlan},
		{name: "program", play: useTheAPI},
		{name: "escalate", play: escalateAnIncident},
		// Nobody may have more than eight tests open, and here everybody is the same person.
		{name: "script", play: testAScript, limit: 3},
		{name: "agent", play: writeAnAgent, limit: 3},
		{name: "tool", play: callATool, limit: 3},
	}
}

// pace is that of a model that answers fast but not at once.
const pace = "script: delay_first=20ms delay_token=4ms\n"

// ask has two rounds of reads, two at a time, before the answer.
func ask(ctx context.Context, p *person) error {
	_, err := p.chat(
		ctx,
		"approve",
		pace+`script: rounds=2 tool=ai.listDocs tool=ai.searchDocs input={"query":"approve a proposal"} r2.text="Let me look again." tokens=40`,
	)
	return err
}

// askOfABusyModel meets a provider whose first response is a refusal.
func askOfABusyModel(ctx context.Context, p *person) error {
	_, err := p.chat(ctx, "approve", pace+fmt.Sprintf("script: fault=429@1x1 retry_after=100ms tokens=20 id=%q", p.names()))
	return err
}

// stopAnAnswer stops a long answer when some of it has come.
func stopAnAnswer(ctx context.Context, p *person) error {
	conversation, err := p.conversation(ctx, "approve")
	if err != nil {
		return err
	}
	stopped := make(chan error, 1)
	t := p.message(conversation, "script: delay_first=20ms delay_token=10ms tokens=3000")
	started := false
	t.onChunk = func(n int) {
		if n < 8 || started {
			return
		}
		started = true
		stopper := *p
		stopper.rng = p.fork()
		go func() { stopped <- stopper.stop(ctx, conversation) }()
	}
	if _, err := t.post(ctx); err != nil {
		return err
	}
	if !started {
		return errors.New("an answer of 3,000 tokens ended before it was stopped")
	}
	return <-stopped
}

// stop asks for the end of the running turn.
func (p *person) stop(ctx context.Context, conversation uuid.UUID) error {
	a, err := p.insist(ctx, http.MethodPost, "/api/ai/chat/"+conversation.String()+"/stop", nil, "")
	if err != nil {
		return err
	}
	if !a.ok() {
		return fmt.Errorf("stop: status %d: %s", a.status, clip(a.body))
	}
	return nil
}

// stopWrites stops a step of twelve changes at a random moment, in either mode.
func stopWrites(ctx context.Context, p *person) error {
	mode := []string{"approve", "auto"}[p.rng.IntN(2)]
	conversation, err := p.conversation(ctx, mode)
	if err != nil {
		return err
	}
	var script strings.Builder
	script.WriteString(pace + "script: tokens=5")
	for range 12 {
		fmt.Fprintf(&script, ` r1.tool=catalog.createSystem r1.input={"name":%q}`, p.names())
	}
	t := p.message(conversation, script.String())
	stopper := *p
	stopper.rng = p.fork()
	after := time.Duration(p.rng.IntN(600)) * time.Millisecond
	stopped := make(chan error, 1)
	begun := sync.OnceFunc(func() {
		go func() {
			wait(ctx, after)
			stopped <- stopper.stop(ctx, conversation)
		}()
	})
	t.onChunk = func(int) { begun() }
	if _, err := t.post(ctx); err != nil {
		return err
	}
	return <-stopped
}

// createInAutoMode has the turn itself apply two changes.
func createInAutoMode(ctx context.Context, p *person) error {
	first, second := p.names(), p.names()
	message, err := p.chat(ctx, "auto", pace+fmt.Sprintf(
		`script: r1.tool=catalog.createSystem r1.input={"name":%q} r1.tool=catalog.createSystem r1.input={"name":%q} r2.tool=ai.listDocs tokens=10`,
		first,
		second,
	))
	if err != nil {
		return err
	}
	applied := cardsOf(message, "data-applied")
	expired, err := expiredCards(message)
	if err == nil && len(applied)+expired != 2 {
		err = fmt.Errorf("auto mode shows %d applied and %d expired changes instead of 2: %s", len(applied), expired, partsOf(message))
	}
	return err
}

// expiredCards counts changes whose proposals expired during a crash.
func expiredCards(m stream.Message) (int, error) {
	expired := 0
	for _, part := range m.Parts {
		if part.Type != "data-proposal" {
			continue
		}
		var c card
		if err := json.Unmarshal(part.Data, &c); err != nil {
			return 0, err
		}
		if c.Status == "expired" {
			expired++
		}
	}
	return expired, nil
}

// useTheAPI calls a tool that reads, and proposes and applies a change, without a conversation.
func useTheAPI(ctx context.Context, p *person) error {
	a, err := p.insist(ctx, http.MethodPost, "/api/ai/tools/ai.searchDocs/call", object{"input": object{"query": "limits"}}, "")
	if err != nil {
		return err
	}
	if !a.ok() {
		return fmt.Errorf("call a tool: status %d: %s", a.status, clip(a.body))
	}
	id, err := p.propose(ctx)
	if err != nil {
		return err
	}
	return p.apply(ctx, id)
}

// propose proposes a system through the API.
func (p *person) propose(ctx context.Context) (uuid.UUID, error) {
	key, input := uuid.NewString(), object{"input": object{"name": p.names()}}
	for {
		a, err := p.insist(ctx, http.MethodPost, "/api/ai/tools/catalog.createSystem/propose", input, key)
		if err != nil {
			return uuid.Nil, err
		}
		if a.status == http.StatusConflict && ctx.Err() == nil {
			// The first attempt may have died in the middle; the answer says to come back in a moment.
			p.run.again()
			wait(ctx, time.Second)
			continue
		}
		var card card
		if err := a.into(&card); err != nil {
			return uuid.Nil, fmt.Errorf("propose: %w", err)
		}
		p.run.about(card.ProposalID)
		return card.ProposalID, nil
	}
}

// object is a JSON object.
type object map[string]any

// chat says one thing in a conversation of its own and returns the answer.
func (p *person) chat(ctx context.Context, mode, text string) (stream.Message, error) {
	conversation, err := p.conversation(ctx, mode)
	if err != nil {
		return stream.Message{}, err
	}
	return p.message(conversation, text).post(ctx)
}

// misunderstood finds a directive that the model could not parse: a bug of this program.
func misunderstood(m stream.Message) error {
	for _, part := range m.Parts {
		if part.Text != nil && strings.Contains(*part.Text, "The script cannot be performed") {
			return errors.New(*part.Text)
		}
	}
	return nil
}

func (p *person) conversation(ctx context.Context, mode string) (uuid.UUID, error) {
	a, err := p.insist(ctx, http.MethodPost, "/api/ai/conversations", object{"permissionMode": mode}, "")
	if err != nil {
		return uuid.Nil, err
	}
	var made struct {
		ID uuid.UUID `json:"id"`
	}
	if err := a.into(&made); err != nil {
		return uuid.Nil, fmt.Errorf("start a conversation: %w", err)
	}
	p.run.about(made.ID)
	return made.ID, nil
}

func (p *person) message(conversation uuid.UUID, text string) *talk {
	id := uuid.NewString()
	return &talk{
		person: p, conversation: conversation, message: id,
		body: object{"conversationId": conversation, "messageId": id, "message": text},
	}
}

// cardsOf are the ids of the proposals that a message shows.
func cardsOf(m stream.Message, kind string) []uuid.UUID {
	var ids []uuid.UUID
	for _, part := range m.Parts {
		if id, err := uuid.Parse(part.ID); part.Type == kind && err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

func partsOf(m stream.Message) string {
	raw, err := json.Marshal(m.Parts)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}
