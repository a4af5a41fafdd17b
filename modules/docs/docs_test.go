package docs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/modules/docs"
)

func TestTheDocumentationConforms(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	m, err := docs.New()
	require.NoError(t, err)
	s.Mount(t, m)
	apitest.Conform(t, apitest.Subject{
		Server:  s,
		Module:  m,
		Foreign: []string{"ai.chat.read"},
		Calls: map[string]apitest.Call{
			"ai.searchDocs": apitest.Input(map[string]any{"query": "proposals"}),
			"ai.getDoc":     apitest.Input(map[string]any{"slug": "index"}),
		},
		Unpaged: map[string]string{
			"/api/docs":        "the pages that are built in",
			"/api/docs/page":   "the headings of one page",
			"/api/docs/search": "the ten best at most",
		},
	})
}
