package assistant_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
)

func TestAWindowThatIsTooSmallIsRefusedInWords(t *testing.T) {
	t.Parallel()
	for _, fine := range []int{-1, 0, assistant.LeastWindow, 8_192, 1_000_000} {
		require.Empty(t, assistant.WindowRefusal(fine), "%d tokens", fine)
	}
	for _, small := range []int{1, 2_048, assistant.LeastWindow - 1} {
		require.Contains(t, assistant.WindowRefusal(small), "at least 4096", "%d tokens", small)
	}
}
