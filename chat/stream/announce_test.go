package stream_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

const patience = time.Minute

// eavesdrop returns what is told on the channel that everybody hears, up to the word "end", which the test says there itself.
func eavesdrop(t *testing.T, db *store.DB) (told func() []string) {
	t.Helper()
	heard := make(chan string, 1000)
	listener := store.NewListener(db, slog.New(slog.DiscardHandler))
	listener.Subscribe(store.Subscriptions{stream.Channel: {Notify: func(payload string) { heard <- payload }}})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { listener.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	<-listener.Ready()
	return func() []string {
		exec(t, db, `SELECT pg_notify($1, 'end')`, stream.Channel)
		var all []string
		for payload := range heard {
			if payload == "end" {
				break
			}
			all = append(all, payload)
		}
		return all
	}
}

// beside is another process on the database, which runs no turns and has connections of its own.
func beside(t *testing.T, url string) *process {
	t.Helper()
	return startProcess(t, open(t, url), never, true)
}

// awaitFollowers waits until so many processes are known to follow turns.
func awaitFollowers(t *testing.T, db *store.DB, want int) {
	t.Helper()
	require.Eventually(t, func() bool { return count(t, db, `SELECT count(*) FROM turn_followers`) == want }, patience, 5*time.Millisecond)
}

// A notification makes every process of the installation look up. An installation of one process makes none.
func TestNobodyIsToldOfATurnThatIsReadHere(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	told := eavesdrop(t, p.db)
	turn := newTurn(t, p.db)
	reader := p.hub.Follow(turn)
	for n := range uint32(20) {
		p.log.Append(turn, true, delta(1, n+1, "x"))
		readUntil(t, reader, stream.Seq(1, n+1))
	}
	p.hub.Publish(turn, []stream.Event{delta(1, 21, "end")})
	readUntil(t, reader, stream.Seq(1, 21))
	p.stop()
	reader.Close()
	require.Empty(t, told())

	// One that nobody reads may have readers in a process of the version before.
	q := startProcess(t, p.db, never)
	unread := newTurn(t, p.db)
	q.log.Append(unread, true, delta(1, 1, "y"))
	// A process that is stopped between the commit and its confirmation tells nobody: whoever follows looks by itself.
	var heard []string
	require.Eventually(t, func() bool { heard = append(heard, told()...); return len(heard) > 0 }, patience, 5*time.Millisecond)
	q.stop()
	require.Len(t, append(heard, told()...), 1)
}

// Processes that follow a turn which runs elsewhere are told on channels of their own, and nobody else is.
func TestOnlyWhoFollowsATurnIsToldOfIt(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db := open(t, url)
	writer := startProcess(t, db, never)
	told := eavesdrop(t, db)
	turn := newTurn(t, db)
	here := writer.hub.Follow(turn)
	defer here.Close()
	api := beside(t, url)
	there := api.hub.Follow(turn)
	defer there.Close()

	first := make(chan []stream.Event)
	go func() {
		events, _, _ := there.Next(t.Context())
		first <- events
	}()
	awaitFollowers(t, db, 1)
	writer.log.Append(turn, true, delta(1, 1, "a"))
	require.Equal(t, []int64{stream.Seq(1, 1)}, seqs(<-first))
	for n := range uint32(20) {
		writer.log.Append(turn, true, delta(1, n+2, "x"))
		require.Equal(t, []int64{stream.Seq(1, n+2)}, seqs(readUntil(t, there, stream.Seq(1, n+2))))
	}
	writer.stop()
	require.Empty(t, told())
	require.Equal(t, 1, count(t, db, `SELECT count(*) FROM turn_followers`), "the reader beside the writer needs no notification")
}

// After a crash the database knows of nobody who follows anything. Whoever listens notices that, and says so again.
func TestWhatIsFollowedIsSaidAgainAfterACrash(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db := open(t, url)
	writer := startProcess(t, db, never)
	api := beside(t, url)
	turn := newTurn(t, db)
	reader := api.hub.Follow(turn)
	defer reader.Close()
	next := make(chan []stream.Event)
	go func() {
		events, _, _ := reader.Next(t.Context())
		next <- events
	}()
	awaitFollowers(t, db, 1)
	exec(t, db, `TRUNCATE turn_followers`)
	exec(t, db, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'`)
	awaitFollowers(t, db, 1)
	writer.log.Append(turn, true, delta(1, 1, "a"))
	require.Equal(t, []int64{stream.Seq(1, 1)}, seqs(<-next))
}

// A notification about many turns costs a process one query, or a few, and not one for each of their readers.
func TestReadersShareTheirQueries(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db := open(t, url)
	writer := startProcess(t, db, never)
	api := beside(t, url)
	const turns = 150
	ids := make([]uuid.UUID, turns)
	for i := range ids {
		ids[i] = newTurn(t, db)
	}
	var reading sync.WaitGroup
	for _, id := range ids {
		reader := api.hub.Follow(id)
		reading.Go(func() {
			defer reader.Close()
			for ended := false; !ended; {
				events, _, err := reader.Next(t.Context())
				if err != nil {
					return
				}
				ended = len(events) > 0 && strings.Contains(events[len(events)-1].Chunk, "last")
			}
		})
	}
	awaitFollowers(t, db, turns)
	before := api.db.Stat().AcquireCount()
	for i, id := range ids {
		writer.log.Append(id, i == turns-1, delta(1, 1, "last"))
	}
	reading.Wait()
	require.Less(t, api.db.Stat().AcquireCount()-before, int64(turns/2))
}
