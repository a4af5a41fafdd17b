package strictjson

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/cases"
)

var seeds = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"a":[{"a":1},{"a":2}]}}}`,
	`{"a":{"b":1},"b":[{"a":1,"b":2}],"a":3}`,
	`[{"a":1,"A":2}]`,
	`{"é":1,"É":2}`,
	`{"\u0061":1,"a":2}`,
	`{"":1,"":2}`,
	`"\ud800"`,
	`{"a":"}{\",\"a\":","b":"\\"}`,
	`{"ſ":1,"s":2}`,
	`[[[[]]]]`,
	`1 2`,
	`{"a":1,}`,
	`[1 2]`,
	"{\"a\"\n:\t1 , \"b\":{}}",
	`{"a":{},"a":{}}`,
	strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 40),
}

// What is let through without a close look would be let through by one.
func FuzzPlain(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !utf8.Valid(data) {
			return
		}
		if plain(data, false) {
			require.NoError(t, closely(data, func(name string) string { return name }))
		}
		if plain(data, true) {
			require.NoError(t, closely(data, cases.Fold().String))
		}
	})
}

func TestWhatClientsSendIsPlainAndCostsNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{seeds[0], `{"a":"}{\",\"a\":","b":"\\"}`, `[]`, `{"é":1,"É":2}`, `{"a":{"b":1},"b":{"b":1},"c":[{"a":1},{"a":1}]}`} {
		require.True(t, plain([]byte(text), false), text)
	}
	require.True(t, plain([]byte(seeds[0]), true))
	for _, text := range []string{`{"a":{"b":1},"b":2,"a":3}`, `{"a":1,"\u0061":2}`, `{"\"":1}`, `"\ud800"`, `{}{}`, `{`, ``, strings.Repeat("[", 300) + strings.Repeat("]", 300)} {
		require.False(t, plain([]byte(text), false), text)
	}
	for _, text := range []string{`{"a":1,"A":2}`, `{"é":1}`} {
		require.False(t, plain([]byte(text), true), text)
	}
	var many strings.Builder
	for n := range 100 {
		many.WriteString(`{"` + strings.Repeat("n", n+1) + `":1,`)
	}
	require.False(t, plain([]byte(many.String()), false))
}

// Parallel tests would allocate beside it.
func TestAPlainTextAllocatesNothing(t *testing.T) {
	data := []byte(seeds[0])
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if Check(data) != nil {
			panic("refused")
		}
	}))
}
