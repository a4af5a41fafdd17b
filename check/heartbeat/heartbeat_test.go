package heartbeat_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check/heartbeat"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func target(t *testing.T, db *store.DB) (id int32) {
	t.Helper()
	require.NoError(t, db.Conn(t.Context()).QueryRow(
		t.Context(),
		`INSERT INTO check_targets (check_id, system_id, shard, interval_ms, phase_ms, active, scope) VALUES ($1, $2, 0, 60000, 0, true, '{}') RETURNING id`,
		uuid.New(),
		uuid.New(),
	).Scan(&id))
	return id
}

func TestAJobIsHeard(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s := heartbeat.New(db, []byte("a key of this test"))
	one, other := target(t, db), target(t, db)

	before, err := s.Last(t.Context(), one)
	require.NoError(t, err)
	require.True(t, before.At.IsZero(), "it has not called in")
	require.False(t, before.Awaited.IsZero())

	heard, err := s.Call(t.Context(), s.Token(one, 0), heartbeat.Report{Message: "42 files\u202e", Duration: 90 * time.Second})
	require.NoError(t, err)
	require.True(t, heard.Active)
	first, err := s.Last(t.Context(), one)
	require.NoError(t, err)
	require.True(t, heard.At.Equal(first.At), "when it was heard is said")
	require.False(t, first.Failed)
	require.Contains(t, first.Message, "42 files")
	require.NotContains(t, first.Message, "\u202e")
	require.Equal(t, int64(90_000), first.DurationMS)

	_, err = s.Call(t.Context(), s.Token(one, 0), heartbeat.Report{Failed: true, Message: strings.Repeat("é", 5000)})
	require.NoError(t, err)
	last, err := s.Last(t.Context(), one)
	require.NoError(t, err)
	require.True(t, last.Failed, "the last word counts")
	require.False(t, last.At.Before(first.At))
	require.LessOrEqual(t, len([]rune(last.Message)), heartbeat.MaxMessage)

	silent, err := s.Last(t.Context(), other)
	require.NoError(t, err)
	require.True(t, silent.At.IsZero(), "another's job")
	gone, err := s.Last(t.Context(), 1_000_000)
	require.NoError(t, err)
	require.Zero(t, gone)
}

func TestOnlyAGivenTokenIsHeard(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s := heartbeat.New(db, []byte("a key of this test"))
	id := target(t, db)
	token := s.Token(id, 0)
	require.Equal(t, token, heartbeat.New(db, []byte("a key of this test")).Token(id, 0), "it lasts")
	flipped := []byte(token)
	flipped[len(flipped)-3] ^= 1
	said := map[string]bool{}
	for name, wrong := range map[string]string{
		"empty": "", "short": token[:len(token)-1], "longer": token + "A", "changed": string(flipped), "another key": heartbeat.New(db, []byte("another")).Token(id, 0),
		"no such target": s.Token(1_000_000, 0), "not text": "\x00\xff", "another form": token + "=",
	} {
		_, err := s.Call(t.Context(), wrong, heartbeat.Report{})
		require.Error(t, err, name)
		require.Equal(t, problem.NotFound, problem.As(err).Code, name)
		said[problem.As(err).Detail] = true
	}
	require.Len(t, said, 1, "a guess learns nothing")
	heard, err := s.Last(t.Context(), id)
	require.NoError(t, err)
	require.True(t, heard.At.IsZero())

	_, err = db.Conn(t.Context()).Exec(t.Context(), `UPDATE check_targets SET active = false WHERE id = $1`, id)
	require.NoError(t, err)
	paused, err := s.Call(t.Context(), token, heartbeat.Report{})
	require.NoError(t, err, "a paused check takes heartbeats")
	require.False(t, paused.Active, "and says so")
	_, err = s.Call(t.Context(), token, heartbeat.Report{Duration: -1})
	require.Error(t, err)
	_, err = db.Conn(t.Context()).Exec(t.Context(), `UPDATE check_targets SET gone = true WHERE id = $1`, id)
	require.NoError(t, err)
	_, err = s.Call(t.Context(), token, heartbeat.Report{})
	require.Equal(t, problem.NotFound, problem.CodeOf(err))
}

func TestWhoSendsWrongTokensWaits(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s := heartbeat.New(db, []byte("a key of this test"))
	token := s.Token(target(t, db), 0)
	for range 20 {
		_, err := s.Receive(t.Context(), "wrong", "192.0.2.1", heartbeat.Report{})
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
	}
	// The first waits are of seconds, which a busy machine may let pass.
	codes := map[problem.Code]int{}
	for range 10 {
		_, err := s.Receive(t.Context(), "wrong", "192.0.2.1", heartbeat.Report{})
		codes[problem.CodeOf(err)]++
		require.NotContains(t, err.Error(), token)
	}
	require.NotZero(t, codes[problem.Throttled], "%v", codes)
	_, err := s.Receive(t.Context(), token, "192.0.2.1", heartbeat.Report{})
	require.NoError(t, err, "a neighbour of who guesses is heard")
	_, err = s.Receive(t.Context(), "wrong", "192.0.2.2", heartbeat.Report{})
	require.Equal(t, problem.NotFound, problem.CodeOf(err), "another address is judged anew")
}

func TestAJobThatCallsInALoopIsSlowedDown(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s := heartbeat.New(db, []byte("a key of this test"))
	one, other := s.Token(target(t, db), 0), s.Token(target(t, db), 0)
	require.Eventually(t, func() bool {
		_, err := s.Receive(t.Context(), one, "192.0.2.1", heartbeat.Report{})
		if err != nil {
			require.Equal(t, problem.Throttled, problem.CodeOf(err))
		}
		return err != nil
	}, time.Minute, time.Millisecond)
	_, err := s.Receive(t.Context(), other, "192.0.2.1", heartbeat.Report{})
	require.NoError(t, err, "another job is not in the way")
}
