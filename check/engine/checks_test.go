package engine_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/engine"
	"countersign/check/strategy"
	"countersign/internal/secret"
)

// vault holds one secret, whose revision is its value.
type vault struct {
	value    atomic.Pointer[string]
	resolved atomic.Int64
}

func (v *vault) put(value string) { v.value.Store(&value) }

func (v *vault) Resolve(_ context.Context, names []string, _ string) (map[string]secret.Value, error) {
	v.resolved.Add(1)
	return map[string]secret.Value{names[0]: secret.NewValue(*v.value.Load())}, nil
}

func (v *vault) Revision(context.Context) (string, error) { return *v.value.Load(), nil }

// A secret that is replaced after it was resolved and before the first look at the revision is not kept for ever.
func TestASecretThatIsReplacedBeforeTheFirstLookIsResolvedAgain(t *testing.T) {
	t.Parallel()
	kinds, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	v := &vault{}
	v.put("first")
	c := &engine.Checks{Registry: kinds, Host: &check.Host{}, Secrets: v, Log: slog.New(slog.DiscardHandler)}
	d := &engine.Definition{
		Configuration: []byte(`{"strategyId": "healthcheck-http.http", "config": {}, "collectors": [{"id": "6a8f5a52-5d3e-4f7e-8d6c-1d2f4cbb0a11",
		"collectorId": "healthcheck-http.request", "config": {"url": "http://example.org/", "bearerToken": "${{ secrets.TOKEN }}"}}]}`),
	}
	prepare := func() int64 {
		_, err := c.Prepare(t.Context(), d, []byte(`{}`))
		require.NoError(t, err)
		return v.resolved.Load()
	}
	before := c.Generation()
	require.Equal(t, int64(1), prepare())
	require.Equal(t, int64(1), prepare(), "a value that is known is kept")
	v.put("second")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { c.Run(ctx); close(done) }()
	eventually(t, "what was prepared is out of date", func() bool { return c.Generation() != before })
	require.Equal(t, int64(2), prepare())
	cancel()
	<-done
}
