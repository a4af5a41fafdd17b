package shell_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
)

func TestThePageOfCommandsNamesThemAll(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/reference/shell-commands.md")
	require.NoError(t, err)
	notes, err := os.ReadFile("../../script/sdk/shell.txt")
	require.NoError(t, err)
	for name := range strings.FieldsSeq(run(t, sandbox.Job{Source: "ls /bin"}).Stdout) {
		switch name {
		case "[", "test", "true", "false", "echo", "printf", "pwd", "sh", "bash":
		default:
			require.Contains(t, string(page), "`"+name+"`")
			require.Contains(t, strings.Fields(string(notes)), name)
		}
	}
}

// What the page calls different is so, and the tests tell when it no longer is.
func TestDocumentedDifferences(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"echo a | exit 7; echo no":                                    "",
		"echo a | read x; echo $x":                                    "a\n",
		"trap 'exit 3' EXIT; exit 0":                                  "",
		"declare -A m; m[a]=1; m[b]=2; echo ${#m[@]}":                 "1\n",
		"exec 3>f; echo x":                                            "x\n",
		"grep -E '(a)\\1' /dev/null 2> /dev/null; echo $?":            "2\n",
		"echo ab | sed -E 's/(a)(b)/\\2\\1/'":                         "ba\n",
		"echo aa | grep -P '(?!a)' 2> /dev/null; echo $?":             "2\n",
		"awk 'BEGIN { print 1/0 }' 2> /dev/null; echo $?":             "2\n",
		"awk 'BEGIN { a[10]; a[9]; a[\"b\"]; for (k in a) print k }'": "9\n10\nb\n",
		"awk 'BEGIN { print substr(\"héllo\", 2, 1), \"info\" + 0 }'": "é 0\n",
		"awk 'BEGIN { gensub(1) }' 2> /dev/null; echo $?":             "2\n",
		"curl -k x 2> /dev/null; echo $?":                             "2\n",
		"date +%Z; echo $USER $PATH; pwd":                             "UTC\nuser /bin\n/home/user\n",
		"basename a/b 2>&1; echo $?":                                  "basename: command not found\n127\n",
		"mkdir d; rm -d d; ls; echo a.b | grep -F a.b":                "a.b\n",
		"echo a > f; gzip f; gunzip -c f.gz; diff -q f.gz f.gz":       "a\n",
		"p=/a/b.txt; echo ${p##*/} ${p%/*}; command -v ls; which ls":  "b.txt /a\n/bin/ls\n",
		"printf 'B\\na\\n' | sort":                                    "B\na\n",
		"echo '{\"b\":1,\"a\":2}' | jq -c .":                          "{\"a\":2,\"b\":1}\n",
		"set -e; trap 'echo failed' ERR; false":                       "failed\n",
		"PATH=/nowhere; PATH=/bin; cut -d: -f2 <<< a:b; wait; :":      "b\n",
	} {
		o := run(t, sandbox.Job{Source: script})
		require.Equal(t, sandbox.OK, o.Kind, "%s: %+v", script, o.Failure)
		require.Equal(t, want, o.Stdout, "%s: %s", script, o.Stderr)
	}
	require.Equal(t, 0, run(t, sandbox.Job{Source: "trap 'exit 3' EXIT; exit 0"}).ExitCode)
	require.Equal(t, 7, run(t, sandbox.Job{Source: "echo a | exit 7; echo no"}).ExitCode)
}
