package activities_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/activities"
	"countersign/app/apptest"
	"countersign/chat/turn"
	"countersign/internal/problem"
	"countersign/model"
	"countersign/workflows"
)

func TestARepeatedStepFindsItsRecord(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "Hello")
	p.answers(callsOf("shelf_getBox", "a", "b")...)
	first := p.call(t, id, 1)
	require.Equal(t, []workflows.PlannedCall{{Tool: "shelf.getBox", Parallel: true}, {Tool: "shelf.getBox", Parallel: true}}, first.Calls)
	require.Equal(t, first, p.call(t, id, 1))
	p.use(t, id, 1, 1)
	p.use(t, id, 1, 1)

	// Another process finds it as well.
	other := p.beside(t)
	require.Equal(t, first, other.call(t, id, 1))
	other.use(t, id, 1, 1)
	require.Len(t, p.provider.Requests(), 1)
	require.Equal(t, int32(1), p.shelf.looks.Load())
}

// The first call of a turn may run ahead of the workflow, which finds its record, or waits for it.
func TestAnEarlyCallIsTheFirstStep(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "Hello")
	pause := p.provider.Pause(apptest.Text("Hel"))
	began := make(chan struct{})
	go func() {
		defer close(began)
		p.StartFirstModelCall(t.Context(), id, nil)
	}()
	apptest.Eventually(t, "the model is called", func() bool { return len(p.provider.Requests()) == 1 })
	called := make(chan workflows.CallModelOutput, 1)
	go func() {
		out, err := p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: 1, Attempt: 1})
		if err == nil {
			called <- out
		}
		close(called)
	}()
	pause.Resume(apptest.Text("lo"))
	<-began
	require.Equal(t, workflows.CallModelOutput{}, <-called)
	require.Len(t, p.provider.Requests(), 1)
}

// What the provider asks for in an early call is waited for by the workflow: the call is not made at once again.
func TestAnEarlyCallThatHasToWaitIsLeftToTheWorkflow(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "script: fault=429 retry_after=7s text=hi")
	p.StartFirstModelCall(t.Context(), id, nil)
	out := p.call(t, id, 1)
	require.NotNil(t, out.Retry)
	require.Equal(t, 7*time.Second, out.Retry.After)
	require.Len(t, p.provider.Requests(), 1)

	out, err := p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: 1, Attempt: 2})
	require.NoError(t, err)
	require.Equal(t, workflows.CallModelOutput{}, out)
	require.Len(t, p.provider.Requests(), 2)
}

func TestAnEarlyCallOfAFinishedTurnDoesNothing(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "Hello")
	p.call(t, id, 1)
	_, err := p.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: "done"})
	require.NoError(t, err)
	p.StartFirstModelCall(t.Context(), id, nil)
	p.StartFirstModelCall(t.Context(), uuid.New(), nil)
	require.Len(t, p.provider.Requests(), 1)
}

func TestATurnThatIsOverIsLeftAlone(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "Hello")
	p.call(t, id, 1)
	for range 2 {
		_, err := p.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: "done"})
		require.NoError(t, err)
	}
	require.True(t, p.call(t, id, 2).Over)
	require.True(t, p.use(t, id, 2, 1).Over)
}

func TestTheModelIsShownWhatItNeeds(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "Hello", func(set *turn.Settings) { set.TimeZone = "Asia/Tokyo" })
	p.answers(callsOf("shelf_getBox", "a")...)
	p.call(t, id, 1)
	p.use(t, id, 1, 1)
	p.answers(apptest.Text("That is it."))
	p.call(t, id, 2)

	first, second := p.provider.Requests()[0], p.provider.Requests()[1]
	require.Equal(t, "Hello", first.Messages[1].Content)
	require.Contains(t, first.Messages[1].Context, "18:30 (Asia/Tokyo, +09:00)")
	var offered []string
	for _, tool := range first.Tools {
		offered = append(offered, tool.Function.Name)
	}
	require.Equal(t, []string{"shelf_askWhich", "shelf_findBox", "shelf_getBox", "shelf_getPage", "shelf_putBox"}, offered)
	require.Equal(t, first.Messages, second.Messages[:2], "what was shown is not changed, so that a provider can cache it")
	require.Equal(t, "call_a", second.Messages[2].ToolCalls[0].ID)
	require.Equal(t, "tool", second.Messages[3].Role)
	require.Equal(t, "<data>\n{\"found\":\"a\"}\n</data>", second.Messages[3].Content, "what others may have written is data")
}

