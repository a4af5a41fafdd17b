package stream_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
)

// scene is a turn of three steps: text and two tool calls, a tool call alone, the answer. It is run by processes that
// are killed, as package activities does it: what a step says is appended as it comes, and what ends a step or a tool
// call becomes durable together with its record.
type scene struct {
	rows     []stream.Event
	recorded map[string]bool
	// claim and n count the rows of the process that runs.
	claim int
	n     uint32
	// left is how many writes the process has before it loses the turn; late is what it appends after that, until the
	// first record that it is refused.
	left int
	late []stream.Event
}

var steps = []struct {
	text  string
	calls []string
}{{"Let me look.", []string{"a", "b"}}, {"", []string{"c"}}, {"Here it is.", nil}}

// say appends chunks in one go.
func (s *scene) say(step int, chunks ...string) {
	into := &s.late
	if s.left > 0 {
		s.left--
		into = &s.rows
	}
	for _, c := range chunks {
		s.n++
		*into = append(*into, stream.Event{Seq: stream.Seq(s.claim, s.n), Step: step, Chunk: c})
	}
}

// record makes a record durable with its chunks, and reports false when the process has lost the turn.
func (s *scene) record(key string, step int, chunks ...string) bool {
	if s.left == 0 {
		return false
	}
	s.say(step, chunks...)
	s.recorded[key] = true
	return true
}

// run lets the next process take the turn over and work until it has made this many writes.
func (s *scene) run(writes int) (done bool) {
	s.claim, s.n, s.left = s.claim+1, 0, writes
	for i, step := range steps {
		number := i + 1
		if !s.recorded[fmt.Sprint(number)] && !s.model(number, step.text, step.calls) {
			return false
		}
		for _, call := range step.calls {
			key := fmt.Sprint(number, call)
			if !s.recorded[key] && !s.record(key, number, stream.ToolOutput(call, json.RawMessage(`{"found":"`+call+`"}`))) {
				return false
			}
		}
	}
	return s.record("finish", len(steps), stream.FinishStep(), stream.Finish("stop", json.RawMessage(`{"status":"done"}`)))
}

func (s *scene) model(number int, text string, calls []string) bool {
	id := fmt.Sprintf("s%d.0", number)
	if s.claim > 1 {
		s.say(number, stream.ResetStep())
	}
	if number > 1 {
		s.say(number-1, stream.FinishStep())
	}
	ending := []string{stream.StartStep()}
	if text != "" {
		half := len(text) / 2
		s.say(number, stream.StartStep(), stream.TextStart(id), stream.TextDelta(id, text[:half]))
		s.say(number, stream.TextDelta(id, text[half:]))
		ending = []string{stream.TextEnd(id)}
	}
	for _, call := range calls {
		ending = append(ending, stream.ToolInput(call, "ai.getDoc", json.RawMessage(`{}`)))
	}
	return s.record(fmt.Sprint(number), number, ending...)
}

// killedAt runs the turn with a process for each kill, which makes so many writes, and a last one that finishes.
func killedAt(kills ...int) *scene {
	s := &scene{recorded: map[string]bool{}}
	if slices.ContainsFunc(kills, s.run) {
		return s
	}
	s.run(1000)
	return s
}

// follow is what a client receives that has the events up to since and connects when so many rows exist.
func follow(rows []stream.Event, since int64) (chunks []string, last int64) {
	replay := stream.Replay{Since: since}
	last = since
	for _, e := range rows {
		if chunk, ok := replay.Next(e); ok {
			chunks = append(chunks, chunk)
			last = e.Seq
		}
	}
	return chunks, last
}

// message is what a client has after these chunks, behind the start that every stream begins with.
func message(t *testing.T, chunks []string) string {
	t.Helper()
	m, err := stream.Reduce(slices.Concat([]string{stream.Start("m1", json.RawMessage(`{}`))}, chunks))
	require.NoError(t, err)
	raw, err := json.Marshal(m)
	require.NoError(t, err)
	return string(raw)
}

// Wherever two processes are killed one after the other, a client that follows from the beginning, one that joins when
// all is over, and one that loses its connection anywhere and continues, end up with the same message.
func TestEveryClientSeesOneTurnHoweverOftenItIsTakenOver(t *testing.T) {
	t.Parallel()
	quiet := killedAt()
	chunks, _ := follow(quiet.rows, 0)
	want := message(t, chunks)
	writes := len(quiet.rows)
	for first := range writes {
		for second := range writes {
			s := killedAt(first, second)
			late, _ := follow(s.rows, 0)
			require.Equal(t, want, message(t, late), "killed after %d and %d writes", first, second)
			for seen := range s.rows {
				before, last := follow(s.rows[:seen], 0)
				after, _ := follow(s.rows, last)
				require.Equal(
					t,
					want,
					message(t, slices.Concat(before, after)),
					"killed after %d and %d writes, reconnected after %d rows",
					first,
					second,
					seen,
				)
			}
		}
	}
}

// A process that was taken over without noticing may still write. Its rows sort before those of its successor, so a
// reader that comes later sees them where they change nothing, and one that is past them never does.
func TestLateRowsOfALostClaimChangeNothing(t *testing.T) {
	t.Parallel()
	quiet := killedAt()
	chunks, _ := follow(quiet.rows, 0)
	want := message(t, chunks)
	late := 0
	for kill := range len(quiet.rows) {
		s := killedAt(kill)
		late += len(s.late)
		rows := slices.Concat(s.rows, s.late)
		slices.SortFunc(rows, func(a, b stream.Event) int { return cmp.Compare(a.Seq, b.Seq) })
		fresh, _ := follow(rows, 0)
		require.Equal(t, want, message(t, fresh), "lost after %d writes", kill)
	}
	require.Positive(t, late)
}

// Within one process a model call is made again after a failure, which is the same as a takeover of its step.
func TestAStepThatIsMadeAgainReplacesWhatWasSaidOfIt(t *testing.T) {
	t.Parallel()
	rows := []stream.Event{
		{Seq: 1, Step: 1, Chunk: stream.StartStep()},
		{Seq: 2, Step: 1, Chunk: stream.TextStart("s1.0")},
		{Seq: 3, Step: 1, Chunk: stream.TextDelta("s1.0", "broken off")},
		{Seq: 4, Step: 1, Chunk: stream.Notice("notice", json.RawMessage(`{}`))},
		{Seq: 5, Step: 1, Chunk: stream.ResetStep()},
		{Seq: 6, Step: 1, Chunk: stream.StartStep()},
		{Seq: 7, Step: 1, Chunk: stream.TextStart("s1.0")},
		{Seq: 8, Step: 1, Chunk: stream.TextDelta("s1.0", "whole")},
		{Seq: 9, Step: 1, Chunk: stream.TextEnd("s1.0")},
		{Seq: 10, Step: 1, Chunk: stream.FinishStep()},
	}
	all, _ := follow(rows, 0)
	require.Contains(t, all, stream.ResetStep())
	require.JSONEq(
		t,
		`{"id":"m1","role":"assistant","metadata":{},"parts":[{"type":"step-start"},{"type":"text","text":"whole","state":"done"}]}`,
		message(t, all),
	)

	// The first attempt may have said nothing: then there is nothing to drop.
	silent, _ := follow(rows[3:], 0)
	require.NotContains(t, silent, stream.ResetStep())
	require.Equal(t, message(t, all), message(t, silent))
}
