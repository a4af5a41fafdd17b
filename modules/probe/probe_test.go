package probe_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/egress"
	"countersign/internal/store/quota"
	"countersign/modules/probe"
	"countersign/tool/budget"
)

func TestTheProbeConforms(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
	t.Cleanup(page.Close)
	policy, err := egress.ParsePolicy("127.0.0.1")
	require.NoError(t, err)
	s := apitest.New(t)
	m := probe.New(probe.Options{
		Guard: egress.New(egress.Options{Policy: policy}), Calls: budget.New(s.DB, budget.Limits{Calls: 100, Window: time.Minute}),
		Quota: quota.New(s.DB), Most: 5,
	})
	s.Mount(t, m)
	apitest.Conform(t, apitest.Subject{
		Server: s, Module: m, Foreign: []string{"ai.chat.read"},
		Calls: map[string]apitest.Call{"ai.probeUrl": apitest.Input(map[string]any{"url": page.URL})},
	})
}
