package agent_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/modules/agent"
	product "countersign/tool"
)

// What was let through as a read does not run once another revision is live, which may do something else.
func TestACallDoesNotRunWhenItsToolHasChangedSinceItWasDecidedAbout(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Person("reader", agent.Read)
	a.live(t, "billing", "export default 1", nil)
	found, ok, err := a.module.Source(slog.New(slog.DiscardHandler)).Usable(t.Context(), a.Principal("reader"), "agent.billing.echo")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, product.Read, found.Effect)
	judged := product.WithDecidedVersion(t.Context(), found.Name, found.Identity.Version)
	call := func() int {
		return a.DoIn(judged, t, "reader", http.MethodPost, agents+"/billing/tools/echo/call", compactObject{"args": compactObject{}}).Status
	}
	require.Equal(t, http.StatusOK, call())
	before := a.ran()

	a.goes(t, "billing", "export default 2", compactObject{"tools": compactObject{"echo": compactObject{"requires_approval": true}}})
	require.Equal(t, http.StatusPreconditionFailed, call())
	_, err = found.Run(t.Context(), a.Caller("reader"), json.RawMessage(`{}`))
	require.True(t, problem.Is(err, problem.Precondition), "%v", err)
	require.Contains(t, problem.As(err).Detail, "Ask for it again")
	require.Equal(t, before, a.ran())
	require.Equal(
		t,
		http.StatusOK,
		a.Do(t, "reader", http.MethodPost, agents+"/billing/tools/echo/call", compactObject{"args": compactObject{}}).Status,
		"nothing was decided about this one before",
	)
}
