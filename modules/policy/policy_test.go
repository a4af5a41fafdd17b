package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/modules/policy"
	"countersign/tool"
)

func TestThePoliciesConform(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	registry, err := tool.NewRegistry()
	require.NoError(t, err)
	m := policy.New(s.DB, registry)
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
