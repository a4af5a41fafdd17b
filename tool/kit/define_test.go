package kit_test

import (
	"context"
	"embed"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/tool"
	"countersign/tool/kit"
)

//go:embed testdata/notes
var testdata embed.FS

// noteTexts are the texts of a module with the tools note.listNotes and note.writeNote.
func noteTexts(t *testing.T) fs.FS {
	t.Helper()
	texts, err := fs.Sub(testdata, "testdata/notes")
	require.NoError(t, err)
	return texts
}

func defined(d tool.Definition) tool.Tool {
	return kit.NewRead(d, func(context.Context, tool.Caller, noInput) (noteOutput, error) { return noteOutput{}, nil })
}

func TestAToolFindsItsTextByItsName(t *testing.T) {
	t.Parallel()
	texts := noteTexts(t)
	list := kit.Define(texts, "note.listNotes", tool.Read, "note.read")
	write := kit.Define(texts, "note.writeNote", tool.Read, "note.read", "note.manage")
	require.Equal(t, "List the notes.\n\nReturns them all.", list.Description, "the line break at the end of a file is no part of the text")
	require.Equal(t, "Write a note.", write.Description)
	require.Equal(t, []string{"note.read", "note.manage"}, write.Rules)
	_, err := tool.NewRegistry(defined(list), defined(write))
	require.NoError(t, err)
}

func TestARegistryRefusesAToolWithoutText(t *testing.T) {
	t.Parallel()
	texts := noteTexts(t)
	missing := kit.Define(texts, "note.dropNote", tool.Read, "note.read")
	_, err := tool.NewRegistry(defined(missing))
	require.ErrorContains(t, err, "tool_drop_note.md")
	require.ErrorContains(t, err, "note.dropNote")
}

func TestARegistryRefusesATextWithoutTool(t *testing.T) {
	t.Parallel()
	_, err := tool.NewRegistry(defined(kit.Define(noteTexts(t), "note.listNotes", tool.Read, "note.read")))
	require.ErrorContains(t, err, "tool_write_note.md")
}
