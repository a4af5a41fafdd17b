package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/tool"
)

func client(handler http.HandlerFunc) *tool.Client {
	router := &tool.Router{}
	router.Bind(handler)
	return &tool.Client{Router: router, Credential: "turn-credential", IdempotencyKey: "call-1", IfMatch: `"7"`}
}

func answerWith(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestARequestCarriesTheCallersCredential(t *testing.T) {
	t.Parallel()
	c := client(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "Bearer turn-credential", r.Header.Get("Authorization"))
		require.Equal(t, "/api/things?limit=2", r.URL.RequestURI())
		require.Empty(t, r.Header.Get("Origin"))
		w.Header().Set("ETag", `"3"`)
		_, _ = io.WriteString(w, `{"text":"hello"}`)
	})
	var out noteOutput
	etag, err := c.Get(t.Context(), "/api/things?limit=2", &out)
	require.NoError(t, err)
	require.Equal(t, `"3"`, etag)
	require.Equal(t, "hello", out.Text)
}

// What is over in a moment is tried again by whoever made the call; a change is not given up for it, and no model is told.
func TestAnAPIThatIsAwayForAMomentIsAHostFailure(t *testing.T) {
	t.Parallel()
	const body = `{"status":503,"code":"unavailable","detail":"The database is away."`
	_, err := client(answerWith(http.StatusServiceUnavailable, body+`,"retryAfterSeconds":2}`)).Get(t.Context(), "/api/things", nil)
	require.Equal(t, problem.Internal, problem.CodeOf(err))
	require.ErrorContains(t, err, "The database is away.", "the log says what it was")
	_, err = client(answerWith(http.StatusServiceUnavailable, body+`}`)).Get(t.Context(), "/api/things", nil)
	require.Equal(t, problem.Unavailable, problem.CodeOf(err), "what does not pass by itself is told")
}

func TestOnlyWritesCarryTheIdempotencyKeyAndTheRevision(t *testing.T) {
	t.Parallel()
	for method, carried := range map[string]bool{"GET": false, "HEAD": false, "POST": true, "PUT": true, "PATCH": true, "DELETE": true} {
		c := client(func(_ http.ResponseWriter, r *http.Request) {
			require.Equal(t, carried, r.Header.Get("Idempotency-Key") == "call-1", method)
			require.Equal(t, carried, r.Header.Get("If-Match") == `"7"`, method)
		})
		_, err := c.Do(t.Context(), method, "/api/things", nil, nil)
		require.NoError(t, err)
	}
	bare := client(func(_ http.ResponseWriter, r *http.Request) {
		require.NotContains(t, r.Header, "Idempotency-Key")
		require.NotContains(t, r.Header, "If-Match")
	})
	bare.IdempotencyKey, bare.IfMatch = "", ""
	_, err := bare.Do(t.Context(), http.MethodPost, "/api/things", nil, nil)
	require.NoError(t, err)
}

func TestABodyIsSentAsJSON(t *testing.T) {
	t.Parallel()
	c := client(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "application/json", r.Header.Get("Content-Type"))
		var in noteInput
		require.NoError(t, json.NewDecoder(r.Body).Decode(&in))
		require.Equal(t, "hello", in.Text)
		w.WriteHeader(http.StatusNoContent)
	})
	var out noteOutput
	_, err := c.Do(t.Context(), http.MethodPost, "/api/things", noteInput{Text: "hello"}, &out)
	require.NoError(t, err)
	require.Empty(t, out.Text, "an answer without a body fills nothing")
	_, err = c.Do(t.Context(), http.MethodPost, "/api/things", func() {}, nil)
	require.Error(t, err)
}

func TestARefusalComesBackAsItsProblem(t *testing.T) {
	t.Parallel()
	sent := problem.InvalidInput("The name is empty.", problem.Issue{Path: "name", Message: "is empty"}).After(3 * time.Second)
	body, err := json.Marshal(sent)
	require.NoError(t, err)
	_, err = client(answerWith(http.StatusUnprocessableEntity, string(body))).Get(t.Context(), "/api/things", nil)
	got, ok := errors.AsType[*problem.Error](err)
	require.True(t, ok)
	require.Equal(t, sent.Issues, got.Issues)
	require.Equal(t, sent.Detail, got.Detail)
	require.Equal(t, 3*time.Second, got.RetryAfter)
}

func TestAFailureOfTheHostStaysRetryable(t *testing.T) {
	t.Parallel()
	for _, code := range []problem.Code{problem.Internal, problem.Unavailable} {
		body, err := json.Marshal(problem.Errorf(code, "Something is away."))
		require.NoError(t, err)
		_, err = client(answerWith(code.Status(), string(body))).Get(t.Context(), "/api/things", nil)
		require.True(t, problem.CodeOf(err).Retryable(), code)
	}
	_, err := client(answerWith(http.StatusBadGateway, "<html>")).Get(t.Context(), "/api/things", nil)
	require.ErrorContains(t, err, "502")
	require.Equal(t, problem.Internal, problem.CodeOf(err), "an answer that is no problem document is a host failure")
}

func TestAnAnswerThatDoesNotFitIsAHostFailure(t *testing.T) {
	t.Parallel()
	var out noteOutput
	_, err := client(answerWith(http.StatusOK, `{"text":`)).Get(t.Context(), "/api/things", &out)
	require.Equal(t, problem.Internal, problem.CodeOf(err))
}

func TestACancelledCallReportsItsCause(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped by the person")
	ctx, cancel := context.WithCancelCause(t.Context())
	c := client(func(w http.ResponseWriter, _ *http.Request) {
		cancel(stopped)
		w.WriteHeader(http.StatusInternalServerError)
	})
	_, err := c.Get(ctx, "/api/things", nil)
	require.ErrorIs(t, err, stopped)
}

func TestACallBeforeTheAPIIsBoundFails(t *testing.T) {
	t.Parallel()
	c := &tool.Client{Router: &tool.Router{}}
	_, err := c.Get(t.Context(), "/api/things", nil)
	require.ErrorContains(t, err, "not bound")
}
