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
	"countersign/internal/problem"
	"countersign/internal/store/quota"
	"countersign/modules/probe"
	"countersign/tool/budget"
)

func newProbe(t *testing.T, calls, most int) *apitest.Server {
	t.Helper()
	policy, err := egress.ParsePolicy("127.0.0.1")
	require.NoError(t, err)
	s := apitest.New(t)
	s.Mount(t, probe.New(probe.Options{
		Guard: egress.New(egress.Options{Policy: policy}), Calls: budget.New(s.DB, budget.Limits{Calls: calls, Window: time.Hour}),
		Quota: quota.New(s.DB), Most: most,
	}))
	s.Person("ada", "ai.chat.read")
	s.Person("bob", "ai.chat.read")
	return s
}

func count(t *testing.T, s *apitest.Server, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, s.DB.Conn(t.Context()).QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

func TestAProbeByItselfIsACallOfTheBudgetWithAnAuditRow(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
	t.Cleanup(page.Close)
	s := newProbe(t, 3, 5)
	ask := func(who, url string) apitest.Answer {
		return s.Do(t, who, http.MethodPost, "/api/probe", map[string]any{"url": url})
	}
	require.Equal(t, http.StatusOK, ask("ada", page.URL).Status)
	require.Equal(t, http.StatusUnprocessableEntity, ask("ada", "http://10.0.0.1/").Status, "a refused URL is a call, too")
	require.Equal(t, http.StatusOK, ask("ada", page.URL).Status)
	over := ask("ada", page.URL)
	require.Contains(t, over.Refused(t, problem.Budget).Detail, "at most 3 tool calls")
	require.NotEmpty(t, over.Header.Get("Retry-After"))
	require.Equal(t, http.StatusOK, ask("bob", page.URL).Status)

	ada := s.Principal("ada").ID
	require.Equal(
		t,
		2,
		count(
			t,
			s,
			"SELECT count(*) FROM ai_tool_calls WHERE principal_id = $1 AND tool_name = 'ai.probeUrl' AND transport = 'api' AND status = 'executed'",
			ada,
		),
	)
	require.Equal(
		t,
		1,
		count(t, s, "SELECT count(*) FROM ai_tool_calls WHERE principal_id = $1 AND status = 'failed' AND error_code = 'invalid'", ada),
	)
	require.Equal(
		t,
		1,
		count(t, s, "SELECT count(*) FROM ai_tool_calls WHERE principal_id = $1 AND status = 'refused' AND error_code = 'budget'", ada),
	)
	require.Zero(t, count(t, s, "SELECT count(*) FROM held_places"))
}

func TestSoManyProbesOfOnePersonRunAtOnce(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}, 10), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	}))
	t.Cleanup(slow.Close)
	s := newProbe(t, 100, 2)
	ask := func(who string) apitest.Answer {
		return s.Do(t, who, http.MethodPost, "/api/probe", map[string]any{"url": slow.URL})
	}
	ended := make(chan apitest.Answer, 3)
	for _, who := range []string{"ada", "ada", "bob"} {
		go func() { ended <- ask(who) }()
	}
	for range 3 {
		<-arrived
	}
	refused := ask("ada")
	require.Contains(t, refused.Refused(t, problem.Throttled).Detail, "2 probes running already")
	require.Equal(t, "5", refused.Header.Get("Retry-After"))
	close(release)
	for range 3 {
		<-ended
	}
	require.Zero(t, count(t, s, "SELECT count(*) FROM held_places"))
	require.Equal(t, 3, count(t, s, "SELECT count(*) FROM ai_tool_calls"), "the refused one was not made")

	// Places of processes that died are free again after a while.
	_, err := s.DB.Conn(t.Context()).Exec(t.Context(), `INSERT INTO held_places (id, kind, principal, held_until)
		SELECT gen_random_uuid(), 'probe', $1, clock_timestamp() - interval '1 second' FROM generate_series(1, 5)`, s.Principal("ada").Key())
	require.NoError(t, err)
	require.NotEqual(t, http.StatusTooManyRequests, ask("ada").Status)
}
