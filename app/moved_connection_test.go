package app_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// What a model thought, and what came with its calls, goes back to who sent it. A connection that leads to another server by now
// is somebody else, although it is the same connection.
func TestThoughtsDoNotFollowAConnectionToAnotherServer(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	first, second := apptest.NewProvider(t), apptest.NewProvider(t)
	var made struct {
		ID uuid.UUID `json:"id"`
	}
	p.Admin.Post(t, "/api/ai/connections", map[string]any{
		"name":                     "Moves",
		"baseUrl":                  first.Env()["OPENAI_BASE_URL"],
		"apiKey":                   apptest.ProviderKey,
		"defaultModel":             "m",
		"disableTopicalClassifier": true,
	}, &made)
	chat := p.Admin.Conversation(t, nil)
	say := func(provider *apptest.Provider, text string, deltas ...string) string {
		provider.Answer(apptest.Events("stop", append(deltas, apptest.Text("Good."))...))
		turn := chat.Send(t, apptest.Message{Text: text, Connection: made.ID}).Rest(t)
		require.Equal(t, "done", turn.Metadata.Status)
		requests := provider.Requests()
		return requests[len(requests)-1].Raw
	}
	say(first, "Are all systems well?", `{"reasoning_content":"The walrus."}`)
	require.Contains(t, say(first, "And now?"), "The walrus.")
	p.Admin.Patch(
		t,
		"/api/ai/connections/"+made.ID.String(),
		map[string]any{"baseUrl": second.Env()["OPENAI_BASE_URL"], "apiKey": apptest.ProviderKey},
		nil,
	)
	sent := say(second, "And there?")
	require.Contains(t, sent, "Are all systems well?")
	require.NotContains(t, sent, "The walrus.")
}
