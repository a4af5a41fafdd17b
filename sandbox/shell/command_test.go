package shell_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
)

// The scripts and what they print lie in testdata/commands, one file for each command or a few that belong together. But for
// jq, xxd and the differences of awk, what is expected is what bash, mawk and the GNU commands print.
func TestCommands(t *testing.T) {
	t.Parallel()
	scripted(t, "testdata/commands/*.txt")
}

func TestFeatures(t *testing.T) {
	t.Parallel()
	scripted(t, "testdata/features/*.txt")
}

func scripted(t *testing.T, pattern string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, part := range strings.Split("\n"+string(text), "\n== ")[1:] {
			name, rest, _ := strings.Cut(part, "\n")
			script, rest, found := strings.Cut(rest, "\n-- exit ")
			require.True(t, found, "%s: %s", file, name)
			code, want, _ := strings.Cut(rest, "\n")
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+name, func(t *testing.T) {
				t.Parallel()
				o := run(t, sandbox.Job{Source: script})
				require.Equal(t, sandbox.OK, o.Kind, "%+v", o.Failure)
				require.Equal(t, strings.TrimRight(want, "\n"), strings.TrimRight(o.Stdout, "\n"), "stderr: %s", o.Stderr)
				require.Equal(t, code, strconv.Itoa(o.ExitCode), "stderr: %s", o.Stderr)
			})
		}
	}
}
