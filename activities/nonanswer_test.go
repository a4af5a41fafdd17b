package activities_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/model"
	"countersign/workflows"
)

// attempt makes the model call of a step as the workflow does after a correction.
func (p *process) attempt(t *testing.T, id uuid.UUID, step, attempt int, correction string) workflows.CallModelOutput {
	t.Helper()
	out, err := p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: step, Attempt: attempt, Correction: correction})
	require.NoError(t, err)
	return out
}

// A model that only says that it will look is told so once, and calls, or the turn ends with the cause.
func TestAPromiseIsCorrectedOnce(t *testing.T) {
	t.Parallel()
	for name, finish := range map[string]string{"as an answer": "stop", "for tool calls": "tool_calls"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t)
			id := p.begin(t, "What is in the box?")
			p.provider.Answer(apptest.Events(finish, apptest.Text("Let me look at the boxes first.")))
			out := p.call(t, id, 1)
			require.NotNil(t, out.Retry)
			require.Equal(t, string(model.ToolCallMissing), out.Retry.Correction)

			p.provider.Answer(apptest.Events("tool_calls", callsOf("shelf_getBox", "a")...))
			require.Len(t, p.attempt(t, id, 1, 2, out.Retry.Correction).Calls, 1)
			requests := p.provider.Requests()
			last := requests[1].Messages[len(requests[1].Messages)-1]
			require.Contains(t, last.Content+last.Context, "made no call")
			p.use(t, id, 1, 1)

			p.provider.Answer(apptest.Events(finish, apptest.Text("I will look once more.")))
			out = p.call(t, id, 2)
			p.provider.Answer(apptest.Events(finish, apptest.Text("I will look once more.")))
			out = p.attempt(t, id, 2, 2, out.Retry.Correction)
			require.Nil(t, out.Retry)
			require.Equal(t, problem.ModelFailed, out.Failure.Code)
			require.Contains(t, out.Failure.Message, "made no")
			require.Len(t, p.provider.Requests(), 4)
		})
	}
}

// Thoughts without an answer are asked about once.
func TestThoughtsAloneAreCorrectedOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "What is in the box?")
	const thought = `{"reasoning_content":"I need to call shelf_getBox."}`
	p.answers(thought)
	out := p.call(t, id, 1)
	require.Equal(t, string(model.AnswerMissing), out.Retry.Correction)
	p.answers(thought)
	out = p.attempt(t, id, 1, 2, out.Retry.Correction)
	require.Nil(t, out.Retry)
	require.Contains(t, out.Failure.Message, "without an answer")
}

// In the last step calls are left out. A model that does nothing else is told so once.
func TestACallInTheLastStepIsCorrectedOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "What is in the box?")
	correction := ""
	for attempt := 1; attempt <= 2; attempt++ {
		p.answers(apptest.Text(`<tool_call>{"name": "shelf_getBox", "arguments": {}}</tool_call>`))
		out, err := p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: 1, Attempt: attempt, Final: true, Correction: correction})
		require.NoError(t, err)
		if attempt == 1 {
			correction = out.Retry.Correction
			require.Equal(t, string(model.ToolCallInLastStep), correction)
			continue
		}
		require.Nil(t, out.Retry)
		require.Contains(t, out.Failure.Message, "used up")
	}
}

// A loop keeps what was good of the text, ends the turn with its cause, and is not paid for again.
func TestALoopEndsTheTurnOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "Which courts are there?")
	p.answers(apptest.Text("These are the courts: "), apptest.Text(strings.Repeat("court ", 10_000)))
	out := p.call(t, id, 1)
	require.Nil(t, out.Retry)
	require.Contains(t, out.Failure.Message, "repeated the same words")
	_, err := p.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: "failed", Failure: out.Failure})
	require.NoError(t, err)
	said := strings.Join(p.messages(t, id), "")
	require.Contains(t, said, "These are the courts: court")
	require.Less(t, len(said), 1_000)
	require.Len(t, p.provider.Requests(), 1)
}

