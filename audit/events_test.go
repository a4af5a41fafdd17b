package audit_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/audit"
)

func heard(n int) func([]audit.ToolCalled) bool {
	return func(events []audit.ToolCalled) bool { return len(events) >= n }
}

// ready makes a call that an ear hears, so that it is registered for sure.
func (w *world) ready(t *testing.T, ears ...*ear) {
	t.Helper()
	for _, e := range ears {
		require.Eventually(t, func() bool {
			return count(t, w.owner, `SELECT count(*) FROM event_cursors WHERE subscriber = $1`, e.name) == 1
		}, patience, tick)
	}
}

func TestSubscribersHearHowCallsEndInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(t, "a.before")
	w.extend(t)
	e := newEar("ear")
	w.run(t, e)
	w.ready(t, e)
	first, second := w.call(t, "a.first"), w.call(t, "a.second")
	require.NoError(t, w.budget.Refuse(t.Context(), newCall(w.person, "a.secret"), refusal()))
	events := e.wait(t, heard(3))
	require.Len(t, events, 3, "a new subscriber hears what happens from now on, and of each call once")
	require.True(t, slices.IsSortedFunc(events, func(a, b audit.ToolCalled) int { return int(a.Seq - b.Seq) }))
	require.Equal(t, first, events[0].ID)
	require.Equal(t, second, events[1].ID)
	require.Equal(t, "refused", events[2].Status)
	require.Equal(t, "ai.toolCalled", audit.EventName)

	text, err := json.Marshal(events[0])
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(text, &fields))
	require.Equal(t, w.person.ID.String(), fields["principalId"])
	require.Equal(t, []any{"user", "api", "a.first", "read", "executed"},
		[]any{fields["principalKind"], fields["transport"], fields["toolName"], fields["effect"], fields["status"]})
	require.Len(t, fields, 10, "metadata only, neither arguments nor their hash")
}

func TestEventsComeAgainUntilTheyAreHandled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	failing, fine := newEar("failing"), newEar("fine")
	failing.broken = true
	stop := w.run(t, failing, fine)
	w.ready(t, failing, fine)
	one := w.call(t, "a.one")
	failing.wait(t, heard(1))
	fine.wait(t, heard(1))
	two := w.call(t, "a.two")
	require.Len(t, fine.wait(t, heard(2)), 2, "one that fails does not hold up the other")
	failing.wait(t, heard(2))
	stop()

	// Another process takes over where the first one has stored that it was.
	fixed, later := newEar("failing"), newEar("fine")
	w.run(t, fixed, later)
	events := fixed.wait(t, heard(2))
	require.Equal(t, one, events[0].ID)
	require.Equal(t, two, events[1].ID)
	three := w.call(t, "a.three")
	require.Equal(t, three, later.wait(t, heard(1))[0].ID, "what was handled does not come again")
}

func TestOneProcessAtATimeFeedsASubscriber(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := newEar("ear"), newEar("ear")
	stop := w.run(t, a)
	w.ready(t, a)
	w.run(t, b)
	const calls = 20
	for range calls {
		w.call(t, "a.read")
	}
	a.wait(t, heard(calls))
	b.mu.Lock()
	require.Empty(t, b.heard)
	b.mu.Unlock()
	stop()
	last := w.call(t, "a.last")
	require.Equal(t, last, b.wait(t, heard(1))[0].ID, "a process that stops hands over at once")
}
