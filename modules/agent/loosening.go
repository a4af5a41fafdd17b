package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/agent/agentdb"
)

// toolGuard holds the properties of a tool that decide which calls need confirmation.
type toolGuard struct {
	asks, approval bool
	source         string
}

// toolGuards returns the tools of a revision, by id.
func (s *service) toolGuards(ctx context.Context, revision uuid.UUID) (map[string]toolGuard, error) {
	rows, err := s.queries(ctx).ToolEffects(ctx, revision)
	if err != nil {
		return nil, fmt.Errorf("read effects of tools: %w", err)
	}
	tools := make(map[string]toolGuard, len(rows))
	for _, row := range rows {
		spec, err := specOf(row.Spec)
		if err != nil {
			return nil, err
		}
		rule := spec.Tools[row.ID]
		tools[row.ID] = toolGuard{rule.needsDecision(Effect(row.Effect)), rule.RequiresApproval, row.SourceSha256}
	}
	return tools, nil
}

// lastLiveTools returns the tools and id of an agent's live or last live revision.
func (s *service) lastLiveTools(ctx context.Context, agent uuid.UUID) (map[string]toolGuard, uuid.UUID, error) {
	id, err := s.queries(ctx).LastPromoted(ctx, agent)
	if store.NoRows(err) {
		return nil, uuid.Nil, nil
	}
	if err != nil {
		return nil, uuid.Nil, fmt.Errorf("find the revision that was live last: %w", err)
	}
	tools, err := s.toolGuards(ctx, id)
	return tools, id, err
}

// loosening finds the policies that promoting a revision loosens: tools with a lower effect than in the last live
// revision, and policy-bound tools under another name.
func (s *service) loosening(ctx context.Context, input json.RawMessage, set []string) (l rest.Loosening, err error) {
	var in struct {
		Agent string `json:"id"`
		Rev   string `json:"rev"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return rest.Loosening{Widens: true}, nil //nolint:nilerr // the operation refuses what it cannot read
	}
	id, err := s.resolveID(ctx, in.Agent)
	if problem.Is(err, problem.NotFound) {
		return l, nil
	}
	if err != nil {
		return l, err
	}
	agent, err := s.queries(ctx).Agent(ctx, id)
	if store.NoRows(err) {
		return l, nil
	}
	if err != nil {
		return l, fmt.Errorf("find an agent: %w", err)
	}
	row, err := s.revision(ctx, id, in.Rev)
	if problem.CodeOf(err) == problem.NotFound || problem.CodeOf(err) == problem.Invalid {
		return l, nil
	}
	if err != nil {
		return l, err
	}
	before, last, err := s.lastLiveTools(ctx, id)
	if err != nil || last == row.ID {
		return l, err
	}
	after, err := s.toolGuards(ctx, row.ID)
	if err != nil {
		return l, err
	}
	return s.compareGuards(ctx, namePrefix+agent.NameKey, before, after, set)
}

// compareGuards compares the tools of two revisions of an agent of this name.
func (s *service) compareGuards(ctx context.Context, whole string, before, after map[string]toolGuard,
	set []string,
) (l rest.Loosening, err error) {
	var others, sources []string
	for _, name := range set {
		if strings.HasPrefix(name, namePrefix) && name != whole && !strings.HasPrefix(name, whole+".") {
			others = append(others, name)
		}
	}
	fresh := false
	for id, t := range after {
		name := whole + "." + id
		was, there := before[id]
		fresh = fresh || !there
		lower := there && (was.asks && !t.asks || was.approval && !t.approval)
		l.Widens = l.Widens || lower
		if lower || !there && !t.asks {
			l.Policies = append(l.Policies, intersect(set, name, whole)...)
		}
		if !there {
			sources = append(sources, "agent:"+t.source, "agents:"+t.source)
		}
	}
	if fresh {
		// A policy-bound tool under another name, of this or another agent, would bypass its policy.
		l.Policies = append(l.Policies, policiesOfRemoved(set, whole, after)...)
		twins, err := s.queries(ctx).NamesWithIdentity(ctx, agentdb.NamesWithIdentityParams{Names: set, Identities: sources})
		if err != nil {
			return l, fmt.Errorf("find tools with the same source: %w", err)
		}
		l.Policies = append(l.Policies, twins...)
		l.Widens = l.Widens || len(others) > 0
	}
	slices.Sort(l.Policies)
	l.Policies = slices.Compact(l.Policies)
	return l, nil
}

// policiesOfRemoved returns the policy names of tools that the agent no longer has.
func policiesOfRemoved(set []string, whole string, after map[string]toolGuard) (removed []string) {
	for _, name := range set {
		id, own := strings.CutPrefix(name, whole+".")
		if _, stays := after[id]; own && !stays {
			removed = append(removed, name)
		}
	}
	return removed
}

// intersect returns the names that are in the set.
func intersect(set []string, names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(set, name) })
}
