package turn_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/problem"
)

// endings are turns in every shape in which they can end.
var endings = map[string]struct {
	play    func(t *testing.T, s *turn.Session)
	outcome turn.Outcome
	says    string
}{
	"with an answer": {
		func(t *testing.T, s *turn.Session) { recordModel(t, s, 1, says("Hello!")) },
		turn.Outcome{Status: turn.Done},
		"Hello!",
	},
	"after tools": {
		func(t *testing.T, s *turn.Session) {
			recordModel(t, s, 1, says("Let me look.", call("a")))
			recordTool(t, s, 1, 1, found("x"))
			recordModel(t, s, 2, says("There is x."))
		},
		turn.Outcome{Status: turn.Done},
		"Let me look.\n\nThere is x.",
	},
	"at a card": {
		func(t *testing.T, s *turn.Session) {
			recordModel(t, s, 1, says("I'll do it.", call("a")))
			card := &turn.Card{Kind: "proposal", ID: uuid.NewString(), Data: json.RawMessage(`{"summary":"Do it"}`)}
			recordTool(t, s, 1, 1, turn.ToolResult{Output: json.RawMessage(`{"status":"awaiting_operator"}`), Card: card, Ends: true})
		},
		turn.Outcome{Status: turn.Done},
		"I'll do it.",
	},
	"stopped in mid-sentence": {
		func(t *testing.T, s *turn.Session) {
			r := says("Once upon")
			r.Stopped = true
			recordModel(t, s, 1, r)
		},
		turn.Outcome{Status: turn.Stopped},
		"Once upon",
	},
	"stopped before its tools ran": {
		func(t *testing.T, s *turn.Session) {
			recordModel(t, s, 1, says("", call("a"), call("b")))
			recordTool(t, s, 1, 1, found("x"))
		},
		turn.Outcome{Status: turn.Stopped},
		"",
	},
	"stopped before anything was said": {func(*testing.T, *turn.Session) {}, turn.Outcome{Status: turn.Stopped}, ""},
	"with a failure": {
		func(t *testing.T, s *turn.Session) {
			r := says("I was just")
			r.Failure = &turn.Failure{Code: problem.ModelFailed, Message: "The model is away."}
			recordModel(t, s, 1, r)
		},
		turn.Outcome{Status: turn.Failed, Failure: &turn.Failure{Code: problem.ModelFailed, Message: "The model is away."}},
		"I was just\n\nThe model is away.",
	},
	"with a failure before anything was said": {
		func(*testing.T, *turn.Session) {},
		turn.Outcome{Status: turn.Failed, Failure: &turn.Failure{Code: problem.Internal, Message: "It broke."}},
		"It broke.",
	},
}

// However a turn ends, it leaves one message, and a client that has followed it has just this message.
func TestTheStoredAnswerIsTheStreamedOne(t *testing.T) {
	t.Parallel()
	for name, c := range endings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t, newDB(t))
			s := newSession(t, p)
			s.Emit(1, true) // nothing to say is no event
			c.play(t, s)
			require.NoError(t, p.sessions.Finish(t.Context(), s, c.outcome))

			streamed := read(t, p, s.ID)
			parts, err := json.Marshal(streamed.Parts)
			require.NoError(t, err)
			require.JSONEq(t, stored(t, p.db, s.ID), string(parts))
			require.Equal(
				t,
				1,
				count(t, p.db, `SELECT count(*) FROM ai_messages WHERE turn_id = $1 AND role = 'assistant' AND content = $2`, s.ID, c.says),
			)

			var metadata struct {
				Status turn.Status   `json:"status"`
				Error  *turn.Failure `json:"error"`
			}
			require.NoError(t, json.Unmarshal(streamed.Metadata, &metadata))
			require.Equal(t, c.outcome.Status, metadata.Status)
			require.Equal(t, c.outcome.Failure, metadata.Error)
			for _, part := range streamed.Parts {
				require.NotContains(t, []string{"streaming", "input-streaming", "input-available"}, part.State, "nothing is left open")
			}
			found, err := p.store.Find(t.Context(), s.ID)
			require.NoError(t, err)
			require.Equal(t, c.outcome.Status, found.Status)
		})
	}
}

func TestAFailedAnswerIsNeverBlank(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	s := newSession(t, p)
	require.NoError(
		t,
		p.sessions.Finish(
			t.Context(),
			s,
			turn.Outcome{Status: turn.Failed, Failure: &turn.Failure{Code: problem.Internal, Message: "It broke."}},
		),
	)
	m := read(t, p, s.ID)
	text := ""
	for _, part := range m.Parts {
		if part.Text != nil {
			text += *part.Text
		}
	}
	require.Equal(t, "It broke.", text, "a client that knows nothing of our metadata shows it, too")
}

func TestATurnIsFinishedOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	s := newSession(t, p)
	recordModel(t, s, 1, says("Hello!"))
	var finishing sync.WaitGroup
	errs := make(chan error, 12)
	for i := range cap(errs) {
		status := turn.Done
		if i%2 == 1 {
			status = turn.Stopped
		}
		finishing.Go(func() { errs <- p.sessions.Finish(t.Context(), s, turn.Outcome{Status: status}) })
	}
	finishing.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err, "a repeat finds that it is done")
	}
	require.Equal(t, 1, count(t, p.db, `SELECT count(*) FROM ai_messages WHERE role = 'assistant'`))
	require.Equal(
		t,
		1,
		count(t, p.db, `SELECT count(*) FROM turn_events WHERE chunk LIKE '{"type":"finish",%' OR chunk LIKE '{"type":"abort"%'`),
	)

	_, err := p.sessions.Open(t.Context(), s.ID)
	require.ErrorIs(t, err, turn.ErrFinal)
}

func TestAnUnknownTurnCannotBeOpened(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	_, err := p.sessions.Open(t.Context(), uuid.New())
	require.ErrorIs(t, err, turn.ErrFinal)
}

// What a model writes is not always JSON, and not always one line.
func TestArgumentsOfAnyFormSurvive(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	s := newSession(t, p)
	calls := []turn.Call{call("a"), call("b"), call("c")}
	calls[0].Arguments = "{\n  \"a\": \"two\\nlines\"\n}"
	calls[1].Arguments = `{"cut`
	calls[2].Arguments = ""
	recordModel(t, s, 1, says("", calls...))
	finish(t, p, s, turn.Stopped)
	m := read(t, p, s.ID)
	var inputs []string
	for _, part := range m.Parts {
		if part.Type == "dynamic-tool" {
			require.NotContains(t, string(part.Input), "\n")
			inputs = append(inputs, string(part.Input))
		}
	}
	require.Equal(t, []string{`{"a":"two\nlines"}`, `"{\"cut"`, `""`}, inputs)
}

func TestTheStepsOfARecordStreamAsTheyWereStreamed(t *testing.T) {
	t.Parallel()
	r := says("Hello", call("a"))
	r.Segments = append([]turn.Segment{{Kind: turn.Reasoning, Text: "Hm."}}, r.Segments...)
	chunks := append([]string{stream.Start("m", json.RawMessage(`{}`))}, r.Chunks(3)...)
	m, err := stream.Reduce(chunks)
	require.NoError(t, err)
	require.Equal(
		t,
		[]string{"step-start", "reasoning", "text", "dynamic-tool"},
		[]string{m.Parts[0].Type, m.Parts[1].Type, m.Parts[2].Type, m.Parts[3].Type},
	)
	require.Contains(t, strings.Join(chunks, ""), turn.SegmentID(3, 1), "ids are unique among steps")
}
