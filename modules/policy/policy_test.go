package policy_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/store"
	"countersign/modules/policy"
	"countersign/tool"
	"countersign/tool/disposition"
)

// many are people of whom there are enough.
type many struct{}

func (many) Holders(_ context.Context, _ []string, most int) (int, error) { return most, nil }

// mounted serves the policies of their own tools.
func mounted(t *testing.T) (*apitest.Server, *policy.Module) {
	t.Helper()
	s := apitest.New(t)
	registry, err := tool.NewRegistry()
	require.NoError(t, err)
	m := policy.New(s.DB, registry, many{})
	require.NoError(t, registry.Add(m.Tools()...))
	s.Mount(t, m)
	return s, m
}

func TestThePoliciesConform(t *testing.T) {
	t.Parallel()
	s, m := mounted(t)
	apitest.Conform(t, apitest.Subject{
		Server: s, Module: m, Unpaged: map[string]string{"/api/ai/policies": "as many as there are tools"},
		Calls: map[string]apitest.Call{"ai.setToolPolicy": {
			Elsewhere: true, Input: func(testing.TB, string) map[string]any {
				return map[string]any{"tool": "ai.setToolPolicy", "twoPerson": true}
			},
		}},
	})
}

func TestExceptionsCanBeAskedAlong(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	registry, err := tool.NewRegistry()
	require.NoError(t, err)
	m := policy.New(s.DB, registry, many{})
	ask := func() map[string]disposition.Policy {
		question := m.Question()
		var batch store.Batch
		tell := store.Enqueue(&batch, question)
		require.NoError(t, s.DB.Conn(t.Context()).SendBatch(t.Context(), &batch).Close())
		tell()
		exceptions, heard := question.Answer()
		require.True(t, heard)
		same, err := m.Exceptions(t.Context())
		require.NoError(t, err)
		require.Equal(t, same, exceptions)
		return exceptions
	}
	require.Empty(t, ask())
	_, err = s.DB.Conn(
		t.Context(),
	).Exec(
		t.Context(),
		`INSERT INTO ai_tool_policies (tool_name, enabled, two_person) VALUES ('a.b', false, true), ('a.c', true, false)`,
	)
	require.NoError(t, err)
	require.Equal(t, map[string]disposition.Policy{"a.b": {TwoPerson: true}}, ask())
}
