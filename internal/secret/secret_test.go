package secret_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/secret"
)

func newKeyset(t *testing.T) *secret.Keyset {
	t.Helper()
	k, err := secret.New()
	require.NoError(t, err)
	return k
}

func TestASealedValueOpensOnlyForItsRow(t *testing.T) {
	t.Parallel()
	k := newKeyset(t)
	sealed, err := k.Seal([]byte("sk-123"), []byte("row-1"))
	require.NoError(t, err)
	require.NotContains(t, string(sealed), "sk-123")

	opened, err := k.Open(sealed, []byte("row-1"))
	require.NoError(t, err)
	require.Equal(t, "sk-123", string(opened))

	_, err = k.Open(sealed, []byte("row-2"))
	require.Error(t, err)
	sealed[len(sealed)-1] ^= 1
	_, err = k.Open(sealed, []byte("row-1"))
	require.Error(t, err)
	_, err = newKeyset(t).Open(sealed, []byte("row-1"))
	require.Error(t, err)
}

func TestRotationKeepsOldValuesAndDerivedKeys(t *testing.T) {
	t.Parallel()
	old := newKeyset(t)
	before, err := old.Seal([]byte("before"), nil)
	require.NoError(t, err)

	rotated, err := old.Rotate()
	require.NoError(t, err)
	opened, err := rotated.Open(before, nil)
	require.NoError(t, err)
	require.Equal(t, "before", string(opened))
	require.Equal(t, old.Derive("delegation"), rotated.Derive("delegation"))

	after, err := rotated.Seal([]byte("after"), nil)
	require.NoError(t, err)
	_, err = old.Open(after, nil)
	require.Error(t, err, "the new primary key seals")
}

func TestDerivedKeysDifferByPurposeAndKeyset(t *testing.T) {
	t.Parallel()
	k := newKeyset(t)
	require.Len(t, k.Derive("delegation"), secret.DerivedBytes)
	again := k.Derive("delegation")
	require.Equal(t, again, k.Derive("delegation"))
	require.NotEqual(t, k.Derive("delegation"), k.Derive("proposal"))
	require.NotEqual(t, k.Derive("delegation"), newKeyset(t).Derive("delegation"))
}

func TestAKeysetSurvivesItsFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "keyset.json")
	first, made, err := secret.EnsureFile(path)
	require.NoError(t, err)
	require.True(t, made)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	again, made, err := secret.EnsureFile(path)
	require.NoError(t, err)
	require.False(t, made)
	require.Equal(t, first.Derive("x"), again.Derive("x"))

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	fromText, err := secret.Load(string(text))
	require.NoError(t, err)
	require.Equal(t, first.Derive("x"), fromText.Derive("x"))

	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file is left")
}

func TestProcessesThatStartTogetherShareOneKeyset(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyset.json")
	const processes = 16
	derived := make([][]byte, processes)
	makers := make([]bool, processes)
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() {
			k, made, err := secret.EnsureFile(path)
			if err == nil {
				derived[i], makers[i] = k.Derive("x"), made
			}
		})
	}
	wg.Wait()
	made := 0
	for i := range processes {
		require.Equal(t, derived[0], derived[i])
		require.NotEmpty(t, derived[i])
		if makers[i] {
			made++
		}
	}
	require.Equal(t, 1, made)
}

func TestAFileThatOthersMayReadIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyset.json")
	_, _, err := secret.EnsureFile(path)
	require.NoError(t, err)
	require.NoError(t, os.Chmod(path, 0o640))
	_, _, err = secret.EnsureFile(path)
	require.ErrorContains(t, err, "chmod 600")
}

func TestRotatingAFileKeepsWhatItSealed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyset.json")
	k, _, err := secret.EnsureFile(path)
	require.NoError(t, err)
	sealed, err := k.Seal([]byte("value"), nil)
	require.NoError(t, err)

	require.NoError(t, secret.RotateFile(path))
	rotated, made, err := secret.EnsureFile(path)
	require.NoError(t, err)
	require.False(t, made)
	opened, err := rotated.Open(sealed, nil)
	require.NoError(t, err)
	require.Equal(t, "value", string(opened))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestNothingPrintsAKey(t *testing.T) {
	t.Parallel()
	k := newKeyset(t)
	data, err := k.Marshal()
	require.NoError(t, err)
	var file struct {
		Derivation string `json:"derivation"`
	}
	require.NoError(t, json.Unmarshal(data, &file))
	require.NotEmpty(t, file.Derivation)

	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Info("Keys", "pointer", k, "value", *k)
	asJSON, err := json.Marshal(map[string]any{"pointer": k, "value": *k})
	require.NoError(t, err)
	out.Write(asJSON)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		_, _ = fmt.Fprintf(&out, verb+verb, k, *k)
	}
	require.NotContains(t, out.String(), file.Derivation)
	require.NotContains(t, out.String(), hex.EncodeToString(k.Derive("x")))
	require.Contains(t, out.String(), "redacted")
	require.NotContains(t, out.String(), "derivation")
}

func FuzzParse(f *testing.F) {
	k, err := secret.New()
	require.NoError(f, err)
	data, err := k.Marshal()
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"version":1,"derivation":"AAAA","aead":{}}`))
	f.Add([]byte(`{"version":1,"derivation":"` + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" + `","aead":{"primaryKeyId":1,"key":[]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := secret.Parse(data)
		if err != nil {
			return
		}
		sealed, err := k.Seal([]byte("value"), nil)
		require.NoError(t, err)
		opened, err := k.Open(sealed, nil)
		require.NoError(t, err)
		require.Equal(t, "value", string(opened))
	})
}
