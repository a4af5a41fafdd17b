package password_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/auth/password"
)

var cheap = password.Params{MemoryKiB: 64, Time: 1, Threads: 1}

func TestAHashVerifiesItsPasswordOnly(t *testing.T) {
	t.Parallel()
	h := password.NewHasher(cheap)
	encoded, err := h.Hash(t.Context(), "correct horse")
	require.NoError(t, err)
	require.NotContains(t, encoded, "correct")

	ok, err := h.Verify(t.Context(), encoded, "correct horse")
	require.NoError(t, err)
	require.True(t, ok)
	ok, err = h.Verify(t.Context(), encoded, "correct horsf")
	require.NoError(t, err)
	require.False(t, ok)

	again, err := h.Hash(t.Context(), "correct horse")
	require.NoError(t, err)
	require.NotEqual(t, encoded, again, "each hash has its own salt")
}

func TestTheDefaultsAre64MiBAndThreePasses(t *testing.T) {
	t.Parallel()
	encoded, err := password.NewHasher(password.Params{}).Hash(t.Context(), "x")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(encoded, "$argon2id$v=19$m=65536,t=3,p=2$"), encoded)
}

func TestAHashFromOlderParametersVerifiesAndIsOutdated(t *testing.T) {
	t.Parallel()
	encoded, err := password.NewHasher(cheap).Hash(t.Context(), "pw")
	require.NoError(t, err)
	newer := password.NewHasher(password.Params{MemoryKiB: 128, Time: 1, Threads: 1})
	ok, err := newer.Verify(t.Context(), encoded, "pw")
	require.NoError(t, err)
	require.True(t, ok)
	require.True(t, newer.Outdated(encoded))
	require.False(t, password.NewHasher(cheap).Outdated(encoded))
}

// This vector is in the test suite of the argon2 reference implementation.
func TestAHashOfAnotherImplementationVerifies(t *testing.T) {
	t.Parallel()
	const encoded = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
	ok, err := password.NewHasher(cheap).Verify(t.Context(), encoded, "password")
	require.NoError(t, err)
	require.True(t, ok)
}

func TestAWaitForAHashEndsWithItsContext(t *testing.T) {
	t.Parallel()
	h := password.NewHasher(cheap)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := h.Hash(ctx, "pw")
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, h.Reject(ctx, "pw"), context.Canceled)
}

func TestManyHashesAtOnceAllFinish(t *testing.T) {
	t.Parallel()
	h := password.NewHasher(cheap)
	encoded, err := h.Hash(t.Context(), "pw")
	require.NoError(t, err)
	var wg sync.WaitGroup
	results := make([]bool, 64)
	for i := range results {
		wg.Go(func() { results[i], _ = h.Verify(t.Context(), encoded, "pw") })
	}
	wg.Wait()
	require.NotContains(t, results, false)
}

func TestStringsThatAreNotWithinTheFormatAreRefused(t *testing.T) {
	t.Parallel()
	good, err := password.NewHasher(cheap).Hash(t.Context(), "pw")
	require.NoError(t, err)
	for name, encoded := range map[string]string{
		"empty":            "",
		"plain text":       "secret",
		"bcrypt":           "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
		"argon2i":          strings.Replace(good, "argon2id", "argon2i", 1),
		"other version":    strings.Replace(good, "v=19", "v=16", 1),
		"huge memory":      strings.Replace(good, "m=64", "m=4294967295", 1),
		"no passes":        strings.Replace(good, "t=1", "t=0", 1),
		"no threads":       strings.Replace(good, "p=1", "p=0", 1),
		"too many threads": strings.Replace(good, "p=1", "p=255", 1),
		"thin memory":      strings.Replace(good, "m=64", "m=4", 1),
		"signed cost":      strings.Replace(good, "t=1", "t=+1", 1),
		"leading zero":     strings.Replace(good, "t=1", "t=01", 1),
		"other order":      strings.Replace(good, "m=64,t=1", "t=1,m=64", 1),
		"padding":          good + "=",
		"more fields":      good + "$",
		"no hash":          good[:strings.LastIndex(good, "$")+1],
		"too long":         good + strings.Repeat("A", 600),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Error(t, password.Check(encoded))
			_, err := password.NewHasher(cheap).Verify(t.Context(), encoded, "pw")
			require.Error(t, err)
			require.True(t, password.NewHasher(cheap).Outdated(encoded))
		})
	}
}

func FuzzCheck(f *testing.F) {
	good, err := password.NewHasher(cheap).Hash(context.Background(), "pw")
	require.NoError(f, err)
	f.Add(good)
	f.Add("$argon2id$v=19$m=65536,t=3,p=2$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4")
	f.Add("$argon2id$v=19$m=,t=,p=$$")
	f.Add("$$$$$")
	f.Fuzz(func(t *testing.T, encoded string) {
		if password.Check(encoded) != nil {
			return
		}
		// What is accepted has exactly one spelling: six parts and no white space.
		require.Equal(t, 5, strings.Count(encoded, "$"))
		require.Equal(t, strings.TrimSpace(encoded), encoded)
		require.LessOrEqual(t, len(encoded), 512)
	})
}
