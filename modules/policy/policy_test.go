package policy_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/modules/policy"
	"countersign/tool"
)

// many are people of whom there are enough.
type many struct{}

func (many) Holders(_ context.Context, _ []string, most int) (int, error) { return most, nil }

func TestThePoliciesConform(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	registry, err := tool.NewRegistry()
	require.NoError(t, err)
	m := policy.New(s.DB, registry, many{})
	require.NoError(t, registry.Add(m.Tools()...))
	s.Mount(t, m)
	apitest.Conform(t, apitest.Subject{
		Server: s, Module: m, Unpaged: map[string]string{"/api/ai/policies": "as many as there are tools"},
		Calls: map[string]apitest.Call{"ai.setToolPolicy": {
			Elsewhere: true, Input: func(testing.TB, string) map[string]any {
				return map[string]any{"tool": "ai.setToolPolicy", "twoPerson": true}
			},
		}},
	})
}
