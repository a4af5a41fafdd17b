package spend_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/tool/spend"
)

// hundred is the cap of most tests.
var hundred = spend.Cap{Tokens: 100, Window: time.Hour}

func newLedger(t *testing.T) (*spend.Ledger, *store.DB) {
	t.Helper()
	db := storetest.New(t)
	return spend.New(db), db
}

// spender makes calls of one person on one connection.
func spender() func(estimate int) spend.Call {
	who := principal.Principal{Kind: principal.User, ID: uuid.New()}
	connection := uuid.New()
	return func(estimate int) spend.Call {
		return spend.Call{ID: uuid.New(), Connection: connection, Principal: who, Purpose: spend.Answer, Estimate: estimate}
	}
}

func exceeds(t *testing.T, err error) *problem.Error {
	t.Helper()
	require.Equal(t, problem.Spend, problem.CodeOf(err), "%v", err)
	return problem.As(err)
}

func used(t *testing.T, l *spend.Ledger, c spend.Call, limit spend.Cap) int64 {
	t.Helper()
	s, err := l.State(t.Context(), c.Principal, c.Connection, limit)
	require.NoError(t, err)
	return s.Used
}

// age moves a call into the past.
func age(t *testing.T, db *store.DB, c spend.Call, by string) {
	t.Helper()
	tag, err := db.Conn(t.Context()).Exec(t.Context(), `UPDATE ai_spend SET created_at = created_at - $2::interval WHERE id = $1`, c.ID, by)
	require.NoError(t, err)
	require.EqualValues(t, 1, tag.RowsAffected())
}

func rows(t *testing.T, db *store.DB) []string {
	t.Helper()
	found, err := db.Conn(
		t.Context(),
	).Query(
		t.Context(),
		`SELECT concat_ws(' ', status, purpose, reserved, input_tokens, output_tokens, tokens) FROM ai_spend ORDER BY created_at`,
	)
	require.NoError(t, err)
	defer found.Close()
	var all []string
	for found.Next() {
		var text string
		require.NoError(t, found.Scan(&text))
		all = append(all, text)
	}
	require.NoError(t, found.Err())
	return all
}

func TestAReservationHoldsItsEstimateUntilItIsSettled(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	call := spender()
	first := call(70)
	require.NoError(t, l.Reserve(t.Context(), first, hundred))
	e := exceeds(t, l.Reserve(t.Context(), call(31), hundred))
	require.Greater(t, e.RetryAfter, 59*time.Minute)
	require.LessOrEqual(t, e.RetryAfter, time.Hour)
	require.Contains(t, e.Detail, "70 of 100 tokens are used in 60 minutes, and this call needs about 31")
	require.Contains(t, e.Detail, "possible again in 60 minutes, at ")
	require.NoError(t, l.Check(t.Context(), first.Principal, first.Connection, hundred), "there is room for something")

	require.NoError(t, l.Settle(t.Context(), first, spend.Usage{InputTokens: 20, OutputTokens: 5, Reported: true}))
	require.Equal(t, int64(25), used(t, l, first, hundred))
	require.NoError(t, l.Reserve(t.Context(), call(31), hundred))
	require.Equal(t, []string{"settled answer 70 20 5 25", "reserved answer 31 31"}, rows(t, db))
}

func TestSettlingIsDoneOnce(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	c := spender()(70)
	require.NoError(t, l.Reserve(t.Context(), c, hundred))
	for _, tokens := range []int{20, 30} {
		require.NoError(t, l.Settle(t.Context(), c, spend.Usage{InputTokens: tokens, Reported: true}))
	}
	require.NoError(t, l.Release(t.Context(), c), "what was used cannot be taken back")
	require.Equal(t, []string{"settled answer 70 20 0 20"}, rows(t, db))
	require.NoError(t, l.Reserve(t.Context(), c, hundred), "a repeat of the call is the same call")
	require.Equal(t, int64(20), used(t, l, c, hundred))
}

func TestACallWithoutAReportStaysAtItsEstimate(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	c := spender()(70)
	require.NoError(t, l.Reserve(t.Context(), c, hundred))
	require.NoError(t, l.Settle(t.Context(), c, spend.Usage{}))
	require.Equal(t, []string{"settled answer 70 70"}, rows(t, db))
}

