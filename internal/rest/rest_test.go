package rest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/rest"
)

func TestWhatPassesIsUnavailableAndNothingElseOfTheHost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		after  string
	}{
		{fmt.Errorf("load: %w", context.DeadlineExceeded), http.StatusServiceUnavailable, "2"},
		{problem.Errorf(problem.Internal, "Something went wrong.").WithCause(context.DeadlineExceeded), http.StatusServiceUnavailable, "2"},
		{fmt.Errorf("GET /api/x: %w", problem.As(errors.New("away")).WithCause(problem.Errorf(problem.Unavailable, "Wait.").After(5*time.Second))), http.StatusServiceUnavailable, "5"},
		{errors.New("a fault"), http.StatusInternalServerError, ""},
		{problem.Errorf(problem.Conflict, "No.").WithCause(context.DeadlineExceeded), http.StatusConflict, ""},
	} {
		w := httptest.NewRecorder()
		rest.WriteProblem(w, c.err)
		require.Equal(t, c.status, w.Code, "%v", c.err)
		require.Equal(t, c.after, w.Header().Get("Retry-After"), "%v", c.err)
	}
	require.Nil(t, rest.Problem(nil))
}

func TestIfMatchTakesOneQuotedRevision(t *testing.T) {
	t.Parallel()
	for _, header := range []string{`"3"`, `W/"3"`} {
		m := rest.IfMatch{Header: header}
		require.Empty(t, m.Resolve(nil))
		require.Equal(t, int64(3), *m.Revision())
	}
	absent := rest.IfMatch{}
	require.Empty(t, absent.Resolve(nil))
	require.Nil(t, absent.Revision())
	for _, header := range []string{"3", `"0"`, `"-1"`, `"3","4"`, "*", `"`, `""`, `"x"`} {
		m := rest.IfMatch{Header: header}
		require.Len(t, m.Resolve(nil), 1, header)
		require.Zero(t, *m.Revision(), "whoever asks all the same is told of no revision that there is: %s", header)
	}
}

func TestAnETagReadsBackAsIfMatch(t *testing.T) {
	t.Parallel()
	m := rest.IfMatch{Header: rest.Tag(42).ETag}
	require.Equal(t, int64(42), *m.Revision())
}
