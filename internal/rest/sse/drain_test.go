package sse_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/rest/sse"
)

func TestStreamsEndBeforeRequests(t *testing.T) {
	t.Parallel()
	drain, begin := context.WithCancel(t.Context())
	request := sse.Drained(t.Context(), drain)
	stream, end := sse.Open(request)
	defer end()
	require.NoError(t, stream.Err())
	begin()
	<-stream.Done()
	require.ErrorIs(t, context.Cause(stream), sse.ErrDraining)
	require.NoError(t, request.Err(), "what was begun comes to its end")
	late, end := sse.Open(request)
	defer end()
	<-late.Done()
	require.ErrorIs(t, context.Cause(late), sse.ErrDraining)
}

func TestAStreamEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	request, leave := context.WithCancel(t.Context())
	stream, end := sse.Open(request)
	leave()
	<-stream.Done()
	require.ErrorIs(t, context.Cause(stream), context.Canceled)
	end()

	stream, end = sse.Open(t.Context())
	end()
	require.Error(t, stream.Err())
}

func TestWhoeverWaitsForAnAnswerIsToldToAskAgain(t *testing.T) {
	t.Parallel()
	e := problem.As(sse.ErrDraining)
	require.Equal(t, http.StatusServiceUnavailable, e.GetStatus())
	require.Equal(t, time.Second, e.RetryAfter)
}
