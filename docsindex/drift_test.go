package docsindex_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/docsindex"
)

var update = flag.Bool("update", false, "regenerate index.json from the pages")

func TestTheCommittedIndexMatchesThePages(t *testing.T) {
	t.Parallel()
	pages := os.DirFS("../docs")
	if *update {
		fresh, err := docsindex.Generate(pages)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile("index.json", fresh, 0o644))
	}
	committed, err := os.ReadFile("index.json")
	require.NoError(t, err)
	require.NoError(t, docsindex.Check(pages, committed))
}
