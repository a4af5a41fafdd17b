package chat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
)

func FuzzReadRun(f *testing.F) {
	f.Add(`{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"Hello"}]}`)
	f.Add(`{"threadId":7,"messages":[{"id":"m","role":"tool"}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		in, err := readRun([]byte(body))
		if err != nil {
			require.Equal(t, problem.Invalid, problem.CodeOf(err))
			requireShowable(t, problem.As(err))
			return
		}
		require.Regexp(t, `^[!-~]{1,128}$`, in.threadID)
		require.Regexp(t, `^[!-~]{1,128}$`, in.MessageID)
		require.NotEmpty(t, in.Message.Text)
	})
}
