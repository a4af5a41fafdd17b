package turn_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/problem"
	"countersign/model"
	"countersign/tool"
	"countersign/tool/disposition"
)

var contextCause = context.Cause

func TestASessionRemembersItsSteps(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	s := newSession(t, p)
	require.Nil(t, s.Step(1).Model)
	recordModel(t, s, 1, says("Let me look.", call("a"), call("b")))
	recordTool(t, s, 1, 2, found("b"))

	step := s.Step(1)
	require.Equal(t, "Let me look.", step.Model.Text())
	require.Len(t, step.Tools, 2)
	require.Nil(t, step.Tools[0])
	require.JSONEq(t, `{"text":"b"}`, string(step.Tools[1].Output))
}

// unfenced is what stands between the marks of data.
func unfenced(t *testing.T, content string) string {
	t.Helper()
	require.True(t, strings.HasPrefix(content, "<data>\n"), content)
	return strings.TrimSuffix(strings.TrimPrefix(content, "<data>\n"), "\n</data>")
}

// What the model is shown does not depend on whether the process that asks has made the record itself or found it.
func TestARecordReadsAsItWasWritten(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	p := newProcess(t, db)
	s := newSession(t, p)
	recordModel(t, s, 1, says("a <b> & c", call("a")))
	recordTool(t, s, 1, 1, turn.ToolResult{Output: json.RawMessage(`{"text":"a <b> & c \u2028 é"}`)})
	here := s.Messages()
	require.JSONEq(t, `{"text":"a <b> & c \u2028 é"}`, unfenced(t, here[1].Content))
	require.Contains(t, here[1].Content, "a <b> & c")
	there := openTurn(t, newProcess(t, db), s.ID).Messages()
	require.Equal(t, here[0], there[0])
	require.JSONEq(t, unfenced(t, here[1].Content), unfenced(t, there[1].Content))
	require.Contains(t, there[1].Content, "a <b> & c")
}

// A process that dies leaves what it has recorded; the next one goes on from there.
func TestATurnGoesOnWhereItsLastProcessStopped(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	first, second := newProcess(t, db), newProcess(t, db)
	s := newSession(t, first)
	require.False(t, s.IsTakeover())
	recordModel(t, s, 1, says("Let me look.", call("a"), call("b")))
	require.NoError(
		t,
		s.Taint(t.Context(), disposition.Taint{Kind: disposition.ToolTaint, Tool: "ai.probeUrl", Source: "https://example.org"}),
	)
	recordTool(t, s, 1, 1, turn.ToolResult{Output: json.RawMessage(`{}`), Untrusted: true})

	restored := openTurn(t, second, s.ID)
	require.True(t, restored.IsTakeover())
	require.True(t, restored.Tainted(), "what was read from outside still counts")
	step := restored.Step(1)
	require.Equal(t, s.Step(1).Model, step.Model)
	require.Len(t, step.Tools, 1)
	require.Len(t, restored.History(), 1)
	require.Equal(t, model.Message{Role: model.RoleUser, Content: "Hello"}, restored.History()[0])
}

func TestAProcessThatLostItsTurnCanDoNothingMore(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	first, second := newProcess(t, db), newProcess(t, db)
	s := newSession(t, first)
	successor := openTurn(t, second, s.ID)

	require.ErrorIs(t, s.RecordModel(t.Context(), 1, says("mine"), nil), stream.ErrFenced)
	require.ErrorIs(t, first.sessions.Finish(t.Context(), s, turn.Outcome{Status: turn.Done}), stream.ErrFenced)
	require.Zero(t, count(t, db, `SELECT count(*) FROM turn_steps`))

	recordModel(t, successor, 1, says("mine"))
	finish(t, second, successor, turn.Done)
	require.Equal(t, 1, count(t, db, `SELECT count(*) FROM ai_messages WHERE role = 'assistant' AND content = 'mine'`))
}

// A process that has lost a turn must not take it back while its own stale workflow code still runs.
func TestAProcessThatLostATurnLeavesItAlone(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	s := newSession(t, p)
	p.sessions.MarkLost(s)
	_, err := p.sessions.Open(t.Context(), s.ID)
	require.ErrorIs(t, err, turn.ErrElsewhere)
}

// The answer to a commit can be lost with the connection. The record is there then, and the step may go on.
func TestARecordWhoseConfirmationWasLostIsFound(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	s := newSession(t, p)
	kept, err := json.Marshal(says("first"))
	require.NoError(t, err)
	exec(t, p.db, `INSERT INTO turn_steps (turn_id, step, call, result) VALUES ($1, 1, 0, $2)`, s.ID, kept)

	require.NoError(t, s.RecordModel(t.Context(), 1, says("second"), nil))
	require.Equal(t, "first", s.Step(1).Model.Text(), "what was recorded counts, not what was tried again")
}

func TestOneProcessClaimsATurnOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	accepted := accept(t, p, newConversation(t, p.db), "m1", "Hello")
	sessions := make(chan *turn.ClaimedSession[string], 16)
	var opening sync.WaitGroup
	for range cap(sessions) {
		opening.Go(func() {
			s, err := p.sessions.Open(t.Context(), accepted.ID)
			if err == nil {
				sessions <- s
			}
		})
	}
	opening.Wait()
	close(sessions)
	first := <-sessions
	n := 1
	for s := range sessions {
		require.Same(t, first, s)
		n++
	}
	require.Equal(t, cap(sessions), n)
	require.Equal(t, 1, count(t, p.db, `SELECT claim FROM ai_turns WHERE id = $1`, accepted.ID))
}

