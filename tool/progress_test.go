package tool_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/tool"
)

// What a handler of the REST API tells of a request that a tool makes reaches whoever made the call.
func TestACallTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	router := &tool.Router{}
	router.Bind(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tool.Report(r.Context(), "Running")
		w.WriteHeader(http.StatusNoContent)
	}))
	var heard []string
	ctx := tool.WithProgress(t.Context(), func(stage string) { heard = append(heard, stage) })
	client := tool.Client{Router: router}
	_, err := client.Get(ctx, "/api/anything", nil)
	require.NoError(t, err)
	require.Equal(t, []string{"Running"}, heard)

	tool.Report(t.Context(), "Nobody listens")
}
