package tool_test

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"countersign/tool"
)

func canonical(t *testing.T, text string) string {
	t.Helper()
	c, err := tool.Canonical(json.RawMessage(text))
	require.NoError(t, err)
	return string(c)
}

func TestEqualValuesHaveEqualBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{`{ "b": 1, "a": [ 2 , {"d":null,"c":true} ] }`, `{"a":[2,{"c":true,"d":null}],"b":1}`},
		{`{"text":"<&>\u003c \u00e9 \/"}`, `{"text":"<&>< é /"}`},
		{`1.0`, `1`},
		{`-0`, `0`},
		{`0e5`, `0`},
		{`1e2`, `100`},
		{`150E-2`, `1.5`},
		{`0.000001`, `0.000001`},
		{`0.0000001`, `1e-7`},
		{`123456789012345678901234567890`, `1.2345678901234567890123456789e29`},
		{`100000000000000000000`, `100000000000000000000`},
		{`1000000000000000000000`, `1e21`},
		{`-12.3400`, `-12.34`},
		{`9007199254740993`, `9007199254740993`},
	} {
		require.Equal(t, c.want, canonical(t, c.text))
		require.Equal(t, c.want, canonical(t, c.want), "the canonical form is its own")
	}
}

func TestGoValuesAndTheirTextAgree(t *testing.T) {
	t.Parallel()
	fromValue, err := tool.Canonical(map[string]any{"b": 1.5, "a": []string{"x"}, "c": 1e21})
	require.NoError(t, err)
	require.Equal(t, canonical(t, `{"c":1000000000000000000000,"b":1.50,"a":["x"]}`), string(fromValue))
	_, err = tool.Canonical(func() {})
	require.Error(t, err)
}

func TestTheHashIgnoresSpellingAndNothingElse(t *testing.T) {
	t.Parallel()
	hash := func(text string) string { return tool.Hash(json.RawMessage(text)) }
	require.Equal(t, hash(`{"a":1,"b":"x"}`), hash(` {"b":"x", "a":1.0}`))
	require.NotEqual(t, hash(`{"a":1}`), hash(`{"a":"1"}`))
	require.NotEqual(t, hash(`9007199254740992`), hash(`9007199254740993`), "integers over 2^53 are not rounded")
	require.NotEqual(t, hash(`[1,2]`), hash(`[2,1]`))
	require.Len(t, hash(`{`), 64, "text that is no JSON has a hash too")
	require.NotEqual(t, hash(`{`), hash(`{{`))
}

func FuzzCanonicalFormIsStableAndKeepsTheValue(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.50,-0.0,1e5,1E-9],"b":null}`, `"\ud800"`, `-1.5e-300`, `12e9999999999999999999`, `[{},[],""]`, `0.1e1`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once, err := tool.Canonical(json.RawMessage(text))
		if err != nil {
			return
		}
		twice, err := tool.Canonical(once)
		require.NoError(t, err)
		require.Equal(t, string(once), string(twice))
		require.Equal(t, tool.Hash(json.RawMessage(text)), tool.Hash(once))

		var before, after any
		if json.Unmarshal([]byte(text), &before) == nil {
			require.NoError(t, json.Unmarshal(once, &after))
			require.Empty(t, cmp.Diff(before, after))
		}
	})
}

func FuzzCanonicalNumbersAreExact(f *testing.F) {
	for _, seed := range []string{"0", "-0.0", "10", "1e22", "123.4500e-3", "5e-324", "0.00000012", "99999999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 60 {
			return
		}
		var number json.Number
		if json.Unmarshal([]byte(text), &number) != nil || number == "" {
			return
		}
		before, ok := new(big.Rat).SetString(text)
		if !ok || before.Num().BitLen()+before.Denom().BitLen() > 4096 {
			return
		}
		after, ok := new(big.Rat).SetString(canonical(t, text))
		require.True(t, ok)
		require.Zero(t, before.Cmp(after), text)
	})
}
