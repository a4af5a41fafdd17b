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

// errOffTopic ends the model call of a message that turns out to be about something else.
var errOffTopic = errors.New("the message is about something else")

// gate holds back what the model says until the verdict about the message is there, which is asked for beside the call. The
// check so costs no time, and nobody reads an answer that it forbids.
type gate struct {
	mu     sync.Mutex
	st     *streamer
	held   []model.Delta
	shut   bool
	off    bool
	cancel context.CancelCauseFunc
	// ruled is closed once nothing is held back any more, or never will be said.
	ruled chan struct{}
}

// judge asks for the verdict about the message if it is due. The context is that of the model call.
func (a *Turn) judge(ctx context.Context, s *session, sc scope, in workflows.CallModelInput, st *streamer) (context.Context, *gate) {
	ctx, cancel := context.WithCancelCause(ctx)
	g := &gate{st: st, cancel: cancel, ruled: make(chan struct{})}
	if in.Step != 1 || !needsVerdict(s, sc) {
		// An attempt whose record was not written has left its verdict.
		if off, _ := s.Memo.verdict.Get(); off {
			g.shut = true
			g.rule(off)
		}
		close(g.ruled)
		return ctx, g
	}
	g.shut = true
	go func() {
		defer close(g.ruled)
		off := a.offTopic(ctx, s, sc)
		if ctx.Err() != nil {
			// Stopped, or given up: what has been said is not known to be an answer.
			return
		}
		s.Memo.verdict.Put(off)
		g.rule(off)
		if !off {
			a.nameConversation(ctx, s, sc)
		}
	}()
	return ctx, g
}

func (g *gate) rule(off bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	held := g.held
	g.held, g.off = nil, off
	if off {
		g.cancel(errOffTopic)
		return
	}
	g.shut = false
	for _, d := range held {
		g.st.delta(d)
	}
}

func (g *gate) delta(d model.Delta) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case !g.shut:
		g.st.delta(d)
	case !g.off:
		g.held = append(g.held, d)
	}
}

// spoken reports whether the model has said something, shown or not.
func (g *gate) spoken() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.st.begun || len(g.held) > 0
}

// wait reports whether the message is about something else. After it the streamer belongs to the caller alone.
func (g *gate) wait() bool {
	<-g.ruled
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.off
}

// needsVerdict reports whether nobody knows yet what the message is about.
func needsVerdict(s *session, sc scope) bool {
	message := s.Question()
	// What an agent is about is for its authors to say.
	if sc.skill != nil && sc.skill.Agent != "" {
		return false
	}
	if _, known := s.Memo.verdict.Get(); known || message == "" || sc.connection.NoClassifier {
		return false
	}
	return !s.AnswersCard() && assistant.NeedsClassifier(message, s.First() && len(s.ToldBefore.Messages) == 0)
}

// offTopic asks a model whether the message is about something else. It fails to the person's side.
func (a *Turn) offTopic(ctx context.Context, s *session, sc scope) bool {
	system, user := assistant.Classifier(s.Question())
	verdict, err := a.ask(
		ctx,
		s,
		sc,
		question{purpose: spend.Classifier, system: system, user: user, tokens: assistant.ClassifierTokens, patience: verdictPatience},
	)
	if err != nil {
		a.Log.Info("Message not classified", "turn", s.ID, "error", err)
		return false
	}
	return assistant.OffTopic(verdict)
}

// turnAway records the answer to a message about something else as the turn's first and only step. The call that was
// given up for it counts as what it has used.
func (a *Turn) turnAway(ctx context.Context, s *session, st *streamer, tried attempted) (workflows.CallModelOutput, error) {
	if _, unsent := errors.AsType[*unsentError](tried.err); !unsent {
		if unspent(tried.err) {
			if err := a.Spend.Release(context.WithoutCancel(ctx), tried.call); err != nil {
				a.Log.Warn("Tokens of a model call not released; they count at their estimate", "turn", s.ID, "error", err)
			}
		} else {
			st.used = tried.call.Settlement(spend.Usage(tried.usage))
		}
	}
	st.delta(model.Delta{Text: assistant.OffTopicAnswer})
	return a.recordModel(ctx, s, st, turn.ModelResult{FinishReason: model.FinishStop, Usage: tried.usage})
}
