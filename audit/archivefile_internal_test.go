package audit

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A draft gets its name when it is asked for, never one that is taken, and is gone when it has got none; with and
// without a file system that has files without names.
func TestADraftGetsANameThatIsFree(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(path string) (draft, error){"as the system can": newDraft, "beside the name": hidden} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "audit.jsonl.gz")
			write := func(text string) error {
				d, err := begin(path)
				require.NoError(t, err)
				defer d.end()
				_, err = d.WriteString(text)
				require.NoError(t, err)
				said, err := os.ReadFile(d.at)
				require.NoError(t, err)
				require.Equal(t, text, string(said))
				return d.link(path)
			}
			require.NoError(t, write("first"))
			require.ErrorIs(t, write("second"), fs.ErrExist)
			said, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, "first", string(said))
			list, err := os.ReadDir(filepath.Dir(path))
			require.NoError(t, err)
			require.Len(t, list, 1)
		})
	}
	_, err := newDraft(filepath.Join(t.TempDir(), "nowhere", "audit.jsonl.gz"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}
