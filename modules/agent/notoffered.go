package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/agent/agentdb"
	"countersign/tool"
)

// LeftOut is a tool of a live revision that is not offered to assistants, or whose calls must fail.
type LeftOut struct {
	Tool   string        `json:"tool" doc:"Its id."`
	Reason LeftOutReason `json:"reason" enum:"schema_refused,name_taken,too_many,secret_missing" doc:"schema_refused: its schema is nothing that calls could be checked by. name_taken: a tool of the product has its name. too_many: you can use more live tools than are offered to one person. secret_missing: it is offered, and a secret that it refers to is gone."`
	// Message explains the reason in a sentence.
	Message string `json:"message" doc:"What is the matter and what to do about it."`
}

// LeftOutReason is the reason code.
type LeftOutReason string

// The reasons.
const (
	SchemaRefused LeftOutReason = "schema_refused"
	NameTaken     LeftOutReason = "name_taken"
	TooMany       LeftOutReason = "too_many"
	SecretMissing LeftOutReason = "secret_missing"
)

// leftOut lists the tools of an agent's live revision that are not offered to the caller, by id.
func (s *service) leftOut(ctx context.Context, agent agentdb.Agent) ([]LeftOut, error) {
	p := principal.FromContext(ctx)
	found, err := s.liveTools(ctx, p, agentdb.OfferedToolsParams{AgentID: &agent.ID})
	if err != nil || len(found) == 0 {
		return []LeftOut{}, err
	}
	beyond, err := s.overLimit(ctx, p, found)
	if err != nil {
		return nil, err
	}
	missing, err := s.missingSecrets(ctx, found)
	if err != nil {
		return nil, err
	}
	list := []LeftOut{}
	for _, l := range found {
		switch _, err := l.tool(); {
		case err != nil:
			list = append(
				list,
				LeftOut{
					l.ID,
					SchemaRefused,
					fmt.Sprintf("The tool %s is not offered: %s Change it in a draft, and promote that.", l.ID, reasonText(err)),
				},
			)
		case s.IsWireNameTaken != nil && s.IsWireNameTaken(tool.WireNameOf(l.name())):
			list = append(
				list,
				LeftOut{
					l.ID,
					NameTaken,
					fmt.Sprintf("The tool %s is not offered: a tool of the product is called like that. Give it another id.", l.ID),
				},
			)
		case beyond[l.name()]:
			list = append(
				list,
				LeftOut{
					l.ID,
					TooMany,
					fmt.Sprintf(
						"The tool %s is not among the %d that are offered to you: you can use more than that. It can be called by its name.",
						l.ID,
						maxOffered,
					),
				},
			)
		}
		for _, name := range l.secrets() {
			if missing[name] {
				list = append(
					list,
					LeftOut{
						l.ID,
						SecretMissing,
						fmt.Sprintf("The tool %s refers to the secret %s, which does not exist any more. Create it, or take it out of the spec.", l.ID, name),
					},
				)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b LeftOut) int { return strings.Compare(a.Tool, b.Tool) })
	return list, nil
}

func reasonText(err error) string {
	if e := problem.As(err); e != nil && e.Code == problem.Invalid {
		return e.Detail
	}
	return "it cannot be read."
}

// overLimit returns which live tools are left out of the offer to p by the limit on offered tools.
func (s *service) overLimit(ctx context.Context, p principal.Principal, of []liveTool) (map[string]bool, error) {
	n, err := s.queries(ctx).CountLiveTools(ctx)
	if err != nil {
		return nil, fmt.Errorf("count live tools: %w", err)
	}
	if n <= maxOffered {
		return nil, nil //nolint:nilnil // none
	}
	offered, err := s.liveTools(ctx, p, agentdb.OfferedToolsParams{})
	if err != nil {
		return nil, err
	}
	out := make(map[string]bool, len(of))
	for _, l := range of {
		out[l.name()] = !slices.ContainsFunc(offered, func(o liveTool) bool { return o.AgentID == l.AgentID && o.ID == l.ID })
	}
	return out, nil
}

// missingSecrets returns which secrets of live tools no longer exist; none for a caller who may not know.
func (s *service) missingSecrets(ctx context.Context, of []liveTool) (map[string]bool, error) {
	gone := map[string]bool{}
	looked := map[string]bool{}
	for _, l := range of {
		for _, name := range l.secrets() {
			if looked[name] {
				continue
			}
			looked[name] = true
			switch err := s.Secrets.Exist(ctx, []string{name}); {
			case problem.Is(err, problem.Conflict):
				gone[name] = true
			case err != nil:
				return nil, fmt.Errorf("look secrets up: %w", err)
			}
		}
	}
	return gone, nil
}
