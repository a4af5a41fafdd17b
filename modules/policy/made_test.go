package policy_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/policy"
	"countersign/tool"
	"countersign/tool/kit"
)

// workshop has one tool, which can be seen with the rule workshop.see.
type workshop struct{ tool tool.Tool }

func (w workshop) Offered(ctx context.Context, p principal.Principal) ([]tool.Tool, error) {
	t, ok, err := w.Usable(ctx, p, w.tool.Name)
	if !ok {
		return nil, err
	}
	return []tool.Tool{t}, nil
}

func (w workshop) Known(_ context.Context, name string) (tool.Tool, bool, error) {
	return w.tool, name == w.tool.Name, nil
}

func (w workshop) Usable(_ context.Context, p principal.Principal, name string) (tool.Tool, bool, error) {
	return w.tool, p.Has("workshop.see") && name == w.tool.Name, nil
}

// Who may set policies learns nothing of what others have made and keep to themselves.
func TestThePolicyOfWhatIsNotSeenIsNotThere(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	registry, err := tool.NewRegistry()
	require.NoError(t, err)
	schema, err := kit.ParseSchema(json.RawMessage(`{}`))
	require.NoError(t, err)
	made, err := kit.NewMade(
		kit.Making{
			Definition: tool.Definition{Name: "agent.merger.plan", Description: "Who we are about to buy.", Effect: tool.Mutate},
			Input:      schema,
		},
	)
	require.NoError(t, err)
	require.NoError(t, registry.AddSource(workshop{made}))
	m := policy.New(s.DB, registry, many{})
	s.Mount(t, m)
	s.Person("manager", policy.Manage)
	s.Person("insider", policy.Manage, "workshop.see")
	const path = "/api/ai/policies/agent.merger.plan"
	list := func(as string) string { return s.Do(t, as, http.MethodGet, "/api/ai/policies", nil).Body }

	missing := s.Do(t, "manager", http.MethodGet, path, nil).Refused(t, problem.NotFound)
	require.Equal(
		t,
		s.Do(t, "manager", http.MethodGet, path+"s", nil).Refused(t, problem.NotFound).Detail,
		missing.Detail,
		"as for one that does not exist",
	)
	s.Do(t, "manager", http.MethodPatch, path, map[string]any{"enabled": false}).Refused(t, problem.NotFound)
	require.NotContains(t, list("manager"), "merger")
	require.Equal(
		t,
		"Who we are about to buy.",
		apitest.Decode[policy.ToolPolicy](t, s.Do(t, "insider", http.MethodGet, path, nil)).Description,
	)
	require.Contains(t, list("insider"), "about to buy")

	// What has been set can be seen and taken back by all who set policies.
	s.Do(t, "insider", http.MethodPatch, path, map[string]any{"enabled": false})
	found := apitest.Decode[policy.ToolPolicy](t, s.Do(t, "manager", http.MethodGet, path, nil))
	require.False(t, found.Enabled)
	require.Empty(t, found.Description)
	require.Contains(t, list("manager"), "merger")
	require.NotContains(t, list("manager"), "about to buy")
	require.True(t, apitest.Decode[policy.ToolPolicy](t, s.Do(t, "manager", http.MethodPatch, path, map[string]any{"enabled": true})).Enabled)
}
