package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/principal"
	"countersign/internal/problem"
)

// asking fails as a database does whose query is broken off.
type asking struct{}

// Authenticate implements api.Authenticator.
func (asking) Authenticate(ctx context.Context, _ *http.Request) (principal.Principal, error) {
	return principal.Principal{}, ctx.Err()
}

// A connection can be in a state in which every request that comes by it has ended. A client that is
// told so comes by another one.
func TestARequestThatHasEndedIsSentByAnotherConnection(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(o *api.Options) { o.Authenticator = asking{} })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/ai/conversations", nil))
	problemOf(t, w, problem.Unavailable)
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Equal(t, "close", w.Header().Get("Connection"))
	require.NotEmpty(t, w.Header().Get("Retry-After"))
}
