package arch_test

import (
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"countersign/test/arch"
)

// unwrapped are folders and files whose long lines stay, with the reason.
var unwrapped = map[string]string{
	"migrations":                        "an applied migration stays byte for byte",
	"web/src/api/schema.d.ts":           "generated from the OpenAPI document",
	"script/sdk/modules/vendor":         "bundled from npm packages",
	"sandbox/javascript/testdata":       "scripts that attack the sandbox, some by their long lines",
	"script/typescript/testdata/oracle": "calls the compiler's API with long tables",
}

func TestLinesOfSQLAndTypeScriptHaveAtMost140Columns(t *testing.T) {
	t.Parallel()
	found, err := arch.Lines(os.DirFS(root), func(file string) bool {
		for at := file; at != "."; at = path.Dir(at) {
			if unwrapped[at] != "" {
				return true
			}
		}
		return false
	})
	require.NoError(t, err)
	for _, f := range found {
		t.Error(f)
	}
	for at := range unwrapped {
		_, err := os.Stat(path.Join(root, at))
		require.NoError(t, err, "an exemption for something that is gone")
	}
}

func TestLinesFindsLongLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 141)
	tree := fstest.MapFS{
		"a/q.sql":           {Data: []byte("SELECT 1;\n-- " + long + "\n")},
		"a/ok.sql":          {Data: []byte(strings.Repeat("ü", 140))},
		"a/p.ts":            {Data: []byte("// " + long + "\n  /" + long + "/,\n\"" + long + "\"\n")},
		"a/p.test.ts":       {Data: []byte("// " + long + "\n\"" + long + "\"\n")},
		"a/m.mjs":           {Data: []byte(long)},
		"node_modules/m.js": {Data: []byte(long)},
		"skipped.js":        {Data: []byte(long)},
		"a/g.go":            {Data: []byte(long)},
	}
	found, err := arch.Lines(tree, func(file string) bool { return file == "skipped.js" })
	require.NoError(t, err)
	got := make([]string, 0, len(found))
	for _, f := range found {
		got = append(got, f.String())
	}
	require.Equal(t, []string{
		`a/m.mjs:1: "141 columns": at most 140`,
		`a/p.test.ts:1: "144 columns": at most 140`,
		`a/p.ts:1: "144 columns": at most 140`,
		`a/p.ts:3: "143 columns": at most 140`,
		`a/q.sql:2: "144 columns": at most 140`,
	}, got)
}
