package probe_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/egress"
	"countersign/modules/probe"
	"countersign/problem"
	"countersign/store/quota"
	"countersign/tool/budget"
)

func newProbe(t *testing.T, calls, most int) (*apitest.Server, http.Handler) {
	t.Helper()
	policy, err := egress.ParsePolicy("127.0.0.1")
	require.NoError(t, err)
	s := apitest.New(t)
	s.Mount(t, probe.New(probe.Options{
		Guard: egress.New(egress.Options{Policy: policy}), Calls: budget.New(s.DB, budget.Limits{Calls: calls, Window: time.Hour}),
		Places: quota.New(s.DB), Most: most,
	}))
	return s, nil
}
