package app_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/model/demo"
)

// finished checks what holds for every turn, whatever the provider did: it ended, its answer is not blank, every tool
// call has a result, and it is stored as the client has it.
func finished(t *testing.T, chat *apptest.Conversation, turn *apptest.Turn) {
	t.Helper()
	require.Contains(t, []string{"done", "failed"}, turn.Metadata.Status)
	require.NotEmpty(t, strings.TrimSpace(turn.Text()))
	require.Equal(t, turn.Metadata.Status == "failed", turn.Metadata.Error != nil)
	for _, part := range turn.Message.Parts {
		require.NotContains(t, []string{"streaming", "input-streaming", "input-available"}, part.State)
	}
	requireStored(t, chat, turn)
}

// Whatever a provider does wrong, the turn ends in a right answer or in an error that says what happened and what to do.
func TestEveryFaultOfAProviderEndsInAnAnswerOrAClearError(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_MODEL_STALL_TIMEOUT": "500ms"}})

	// What passes is tried again; what the broken attempt had said is gone.
	for _, fault := range []demo.FaultKind{
		demo.FaultRateLimited, demo.FaultServerError, demo.FaultUnavailable, demo.FaultHTML, demo.FaultJSONError, demo.FaultHang,
		demo.FaultStall, demo.FaultCut, demo.FaultReset, demo.FaultStreamError, demo.FaultEmpty,
	} {
		t.Run("passing "+string(fault), func(t *testing.T) {
			t.Parallel()
			chat := p.Admin.Conversation(t, nil)
			turn := chat.Perform(
				t,
				`tool=ai.listDocs r1.text="One moment." text="Here is the whole answer." retry_after=50ms fault=`+string(fault)+`@2`,
			)
			finished(t, chat, turn)
			require.Equal(t, "done", turn.Metadata.Status)
			require.Equal(t, "One moment.\nHere is the whole answer.", turn.Text())
			require.Contains(t, turn.Types(), "data-notice", "the person is told why it takes longer")
		})
	}

	// What does not pass is told to the person, with the provider's own words where there are any.
	for fault, c := range map[demo.FaultKind]struct {
		code  problem.Code
		calls int
		says  string
	}{
		demo.FaultServerError:  {problem.ModelFailed, 4, "Try again"},
		demo.FaultStall:        {problem.ModelFailed, 2, "Try again"}, // a timeout is tried again once
		demo.FaultEmpty:        {problem.ModelFailed, 4, "empty answer"},
		demo.FaultInvalidKey:   {problem.ModelRefused, 1, "API key"},
		demo.FaultModelMissing: {problem.ModelRefused, 1, "model"},
		demo.FaultContext:      {problem.ModelContext, 1, "Start a new chat"},
		demo.FaultRefused:      {problem.ModelRefused, 1, "Rephrase"},
		demo.FaultFilter:       {problem.ModelRefused, 1, "Rephrase"},
	} {
		t.Run("lasting "+string(fault), func(t *testing.T) {
			t.Parallel()
			chat := p.Admin.Conversation(t, nil)
			turn := chat.Perform(t, `tokens=20 fault=`+string(fault)+`@1x*`)
			finished(t, chat, turn)
			require.Equal(t, "failed", turn.Metadata.Status)
			require.Equal(t, c.code, turn.Metadata.Error.Code)
			require.Contains(t, turn.Text(), c.says)
			said := strings.Join(turn.Chunks(), " ")
			require.Equal(t, c.calls-1, strings.Count(said, `"kind":"retrying"`), "attempts after the first")
			require.Equal(t, fault == demo.FaultStall, strings.Contains(said, `"kind":"answer_incomplete"`), "what was written stays: %s", said)
			require.NotContains(t, said, `"kind":"truncated_by_server"`)

			// The conversation can go on.
			require.Equal(t, "done", chat.Perform(t, "text=hi").Metadata.Status)
		})
	}

	// What is wrong with tool calls is repaired or told to the model.
	for fault, c := range map[demo.FaultKind]struct{ states []string }{
		demo.FaultMalformed:    {[]string{"output-available", "output-error"}},
		demo.FaultUnknownTool:  {[]string{"output-error"}},
		demo.FaultDuplicateIDs: {[]string{"output-available", "output-available"}},
		demo.FaultMissingIDs:   {[]string{"output-available", "output-available"}},
		demo.FaultNoIndex:      {[]string{"output-available", "output-available"}},
		demo.FaultObjectArgs:   {[]string{"output-available", "output-available"}},
		demo.FaultNoDone:       {[]string{"output-available", "output-available"}},
		demo.FaultNoUsage:      {[]string{"output-available", "output-available"}},
	} {
		t.Run("calls with "+string(fault), func(t *testing.T) {
			t.Parallel()
			chat := p.Admin.Conversation(t, nil)
			turn := chat.Perform(
				t,
				`tool=ai.searchDocs input={"query":"approve a proposal"} tool=ai.listDocs input={} text="That is all." fault=`+string(fault),
			)
			finished(t, chat, turn)
			require.Equal(t, "done", turn.Metadata.Status)
			require.Contains(t, turn.Text(), "That is all.")
			var states []string
			ids := map[string]bool{}
			for _, call := range turn.ToolCalls() {
				states = append(states, call.State)
				ids[call.ToolCallID] = true
			}
			require.Equal(t, c.states, states)
			require.Len(t, ids, len(states), "every call has an id of its own")
		})
	}
}

