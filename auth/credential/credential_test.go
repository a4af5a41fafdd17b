package credential_test

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/auth/credential"
)

// An accepted text has exactly one spelling, so a token cannot be changed and still be good.
func FuzzParse(f *testing.F) {
	text, _ := credential.New()
	f.Add(text)
	f.Add("")
	f.Add(strings.Repeat("A", credential.Chars))
	f.Add(strings.Repeat("_", credential.Chars))
	f.Add(strings.Repeat("=", credential.Chars))
	f.Add(strings.Repeat("A", credential.Chars-1) + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		hash, ok := credential.Parse(text)
		if !ok {
			require.Nil(t, hash)
			return
		}
		raw, err := base64.RawURLEncoding.DecodeString(text)
		require.NoError(t, err)
		require.Equal(t, text, base64.RawURLEncoding.EncodeToString(raw))
		sum := sha256.Sum256(raw)
		require.Equal(t, sum[:], hash)
	})
}

func TestANewTextIsReadBackAsItsHash(t *testing.T) {
	t.Parallel()
	text, hash := credential.New()
	found, ok := credential.Parse(text)
	require.True(t, ok)
	require.Equal(t, hash, found)
	other, _ := credential.New()
	require.NotEqual(t, text, other)
}

func TestADerivedTextIsMadeByWhoHasAllThatItIsMadeOf(t *testing.T) {
	t.Parallel()
	key := []byte("a key of more than thirty-two bytes")
	text, hash := credential.Derive(key, "refresh", "old")
	again, same := credential.Derive(key, "refresh", "old")
	require.Equal(t, text, again)
	require.Equal(t, hash, same)
	parsed, ok := credential.Parse(text)
	require.True(t, ok, "it is a text as New makes it")
	require.Equal(t, hash, parsed)
	for name, other := range map[string]func() (string, []byte){
		"another key":     func() (string, []byte) { return credential.Derive([]byte("another key"), "refresh", "old") },
		"another purpose": func() (string, []byte) { return credential.Derive(key, "access", "old") },
		"another source":  func() (string, []byte) { return credential.Derive(key, "refresh", "older") },
		"split elsewhere": func() (string, []byte) { return credential.Derive(key, "refres", "hold") },
	} {
		made, _ := other()
		require.NotEqual(t, text, made, name)
	}
}
