package postgres_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/dev/stack/postgres"
)

// install makes a folder with programs that answer as PostgreSQL of a version.
func install(t *testing.T, dir, version string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	write(t, filepath.Join(dir, "initdb"), "")
	write(t, filepath.Join(dir, "postgres"), `echo "postgres (PostgreSQL) `+version+`"`)
	return dir
}

func write(t *testing.T, path, script string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

func TestFindLooksInPathAndInPackageFoldersNewestFirst(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	inPath := install(t, filepath.Join(root, "path"), "16.4")
	older := install(t, filepath.Join(root, "lib", "15", "bin"), "15.14 (Debian 15.14-0+deb12u1)")
	newer := install(t, filepath.Join(root, "lib", "18", "bin"), "18beta1")
	install(t, filepath.Join(root, "lib", "13", "bin"), "13.2")

	found := postgres.Search{
		Path:  inPath + string(os.PathListSeparator) + "relative",
		Globs: []string{filepath.Join(root, "lib", "*", "bin")},
	}.Find(t.Context())

	require.Equal(t, []postgres.Binaries{{Dir: newer, Major: 18}, {Dir: inPath, Major: 16}, {Dir: older, Major: 15}}, found)
}

func TestFindFollowsPgConfig(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	server := install(t, filepath.Join(root, "server"), "17.5")
	client := filepath.Join(root, "client")
	require.NoError(t, os.Mkdir(client, 0o755))
	write(t, filepath.Join(client, "pg_config"), `test "$1" = --bindir && echo `+server)

	require.Equal(t, []postgres.Binaries{{Dir: server, Major: 17}}, postgres.Search{Path: client}.Find(t.Context()))
}

func TestFindWantsWholeInstallations(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	onlyServer := install(t, filepath.Join(root, "a"), "17.5")
	require.NoError(t, os.Remove(filepath.Join(onlyServer, "initdb")))
	broken := install(t, filepath.Join(root, "b"), "17.5")
	write(t, filepath.Join(broken, "postgres"), "exit 1")
	strange := install(t, filepath.Join(root, "c"), "17.5")
	write(t, filepath.Join(strange, "postgres"), "echo hello")

	require.Empty(t, postgres.Search{Globs: []string{filepath.Join(root, "*")}}.Find(t.Context()))
}