// The process that made the call has died: what it used is not known, so its estimate counts.
func TestALostReservationCountsUntilItsWindowHasPassed(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	call := spender()
	lost := call(100)
	require.NoError(t, l.Reserve(t.Context(), lost, hundred))
	exceeds(t, l.Reserve(t.Context(), call(1), hundred))
	exceeds(t, l.Check(t.Context(), lost.Principal, lost.Connection, hundred))
	require.NoError(t, l.Reserve(t.Context(), lost, hundred), "its own repeat finds it")
	age(t, db, lost, "61 minutes")
	require.NoError(t, l.Check(t.Context(), lost.Principal, lost.Connection, hundred))
	require.NoError(t, l.Reserve(t.Context(), call(60), hundred))
	exceeds(t, l.Reserve(t.Context(), lost, hundred))
	lost.Estimate = 40
	require.NoError(t, l.Reserve(t.Context(), lost, hundred), "a repeat after the window counts anew")
	require.Equal(t, int64(100), used(t, l, lost, hundred))
}

func TestAReleasedCallCountsNothing(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	call := spender()
	c := call(100)
	require.NoError(t, l.Reserve(t.Context(), c, hundred))
	require.NoError(t, l.Release(t.Context(), c))
	other := call(60)
	require.NoError(t, l.Reserve(t.Context(), other, hundred))
	exceeds(t, l.Reserve(t.Context(), c, hundred))
	require.NoError(t, l.Release(t.Context(), other))
	require.NoError(t, l.Reserve(t.Context(), c, hundred), "a released call can be made after all")
	require.NoError(t, l.Settle(t.Context(), c, spend.Usage{InputTokens: 1, Reported: true}))
	require.ElementsMatch(t, []string{"released answer 60 0", "settled answer 100 1 0 1"}, rows(t, db))
}

func TestWhatWasUsedWithoutACapCountsOnceThereIsOne(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	call := spender()
	c := call(10)
	require.NoError(t, l.Reserve(t.Context(), c, spend.Cap{}))
	require.NoError(t, l.Check(t.Context(), c.Principal, c.Connection, spend.Cap{}))
	require.Empty(t, rows(t, db))
	require.NoError(t, l.Settle(t.Context(), c, spend.Usage{InputTokens: 90, OutputTokens: 10, Reported: true}))
	exceeds(t, l.Check(t.Context(), c.Principal, c.Connection, hundred))
	exceeds(t, l.Reserve(t.Context(), call(1), hundred))
}

func TestARefusalNamesTheTimeWhenTheCallFits(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	call := spender()
	for minutes := 50; minutes >= 10; minutes -= 10 {
		c := call(20)
		require.NoError(t, l.Settle(t.Context(), c, spend.Usage{}))
		age(t, db, c, fmt.Sprintf("%d minutes", minutes))
	}
	for estimate, minutes := range map[int]float64{1: 10, 20: 10, 21: 20, 60: 30, 100: 50} {
		e := exceeds(t, l.Reserve(t.Context(), call(estimate), hundred))
		require.InDelta(t, minutes*60, e.RetryAfter.Seconds(), 30, "%d tokens", estimate)
		require.WithinDuration(t, time.Now().Add(e.RetryAfter), e.Extra["freesAt"].(time.Time), time.Minute)
	}
	e := exceeds(t, l.Check(t.Context(), call(1).Principal, call(1).Connection, hundred))
	require.InDelta(t, 600, e.RetryAfter.Seconds(), 30)

	never := exceeds(t, l.Reserve(t.Context(), call(101), hundred))
	require.Zero(t, never.RetryAfter)
	require.Contains(t, never.Detail, "needs about 101 tokens, and the spend cap of this connection allows no more than 100 in 60 minutes")
}

func TestACapIsOfOnePrincipalOnOneConnection(t *testing.T) {
	t.Parallel()
	l, _ := newLedger(t)
	call := spender()
	require.NoError(t, l.Reserve(t.Context(), call(100), hundred))
	require.NoError(t, l.Reserve(t.Context(), spender()(100), hundred))
	elsewhere := call(100)
	elsewhere.Connection = uuid.New()
	require.NoError(t, l.Reserve(t.Context(), elsewhere, hundred))
	somebody := call(100)
	somebody.Principal.ID = uuid.New()
	require.NoError(t, l.Reserve(t.Context(), somebody, hundred))
	exceeds(t, l.Reserve(t.Context(), call(1), hundred))
}

func TestACapOfUnattendedCallsCountsThemAlone(t *testing.T) {
	t.Parallel()
	l, _ := newLedger(t)
	call := spender()
	alone := func(estimate int) spend.Call {
		c := call(estimate)
		c.Unattended = true
		return c
	}
	both := spend.Cap{Tokens: 100, Window: time.Hour, Unattended: &hundred}
	require.NoError(t, l.Reserve(t.Context(), call(100), both))
	require.NoError(t, l.Reserve(t.Context(), alone(100), both))
	exceeds(t, l.Reserve(t.Context(), call(1), both))
	exceeds(t, l.Reserve(t.Context(), alone(1), both))
	only := spend.Cap{Unattended: &hundred}
	require.False(t, only.IsZero())
	require.NoError(t, l.Reserve(t.Context(), call(1000), only), "people have no cap here")
	exceeds(t, l.Reserve(t.Context(), alone(1), only))

	robot := spender()(100)
	robot.Principal.Kind = principal.Application
	require.NoError(t, l.Check(t.Context(), robot.Principal, robot.Connection, only))
	require.NoError(t, l.Reserve(t.Context(), robot, only), "an application is unattended without saying so")
	exceeds(t, l.Check(t.Context(), robot.Principal, robot.Connection, only))
	require.Equal(t, int64(200), used(t, l, call(1), hundred), "one cap for everything counts both")
}

