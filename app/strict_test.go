package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// JSON from outside that two readers may read differently is refused wherever it comes in: chat, tools, models.
func TestJSONThatCanBeReadInTwoWaysIsRefusedEverywhere(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	for _, body := range []string{
		`{"conversationId":"` + chat.ID.String() + `","messageId":"m1","message":"Hello","message":"Bye"}`,
		`{"conversationId":"` + chat.ID.String() + `","messageId":"m1","message":"Hello","Message":"Bye"}`,
		`{"conversationId":"` + chat.ID.String() + `","messageId":"m1","message":{"parts":[{"type":"text","text":"a","text":"b"}]}}`,
		`{"conversationId":"` + chat.ID.String() + `","messageId":"m1","message":"\ud800"}`,
	} {
		answer := p.Admin.Call(t, http.MethodPost, "/api/ai/chat", body)
		require.Equal(t, http.StatusUnprocessableEntity, answer.Status, "%s: %s", body, answer.Body)
	}
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_turns`))

	for path, body := range map[string]string{
		"/api/ai/tools/catalog.createSystem/propose": `{"input":{"name":"Shown","name":"Made"}}`,
		"/api/ai/tools/catalog.listSystems/call":     `{"input":{"query":"a","query":"b"}}`,
		"/api/catalog/systems":                       `{"name":"Shown","name":"Made"}`,
		"/api/catalog/groups":                        `{"name":"Shown","NAME":"Made"}`,
	} {
		answer := p.Admin.Call(t, http.MethodPost, path, body)
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, answer.Status, "%s: %s", body, answer.Body)
	}

	turn := chat.Perform(t, `r1.tool=catalog.createSystem r1.input={"name":"Shown","name":"Made"} text=Done.`)
	require.Contains(t, turn.Text(), "Done.")
	require.NotContains(t, turn.Types(), "data-proposal")
	require.Equal(
		t,
		1,
		p.Count(
			t,
			`SELECT count(*) FROM ai_tool_calls WHERE tool_name = 'catalog.createSystem' AND status = 'failed' AND error_code = 'invalid'`,
		),
	)
	require.Empty(t, names(t, p.Admin))
}