// A turn may have begun in a process of the version before, which told the time in its system prompt and kept nothing of it.
func TestATurnThatAnotherVersionHasBegunIsToldTheTimeToo(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "Hello", func(set *turn.Settings) { set.TimeZone = "Asia/Tokyo" })
	p.answers(callsOf("shelf_getBox", "a")...)
	p.call(t, id, 1)
	p.use(t, id, 1, 1)
	p.exec(t, `UPDATE turn_steps SET result = result - 'context'`)
	later := p.beside(t)
	p.answers(apptest.Text("That is it."))
	later.call(t, id, 2)
	later.finish(t, id)
	require.Contains(t, p.provider.Requests()[1].Messages[1].Context, "18:30 (Asia/Tokyo, +09:00)")
	require.Equal(t, []string{"Hello", "That is it."}, p.messages(t, id))
}

// A conversation that has grown beyond the window loses its beginning, not its end.
func TestALongConversationIsCutToTheWindow(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	conversation := uuid.New()
	in := inConversation(conversation)
	for range 4 {
		id := p.begin(t, strings.Repeat("word ", 8_500), in)
		p.call(t, id, 1)
		_, err := p.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: "done"})
		require.NoError(t, err)
	}
	requests := p.provider.Requests()
	last := requests[len(requests)-1]
	require.Equal(t, "user", last.Messages[1].Role)
	require.Less(t, len(last.Messages), 4, "of seven messages")
	require.Equal(t, strings.TrimSpace(strings.Repeat("word ", 8_500)), strings.TrimSpace(last.Messages[len(last.Messages)-1].Content))
}

// A model that goes on for ever holds an early call only up to its deadline, and leaves the step to the workflow.
func TestAnEarlyCallHasADeadline(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.EarlyTimeout = 2 * time.Second
	id := p.begin(t, "Hello")
	p.provider.Pause(apptest.Text("and so on"))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.StartFirstModelCall(t.Context(), id, nil)
	}()
	<-ended // or the test hangs
	require.Equal(t, "0", p.text(t, "SELECT count(*)::text FROM turn_steps WHERE turn_id = $1", id), "nothing was decided")
}

// The family that a connection declares says which hints its provider's cache takes.
func TestTheCacheIsHintedAsTheFamilyTakesIt(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	conversation := uuid.New()
	var sent []string
	for _, family := range []string{"generic", "openai", "anthropic"} {
		p.connects(func(c *activities.Connection) { c.Family = family })
		id := p.begin(t, "Hello", inConversation(conversation))
		p.answers(apptest.Text("Hi."))
		p.call(t, id, 1)
		_, err := p.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: "done"})
		require.NoError(t, err)
		sent = append(sent, p.provider.Requests()[len(sent)].Raw)
	}
	require.NotContains(t, sent[0], "cache")
	require.Contains(t, sent[1], `"prompt_cache_key":"`+conversation.String()+`"`)
	require.Contains(t, sent[2], `"cache_control":{"type":"ephemeral"}`)
}

// The same request would lead to the same answer, and be paid for again.
func TestAnAnswerThatIsTooLongIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.connects(func(c *activities.Connection) {
		env := p.provider.Env()
		c.Client = model.New(model.Options{
			BaseURL: env["OPENAI_BASE_URL"], APIKey: env["OPENAI_API_KEY"], MaxAnswerBytes: 1_000,
			HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		})
	})
	id := p.begin(t, "Hello")
	p.answers(apptest.Text("The beginning. "), apptest.Text(strings.Repeat("more ", 500)))
	out := p.call(t, id, 1)
	require.Nil(t, out.Retry)
	require.Equal(t, problem.ModelFailed, out.Failure.Code)
	require.Contains(t, out.Failure.Message, "larger than the limit")
	require.Len(t, p.provider.Requests(), 1)
}