// A provider's numbers come from outside.
func TestNumbersThatAProviderMakesUpAreCountable(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	call := spender()
	for _, n := range []int{math.MaxInt, math.MinInt} {
		c := call(n)
		require.NoError(t, l.Settle(t.Context(), c, spend.Usage{InputTokens: n, OutputTokens: n, Reported: true}))
	}
	require.Equal(t, []string{"settled answer 1000000000 1000000000 1000000000 2000000000", "settled answer 1 0 0 0"}, rows(t, db))
}

func TestACallWithoutAnAnswerOfTheDatabaseIsNotMade(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	db.Close()
	err := l.Reserve(t.Context(), spender()(1), hundred)
	require.Error(t, err)
	require.Equal(t, problem.Internal, problem.CodeOf(err))
}

func TestTheSumsOfAConnection(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	call := spender()
	settled, open, old, released := call(10), call(50), call(7), call(9)
	require.NoError(t, l.Settle(t.Context(), settled, spend.Usage{InputTokens: 100, OutputTokens: 1, CachedTokens: 80, Reported: true}))
	require.NoError(t, l.Settle(t.Context(), old, spend.Usage{}))
	age(t, db, old, "2 hours")
	require.NoError(t, l.Reserve(t.Context(), released, spend.Cap{Tokens: 1000, Window: time.Hour}))
	require.NoError(t, l.Release(t.Context(), released))
	require.NoError(t, l.Reserve(t.Context(), open, spend.Cap{Tokens: 1000, Window: time.Hour}))
	robot := call(500)
	robot.Principal, robot.Unattended = principal.Principal{Kind: principal.Application, ID: uuid.New()}, true
	require.NoError(t, l.Settle(t.Context(), robot, spend.Usage{}))

	sums, err := l.Sums(t.Context(), open.Connection, time.Hour, spend.All, nil, 200)
	require.NoError(t, err)
	require.Equal(t, []spend.Sum{
		{PrincipalKind: principal.Application, PrincipalID: robot.Principal.ID, Tokens: 500, Calls: 1},
		{PrincipalKind: principal.User, PrincipalID: open.Principal.ID, Tokens: 151, Reserved: 50, Cached: 80, Calls: 2},
	}, sums)
	equal := call(151)
	equal.Principal.ID = uuid.Max
	require.NoError(t, l.Settle(t.Context(), equal, spend.Usage{}))
	for after, next := range map[*spend.Sum]uuid.UUID{nil: robot.Principal.ID, &sums[0]: open.Principal.ID, &sums[1]: uuid.Max} {
		one, err := l.Sums(t.Context(), open.Connection, time.Hour, spend.All, after, 1)
		require.NoError(t, err)
		require.Len(t, one, 1)
		require.Equal(t, next, one[0].PrincipalID)
	}
	sums, err = l.Sums(t.Context(), open.Connection, time.Hour, spend.Unattended, nil, 200)
	require.NoError(t, err)
	require.Len(t, sums, 1)
}

func TestTheIDOfACallIsTheSameForTheSameCall(t *testing.T) {
	t.Parallel()
	turn := uuid.New()
	ids := map[uuid.UUID]bool{}
	for range 2 {
		for step := range 3 {
			for attempt := range 3 {
				ids[spend.CallID(turn, step, attempt, spend.Answer)] = true
				ids[spend.CallID(turn, step, attempt, spend.Summary)] = true
			}
		}
	}
	require.Len(t, ids, 18)
	require.NotContains(t, ids, spend.CallID(uuid.New(), 0, 0, spend.Answer))
}

func TestRowsThatNoCapCanCountArePruned(t *testing.T) {
	t.Parallel()
	l, db := newLedger(t)
	call := spender()
	old, young := call(1), call(2)
	require.NoError(t, l.Settle(t.Context(), old, spend.Usage{}))
	require.NoError(t, l.Settle(t.Context(), young, spend.Usage{}))
	age(t, db, old, "367 days")
	require.NoError(t, l.Prune(t.Context()))
	require.Equal(t, []string{"settled answer 2 2"}, rows(t, db))
}
