package javascript

import (
	"errors"
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
)

func TestStacksAreRead(t *testing.T) {
	t.Parallel()
	require.Equal(t, []sandbox.Frame{
		{Function: "inner", File: "check.ts", Line: 2, Column: 13},
		{Function: "anonymous", File: "https://x:1/a (b).ts", Line: 3, Column: 4},
		{File: "check.ts", Line: 9, Column: 1},
	}, sandbox.Frames("    at inner (check.ts:2:13)\n    at map (native)\n    at drive ("+preludeName+":4:5)\n"+
		"    at <anonymous> (https://x:1/a (b).ts:3:4)\n    at check.ts:9:1\nnonsense\n    at f (a:99999999999999999999:1)", preludeName))
	require.Empty(t, sandbox.Frames("", preludeName))
}

func TestABrokenInstanceIsATrap(t *testing.T) {
	t.Parallel()
	r := &run{ctx: t.Context(), deadline: time.Now().Add(time.Hour)}
	kind, failure := r.classify(fmt.Errorf("wasm error: %s\nwasm stack trace", "out of bounds memory access"))
	require.Equal(t, sandbox.Trap, kind)
	require.Equal(t, "the script broke its engine: wasm error: out of bounds memory access", failure.Message)

	r.stop(sandbox.HostCalls, "too many")
	kind, _ = r.classify(errors.New("wasm error: unreachable"))
	require.Equal(t, sandbox.HostCalls, kind, "what the host decided comes first")

	r = &run{ctx: t.Context(), deadline: time.Now().Add(-time.Second)}
	kind, _ = r.classify(errors.New("wasm error: unreachable"))
	require.Equal(t, sandbox.Timeout, kind, "then the clock")
}

func TestABinaryWithoutTheEngineSaysHowToBuildIt(t *testing.T) {
	t.Parallel()
	_, err := quickjs(fstest.MapFS{"engine/dist/.gitkeep": {}})
	require.ErrorIs(t, err, ErrNotBuilt)
	require.ErrorContains(t, err, "make build")
	_, err = quickjs(fstest.MapFS{"engine/dist/quickjs.wasm": {Data: []byte("\x00asm")}})
	require.ErrorContains(t, err, "not the one that is pinned")
}

func FuzzStacks(f *testing.F) {
	f.Add("    at inner (check.ts:2:13)\n    at check.ts:9:1")
	f.Fuzz(func(t *testing.T, stack string) {
		for _, frame := range sandbox.Frames(stack, preludeName) {
			require.GreaterOrEqual(t, frame.Line, 0)
			require.NotEmpty(t, frame.File)
		}
	})
}

func TestHalvesOfSurrogatePairsAreReplaced(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\xed\xa0\x80b\xed\xb0\x80": "a\ufffdb\ufffd", "\xed\x9f\xbf": "\ud7ff", "": "", "\xed": "\xed", "\xed\xa0": "\xed\xa0", "í한": "í한",
	} {
		b := []byte(text)
		replaceSurrogates(b)
		require.Equal(t, want, string(b))
	}
}