// An answer that ends at the length limit says so, and one that has used up its length before it began is paid for once.
func TestTheLengthLimitIsSaid(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	turn := chat.Perform(t, `text="Here is half." finish=length`)
	finished(t, chat, turn)
	require.Equal(t, "done", turn.Metadata.Status)
	require.True(t, turn.Metadata.Truncated)
	require.False(t, chat.Perform(t, "text=hi").Metadata.Truncated)

	turn = chat.Perform(t, `reasoning=20 fault=empty finish=length`)
	finished(t, chat, turn)
	require.Equal(t, "failed", turn.Metadata.Status)
	require.Contains(t, turn.Text(), "used up the whole length of its reply")
	require.NotContains(t, turn.Types(), "data-notice", "it is not tried again")
	require.False(t, turn.Metadata.Truncated)
}

// Thoughts of which only the end is marked are not the answer: not on the page, and not in what the next call is shown.
func TestThoughtsThatNothingOpenedAreNotTheAnswer(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	provider.Answer(func(w http.ResponseWriter, _ *http.Request) {
		for _, piece := range []string{"They greet me.", "\\n</think>", "\\n\\nHello!"} {
			_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"`+piece+`"}}]}`+"\n\n")
			w.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	})
	turn := chat.Perform(t, "text=hi")
	finished(t, chat, turn)
	require.Equal(t, "Hello!", turn.Text())

	chat.Perform(t, "text=hi")
	requests := provider.Requests()
	for _, message := range requests[len(requests)-1].Messages[1:] {
		require.NotContains(t, message.Content, "greet")
	}
}

// A wait that the provider names is waited for, and one that is too long for a turn ends it with the time said.
func TestAWaitThatAProviderNamesIsHonoured(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	limited := func(seconds string) {
		provider.Answer(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", seconds)
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"error":{"message":"Too many requests","type":"rate_limit_error"}}`)
		})
	}
	chat := p.Admin.Conversation(t, nil)
	limited("90")
	stream := chat.Send(t, apptest.Scripted("text=hi"))
	require.Contains(t, stream.UntilType(t, "data-notice").Chunk, `"retryAfterSeconds":90`)
	chat.Stop(t)
	requireStopped(t, chat, stream.Rest(t))

	chat, calls := p.Admin.Conversation(t, nil), len(provider.Requests())
	limited("1200")
	turn := chat.Perform(t, "text=hi")
	finished(t, chat, turn)
	require.Equal(t, "failed", turn.Metadata.Status)
	require.Contains(t, turn.Text(), "It asks to wait 20 minutes")
	require.Len(t, provider.Requests(), calls+1, "it is not asked again before")
}

// A model that never stops calling tools has to answer with its last step. Where it calls some all the same, it is offered none.
func TestAModelThatNeverEndsHasToAnswer(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	env := provider.Env()
	env["COUNTERSIGN_MAX_STEPS"] = "4"
	p := apptest.Start(t, apptest.Options{Env: env})
	chat := p.Admin.Conversation(t, nil)
	turn := chat.Perform(t, `tool=ai.listDocs never_ends text="This is what I have found."`)
	finished(t, chat, turn)
	require.Equal(t, "done", turn.Metadata.Status)
	require.Equal(t, "This is what I have found.", turn.Text())
	require.Len(t, turn.ToolCalls(), 3)

	requests := provider.Requests()
	require.Len(t, requests, 5)
	require.NotContains(t, requests[2].Raw, `"tool_choice"`)
	require.Contains(t, requests[3].Raw, `"tool_choice":"none"`)
	require.Empty(t, requests[4].Tools)
	require.Contains(t, requests[4].Messages[len(requests[4].Messages)-1].Content, "Write your answer now")
}

// A provider that calls a tool although none was offered has said what it has to say.
func TestAToolCallInTheLastStepIsNotMade(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	env := provider.Env()
	env["COUNTERSIGN_MAX_STEPS"] = "2"
	p := apptest.Start(t, apptest.Options{Env: env})
	chat := p.Admin.Conversation(t, nil)
	const look = "tool=ai.listDocs"
	call := apptest.ToolCall("c1", "ai_listDocs", "{}")
	provider.Answer(apptest.Events("tool_calls", apptest.Text("I'll look."), call, apptest.Text(" At once.")))
	provider.Answer(apptest.Events("tool_calls", apptest.Text("I would look again."), call, apptest.Text(" But I may not.")))
	turn := chat.Perform(t, look)
	finished(t, chat, turn)
	require.Equal(t, "I'll look.\n At once.\nI would look again.\n But I may not.", turn.Text())
	require.Len(t, turn.ToolCalls(), 1)

	// One that says nothing else is asked again, and its silence is an error in the end.
	for range 5 {
		provider.Answer(apptest.Events("tool_calls", call))
	}
	turn = chat.Perform(t, look)
	finished(t, chat, turn)
	require.Equal(t, "failed", turn.Metadata.Status)
	require.Len(t, turn.ToolCalls(), 1)
}
