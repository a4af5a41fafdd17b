package fuel_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shell stands in for what the tests of QuickJS use of its own shell.
const shell = `
var printed = [];
globalThis.console = { log: (...all) => printed.push(all.join(" ")) };
globalThis.print = console.log;
globalThis.std = { gc() {} };
globalThis.os = { platform: "linux", setTimeout() {} };
globalThis.outcome = (f) => {
  printed.length = 0;
  let how;
  try { how = String(f()); } catch (e) { how = String(e) + "\n" + e?.stack; }
  return [how, ...printed].join("\n");
};
`

// suite is the folder with the tests of QuickJS, which come with a Go module that wraps it. The engine is another line of
// QuickJS, so that a few tests fail in it; they have to fail alike.
func suite(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "modernc.org/libquickjs")
	cmd.Dir = filepath.Join("testdata", "suite")
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.Output()
	require.NoError(t, err, "%s", out)
	var module struct{ Dir string }
	require.NoError(t, json.Unmarshal(out, &module))
	return filepath.Join(module.Dir, "testdata", "tests")
}

func read(t *testing.T, folder, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, file))
	require.NoError(t, err)
	return string(text)
}

func TestTheInstrumentedEngineEndsTheTestsOfQuickJSAlike(t *testing.T) {
	t.Parallel()
	wasm, fueled := engines(t)
	folder := suite(t)
	calls := regexp.MustCompile(`(?m)^(test\w*)\(\);$`)
	for _, file := range []string{"test_builtin.js", "test_language.js", "test_closure.js", "test_loop.js", "test_bigint.js"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			source := read(t, folder, file)
			// The engine ends itself on labels that nothing but their own break refers to, with fuel and without.
			source = regexp.MustCompile(`(?ms)^function test_cyclic_labels\(\).*?^}`).ReplaceAllString(source, "")
			var names []string
			for _, found := range calls.FindAllStringSubmatch(source, -1) {
				names = append(names, found[1])
			}
			requireAlike(t, wasm, fueled, calls.ReplaceAllString(source, ""), names, "%s()", "undefined")
		})
	}
}

func TestTheInstrumentedEngineAnswersTheBenchmarksOfQuickJSAlike(t *testing.T) {
	t.Parallel()
	wasm, fueled := engines(t)
	source := read(t, suite(t), "microbench.js")
	source = source[:strings.LastIndex(source, "main(")]
	_, list, found := strings.Cut(source, "var test_list = [")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "]")
	names := strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(", \n", r) })
	// What a benchmark leaves behind is in a global, apart from how much it has done.
	requireAlike(
		t,
		wasm,
		fueled,
		source,
		names,
		`(() => { global_res = null; let d = %s(7); return [d > 0, typeof global_res === "object" ? JSON.stringify(global_res) : String(global_res)] })()`,
		"true,",
	)
}

// requireAlike runs functions of a source in a plain and in an instrumented engine. Most of them have to pass.
func requireAlike(t *testing.T, plain, fueled []byte, source string, names []string, call, passes string) {
	t.Helper()
	require.NotEmpty(t, names)
	engines := []func(string) string{boot(t, plain), boot(t, fueled)}
	for _, eval := range engines {
		eval(shell)
	}
	require.Equal(t, engines[0](source), engines[1](source))
	passed := 0
	for _, name := range names {
		program := fmt.Sprintf("outcome(() => "+call+")", name)
		want, got := engines[0](program), engines[1](program)
		require.Equal(t, want, got, name)
		if strings.HasPrefix(want, passes) {
			passed++
		} else {
			t.Logf("%s fails in both: %s", name, want)
		}
	}
	t.Logf("%d of %d pass", passed, len(names))
	require.Greater(t, passed, len(names)*3/4)
}
