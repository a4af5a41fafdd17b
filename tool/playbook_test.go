package tool_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/tool"
	"countersign/tool/kit"
)

func TestPlaybooksComeWithTheirToolsInTheOrderOfTheirNames(t *testing.T) {
	t.Parallel()
	r, err := tool.NewRegistry()
	require.NoError(t, err)
	r.AddPlaybooks(kit.NewPlaybook("b", "Second\n", "b.create", "c.create"), kit.NewPlaybook("a", "First\n", "a.propose"))
	require.Equal(t, []string{"First", "Second"}, r.PlaybooksFor([]string{"c.create", "a.propose", "b.create"}))
	require.Equal(t, []string{"Second"}, r.PlaybooksFor([]string{"c.create"}))
	require.Empty(t, r.PlaybooksFor([]string{"a.list"}))
}
