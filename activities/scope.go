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
	"countersign/principal"
	"countersign/problem"
	"countersign/tool"
	"countersign/tool/disposition"
)

// ground is what the settings of a turn come to: who it acts for, with what model and tools.
type ground struct {
	principal  principal.Principal
	connection Connection
	model      string
	tools      []tool.Tool
	memories   []string
	// outside are the recall hints of memories that were written after reading content from outside.
	outside []string
	skill   *assistant.Skill
}

// scope is what the steps of one turn share in this process.
type scope struct {
	ground

	// note tells the model of a decision, in the turn that follows one.
	note string
	// standing are changes of messages that are replaced.
	standing []assistant.Decided
}

// scope loads what the turn stands on, and what it begins with, once a session.
func (a *Turn) scope(ctx context.Context, s *session) (scope, error) {
	return s.Memo.scope.Once(func() (scope, error) {
		g, err := a.groundOf(ctx, s)
		if err != nil {
			return scope{}, err
		}
		sc := scope{ground: g}
		if sc.note, err = a.note(ctx, s); err != nil {
			return scope{}, err
		}
		if sc.standing, err = a.retell(ctx, s, sc); err != nil {
			return scope{}, err
		}
		return sc, a.taintOf(ctx, s, sc)
	})
}

// groundOf is what was loaded ahead, if that was a moment ago, or what the database says now.
func (a *Turn) groundOf(ctx context.Context, s *session) (ground, error) {
	if ahead, ok := s.Memo.ahead.Take(); ok {
		if g, ok := ahead.take(ctx, a.trusts()); ok {
			return g, nil
		}
	}
	return a.ground(
		ctx,
		turn.Settings{ConversationID: s.ConversationID, Principal: s.Who, ConnectionID: s.ConnectionID, Model: s.Model, SkillID: s.SkillID},
	)
}

func (a *Turn) ground(ctx context.Context, set turn.Settings) (g ground, err error) {
	who := set.Principal
	if g.principal, err = a.Principals.Load(ctx, who.Kind, who.ID, who.SessionID); err != nil {
		return g, err
	}
	if g.connection, err = a.Connections.Connect(ctx, set.ConnectionID); err != nil {
		return g, err
	}
	g.model = set.Model
	if g.connection.Resolve != nil {
		g.model = g.connection.Resolve(set.Model)
	}
	if g.connection.WindowOf != nil {
		g.connection.WindowTokens = g.connection.WindowOf(g.model)
	}
	if g.tools, err = a.offered(ctx, g.principal); err != nil {
		return g, err
	}
	if a.Memories != nil {
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

// taintOf remembers what the prompt itself holds that the person has not written: the answers that are given under it stay
// in the history when it is gone.
func (a *Turn) taintOf(ctx context.Context, s *session, sc scope) error {
	var found []disposition.Taint
	if sc.skill != nil && sc.skill.Foreign {
		found = append(found, disposition.Taint{Kind: disposition.SkillTaint, Source: sc.skill.Name + " (" + sc.skill.Author + ")"})
	}
	for _, hint := range sc.outside {
		found = append(found, disposition.Taint{Kind: disposition.MemoryTaint, Source: hint})
	}
	for _, t := range found {
		if s.Holds(t) {
			continue
		}
		if err := s.Taint(ctx, t); err != nil {
			return err
		}
	}
	if err := a.taintByConnection(ctx, s, sc); err != nil {
		return err
	}
	return a.taintByMakers(ctx, s, sc.principal, sc.tools)
}

// has reports whether the conversation may have a tool at all: one with an agent has those of the agent alone.
func (g ground) has(t tool.Tool) bool {
	if g.skill == nil || g.skill.Agent == "" {
		return true
	}
	slug, ok := assistant.AgentOf(t.Name)
	return ok && t.Made() && slug == g.skill.Agent
}

// skill is the one that the person had active. One that is gone by now is left out: the message was sent with it. An agent that is
// gone is an error, as without it the conversation would have all tools.
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

// aheadTrust is for how long what was loaded ahead is as good as what the database says now.
const aheadTrust = time.Second

func (a *Turn) trusts() time.Duration { return cmp.Or(a.AheadTrust, aheadTrust) }

// Ahead is what a turn stands on, loaded beside the acceptance of its message.
type Ahead struct {
	done   chan struct{}
	asked  time.Time
	ground ground
	err    error
}

// NewAhead is what load loads, which turns with these settings stand on. Begin takes it.
func (a *Turn) NewAhead(set turn.Settings) (ahead *Ahead, load func(ctx context.Context)) {
	ahead = &Ahead{asked: time.Now(), done: make(chan struct{}), err: errors.New("not loaded")}
	return ahead, func(ctx context.Context) {
		defer close(ahead.done)
		defer func() {
			if v := recover(); v != nil {
				a.Log.Error("Panic while loading what a turn stands on", "conversation", set.ConversationID, "panic", v)
			}
		}()
		ctx, cancel := context.WithTimeout(ctx, a.earlyTimeout())
		defer cancel()
		ahead.ground, ahead.err = a.ground(ctx, set)
	}
}

// take waits for what is loaded, for as long as it is trusted. It is not ok when that has failed, or has become old:
// then it is loaded as if nothing had been.
func (h *Ahead) take(ctx context.Context, trust time.Duration) (ground, bool) {
	old := time.NewTimer(trust - time.Since(h.asked))
	defer old.Stop()
	select {
	case <-h.done:
	case <-old.C:
		return ground{}, false
	case <-ctx.Done():
		return ground{}, false
	}
	return h.ground, h.err == nil && time.Since(h.asked) < trust
}
