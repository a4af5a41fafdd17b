package audit_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/audit"
)

// An archive with what entries say about people stands under one seal, with how it is written: whoever compresses changed lines anew, which
// gives the file sound sums, is found out by it.
func TestAnArchiveThatWasWrittenAnewIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.record(t, audit.Event{Action: audit.SignedIn, Object: audit.Object(audit.PersonType, uuid.New(), "Ada Lovelace"), Address: "192.0.2.1"})
	w.call(t, "a.first")
	w.aged(t, 40)
	w.call(t, "a.second")
	w.aged(t, 0)
	require.Empty(t, w.background(t))
	a, err := w.keeper().ArchivableBefore(t.Context(), time.Now().AddDate(0, 0, -31))
	require.NoError(t, err)
	a.People = true
	path := filepath.Join(t.TempDir(), "audit.jsonl.gz")
	_, err = w.keeper().SaveArchive(t.Context(), a, path)
	require.NoError(t, err)
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	whole := unzipped(t, file)
	require.Contains(t, whole, "Ada Lovelace")

	read := func(text string) (audit.Archive, *audit.Break) {
		t.Helper()
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		_, err := io.WriteString(z, text)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		found, b, err := audit.NewChain(nil, key).ReadArchive(&zipped)
		require.NoError(t, err)
		return found, b
	}
	found, b := read(whole)
	require.Nil(t, b, "%v", b)
	require.True(t, found.People)
	require.Equal(t, a.Entries, found.Entries)
	for what, changed := range map[string]string{
		"what is said about somebody is left out": regexp.MustCompile(`,"salt":"[^"]*","data":"(?:[^"\\]|\\.)*"`).ReplaceAllString(whole, ""),
		"a member stands twice":                   strings.Replace(whole, `"transport":"`, `"transport":"x","transport":"`, 1),
		"a member is added":                       strings.Replace(whole, `{"seq":`, `{"note":"x","seq":`, 1),
		"a line is written otherwise":             strings.Replace(whole, `{"seq":`, `{ "seq":`, 1),
	} {
		require.NotEqual(t, whole, changed, what)
		_, b := read(changed)
		require.NotNil(t, b, what)
		require.Contains(t, b.What, "the seal does not fit", what)
	}
}
