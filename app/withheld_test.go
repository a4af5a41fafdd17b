package app_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// A provider refuses what a tool has found. The worker dies while the search for it goes on; another one continues it
// where the history of the workflow is, the turn ends with an answer, and later messages are answered at once.
func TestARefusedResultIsFoundAlsoWhenTheWorkerDies(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	provider.Answer(apptest.Events("tool_calls",
		apptest.ToolCall("a", "ai_getDoc", `{"slug":"concepts/audit-log"}`), apptest.ToolCall("b", "ai_listDocs", `{}`)))
	searching, whole := make(chan struct{}), atomic.Int32{}
	var tries atomic.Int32
	handler := func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if !strings.Contains(string(raw), "_withheld") {
			whole.Add(1)
		}
		if tries.Add(1) == 3 {
			close(searching)
			<-r.Context().Done()
			return
		}
		if strings.Contains(string(raw), "by any user and on any path") {
			apptest.Refuse(http.StatusBadRequest, `{"error":{"message":"filtered","code":"content_filter","type":null}}`)(w, r)
			return
		}
		apptest.EventsUsing(20_000, 2, apptest.Text("Here you are."))(w, r)
	}
	for range 40 {
		provider.Answer(handler)
	}
	chat := p.Admin.Conversation(t, nil)
	asked := chat.Send(t, apptest.Message{Text: "Read both pages"})
	<-searching
	asked.Close()
	p.Restart(t)
	admin := p.Admin.SignInAgain(t, p)
	chat = chat.As(admin)
	chat.Idle(t)
	answer := encode(t, chat.Last(t))
	require.Contains(t, answer, "Here you are.")
	require.Contains(t, answer, `"kind":"content_withheld"`)
	require.Contains(t, answer, "by any user and on any path", "the chat keeps it")
	require.EqualValues(t, 1, whole.Load(), "the search does not begin again")

	before := tries.Load()
	require.Equal(t, "Here you are.", chat.Say(t, "Thank you").Text())
	require.Equal(t, before+1, tries.Load())

	// The person lets it be sent again, which the provider refuses again.
	send := "/api/ai/conversations/" + chat.ID.String() + "/withheld/send"
	for _, parts := range []int{1, 0} {
		var released struct{ Parts int }
		admin.Post(t, send, nil, &released)
		require.Equal(t, parts, released.Parts)
	}
	require.Equal(t, "Here you are.", chat.Say(t, "And now?").Text())
	require.EqualValues(t, 2, whole.Load())
	require.Contains(t, encode(t, chat.Last(t)), `"kind":"content_withheld"`)
}
