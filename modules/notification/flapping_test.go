package notification_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check/health"
	"countersign/event"
	"countersign/internal/notice"
	"countersign/modules/notification/channel/channeltest"
)

// A system that keeps changing is one message that says so, and another one where it has settled, if that is news.
func TestFlappingIsToldOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.hook(t, "ada", "/hook")
	system := uuid.New()
	a.Do(t, "ada", http.MethodPut, "/api/notifications/subscriptions/system/"+system.String(), nil)
	a.run(t)
	const healthy, unhealthy = "healthy", "unhealthy"
	id := int64(0)
	changes := func(after string) {
		t.Helper()
		id++
		before, kind := healthy, health.EventDegraded
		if after == healthy {
			before, kind = unhealthy, health.EventHealthy
		}
		payload, err := json.Marshal(health.ChangedPayload{
			SystemID: system, SystemName: "Shop", Before: before, After: after, Reason: "It does not answer.", At: time.Now(),
		})
		require.NoError(t, err)
		for _, c := range a.module.Consumers() {
			if c.Name == "notification.systems" {
				require.NoError(t, a.DB.InTx(t.Context(), func(ctx context.Context) error {
					return c.Handle(ctx, event.Event{ID: id, Type: kind, Payload: payload})
				}))
			}
		}
		require.Eventually(t, func() bool {
			return a.Count(t, `SELECT count(*) FROM notify_deliveries WHERE state = 'waiting' AND next_at < now() + interval '1 minute'`) == 0
		}, waitTime, pollTime)
	}
	const telling = 4
	for range telling {
		changes(unhealthy)
		changes(healthy)
	}
	require.Len(t, a.hooks.Posts(), 2*telling-1, "the last end waits whether it stays")
	changes(unhealthy)
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM notifications WHERE edge LIKE 'flapping:%'`))
	for range 5 {
		changes(healthy)
		changes(unhealthy)
	}
	require.Len(t, a.hooks.Posts(), 2*telling, "one message says that it keeps changing")
	require.Zero(t, a.Count(t, `SELECT count(*) FROM notify_deliveries WHERE state = 'waiting'`), "it ends as it was told last")

	changes(healthy)
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM notify_deliveries WHERE state = 'waiting'`))
	a.Exec(t, `UPDATE notify_deliveries SET next_at = now() WHERE state = 'waiting'`)
	require.Eventually(t, func() bool { return len(a.hooks.Accepted()) == 2*telling+1 }, waitTime, pollTime)
}

// A problem that was delivered to one of two channels ends at that one, and one that was over before its first message at none.
func TestTheEndGoesToThoseWhoKnowOfTheProblem(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.hook(t, "ada", "/hook")
	a.hook(t, "bob", "/refused", object{"url": a.hooks.URL + "/refused"})
	a.hooks.Answer(func(_ int, _ http.ResponseWriter, p channeltest.Post) int {
		if p.Path == "/refused" {
			return http.StatusForbidden
		}
		return http.StatusOK
	})
	a.run(t)
	ada, bob := notice.Person(a.Principal("ada").ID), notice.Person(a.Principal("bob").ID)
	thing := brokenThing(uuid.New())
	told := a.tell(t, thing, ada, bob)
	require.Eventually(t, func() bool {
		return a.Count(t, `SELECT count(*) FROM notify_deliveries WHERE notification_id = $1 AND state IN ('sent', 'failed')`, told.ID) == 2
	}, waitTime, pollTime)
	over := a.tell(t, overOf(thing))
	require.Len(t, over.Deliveries, 1)
	require.Equal(t, notice.Sent, a.delivered(t, over.ID).State)

	later := brokenThing(uuid.New())
	later.Delay = time.Hour
	a.tell(t, later, ada)
	require.Empty(t, a.tell(t, overOf(later)).Deliveries)
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM notify_deliveries WHERE state = 'stopped' AND reason = 'The problem is over.'`))
	require.Len(t, a.hooks.Accepted(), 2)
}
