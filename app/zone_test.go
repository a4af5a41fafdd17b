package app_test

import (
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// The zone of the process is that of its environment, so the test runs itself again in another one.
func TestAnswersAreInUTCWhateverTheZoneOfTheProcess(t *testing.T) {
	t.Parallel()
	const zone, offset = "Asia/Kathmandu", "+05:45"
	if os.Getenv("TZ") != zone {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.count", "1", "-test.v")
		again.Env = append(os.Environ(), "TZ="+zone)
		out, err := again.CombinedOutput()
		require.NoError(t, err, "%s", out)
		if !strings.Contains(string(out), "looked at") {
			t.Skipf("it did not run in another zone: %s", out)
		}
		return
	}
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	card := chat.Perform(t, createSystem).Card(t, "proposal")
	p.Admin.Apply(t, card.ProposalID)
	chat.Decide(t, card.ProposalID, "apply")
	p.Admin.Call(t, http.MethodPost, "/api/applications", map[string]any{"name": "CI", "expiresAt": "2099-01-01T00:00:00+05:45"})
	p.Admin.Call(t, http.MethodPost, "/api/ai/memories", map[string]any{"content": "Times are in UTC", "scope": "user"})
	seen := 0
	for _, path := range []string{
		"/api/me", "/api/users", "/api/roles", "/api/teams", "/api/applications", "/api/auth/sessions", "/api/systems", "/api/ai/conversations",
		"/api/ai/conversations/" + chat.ID.String(), "/api/ai/proposals", "/api/ai/proposals/" + card.ProposalID.String(), "/api/ai/connections",
		"/api/ai/integrations", "/api/ai/memories", "/api/ai/skills", "/api/ai/tool-policies", "/api/ai/tool-calls", "/api/ai/tool-calls/export", "/api/vault/secrets",
		"/api/script-policy", "/api/ai/settings", "/api/ai/spend",
	} {
		answer := p.Admin.Call(t, http.MethodGet, path, nil)
		if answer.Status == http.StatusOK {
			seen++
		}
		require.NotContains(t, string(answer.Body), offset, path)
	}
	require.Greater(t, seen, 10)
	// The model is told the zone of the host by its name, when no browser has sent one.
	told := regexp.MustCompile(`<context>.*?</context>`)
	for _, row := range p.Dump(t) {
		require.NotContains(t, told.ReplaceAllString(row, ""), offset)
	}
	require.NotEmpty(t, provider.Requests())
	for _, request := range provider.Requests() {
		last := request.Messages[len(request.Messages)-1]
		require.Contains(t, last.Context, "("+zone+", "+offset+")")
		for _, m := range request.Messages {
			require.NotContains(t, m.Content, offset)
		}
	}
	require.NotContains(t, p.Log.String(), "panic")
	t.Log("looked at", seen)
}
