package activities

import (
	"context"
	"errors"
	"sync"

	"countersign/chat/assistant"
	"countersign/chat/turn"
	"countersign/model"
	"countersign/tool/spend"
	"countersign/workflows"
)

// errOffTopic is the cause that ends the model call of an off-topic message.
var errOffTopic = errors.New("the message is about something else")

// gate buffers the model's answer until the off-topic verdict, which is made in parallel. The check so adds no latency,
// and nobody reads an answer that it forbids.
type gate struct {
	mu         sync.Mutex
	st         *streamer
	held       []model.Delta
	closed     bool
	isOffTopic bool
	cancel     context.CancelCauseFunc
	// decided is closed once the gate is open, or stays closed forever.
	decided chan struct{}
}

// startVerdict starts the off-topic check if it is due. The context is that of the model call.
func (a *Turn) startVerdict(ctx context.Context, s *session, sc scope, in workflows.CallModelInput, st *streamer) (context.Context, *gate) {
	ctx, cancel := context.WithCancelCause(ctx)
	g := &gate{st: st, cancel: cancel, decided: make(chan struct{})}
	if in.Step != 1 || !a.needsVerdict(s, sc) {
		// An earlier attempt without a record has left its verdict.
		if off, _ := s.Memo.verdict.Get(); off {
			g.closed = true
			g.decide(off)
		}
		close(g.decided)
		return ctx, g
	}
	g.closed = true
	go func() {
		defer close(g.decided)
		off := a.offTopic(ctx, s, sc)
		if ctx.Err() != nil {
			// Stopped, or given up: the buffered text is not known to be an answer.
			return
		}
		s.Memo.verdict.Put(off)
		g.decide(off)
		if !off {
			a.nameConversation(ctx, s, sc)
		}
	}()
	return ctx, g
}

func (g *gate) decide(off bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	held := g.held
	g.held, g.isOffTopic = nil, off
	if off {
		g.cancel(errOffTopic)
		return
	}
	g.closed = false
	for _, d := range held {
		g.st.delta(d)
	}
}

func (g *gate) delta(d model.Delta) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case !g.closed:
		g.st.delta(d)
	case !g.isOffTopic:
		g.held = append(g.held, d)
	}
}

// hasOutput reports whether the model has said something, shown or not.
func (g *gate) hasOutput() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.st.started || len(g.held) > 0
}

// wait waits for the verdict and reports whether the message is off-topic. After it the streamer belongs to the caller.
func (g *gate) wait() bool {
	<-g.decided
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.isOffTopic
}

// needsVerdict reports whether the message needs an off-topic check.
func (a *Turn) needsVerdict(s *session, sc scope) bool {
	message := s.Question()
	// A run asks what its definition says. An agent's authors decide about its topics.
	if sc.run != nil || sc.skill != nil && sc.skill.Agent != "" {
		return false
	}
	if _, known := s.Memo.verdict.Get(); known || message == "" || sc.connection.NoClassifier {
		return false
	}
	if s.AnswersCard() || !assistant.NeedsClassifier(message, s.IsFirst() && len(s.ClientHistory.Messages) == 0) {
		return false
	}
	_, displaces := a.mayHaveOneSlot(s, sc)
	return !displaces
}

// offTopic reports whether a model finds the message off-topic. After an error it does not.
func (a *Turn) offTopic(ctx context.Context, s *session, sc scope) bool {
	system, user := assistant.Classifier(s.Question())
	response, err := a.ask(
		ctx,
		s,
		sc,
		smallRequest{purpose: spend.Classifier, system: system, user: user, tokens: assistant.ClassifierTokens, time: assistant.VerdictTime},
	)
	if err != nil {
		a.Log.Info("Message not classified", "turn", s.ID, "error", err)
		return false
	}
	return assistant.OffTopic(response.Answer())
}

// answerOffTopic records the answer to an off-topic message as the turn's first and only step. The canceled model call
// counts with the tokens it has used.
func (a *Turn) answerOffTopic(ctx context.Context, s *session, st *streamer, tried attempted) (workflows.CallModelOutput, error) {
	if _, unsent := errors.AsType[*unsentError](tried.err); !unsent {
		if unspent(tried.err) {
			if err := a.Spend.Release(context.WithoutCancel(ctx), tried.call); err != nil {
				a.Log.Warn("Tokens of a model call not released; they count at their estimate", "turn", s.ID, "error", err)
			}
		} else {
			st.used = tried.call.Settlement(spend.Usage(tried.usage))
		}
	}
	st.notices = nil
	st.delta(model.Delta{Text: assistant.OffTopicAnswer})
	return a.recordModel(ctx, s, st, turn.ModelResult{FinishReason: model.FinishStop, Usage: tried.usage})
}
