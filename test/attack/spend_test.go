package attack_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

// What one has used oneself tells nothing of others, nor of connections that one cannot choose.
func TestOnesOwnSpendTellsOfNobodyElse(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	for name, enabled := range map[string]bool{"Offered canary": true, "Planned canary": false} {
		p.Admin.Post(t, "/api/ai/connections", map[string]any{
			"name":         name,
			"baseUrl":      "http://127.0.0.1:9/v1",
			"defaultModel": "m",
			"apiKey":       "k",
			"enabled":      enabled,
			"spendCap":     map[string]any{"tokenBudget": 1000, "windowMinutes": 60},
		}, nil)
	}
	p.Admin.Conversation(t, nil).Perform(t, `text="Of the administrator."`)
	p.Exec(t, `UPDATE roles SET rules = '{}' WHERE name = 'users'`)
	plain, chats, watches := p.Person(t), p.Person(t, p.Role(t, "ai.chat.read")), p.Person(t, p.Role(t, "ai.turn.read"))
	const days = "?from=2000-01-01&to=2000-12-30&step=month"
	own := func(c *apptest.Client, more string) string {
		answer := c.Call(t, http.MethodGet, "/api/ai/spend/own"+days+more, nil)
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
		return string(answer.Body)
	}
	require.NotContains(t, own(plain, ""), "canary", "who cannot chat is not told which models there are")
	require.Contains(t, own(chats, ""), "Offered canary")
	require.NotContains(t, own(chats, ""), "Planned canary")
	for _, split := range []string{"none", "connection", "model", "person", "team", "caller"} {
		said := own(chats, "&split="+split+"&principalId="+p.Admin.ID.String())
		require.NotContains(t, said, p.Admin.ID.String(), split)
	}
	report := "/api/ai/spend/report" + days
	require.Equal(t, http.StatusOK, watches.Call(t, http.MethodGet, report, nil).Status)
	for _, c := range []*apptest.Client{plain, chats} {
		c.Refused(t, problem.Forbidden, http.MethodGet, report, nil)
	}
	p.Anonymous().Refused(t, problem.Unauthorized, http.MethodGet, "/api/ai/spend/own"+days, nil)
	for _, zone := range []string{"../../etc/passwd", "/etc/passwd", "Local", "%00", "x%2F..%2F..", "Europe/Vienna%0a"} {
		answer := chats.Call(t, http.MethodGet, "/api/ai/spend/own?from=2026-11-01&to=2026-11-02&zone="+zone, nil)
		require.Equal(t, http.StatusUnprocessableEntity, answer.Status, "%s: %s", zone, answer.Body)
	}
}
