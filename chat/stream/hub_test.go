package stream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
	"countersign/internal/store/storetest"
)

func TestAReaderGetsEveryEventInOrder(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	turn := newTurn(t, p.db)
	const events = 300
	reader := p.hub.Follow(turn)
	defer reader.Close()
	said := ""
	for n := range events {
		said += fmt.Sprint(n, " ")
	}
	go func() {
		for n := range uint32(events) {
			p.log.Append(turn, n%7 == 0, delta(1, n+1, fmt.Sprint(n, " ")))
		}
	}()
	all := readUntil(t, reader, stream.Seq(1, events))
	require.True(t, slices.IsSorted(seqs(all)))
	require.Equal(t, said, words(t, all))
}

func TestAReaderThatComesLateStartsAtTheBeginning(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	turn := newTurn(t, p.db)
	p.log.Append(turn, false, delta(1, 1, "a"))
	require.NoError(t, p.log.Submit(modelRecord(turn, 1, 2))(t.Context()))

	reader := p.hub.Follow(turn)
	defer reader.Close()
	require.Equal(t, []int64{stream.Seq(1, 1), stream.Seq(1, 2)}, seqs(read(t, reader)))
	p.log.Append(turn, true, delta(1, 3, "b"))
	require.Equal(t, []int64{stream.Seq(1, 3)}, seqs(read(t, reader)))
}

func TestReadersOnOtherProcessesSeeTheSame(t *testing.T) {
	t.Parallel()
	writer := newProcess(t)
	other := startProcess(t, writer.db, never)
	turn := newTurn(t, writer.db)
	const events = 50
	var here, there []int64
	var reading sync.WaitGroup
	for hub, into := range map[*stream.Hub]*[]int64{writer.hub: &here, other.hub: &there} {
		reader := hub.Follow(turn)
		reading.Go(func() {
			defer reader.Close()
			for len(*into) == 0 || (*into)[len(*into)-1] < stream.Seq(1, events) {
				got, _, err := reader.Next(t.Context())
				if err != nil {
					return
				}
				*into = append(*into, seqs(got)...)
			}
		})
	}
	for n := range uint32(events) {
		writer.log.Append(turn, true, delta(1, n+1, "x"))
	}
	reading.Wait()
	require.Equal(t, stream.Seq(1, events), here[len(here)-1])
	require.Equal(t, here, there)
}

// A turn that moves to another process goes on for readers here: the rows of the old claim, then those of the new one.
func TestAReaderFollowsATurnToItsNextProcess(t *testing.T) {
	t.Parallel()
	first := newProcess(t)
	second := startProcess(t, first.db, time.Millisecond)
	turn := newTurn(t, first.db)
	reader := first.hub.Follow(turn)
	defer reader.Close()
	first.log.Append(turn, true, delta(1, 1, "a"))
	require.Equal(t, []int64{stream.Seq(1, 1)}, seqs(read(t, reader)))

	takeOver(t, first.db, turn)
	second.log.Append(turn, true, delta(2, 1, "b"), delta(2, 2, "c"))
	require.Equal(t, []int64{stream.Seq(2, 2)}, seqs(readUntil(t, reader, stream.Seq(2, 2))), "both words, as one event")

	// What the first process writes too late is not shown after what came later.
	first.log.Append(turn, true, delta(1, 2, "late"))
	second.log.Append(turn, true, delta(2, 3, "d"))
	require.Equal(t, []int64{stream.Seq(2, 3)}, seqs(readUntil(t, reader, stream.Seq(2, 3))))
}

// A turn that comes here from another process may have rows that this one has not read yet.
func TestAReaderReadsRowsThatANewClaimSkipped(t *testing.T) {
	t.Parallel()
	first := newProcess(t)
	turn := newTurn(t, first.db)
	reader := first.hub.Follow(turn)
	defer reader.Close()
	first.log.Append(turn, true, delta(1, 1, "a"))
	require.Equal(t, []int64{stream.Seq(1, 1)}, seqs(read(t, reader)))

	// Another process wrote a row, and its notification has not come.
	exec(
		t,
		first.db,
		`INSERT INTO turn_events (turn_id, seq, step, chunk) VALUES ($1, $2, 1, $3)`,
		turn,
		stream.Seq(2, 1),
		stream.TextDelta("s1.0", "b"),
	)
	first.log.Append(turn, true, delta(3, 1, "c"))
	require.Equal(t, []int64{stream.Seq(2, 1), stream.Seq(3, 1)}, seqs(readUntil(t, reader, stream.Seq(3, 1))))
}

func TestAReaderEndsWithItsTurn(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	turn := newTurn(t, p.db)
	reader := p.hub.Follow(turn)
	defer reader.Close()
	p.log.Append(turn, true, stream.Event{Seq: stream.Seq(1, 1), Step: 1, Chunk: stream.Finish("stop", json.RawMessage(`{}`))})
	events, ended, err := reader.Next(t.Context())
	require.NoError(t, err)
	require.True(t, ended)
	require.Len(t, events, 1)
}

// A turn may end without a last chunk, when it is ended by hand or its events are pruned; its readers notice.
func TestAReaderNoticesATurnThatEndedSilently(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	turn := newTurn(t, p.db)
	exec(t, p.db, `UPDATE ai_turns SET status = 'failed', finished_at = now() WHERE id = $1`, turn)
	reader := p.hub.Follow(turn)
	defer reader.Close()
	_, ended, err := reader.Next(t.Context())
	require.NoError(t, err)
	require.True(t, ended)
}

func TestAReaderStopsWaitingWithItsCaller(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	reader := p.hub.Follow(newTurn(t, p.db))
	defer reader.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := reader.Next(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestNotificationsThatMakeNoSenseAreIgnored(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	turn := newTurn(t, p.db)
	reader := p.hub.Follow(turn)
	defer reader.Close()
	// The last one names the turn. It is only a hint: there is nothing to read yet, and nothing is made up.
	for _, payload := range []string{"", " ", "process", "process no-uuid", "process " + uuid.NewString() + ",,x", "another-process " + turn.String()} {
		exec(t, p.db, `SELECT pg_notify($1, $2)`, stream.Channel, payload)
	}
	p.log.Append(turn, true, delta(1, 1, "a"))
	require.Equal(t, []int64{stream.Seq(1, 1)}, seqs(readUntil(t, reader, stream.Seq(1, 1))))
}

// Notifications have a limit of 8,000 bytes; a flush of many turns sends several.
func TestAFlushOfManyTurnsReachesAllOfTheirReaders(t *testing.T) {
	t.Parallel()
	writer := startProcess(t, storetest.New(t), never)
	other := startProcess(t, writer.db, never)
	const turns = 450
	ids := make([]uuid.UUID, turns)
	readers := make([]*stream.Reader, turns)
	for i := range ids {
		ids[i] = uuid.New()
		readers[i] = other.hub.Follow(ids[i])
		defer readers[i].Close()
	}
	for i, id := range ids {
		writer.log.Append(id, i == turns-1, delta(1, 1, "x"))
	}
	for i := range ids {
		require.Len(t, read(t, readers[i]), 1)
	}
}
