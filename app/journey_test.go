package app_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/egress/porttest"
	"countersign/modules/catalog"
	"countersign/modules/scriptpolicy"
	"countersign/tool/proposal"
)

// systems are the systems that the client sees in the catalog.
func systems(t *testing.T, c *apptest.Client) []catalog.System {
	t.Helper()
	var list struct {
		Systems []catalog.System `json:"systems"`
	}
	c.Get(t, "/api/catalog/systems", &list)
	return list.Systems
}

// TestAPersonAddsASystemThroughTheAssistant is the main path of the product, from the question to the acknowledgement.
func TestAPersonAddsASystemThroughTheAssistant(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)

	// The assistant looks up the team and proposes the system; nothing has changed yet.
	answer := chat.Say(t, "Add a system called Payments API owned by the platform team")
	require.Equal(t, "done", answer.Metadata.Status)
	card := answer.Card(t, "proposal")
	require.Equal(t, "catalog.createSystem", card.ToolName)
	require.Equal(t, proposal.Proposed, card.Status)
	require.Contains(t, card.Summary, "Payments API")
	require.Contains(t, string(card.Payload), `"Payments API"`)
	require.Empty(t, card.Token, "a streamed card holds no token")
	require.Empty(t, systems(t, p.Admin))
	require.JSONEq(t, encode(t, answer.Message), encode(t, chat.Messages(t)[1]))

	// The person reads the card, which has the token, and applies it.
	applied := p.Admin.Apply(t, card.ProposalID)
	require.Equal(t, proposal.Applied, applied.Status)
	created := systems(t, p.Admin)
	require.Len(t, created, 1)
	require.Equal(t, "Payments API", created[0].Name)
	require.Len(t, created[0].Owners, 1)
	require.Equal(t, "Platform", created[0].Owners[0].TeamName)

	// The model acknowledges it, and the conversation keeps all of it under a name of its own.
	acknowledgement := chat.Decide(t, card.ProposalID, "apply")
	require.Contains(t, acknowledgement.Text(), "applied and live")
	messages := chat.Messages(t)
	require.Len(t, messages, 3)
	require.Equal(t, []string{"user", "assistant", "assistant"}, []string{messages[0].Role, messages[1].Role, messages[2].Role})
	decided := encode(t, messages[1])
	require.Contains(t, decided, `"approved":true`, "a stock client sees what became of the call")
	require.Contains(t, decided, `"state":"output-available"`)
	require.NotContains(t, decided, `"state":"approval-requested"`)
	require.JSONEq(t, encode(t, acknowledgement.Message), encode(t, messages[2]))
	var conversation struct {
		Title string `json:"title"`
	}
	p.Admin.Get(t, "/api/ai/conversations/"+chat.ID.String(), &conversation)
	require.NotEmpty(t, conversation.Title)
}

// TestAPersonHasAHealthCheckWrittenByTheAssistant is the path of a script: what the documentation says, what a script can
// use, a draft, its test, and a corrected draft when the first one fails.
func TestAPersonHasAHealthCheckWrittenByTheAssistant(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	warm(t, p)
	up, unlisted, down := site(t, http.StatusOK, "{}"), site(t, http.StatusOK, "{}"), porttest.ClosedAddress(t)
	setScriptPolicy(t, p.Admin, func(policy *scriptpolicy.Policy) {
		policy.Network = scriptpolicy.Allowlist
		policy.Allow = []string{strings.TrimPrefix(up.URL, "http://"), down}
	})
	draft := func(url string, tests int) *apptest.Turn {
		turn := p.Admin.Conversation(t, apptest.Settings{"permissionMode": "auto"}).Say(t, "Draft a script health check for "+url+"/status")
		require.Equal(t, "done", turn.Metadata.Status)
		tools := []string{"ai.searchDocs", "ai.getDoc", "healthcheck.getScriptContext"}
		for range tests {
			tools = append(tools, "healthcheck.testScript")
		}
		calls := turn.ToolCalls()
		require.Len(t, calls, len(tools), turn.Text())
		for i, call := range calls {
			require.Equal(t, tools[i], call.ToolName)
			state := "output-available"
			if i > 3 {
				state = "approval-requested"
			}
			require.Equal(t, state, call.State, call.ErrorText)
		}
		var found struct {
			Hits []struct{ Slug, Title string } `json:"hits"`
		}
		require.NoError(t, json.Unmarshal(calls[0].Output, &found))
		require.JSONEq(t, `{"slug":"`+found.Hits[0].Slug+`"}`, string(calls[1].Input), "the page is one that was found")
		if tests == 1 {
			require.Contains(t, turn.Text(), "more in “"+found.Hits[0].Title+"”")
		}
		return turn
	}

	require.Contains(t, draft(up.URL, 1).Text(), "it **succeeds**: HTTP 200.")

	// What the first test has brought in is from outside: the corrected script runs when the person has seen it.
	corrected := draft("http://"+down, 2)
	tests := corrected.ToolCalls()[3:]
	require.NotContains(t, string(tests[0].Input), "catch")
	require.Contains(t, string(tests[0].Output), `"error":`)
	card := corrected.Card(t, "proposal")
	require.Contains(t, string(card.Payload), "catch")
	applied := p.Admin.Apply(t, card.ProposalID)
	require.Equal(t, proposal.Applied, applied.Status)
	require.NotContains(t, string(applied.Result), `"error":`)
	require.Contains(t, string(applied.Result), `"diagnostics":[]`)

	require.Contains(t, draft(unlisted.URL, 1).Text(), "it failed: fetch failed: This URL cannot be requested")
}
