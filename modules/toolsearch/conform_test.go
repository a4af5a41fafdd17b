package toolsearch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/api/apitest"
	"countersign/modules/toolsearch"
	"countersign/tool"
	"countersign/tool/invoke"
)

func TestTheSearchOfToolsConforms(t *testing.T) {
	t.Parallel()
	s, m := apitest.New(t), toolsearch.New()
	registry, err := tool.NewRegistry(m.Tools()...)
	require.NoError(t, err)
	s.Mount(t, m, &api.Tools{Registry: registry, Invoke: &invoke.Service{Registry: registry}})
	apitest.Conform(t, apitest.Subject{
		Server: s, Module: m, Foreign: []string{api.ChatRule},
		Calls: map[string]apitest.Call{"tools.search": apitest.Input(map[string]any{"query": "find a tool"})},
	})
}
