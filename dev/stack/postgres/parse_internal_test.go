package postgres

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExistingClusterWantsItsOwnVersion(t *testing.T) {
	t.Parallel()
	found := []Binaries{{Dir: "/18", Major: 18}, {Dir: "/15", Major: 15}}

	newest, ok := choose(found, 0)
	require.True(t, ok)
	require.Equal(t, "/18", newest.Dir)

	matching, ok := choose(found, 15)
	require.True(t, ok)
	require.Equal(t, "/15", matching.Dir)

	_, ok = choose(found, 17)
	require.False(t, ok)
}

func TestOnlyRootNeedsAnotherAccount(t *testing.T) {
	t.Parallel()
	runAs, err := unprivileged(1000)
	require.NoError(t, err)
	require.Nil(t, runAs)
	require.True(t, runAs.reaches("/nowhere", "/nowhere"))

	runAs, err = unprivileged(0)
	require.NoError(t, err)
	require.NotZero(t, runAs.uid)
}

func TestServerDoesNotSeeTheCallersSettings(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"PATH=/bin", "LANG=C"},
		serverEnvironment([]string{"PATH=/bin", "PGPORT=1", "PGDATA=/x", "LANG=C"}))
}

func FuzzParseMajor(f *testing.F) {
	for _, seed := range []string{
		"postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)", "postgres (PostgreSQL) 18beta1",
		"postgres (PostgreSQL) ", "(PostgreSQL) 99999999999999999999", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		major, err := parseMajor(answer)
		require.True(t, err != nil || major >= 0)
	})
}

func FuzzReadPostmaster(f *testing.F) {
	for _, seed := range []string{"4711\n/data\n", "1\n", "0", "-5\n", "", "12x\n"} {
		f.Add(seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(dir, "postmaster.pid")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		pid := readPostmaster(path)
		require.True(t, pid == 0 || pid > 1, "never a process group or init: %d", pid)
	})
}