// The same call with the same result is made a few times; then the model is told, and then the turn ends.
func TestTheSameCallWithTheSameResult(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "What is in the box?")
	for step := 1; step <= 6; step++ {
		p.answers(callsOf("shelf_getBox", "a")...)
		require.Len(t, p.call(t, id, step).Calls, 1)
		p.use(t, id, step, 1)
	}
	require.Equal(t, int32(5), p.shelf.looks.Load())
	told := p.result(t, id, 6, 1)
	require.Equal(t, problem.Conflict, told.Error.Code)
	require.Contains(t, told.Error.Message, "always the same")

	// Another process knows it from the records.
	other := p.beside(t)
	p.answers(callsOf("shelf_getBox", "a")...)
	out := other.call(t, id, 7)
	require.Empty(t, out.Calls)
	require.Contains(t, out.Failure.Message, "same tool call")
	require.Len(t, p.provider.Requests(), 7)
}

// What a call finds may change, and another call beside it is work.
func TestRepeatedCallsThatAreWork(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "Watch the box.")
	looks := 0
	p.shelf.onLook(func(context.Context, boxInput) (any, error) {
		looks++
		return map[string]int{"percent": looks / 2}, nil
	})
	for step := 1; step <= 8; step++ {
		p.answers(callsOf("shelf_getBox", "a")...)
		require.Len(t, p.call(t, id, step).Calls, 1)
		p.use(t, id, step, 1)
		require.Nil(t, p.result(t, id, step, 1).Error)
	}
	p.shelf.onLook(func(context.Context, boxInput) (any, error) { return map[string]string{"found": "nothing"}, nil })
	for step := 9; step <= 15; step++ {
		p.answers(callsOf("shelf_getBox", "a", fmt.Sprintf("b%d", step))...)
		require.Len(t, p.call(t, id, step).Calls, 2)
		p.use(t, id, step, 1)
		p.use(t, id, step, 2)
		require.Nil(t, p.result(t, id, step, 2).Error)
		require.Equal(t, step > 13, p.result(t, id, step, 1).Error != nil, step)
	}
}

// A change begins the count again: what was read before it may read otherwise now.
func TestAChangeMakesACallWorthRepeating(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "Put a box there.", auto)
	for step := 1; step <= 5; step++ {
		p.answers(callsOf("shelf_getBox", "a")...)
		p.call(t, id, step)
		p.use(t, id, step, 1)
	}
	p.answers(callsOf("shelf_putBox", "b")...)
	p.call(t, id, 6)
	p.use(t, id, 6, 1)
	p.answers(callsOf("shelf_getBox", "a")...)
	p.call(t, id, 7)
	p.use(t, id, 7, 1)
	require.Nil(t, p.result(t, id, 7, 1).Error)
}

// The model reads its own arguments as it wrote them, beside why they could not be used.
func TestUnreadArgumentsAreShownToTheModel(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ arguments, finish, says string }{
		"no JSON":   {`{"name": "a" and "b"}`, "tool_calls", "not valid JSON"},
		"two":       {`[{"name":"a"},{"name":"b"}]`, "tool_calls", "not valid JSON"},
		"a number":  {`7`, "tool_calls", "not valid JSON"},
		"cut short": {`{"name": "a very long na`, "length", "length limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t)
			id := p.begin(t, "What is in the box?")
			p.provider.Answer(apptest.Events(test.finish, apptest.ToolCall("c1", "shelf_getBox", test.arguments)))
			p.call(t, id, 1)
			p.use(t, id, 1, 1)
			require.Equal(t, int32(0), p.shelf.looks.Load())
			p.answers(apptest.Text("So be it."))
			p.call(t, id, 2)
			request := p.provider.Requests()[1]
			last := request.Messages[len(request.Messages)-1]
			require.Contains(t, last.Content, test.says)
			require.Contains(t, last.Content, test.arguments)
		})
	}
}
