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
