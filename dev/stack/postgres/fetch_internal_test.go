package postgres

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// archive packs programs that answer as PostgreSQL 16 the way that the repository
// does: a tar.xz inside a jar.
func archive(t *testing.T) []byte {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "bin"), 0o755))
	for name, script := range map[string]string{
		"initdb":   "exit 0",
		"pg_ctl":   "exit 1",
		"postgres": `echo "postgres (PostgreSQL) 16.9"`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "bin", name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	}
	out, err := exec.Command("tar", "-cJf", filepath.Join(root, "all.txz"), "-C", root, "bin").CombinedOutput()
	if err != nil {
		t.Skipf("this machine cannot make a tar.xz: %s", out)
	}
	packed, err := os.ReadFile(filepath.Join(root, "all.txz"))
	require.NoError(t, err)
	var jar bytes.Buffer
	writer := zip.NewWriter(&jar)
	entry, err := writer.Create("postgres.txz")
	require.NoError(t, err)
	_, err = entry.Write(packed)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return jar.Bytes()
}

func TestFetchedPostgresIsUsableAndKept(t *testing.T) {
	t.Parallel()
	jar := archive(t)
	sum := sha256.Sum256(jar)
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		switch {
		case !strings.Contains(r.URL.Path, "/16.9.0/"):
			http.NotFound(w, r)
		case strings.HasSuffix(r.URL.Path, ".sha256"):
			_, _ = w.Write([]byte(hex.EncodeToString(sum[:])))
		default:
			_, _ = w.Write(jar)
		}
	}))
	defer server.Close()
	cache := t.TempDir()

	fetched, err := fetch(t.Context(), server.URL, cache, 16)
	require.NoError(t, err)
	require.Equal(t, 16, fetched.Major)
	require.EqualValues(t, 2, requests.Load())

	again, err := fetch(t.Context(), server.URL, cache, 16)
	require.NoError(t, err)
	require.Equal(t, fetched, again)
	require.EqualValues(t, 2, requests.Load(), "nothing is downloaded twice")
	entries, err := os.ReadDir(cache)
	require.NoError(t, err)
	require.Len(t, entries, 1, "no scratch files stay behind")
}

func TestFetchRefusesADamagedDownload(t *testing.T) {
	t.Parallel()
	jar := archive(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".sha256") {
			_, _ = w.Write([]byte(strings.Repeat("0", 64)))
			return
		}
		_, _ = w.Write(jar)
	}))
	defer server.Close()

	_, err := fetch(t.Context(), server.URL, t.TempDir(), 16)
	require.ErrorContains(t, err, "checksum")
}

func TestFetchReportsAnUnreachableRepository(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(nil)
	server.Close()

	_, err := fetch(t.Context(), server.URL, t.TempDir(), 0)
	require.ErrorContains(t, err, "download PostgreSQL")

	_, err = fetch(t.Context(), server.URL, t.TempDir(), 9)
	require.ErrorContains(t, err, "no PostgreSQL 9")
}
