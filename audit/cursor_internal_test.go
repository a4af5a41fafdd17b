package audit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
)

func FuzzACursorIsRefusedOrUnderstood(f *testing.F) {
	f.Add("")
	f.Add("MTIgMw")
	f.Add("!")
	f.Fuzz(func(t *testing.T, text string) {
		at, err := parseCursor(text)
		if err != nil {
			require.True(t, problem.Is(err, problem.Invalid))
			return
		}
		again, err := parseCursor(at.cursor())
		require.NoError(t, err)
		require.Equal(t, at, again)
	})
}
