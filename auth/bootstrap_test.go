package auth_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/auth"
)

func readCredentials(t *testing.T, folder string) auth.Credentials {
	t.Helper()
	path := filepath.Join(folder, auth.CredentialsFile)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var c auth.Credentials
	require.NoError(t, json.Unmarshal(data, &c))
	return c
}

func TestTheFirstStartMakesAnAdministrator(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	folder := filepath.Join(t.TempDir(), "new")
	made, err := a.Bootstrap(t.Context(), auth.FirstStart{Folder: folder, URL: "http://127.0.0.1:8080"})
	require.NoError(t, err)
	require.Equal(t, "admin@countersign.local", made.Email)
	require.GreaterOrEqual(t, len(made.Password), 20)
	require.Equal(t, *made, readCredentials(t, folder))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file is left")

	me := decode[struct{ Principal auth.Me }](t, a.login(t, made.Email, made.Password)).Principal
	require.Contains(t, me.Rules, "*")
	require.Len(t, me.Teams, 1)
	require.Equal(t, "Platform", me.Teams[0].Name)
	require.NotContains(t, a.log.String(), made.Password)
	require.Zero(t, a.count(t, "SELECT count(*) FROM users u WHERE u::text LIKE '%' || $1 || '%'", made.Password))
}

func TestALaterStartChangesNothingButTheAddress(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	folder := t.TempDir()
	first, err := a.Bootstrap(
		t.Context(),
		auth.FirstStart{Folder: folder, URL: "http://127.0.0.1:8080", Email: "root@example.org", Team: "Core"},
	)
	require.NoError(t, err)
	again, err := a.Bootstrap(t.Context(), auth.FirstStart{Folder: folder, URL: "http://127.0.0.1:9090"})
	require.NoError(t, err)
	require.Nil(t, again)
	first.URL = "http://127.0.0.1:9090"
	require.Equal(t, *first, readCredentials(t, folder))

	require.NoError(t, os.Remove(filepath.Join(folder, auth.CredentialsFile)))
	_, err = a.Bootstrap(t.Context(), auth.FirstStart{Folder: folder, URL: "http://127.0.0.1:7070"})
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(folder, auth.CredentialsFile))
	require.Equal(t, 1, a.count(t, "SELECT count(*) FROM users"))
	require.Equal(t, 1, a.count(t, "SELECT count(*) FROM teams"))
}

func TestProcessesThatStartTogetherMakeOneAdministrator(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	const processes = 6
	folder := t.TempDir()
	made := make([]*auth.Credentials, processes)
	errs := make([]error, processes)
	var wg sync.WaitGroup
	for i := range processes {
		p := newProcess(t, a.db, a.key)
		wg.Go(func() {
			made[i], errs[i] = p.Bootstrap(t.Context(), auth.FirstStart{Folder: folder, URL: "http://127.0.0.1:8080"})
		})
	}
	wg.Wait()
	var first *auth.Credentials
	for i := range processes {
		require.NoError(t, errs[i])
		if made[i] != nil {
			require.Nil(t, first, "only one made it")
			first = made[i]
		}
	}
	require.Equal(t, *first, readCredentials(t, folder))
	require.Equal(t, 1, a.count(t, "SELECT count(*) FROM users"))
	require.Equal(t, http.StatusOK, a.login(t, first.Email, first.Password).status)
}

func TestAFolderThatCannotBeWrittenLeavesNoAdministratorBehind(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := a.Bootstrap(t.Context(), auth.FirstStart{Folder: filepath.Join(file, "below")})
	require.Error(t, err)
	require.Zero(t, a.count(t, "SELECT count(*) FROM users"), "nobody would know the password")
	_, err = a.Bootstrap(t.Context(), auth.FirstStart{Folder: t.TempDir()})
	require.NoError(t, err)
}
