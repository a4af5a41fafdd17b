package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnEditThatDoesNotFitFails(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "a.go")
	for text, places := range map[string]string{"package a\n": "0 places", "package a\n\nvar x = 1\nvar y = 1\n": "2 places"} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.ErrorContains(t, edit{"a.go", "= 1", "= 2"}.apply(folder), places)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(after))
	}
	require.NoError(t, os.WriteFile(path, []byte("package a\n\nvar x = 1\n"), 0o600))
	require.NoError(t, edit{"a.go", "= 1", "= 2"}.apply(folder))
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "package a\n\nvar x = 2\n", string(after))
}

// module has an i32 global that does not change, an i64 global that does, and an export section with one memory.
const module = "\x00asm\x01\x00\x00\x00" + "\x05\x03\x01\x00\x01" +
	"\x06\x0c\x02\x7f\x00\x41\x01\x0b\x7e\x01\x42\x80\x01\x0b" + "\x07\x05\x01\x01m\x02\x00"

func TestGlobalsThatChangeAreExported(t *testing.T) {
	t.Parallel()
	out, err := exportGlobals([]byte(module))
	require.NoError(t, err)
	require.Contains(t, string(out), "\x07\x0f\x02\x01m\x02\x00\x07global0\x03\x01")
	require.Equal(t, module[:len(module)-7], string(out[:len(module)-7]))
}

func FuzzAnyModuleIsRewrittenOrRefused(f *testing.F) {
	f.Add([]byte(module))
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x06\xff"))
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = exportGlobals(b) })
}
