package kit_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

func requesting(request func(noteInput) tool.Request) tool.Tool {
	return kit.NewWrite(tool.Definition{Name: "note.write", Description: "Writes.", Effect: tool.Mutate, Rules: []string{"note.manage"}},
		func(_ context.Context, _ tool.Caller, in noteInput) (kit.Preview[noteInput], error) {
			return kit.Preview[noteInput]{Summary: "Write", Payload: in}, nil
		},
		request, func(answer noteInput) noteOutput { return noteOutput{Text: "wrote " + answer.Text} })
}

func TestApplyingMakesExactlyTheOneRequest(t *testing.T) {
	t.Parallel()
	for method, made := range map[string]tool.Request{
		http.MethodPost:   kit.Post("/api/notes", noteOutput{Text: "x"}),
		http.MethodPut:    kit.Put("/api/notes", noteOutput{Text: "x"}),
		http.MethodPatch:  kit.Patch("/api/notes", noteOutput{Text: "x"}),
		http.MethodDelete: {Method: http.MethodDelete, Path: "/api/notes", Body: noteOutput{Text: "x"}},
	} {
		calls := 0
		c := client(func(w http.ResponseWriter, r *http.Request) {
			calls++
			require.Equal(t, []string{method, "/api/notes", "call-1", `"7"`},
				[]string{r.Method, r.URL.Path, r.Header.Get("Idempotency-Key"), r.Header.Get("If-Match")})
			body, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			require.JSONEq(t, `{"text":"x"}`, string(body))
			_, _ = w.Write(body)
		})
		out, err := requesting(
			func(noteInput) tool.Request { return made },
		).Run(
			t.Context(),
			tool.Caller{Client: c},
			json.RawMessage(`{"text":"a"}`),
		)
		require.NoError(t, err)
		require.Equal(t, noteOutput{Text: "wrote x"}, out)
		require.Equal(t, 1, calls)
	}
}

func TestARefusedRequestHasNoOutput(t *testing.T) {
	t.Parallel()
	body, err := json.Marshal(problem.Errorf(problem.Conflict, "The name is taken."))
	require.NoError(t, err)
	c := client(answerWith(http.StatusConflict, string(body)))
	out, err := requesting(
		func(noteInput) tool.Request { return kit.Post("/api/notes", nil) },
	).Run(
		t.Context(),
		tool.Caller{Client: c},
		json.RawMessage(`{"text":"a"}`),
	)
	require.True(t, problem.Is(err, problem.Conflict), "%v", err)
	require.Equal(t, noteOutput{}, out)
}

func TestAReadIsNotAWayToApply(t *testing.T) {
	t.Parallel()
	c := client(func(http.ResponseWriter, *http.Request) { t.Error("requested") })
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		read := requesting(func(noteInput) tool.Request { return tool.Request{Method: method, Path: "/api/notes"} })
		_, err := read.Run(t.Context(), tool.Caller{Client: c}, json.RawMessage(`{"text":"a"}`))
		require.ErrorContains(t, err, "not a write")
	}
}

func TestADeletionAnswersThatItHappened(t *testing.T) {
	t.Parallel()
	remove := kit.NewWrite(
		tool.Definition{Name: "note.delete", Description: "Deletes.", Effect: tool.Destructive, Rules: []string{"note.manage"}},
		func(_ context.Context, _ tool.Caller, in noteInput) (kit.Preview[noteInput], error) {
			return kit.Preview[noteInput]{Payload: in}, nil
		},
		func(in noteInput) tool.Request { return kit.Delete("/api/notes/" + in.Text) },
		kit.Gone,
	)
	c := client(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "DELETE /api/notes/a", r.Method+" "+r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	})
	out, err := remove.Run(t.Context(), tool.Caller{Client: c}, json.RawMessage(`{"text":"a"}`))
	require.NoError(t, err)
	require.Equal(t, kit.Deleted{Deleted: true}, out)
}
