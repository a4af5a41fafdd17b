package stream_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
	"countersign/internal/store/storetest"
)

// flushed appends events to a turn in one flush and returns the rows that they have become.
func flushed(t *testing.T, p *process, events ...stream.Event) []stream.Event {
	t.Helper()
	turn := newTurn(t, p.db)
	p.log.Append(turn, false, events...)
	record := modelRecord(turn, 1, 1_000_000)
	require.NoError(t, p.log.Submit(record)(t.Context()))
	rows := stored(t, p, turn)
	require.Equal(t, record.Events[0], rows[len(rows)-1])
	return rows[:len(rows)-1]
}

func stored(t *testing.T, p *process, turn uuid.UUID) []stream.Event {
	t.Helper()
	rows, err := p.db.Conn(t.Context()).Query(t.Context(), `SELECT seq, step, chunk FROM turn_events WHERE turn_id = $1 ORDER BY seq`, turn)
	require.NoError(t, err)
	defer rows.Close()
	var events []stream.Event
	for rows.Next() {
		var e stream.Event
		require.NoError(t, rows.Scan(&e.Seq, &e.Step, &e.Chunk))
		events = append(events, e)
	}
	require.NoError(t, rows.Err())
	return events
}

// What a model says between two flushes is one row, whatever characters it is made of.
func TestTheWordsOfAFlushAreOneRow(t *testing.T) {
	t.Parallel()
	p := startProcess(t, storetest.New(t), never)
	texts := []string{
		"plain", ` "quoted" `, `back\slash`, "\n\t", "Ωμέγα 😀", `"}`, `","delta":"`, "\u2028", "\x00nul", "<a href='x'>&", "", `\u0041`,
	}
	for name, chunk := range map[string]func(id, text string) string{
		"text": stream.TextDelta, "reasoning": stream.ReasoningDelta, "tool input": stream.ToolInputDelta,
	} {
		for _, id := range []string{"s1.0", `strange","delta":"id`} {
			var events []stream.Event
			for i, text := range texts {
				events = append(events, stream.Event{Seq: stream.Seq(1, uint32(i+1)), Step: 1, Chunk: chunk(id, text)})
			}
			want := stream.Event{Seq: stream.Seq(1, uint32(len(texts))), Step: 1, Chunk: chunk(id, strings.Join(texts, ""))}
			require.Equal(t, []stream.Event{want}, flushed(t, p, events...), name)
		}
	}
}

// Only what follows without anything between it is put together: of the same part, of the same step, and up to a length.
func TestWhatIsNotOneTextStaysApart(t *testing.T) {
	t.Parallel()
	p := startProcess(t, storetest.New(t), never)
	event := func(n uint32, step int, chunk string) stream.Event {
		return stream.Event{Seq: stream.Seq(1, n), Step: step, Chunk: chunk}
	}
	long := strings.Repeat("long ", 3000)
	for name, events := range map[string][]stream.Event{
		"other parts":    {event(1, 1, stream.TextDelta("a", "x")), event(2, 1, stream.TextDelta("b", "y")), event(3, 1, stream.TextDelta("a", "z"))},
		"other kinds":    {event(1, 1, stream.TextDelta("a", "x")), event(2, 1, stream.ReasoningDelta("a", "y")), event(3, 1, stream.ToolInputDelta("a", "z"))},
		"other steps":    {event(1, 1, stream.TextDelta("a", "x")), event(2, 2, stream.TextDelta("a", "y"))},
		"a part between": {event(1, 1, stream.TextDelta("a", "x")), event(2, 1, stream.TextEnd("a")), event(3, 1, stream.TextStart("a")), event(4, 1, stream.TextDelta("a", "y"))},
		"a gap":          {event(1, 1, stream.TextDelta("a", "x")), event(3, 1, stream.TextDelta("a", "y"))},
		"no delta":       {event(1, 1, stream.StartStep()), event(2, 1, stream.StartStep())},
		"too long":       {event(1, 1, stream.TextDelta("a", long)), event(2, 1, stream.TextDelta("a", long))},
	} {
		require.Equal(t, events, flushed(t, p, events...), name)
	}
}

// However the words of an answer come and are flushed, readers end up with the same message, also those who come back in the middle.
func TestPuttingWordsTogetherChangesNoMessage(t *testing.T) {
	t.Parallel()
	p := startProcess(t, storetest.New(t), never)
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		turn := newTurn(t, p.db)
		var said []string
		var n uint32
		say := func(chunk string) {
			n++
			said = append(said, chunk)
			p.log.Append(turn, false, stream.Event{Seq: stream.Seq(1, n), Step: 1, Chunk: chunk})
			if random.IntN(5) == 0 {
				require.NoError(t, p.log.Submit(modelRecord(newTurn(t, p.db), 1, 1))(t.Context()), "what waits is flushed with it")
			}
		}
		say(stream.StartStep())
		for part := range 3 {
			id, delta := fmt.Sprint("s1.", part), stream.TextDelta
			say(stream.TextStart(id))
			for range random.IntN(12) {
				say(delta(id, fmt.Sprintf("%d ", random.IntN(100))))
			}
			say(stream.TextEnd(id))
		}
		n++
		said = append(said, stream.FinishStep())
		r := modelRecord(turn, 1, n)
		r.Events[0].Chunk = stream.FinishStep()
		require.NoError(t, p.log.Submit(r)(t.Context()))

		rows := stored(t, p, turn)
		want := message(t, said)
		for seen := range rows {
			before, last := follow(rows[:seen], 0)
			after, _ := follow(rows, last)
			require.Equal(t, want, message(t, append(before, after...)))
		}
	}
}
