package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
)

// What one reader takes from a body and another does not is refused, before anything happens and whatever the operation.
func TestABodyThatCanBeReadInTwoWaysIsRefused(t *testing.T) {
	t.Parallel()
	n := &notes{}
	s := newServer(t, with(n))
	for _, body := range []string{
		`{"text":"shown","text":"done"}`, `{"text":"shown","t\u0065xt":"done"}`, `{"text":"shown","TEXT":"done"}`, `{"TEXT":"done"}`,
		`{"text":"half \ud83d of a pair"}`, `{"text":"\udc00"}`, "{\"text\":\"\xff\"}", `{"text":"a"} {"text":"b"}`,
	} {
		for _, key := range []string{"", "some-key"} {
			w := s.do(t, http.MethodPost, "/api/notes", body, "X-Rules", "note.manage", "Idempotency-Key", key)
			require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, w.Code, "%s: %s", body, w.Body)
			require.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
		}
	}
	require.Zero(t, n.count())
	e := s.refused(t, problem.NotAcceptable, http.MethodPost, "/api/notes", `{"text":"a","text":"b"}`, "X-Rules", "note.manage")
	require.Contains(t, e.Detail, `"text" stands twice`)
	require.Equal(t, http.StatusCreated, s.do(t, http.MethodPost, "/api/notes", `{"text":"\ud83d\ude00"}`, "X-Rules", "note.manage").Code)
}