func TestAStepRunsOnceAtATime(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	s := newSession(t, p)
	var inside, most, runs atomic.Int32
	var running sync.WaitGroup
	for range 16 {
		running.Go(func() {
			leave, err := s.Enter(t.Context(), 1, 0)
			if err != nil {
				return
			}
			most.Store(max(most.Load(), inside.Add(1)))
			runs.Add(1)
			inside.Add(-1)
			leave()
		})
	}
	running.Wait()
	require.Equal(t, int32(1), most.Load())
	require.Equal(t, int32(16), runs.Load())

	// Another step need not wait, and who waits can be called off.
	leave, err := s.Enter(t.Context(), 1, 1)
	require.NoError(t, err)
	other, err := s.Enter(t.Context(), 1, 2)
	require.NoError(t, err)
	other()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Enter(ctx, 1, 1)
	require.ErrorIs(t, err, context.Canceled)
	leave()
}

func TestTheModelIsShownWhatWasSaidAndDoneBefore(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	set := newConversation(t, p.db)
	s := openTurn(t, p, accept(t, p, set, "m1", "What is there?").ID)
	recordModel(t, s, 1, says("Let me look.", call("a")))
	recordTool(t, s, 1, 1, found("a page"))
	recordModel(t, s, 2, says("A page."))
	finish(t, p, s, turn.Done)

	next := openTurn(t, p, accept(t, p, set, "m2", "Which one?").ID)
	require.Equal(t, []model.Message{
		{Role: model.RoleUser, Content: "What is there?"},
		{Role: model.RoleAssistant, Content: "Let me look.", ToolCalls: []model.ToolCall{{ID: "a", Name: "ai_getDoc", Arguments: `{"id":"a"}`}}},
		{Role: model.RoleTool, ToolCallID: "a", Content: "<data>\n{\"text\":\"a page\"}\n</data>"},
		{Role: model.RoleAssistant, Content: "A page."},
		{Role: model.RoleUser, Content: "Which one?"},
	}, next.History())
	require.False(t, next.LastSeen.IsZero())
}

// Whatever became of a turn, the model is shown one result for every call: providers refuse anything else.
func TestEveryCallHasOneResultInHistory(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	set := newConversation(t, p.db)
	s := openTurn(t, p, accept(t, p, set, "m1", "Look").ID)
	malformed := turn.Call{ID: "c", WireName: "nonsense", Tool: "nonsense", Arguments: `{"cut`}
	recordModel(t, s, 1, says("", call("a"), call("b"), malformed))
	recordTool(t, s, 1, 2, turn.ToolResult{Error: &turn.Failure{Code: problem.NotFound, Message: "No."}})
	finish(t, p, s, turn.Stopped)

	history := openTurn(t, p, accept(t, p, set, "m2", "And?").ID).History()
	answer := history[1]
	require.Len(t, answer.ToolCalls, 3)
	require.Equal(t, "{}", answer.ToolCalls[2].Arguments, "providers refuse a call without JSON")
	results := history[2 : len(history)-1]
	require.Len(t, results, 3)
	for i, id := range []string{"a", "b", "c"} {
		require.Equal(t, model.RoleTool, results[i].Role)
		require.Equal(t, id, results[i].ToolCallID)
		result, written, unread := strings.Cut(results[i].Content, "\nThe call above")
		require.True(t, json.Valid([]byte(unfenced(t, result))))
		require.Equal(t, id == "c", unread)
		require.Equal(t, unread, strings.Contains(written, malformed.Arguments), "the model sees its call as it wrote it")
	}
	require.Contains(t, results[0].Content, "did not run")
	require.Contains(t, results[1].Content, "No.")
}

func TestAProposalIsRememberedForTheTurn(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	s := newSession(t, p)
	create := turn.Call{ID: "a", WireName: "catalog_createSystem", Tool: "catalog.createSystem", Arguments: `{"name":"A", "tags":[]}`}
	failed := turn.Call{ID: "b", WireName: "catalog_createSystem", Tool: "catalog.createSystem", Arguments: `{"name":"B"}`}
	recordModel(t, s, 1, says("", create, failed))
	recordTool(
		t,
		s,
		1,
		1,
		turn.ToolResult{Output: json.RawMessage(`{}`), Card: &turn.Card{Kind: "proposal", ID: uuid.NewString(), Data: json.RawMessage(`{}`)}},
	)
	recordTool(t, s, 1, 2, turn.ToolResult{Error: &turn.Failure{Code: problem.Invalid, Message: "No."}})

	same := tool.Hash(json.RawMessage(`{"tags": [], "name": "A"}`))
	require.True(t, s.Proposed("catalog.createSystem", same, 2, 1), "the order of members does not make another proposal")
	require.False(t, s.Proposed("catalog.createSystem", same, 1, 1), "a call is not its own repetition")
	require.False(t, s.Proposed("catalog.updateSystem", same, 2, 1))
	require.False(
		t,
		s.Proposed("catalog.createSystem", tool.Hash(json.RawMessage(failed.Arguments)), 2, 1),
		"a draft that failed may be corrected and sent again",
	)
}
