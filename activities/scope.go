package activities

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"countersign/chat/assistant"
	"countersign/chat/turn"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/disposition"
)

// turnContext is resolved from the settings of a turn: its principal, model and tools.
type turnContext struct {
	principal  principal.Principal
	connection Connection
	model      string
	tools      []tool.Tool
	memories   []string
	// outside are the recall hints of memories that were written after reading untrusted content.
	outside []string
	skill   *assistant.Skill
	// run is the policy of a run, nil for all other turns.
	run *disposition.RunPolicy
}

// scope is the loaded state that the steps of one turn share in this process.
type scope struct {
	turnContext

	// note describes a decision, in the turn that follows one.
	note string
	// keptChanges are applied changes whose messages are replaced.
	keptChanges []assistant.Decided
}

// scope loads the scope of the turn, once a session.
func (a *Turn) scope(ctx context.Context, s *session) (scope, error) {
	return s.Memo.scope.GetOrCompute(func() (scope, error) {
		g, err := a.turnContextOf(ctx, s)
		if err != nil {
			return scope{}, err
		}
		sc := scope{turnContext: g}
		if sc.note, err = a.note(ctx, s); err != nil {
			return scope{}, err
		}
		if sc.keptChanges, err = a.updateDecided(ctx, s, sc); err != nil {
			return scope{}, err
		}
		return sc, a.taintOf(ctx, s, sc)
	})
}

// turnContextOf is the prefetched turn context if it is recent, or the database's current one.
func (a *Turn) turnContextOf(ctx context.Context, s *session) (turnContext, error) {
	if prefetch, ok := s.Memo.prefetch.Take(); ok {
		if g, ok := prefetch.wait(ctx, a.maxPrefetchAge()); ok {
			return g, nil
		}
	}
	return a.loadTurnContext(
		ctx,
		turn.Settings{ConversationID: s.ConversationID, Principal: s.Principal, ConnectionID: s.ConnectionID, Model: s.Model, SkillID: s.SkillID},
	)
}

func (a *Turn) loadTurnContext(ctx context.Context, set turn.Settings) (g turnContext, err error) {
	who := set.Principal
	if g.principal, err = a.Principals.Load(ctx, who.Kind, who.ID, who.SessionID); err != nil {
		return g, err
	}
	if g.connection, err = a.Connections.Connect(ctx, set.ConnectionID); err != nil {
		return g, err
	}
	g.connection, g.model = g.connection.forModel(set.Model)
	if g.connection.Figures.ReasoningTokens > 0 {
		g.connection.Client.AddThoughts(g.model, g.connection.Figures.ReasoningTokens)
	}
	if g.tools, err = a.offered(ctx, g.principal); err != nil {
		return g, err
	}
	if run := g.principal.Run; run != nil {
		policy, err := a.Runs.Policy(ctx, run.ID)
		if err != nil {
			return g, err
		}
		g.run = &policy
	}
	// The notes of an application are those of its chats.
	if a.Memories != nil && g.run == nil {
		if g.memories, g.outside, err = a.Memories.Injected(ctx, g.principal); err != nil {
			return g, err
		}
	}
	if g.skill, err = a.skill(ctx, set, g.principal); err != nil {
		return g, err
	}
	g.tools = slices.DeleteFunc(g.tools, func(t tool.Tool) bool { return !g.has(t) })
	return g, nil
}

// taintOf taints the conversation with untrusted content of the prompt itself: the answers that it leads to stay in the
// history.
func (a *Turn) taintOf(ctx context.Context, s *session, sc scope) error {
	var found []disposition.Taint
	if sc.skill != nil && sc.skill.Foreign {
		found = append(found, disposition.Taint{Kind: disposition.SkillTaint, Source: sc.skill.Name + " (" + sc.skill.Author + ")"})
	}
	for _, hint := range sc.outside {
		found = append(found, disposition.Taint{Kind: disposition.MemoryTaint, Source: hint})
	}
	for _, t := range found {
		if s.HasTaint(t) {
			continue
		}
		if err := s.Taint(ctx, t); err != nil {
			return err
		}
	}
	if err := a.taintByConnection(ctx, s, sc); err != nil {
		return err
	}
	return a.taintByToolAuthors(ctx, s, sc.principal, sc.tools)
}

// has reports whether the conversation may have a tool at all: one with an agent has only the agent's tools, and one of a
// run what its policy offers.
func (g turnContext) has(t tool.Tool) bool {
	if g.run != nil && !g.run.Offers(t) {
		return false
	}
	if g.skill == nil || g.skill.Agent == "" {
		return true
	}
	slug, ok := assistant.AgentOf(t.Name)
	return ok && t.Made() && slug == g.skill.Agent
}

// skill is the person's active skill. A deleted skill is left out, as the message was sent with it. A deleted agent is
// an error, as without it the conversation would have all tools.
func (a *Turn) skill(ctx context.Context, set turn.Settings, p principal.Principal) (*assistant.Skill, error) {
	if a.Skills == nil || set.SkillID == "" {
		return nil, nil
	}
	found, err := a.Skills.Active(ctx, p, set.SkillID)
	if err != nil && (problem.CodeOf(err) == problem.Internal || strings.HasPrefix(set.SkillID, assistant.AgentSkill)) {
		return nil, err
	}
	if err != nil {
		a.Log.Info("Skill left out", "conversation", set.ConversationID, "skill", set.SkillID, "error", err)
		return nil, nil
	}
	return &found, nil
}

// prefetchMaxAge is the age up to which a prefetched turn context is used.
const prefetchMaxAge = time.Second

func (a *Turn) maxPrefetchAge() time.Duration { return cmp.Or(a.PrefetchMaxAge, prefetchMaxAge) }

// Prefetch is a turn context that is loaded beside the acceptance of its message.
type Prefetch struct {
	done        chan struct{}
	asked       time.Time
	turnContext turnContext
	err         error
}

// NewPrefetch returns a prefetch and the function that loads it, for StartFirstModelCall.
func (a *Turn) NewPrefetch(set turn.Settings) (prefetch *Prefetch, load func(ctx context.Context)) {
	prefetch = &Prefetch{asked: time.Now(), done: make(chan struct{}), err: errors.New("not loaded")}
	return prefetch, func(ctx context.Context) {
		defer close(prefetch.done)
		defer func() {
			if v := recover(); v != nil {
				a.Log.Error("Panic while prefetching a turn's context", "conversation", set.ConversationID, "panic", v)
			}
		}()
		ctx, cancel := context.WithTimeout(ctx, a.earlyTimeout())
		defer cancel()
		prefetch.turnContext, prefetch.err = a.loadTurnContext(ctx, set)
	}
}

// wait waits for the prefetch until it is too old. It is not ok after a failure or when too old; the caller then loads
// the context itself.
func (h *Prefetch) wait(ctx context.Context, trust time.Duration) (turnContext, bool) {
	old := time.NewTimer(trust - time.Since(h.asked))
	defer old.Stop()
	select {
	case <-h.done:
	case <-old.C:
		return turnContext{}, false
	case <-ctx.Done():
		return turnContext{}, false
	}
	return h.turnContext, h.err == nil && time.Since(h.asked) < trust
}
