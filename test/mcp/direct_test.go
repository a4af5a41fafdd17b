package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// own is what differs from answer to answer: ids, times, tokens and how long to wait.
var own = regexp.MustCompile(
	`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z|propose:[^\s"\\]+|[0-9]+ seconds`,
)

var retry = regexp.MustCompile(`("retryAfterSeconds":)[0-9]+`)

// Most calls and lists are answered without the library. A client cannot tell: the same request with a member that nobody knows takes the
// way through the library, and comes out the same.
func TestADirectAnswerIsThatOfTheLibrary(t *testing.T) {
	t.Parallel()
	p := apptest.Start(
		t,
		apptest.Options{Env: map[string]string{"COUNTERSIGN_TOOL_BUDGET_CALLS": "90", "COUNTERSIGN_TOOL_BUDGET_WINDOW": "1h"}},
	)
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Ledger <one>", "description": "With \"quotes\" and\nlines"}, nil)
	client, other := manager(t, p), manager(t, p)
	type reply struct {
		status int
		header string
		body   any
		text   string
	}
	send := func(token, revision, message string) reply {
		answer := post(t, p, token, message, apptest.Header{Name: "Mcp-Protocol-Version", Value: revision})
		r := reply{status: answer.Status}
		for _, name := range []string{"Content-Type", "Cache-Control", "X-Accel-Buffering", "Www-Authenticate"} {
			r.header += fmt.Sprintln(name, answer.Header.Get(name))
		}
		r.text = string(answer.Body)
		framed := strings.HasPrefix(r.text, "event: message\ndata: ")
		r.header += fmt.Sprint(framed, answer.Header.Get("Retry-After") != "")
		document := strings.TrimPrefix(strings.TrimSpace(r.text), "event: message\ndata: ")
		require.NoError(t, json.Unmarshal([]byte(retry.ReplaceAllString(own.ReplaceAllString(document, "own"), "${1}0")), &r.body), document)
		return r
	}
	same := func(token, revision, message string, status int) {
		t.Helper()
		direct := send(token, revision, message)
		through := send(token, revision, strings.Replace(message, `{`, `{"unknown":1,`, 1))
		require.Equal(t, status, direct.status, "%s: %s", message, direct.text)
		require.Equal(t, through.status, direct.status, message)
		require.Equal(t, through.header, direct.header, message)
		require.Equal(t, through.body, direct.body, message)
	}
	call := func(name, arguments string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"é\u00e9\"7","method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments)
	}
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		for _, message := range []string{
			call("catalog_listSystems", `{}`), call("ai_searchDocs", `{"query":"proposals","limit":2}`), call("ai_searchDocs", `{"limit":2}`), call("catalog_getSystem", `{"id":"0199aa00-0000-7000-8000-000000000000"}`),
			call("proposal_wait", `{"proposalId":"0199aa00-0000-7000-8000-000000000000"}`), call("proposal_apply", `{}`), call("no_such_tool", `{}`), call("catalog_createSystem", `{"name":"Asked `+revision+`"}`),
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"%%"}}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"YWlf"}}`,
			`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"catalog_listSystems","arguments":null,"_meta":{"countersign/idempotencyKey":7}}}`,
		} {
			same(client.Token(), revision, message, http.StatusOK)
		}
	}
	// What is left of the budget is soon used up.
	for range 90 {
		if send(client.Token(), "2025-11-25", call("catalog_listSystems", `{}`)).status == http.StatusTooManyRequests {
			break
		}
	}
	same(client.Token(), "2025-11-25", call("catalog_listSystems", `{}`), http.StatusTooManyRequests)
	same(other.Token(), "2025-11-25", call("catalog_listSystems", `{}`), http.StatusOK)
	stranger := p.Application(t, p.Role(t, "catalog.system.read"))
	require.Equal(
		t,
		http.StatusForbidden,
		post(t, p, stranger.Token(), call("catalog_listSystems", `{}`), apptest.Header{Name: "Mcp-Protocol-Version", Value: "2025-11-25"}).Status,
		"rights are asked before",
	)
	require.Equal(
		t,
		http.StatusUnauthorized,
		post(t, p, "", call("catalog_listSystems", `{}`), apptest.Header{Name: "Mcp-Protocol-Version", Value: "2025-11-25"}).Status,
	)
}
