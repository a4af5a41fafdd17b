package scriptpolicy_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
)

// A page without end, of which only so much is taken as the script may still receive.
func TestAnAnswerIsCountedWhileItIsRead(t *testing.T) {
	t.Parallel()
	var sent atomic.Int64
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		piece := bytes.Repeat([]byte("a"), 16<<10)
		for r.Context().Err() == nil {
			n, err := w.Write(piece)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}))
	t.Cleanup(endless.Close)
	meter := sandbox.Meter{Limit: 64 << 10}
	_, err := meter.Metered(t.Context(), loopback(), get(endless.URL))
	require.EqualError(t, err, "The answer is larger than what the script may still receive.")
	require.False(t, meter.Add(0), "what was read counts")

	small := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.Repeat([]byte("a"), 1000)) }),
	)
	t.Cleanup(small.Close)
	meter = sandbox.Meter{Limit: 1500}
	answer, err := meter.Metered(t.Context(), loopback(), get(small.URL))
	require.NoError(t, err)
	require.Len(t, answer.Body, 1000)
	require.True(t, meter.Add(500))
	require.False(t, meter.Add(1), "and once")
}
