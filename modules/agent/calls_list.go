package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/modules/agent/agentdb"
)

// Use is one call of a live tool.
type Use struct {
	ID         uuid.UUID `json:"id"`
	At         time.Time `json:"at"`
	Tool       string    `json:"tool"`
	Revision   int       `json:"revision" doc:"The number of the revision that ran."`
	By         Author    `json:"by"`
	InChat     bool      `json:"inChat" doc:"An assistant called it on behalf of the person."`
	ArgsSHA256 string    `json:"argsSha256" doc:"Of the arguments, which are not kept."`
	OK         bool      `json:"ok"`
	ErrorCode  string    `json:"errorCode,omitempty"`
	DurationMs float64   `json:"durationMs"`
}

type useList struct {
	Uses []Use `json:"uses" nullable:"false"`
	rest.Next
}

// useCursor is the cursor of a page of uses.
type useCursor struct {
	At time.Time `json:"at"`
	ID uuid.UUID `json:"id"`
}

// Uses lists the calls of an agent's tools, newest first: all of them for editors, the caller's own for others.
func (s *service) Uses(ctx context.Context, ref string, page rest.Page) ([]Use, rest.Next, error) {
	agent, err := s.findAgent(ctx, ref)
	if err != nil {
		return nil, rest.Next{}, err
	}
	after, err := page.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	params := agentdb.CallsParams{AgentID: agent.ID, MaxRows: page.Rows()}
	if after != "" {
		var p useCursor
		if json.Unmarshal([]byte(after), &p) != nil {
			return nil, rest.Next{}, problem.UnknownCursor()
		}
		params.BeforeAt, params.BeforeID = &p.At, &p.ID
	}
	levels, err := kind.Sight(ctx).Levels(ctx, s.DB, agent.ID)
	if err != nil {
		return nil, rest.Next{}, err
	}
	if !levels[agent.ID].Includes(access.Edit) {
		params.PrincipalID = new(principal.FromContext(ctx).ID)
	}
	rows, err := s.queries(ctx).Calls(ctx, params)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list calls: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(row agentdb.AgentCall) string {
		raw, _ := json.Marshal(useCursor{row.At, row.ID}) // a time and an id always encode
		return string(raw)
	})
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.PrincipalID
	}
	names, err := s.Names.Names(ctx, ids)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("look up names: %w", err)
	}
	uses := make([]Use, len(rows))
	for i, row := range rows {
		uses[i] = Use{
			ID:         row.ID,
			At:         row.At,
			Tool:       row.ToolID,
			Revision:   int(row.Number),
			By:         Author{Kind: row.PrincipalKind, ID: row.PrincipalID, Name: names[row.PrincipalID]},
			InChat:     row.TurnID != nil,
			ArgsSHA256: row.ArgsHash,
			OK:         row.Ok,
			ErrorCode:  row.ErrorCode,
			DurationMs: row.DurationMs,
		}
	}
	return uses, next, nil
}

// useRoutes declares the operations of an agent's users.
func (m *Module) useRoutes(api huma.API) {
	s := m.service
	huma.Register(
		api,
		rest.Op(
			"call-agent-tool",
			http.MethodPost,
			callPath,
			"Call a live tool of an agent",
			rest.ReadOnly(),
			rest.SelfIdempotent(),
			rest.Status(http.StatusOK),
			rest.Doc(
				"For who may see the agent; a program that was let read alone calls tools that read. What the tool does is an "+
					"answer: ok says whether it went well. A tool gets placeholders in place of secrets, which are worth something "+
					"in http-requests of the same principal only. "+
					"The policy of the tool holds, agent.<slug>.<tool>, and that of all tools of the agent, agent.<slug>. Counts "+
					"against the tool budget and is in the audit log.",
			),
		),
		func(ctx context.Context, in *struct {
			ByAgent
			Tool  string `path:"tool" minLength:"1" maxLength:"64" pattern:"^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$"`
			Based string `header:"If-Match" maxLength:"100" doc:"The bundle_sha256 of the revision that has to be live, in quotes."`
			Body  CallInput
		},
		) (*rest.Body[Called], error) {
			return rest.With(s.Call(ctx, in.Agent, in.Tool, in.Based, in.Body))
		},
	)
	huma.Register(api, rest.Op("list-agent-uses", http.MethodGet, agentPath+"/uses", "List the calls of an agent's tools",
		rest.Doc("The newest first, of the last 90 days. Who may write drafts sees all calls, others see their own.")),
		func(ctx context.Context, in *struct {
			ByAgent
			rest.Page
		},
		) (*rest.Body[useList], error) {
			uses, next, err := s.Uses(ctx, in.Agent, in.Page)
			return rest.With(useList{uses, next}, err)
		})
}

// Pins returns the secrets of a revision with the hosts that each is pinned to, and the agent's name, while the
// revision is live and the principal of ctx may use the agent.
func (m *Module) Pins(ctx context.Context, agent, revision uuid.UUID) (name string, pins map[string][]string, err error) {
	s := m.service
	if _, err := s.agents.See(ctx, agent); err != nil {
		return "", nil, err
	}
	row, err := s.queries(ctx).LiveRevision(ctx, agent)
	if err != nil && !store.NoRows(err) {
		return "", nil, fmt.Errorf("find the live revision: %w", err)
	}
	if err != nil || row.ID != revision {
		return "", nil, missingRevision(revision.String())
	}
	spec, err := specOf(row.Spec)
	if err != nil {
		return "", nil, err
	}
	pins = make(map[string][]string, len(spec.Secrets))
	for _, secret := range spec.Secrets {
		pins[secret.Name] = secret.AllowedHosts
	}
	return row.Name, pins, nil
}

// Chores lists the periodic jobs.
func (m *Module) Chores() []chore.Chore {
	return []chore.Chore{{Name: "prune calls of agents", Every: time.Hour, Do: func(ctx context.Context) error {
		if err := m.service.queries(ctx).PruneCalls(ctx); err != nil {
			return fmt.Errorf("prune calls of agents: %w", err)
		}
		return nil
	}}}
}
