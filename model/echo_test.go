package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// Servers on FastAPI quote the refused part of a request. What a person wrote there teaches nothing: neither a limit of
// tools nor a window, which would hold for everybody.
func TestWhatARefusalQuotesOfTheRequestTeachesNothing(t *testing.T) {
	t.Parallel()
	refused := hello
	refused.Tools = []model.Tool{
		{Name: "a", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "b", Parameters: json.RawMessage(`{"type":"object"}`)},
	}
	for _, said := range []string{
		"Too many tools: at most 1 tools.", "This model's maximum context length is 9000 tokens.", "stream must be true",
		"Too many tools: at most 1 tools." + strings.Repeat(" ", 100_000),
	} {
		input, err := json.Marshal(said)
		require.NoError(t, err)
		var learned []model.ModelQuirk
		requests := 0
		answer := body(
			http.StatusBadRequest,
			"application/json",
			fmt.Sprintf(
				`{"detail":[{"type":"value_error","loc":["body","messages",0],"msg":"Value error, no text","input":{"content":%s}}]}`,
				input,
			),
		)
		client := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests++
			answer.ServeHTTP(w, r)
		}), func(o *model.Options) { o.OnQuirks = func(q []model.ModelQuirk) { learned = append(learned, q...) } })
		_, err = client.Stream(t.Context(), refused, nil)
		failure, ok := errors.AsType[*model.Error](err)
		require.True(t, ok, said)
		said = said[:min(len(said), 60)]
		require.Equal(t, model.Invalid, failure.Class, said)
		require.Empty(t, failure.Reason, said)
		require.Zero(t, failure.MaxTools, said)
		require.Empty(t, learned, said)
		require.Equal(t, 1, requests, said)
	}
}
