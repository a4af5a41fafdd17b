package problem_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
)

func TestEveryCodeHasAStatusAndATitle(t *testing.T) {
	t.Parallel()
	for _, c := range problem.Codes() {
		require.GreaterOrEqual(t, c.Status(), 400, c)
		require.NotEmpty(t, c.Title(), c)
	}
}

func TestAHostFailureShowsNothingOfItself(t *testing.T) {
	t.Parallel()
	e := problem.As(errors.New("dial tcp 10.0.0.7:5432: password authentication failed"))
	require.Equal(t, problem.Internal, e.Code)
	wire, err := json.Marshal(e)
	require.NoError(t, err)
	require.NotContains(t, string(wire), "10.0.0.7")
	require.Equal(t, http.StatusInternalServerError, e.GetStatus())
}

func TestAProblemDocumentSurvivesTheWire(t *testing.T) {
	t.Parallel()
	sent := problem.InvalidInput("Two fields are wrong.", problem.Issue{Path: "name", Message: "is required"}).
		After(1500*time.Millisecond).With("diff", []any{"x"}).With("status", 999)
	wire, err := json.Marshal(sent)
	require.NoError(t, err)

	var got problem.Error
	require.NoError(t, json.Unmarshal(wire, &got))
	require.Equal(t, problem.Invalid, got.Code)
	require.Equal(t, sent.Issues, got.Issues)
	require.Equal(t, 2*time.Second, got.RetryAfter, "Retry-After has whole seconds")
	require.Equal(t, []any{"x"}, got.Extra["diff"])
	require.Contains(t, string(wire), `"status":422`, "an extra member cannot replace a standard one")
}

func TestACauseIsKeptForTheLogAndForErrorsIs(t *testing.T) {
	t.Parallel()
	e := problem.Errorf(problem.Unavailable, "The database is away.").WithCause(io.EOF)
	require.ErrorIs(t, e, io.EOF)
	require.True(t, problem.Is(e, problem.Unavailable))
	require.Equal(t, "The database is away.", e.Detail)
}

func TestAnInputHearsOfAllItsIssuesAtOnce(t *testing.T) {
	t.Parallel()
	var issues problem.Issues
	require.NoError(t, issues.Err())
	issues.Report("name", "is %d characters long", 300)
	require.NoError(t, issues.Absorb(nil))
	require.NoError(t, issues.Absorb(problem.InvalidInput("No such team.", problem.Issue{Path: "teamId", Message: "names no team: 100%"})))
	require.ErrorIs(t, issues.Absorb(io.EOF), io.EOF)
	issues.Report("", "needs a value")

	require.Equal(t, 3, issues.Count())
	e := problem.As(issues.Err())
	require.Equal(t, problem.Invalid, e.Code)
	require.Equal(t, "Please correct: name is 300 characters long; teamId names no team: 100%; needs a value.", e.Detail)
	require.Equal(t, []problem.Issue{
		{Path: "name", Message: "is 300 characters long"}, {Path: "teamId", Message: "names no team: 100%"}, {Message: "needs a value"},
	}, e.Issues)
}

func TestAHopelessInputStaysReadable(t *testing.T) {
	t.Parallel()
	var issues problem.Issues
	for range 1000 {
		issues.Report("models", "is wrong")
	}
	require.Len(t, problem.As(issues.Err()).Issues, 20)
}

func TestAChangeOfAnotherRevisionIsRefused(t *testing.T) {
	t.Parallel()
	require.NoError(t, problem.CheckRevision("system Payments", 3, nil))
	require.NoError(t, problem.CheckRevision("system Payments", 3, new(int64(3))))
	err := problem.CheckRevision("system Payments", 3, new(int64(2)))
	require.True(t, problem.Is(err, problem.Precondition))
	require.Equal(
		t,
		"The system Payments has changed since: it is at revision 3, the change is based on 2. Read it again and repeat the change.",
		problem.As(err).Detail,
	)
}
