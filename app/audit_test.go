package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/audit"
	"countersign/internal/problem"
)

type auditPage struct {
	Calls      []audit.Call `json:"calls"`
	NextCursor string       `json:"nextCursor"`
}

func TestTheAuditLogIsKeptCheckedAndShown(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	require.NotContains(t, p.Log.String(), "Database role not used")
	chat := p.Admin.Conversation(t, nil)
	turn := chat.Perform(t, `tool=ai.listDocs calls=2 text="Done."`)
	finished(t, chat, turn)
	person := p.Person(t)
	person.Post(t, "/api/ai/tools/ai.listDocs/call", map[string]any{"input": map[string]any{}}, nil)

	var page auditPage
	p.Admin.Get(t, "/api/ai/audit?limit=2", &page)
	require.Len(t, page.Calls, 2)
	require.Equal(t, person.ID, page.Calls[0].Principal.ID)
	require.NotEmpty(t, page.Calls[0].Principal.Name)
	var rest auditPage
	p.Admin.Get(t, "/api/ai/audit?limit=2&cursor="+page.NextCursor, &rest)
	require.Len(t, rest.Calls, 1)
	require.Empty(t, rest.NextCursor)

	e := person.Refused(t, problem.Forbidden, http.MethodGet, "/api/ai/audit", nil)
	require.Equal(t, []string{audit.Read}, e.MissingRules)
	person.Refused(t, problem.Forbidden, http.MethodGet, "/api/ai/audit/export", nil)
	person.Refused(t, problem.Forbidden, http.MethodGet, "/api/ai/audit/verification", nil)
	person.Refused(t, problem.Invalid, http.MethodGet, "/api/ai/audit?mine=true&cursor=x", nil)
	person.Refused(t, problem.Invalid, http.MethodGet, "/api/ai/audit?mine=true&status=odd", nil)
	var own auditPage
	person.Get(t, "/api/ai/audit?mine=true", &own)
	require.Len(t, own.Calls, 1)

	var detail audit.Detail
	apptest.Eventually(t, "the call has its place in the chain", func() bool {
		p.Admin.Get(t, "/api/ai/audit/"+rest.Calls[0].ID.String(), &detail)
		last := detail.History[len(detail.History)-1]
		return last.Status == "executed" && last.Seq != nil
	})
	require.Equal(t, chat.ID, *detail.ConversationID)

	file := p.Admin.Call(t, http.MethodGet, "/api/ai/audit/export?transport=chat", nil)
	require.Equal(t, http.StatusOK, file.Status)
	require.Equal(t, "text/csv; charset=utf-8", file.Header.Get("Content-Type"))
	require.Contains(t, file.Header.Get("Content-Disposition"), "tool-calls.csv")
	require.Equal(t, 3, strings.Count(string(file.Body), "\n"))

	apptest.Eventually(t, "the chain is complete", func() bool {
		var s audit.Status
		p.Admin.Get(t, "/api/ai/audit/verification", &s)
		return s.Entries == entries(t, p) && s.Waiting == 0
	})
	apptest.Eventually(t, "calls are counted", func() bool {
		answer := p.Anonymous().Call(t, http.MethodGet, "/metrics", nil)
		return strings.Contains(string(answer.Body), `countersign_tool_calls_total{effect="read",status="executed",transport="chat"} 2`)
	})

	status, printed := p.Command(t, "audit", "verify")
	require.Zero(t, status, printed)
	require.Contains(t, printed, fmt.Sprintf("entries: %d\n", entries(t, p)))
	_, head, _ := strings.Cut(strings.TrimSpace(printed), "head: ")
	status, printed = p.Command(t, "audit", "verify", "--expect-head", head)
	require.Zero(t, status, printed)
	status, _ = p.Command(t, "audit", "verify", "--expect-head", "9"+head)
	require.Equal(t, 1, status)
	status, printed = p.Command(t, "audit", "verify", "--since", head)
	require.Zero(t, status, printed)
	require.Regexp(t, `(?m)^read: \d+, those after \d+\nentries: \d+\nhead: \d+:[0-9a-f]{64}\n`, printed)
	status, _ = p.Command(t, "audit", "verify", "--since", "9"+head)
	require.Equal(t, 1, status)
	status, _ = p.Command(t, "audit", "verify", "--since")
	require.Equal(t, 1, status)
	_, err := p.DB.Conn(
		t.Context(),
	).Exec(
		t.Context(),
		`UPDATE ai_audit_entries SET tool_name = 'harmless' WHERE id = (SELECT min(id) FROM ai_audit_entries WHERE version = 1)`,
	)
	require.NoError(t, err)
	status, printed = p.Command(t, "audit", "verify", "--whole")
	require.Equal(t, 1, status)
	require.Contains(t, printed, "broken at ")
	status, _ = p.Command(t, "audit", "check")
	require.Equal(t, 1, status)
}

// entries is how many entries the log has.
func entries(t *testing.T, p *apptest.Product) (n int64) {
	t.Helper()
	require.NoError(t, p.DB.Conn(t.Context()).QueryRow(t.Context(), `SELECT count(*) FROM ai_audit_entries`).Scan(&n))
	return n
}

func TestAProcessStartsWithoutItsDatabaseRole(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_DATABASE_ROLE": "nobody_here"}})
	require.Contains(t, p.Log.String(), "Database role not used")
	p.Admin.Post(t, "/api/ai/tools/ai.listDocs/call", map[string]any{"input": map[string]any{}}, nil)
}
