package declaredtest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest/declaredtest"
)

func TestDeclarationsWithGapsAreRefused(t *testing.T) {
	t.Parallel()
	const whole = "operations:\n  make-berth: {lock: {path: /api/berths}, change: {path: /api/berths}}\n"
	for says, files := range map[string][]string{
		"":                                    {whole, "tools:\n  quay.listBerths: {tasks: [show berths]}\n"},
		"make-berth is declared twice":        {whole, whole},
		"neither or both of a lock":           {"operations:\n  make-berth: {change: {path: /api/berths}}\n"},
		"neither or both of a change":         {"operations:\n  make-berth: {lock: {path: /api/berths}}\n"},
		"attacked by tests that do not exist": {"operations:\n  make-berth: {attacked: [gone_test.go], unrecorded: It reads.}\n"},
		"field locks not found":               {"operations:\n  make-berth: {locks: {path: /api/berths}}\n"},
		"quay.listBerths is declared twice":   {"tools:\n  quay.listBerths: {}\n", "tools:\n  quay.listBerths: {}\n"},
		"berth is declared twice":             {"records:\n  berth: {path: /api/berths}\n", "records:\n  berth: {path: /api/berths}\n"},
	} {
		root := t.TempDir()
		for i, text := range files {
			path := filepath.Join(root, "modules", string(rune('a'+i)), declaredtest.File)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		}
		d, err := declaredtest.Read(root)
		if says == "" {
			require.NoError(t, err)
			require.Equal(t, []string{"make-berth"}, d.Locked())
			require.Len(t, d.Tools, 1)
			continue
		}
		require.ErrorContains(t, err, says)
	}
}
