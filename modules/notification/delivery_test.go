package notification_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/notice"
	"countersign/internal/store"
	"countersign/modules/notification"
	"countersign/modules/notification/channel"
	"countersign/modules/notification/channel/channeltest"
)

func TestAMailSaysWhatIsTrueWhenItIsSent(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.mailServer(t)
	a.set(func() {
		a.facts.Title = "The <b>thing</b>\r\nBcc: eve@example.com"
		a.facts.Text = "<script>alert(1)</script>\nsecond line"
		a.facts.Fields = []notice.Field{{Label: "Owner", Value: "Ada & Bob"}}
	})
	a.run(t)
	told := a.tell(t, brokenThing(uuid.New()), notice.Person(a.Principal("ada").ID))
	d := a.delivered(t, told.ID)
	require.Equal(t, notice.Sent, d.State, d.Reason)
	require.Equal(t, "ada", d.PersonName)
	require.Len(t, a.mails.Letters(), 1)
	letter := a.mails.Letters()[0]
	require.Equal(t, []string{"ada@example.com"}, letter.To)
	require.Equal(t, "The <b>thing</b> Bcc: eve@example.com", letter.Header.Get("Subject"), "one line")
	require.Empty(t, letter.Header.Get("Bcc"))
	require.Equal(t, "<"+d.ID.String()+"@example.com>", letter.Header.Get("Message-Id"))
	_, html, _ := strings.Cut(letter.Body, "<html>")
	require.Contains(t, html, "&lt;script&gt;")
	require.NotContains(t, html, "<script>")
}

func TestWhatAReceiverAnswersDecides(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.hook(t, "ada", "/hook")
	a.run(t)
	for name, c := range map[string]struct {
		answer   int
		state    notice.State
		attempts int
		reason   string
	}{
		"accepted": {http.StatusAccepted, notice.Sent, 1, ""},
		"gone":     {http.StatusGone, notice.Failed, 1, "is gone"},
		"missing":  {http.StatusNotFound, notice.Failed, 1, "is gone"},
		"refused":  {http.StatusBadRequest, notice.Failed, 1, "refused"},
		"redirect": {http.StatusTemporaryRedirect, notice.Failed, 1, "redirect"},
	} {
		a.hooks.Answer(func(_ int, w http.ResponseWriter, _ channeltest.Post) int {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			return c.answer
		})
		d := a.delivered(t, a.tell(t, brokenThing(uuid.New()), notice.Person(a.Principal("ada").ID)).ID)
		require.Equal(t, c.state, d.State, name)
		require.Equal(t, c.attempts, d.Attempts, name)
		require.Contains(t, d.Reason, c.reason, name)
	}
	require.Equal(t, 4, a.Count(t, `SELECT count(*) FROM events WHERE type = 'notification.failed'`))
}

// The receiver keeps the message and hangs: the attempt is uncertain, and the next one has the same id.
func TestALostAnswerIsRepeatedUnderTheSameID(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.hook(t, "ada", "/hook")
	a.hooks.Answer(func(n int, w http.ResponseWriter, _ channeltest.Post) int {
		if n > 0 {
			return http.StatusOK
		}
		hijacked, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = hijacked.Close()
		}
		return 0
	})
	a.run(t)
	told := a.tell(t, brokenThing(uuid.New()), notice.Person(a.Principal("ada").ID))
	d := a.delivered(t, told.ID)
	require.Equal(t, notice.Sent, d.State)
	require.Len(t, d.Tries, 2)
	require.Equal(t, channel.Uncertain, d.Tries[0].Result)
	require.Contains(t, d.Tries[0].Reason, "may have arrived")
	posts := a.hooks.Posts()
	require.Len(t, posts, 2)
	require.Equal(t, d.ID.String(), posts[0].Header.Get("Webhook-Id"))
	require.Equal(t, posts[0].Header.Get("Webhook-Id"), posts[1].Header.Get("Webhook-Id"))
}

func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.hook(t, "ada", "/hook")
	a.hooks.Answer(func(_ int, w http.ResponseWriter, _ channeltest.Post) int {
		w.Header().Set("Retry-After", "1800")
		return http.StatusTooManyRequests
	})
	a.run(t)
	told := a.tell(t, brokenThing(uuid.New()), notice.Person(a.Principal("ada").ID))
	d := a.reaches(t, told.ID, func(d notification.Delivery) bool { return len(d.Tries) == 1 })
	require.Equal(t, notice.Waiting, d.State)
	require.InDelta(t, 1800, d.NextAt.Sub(d.Tries[0].At).Seconds(), 10)
}

// Ends of messages are recorded together, but a transaction that holds the row of one holds up no other one.
func TestALockedDeliveryHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.hook(t, "ada", "/locked")
	a.hook(t, "bob", "/hook")
	locked, free := make(chan struct{}), make(chan struct{})
	var holding sync.WaitGroup
	a.hooks.Answer(func(_ int, _ http.ResponseWriter, p channeltest.Post) int {
		if p.Path != "/locked" {
			return http.StatusOK
		}
		holding.Go(func() {
			err := a.DB.InTx(t.Context(), func(ctx context.Context) error {
				_, err := a.DB.Conn(ctx).Exec(ctx, `SELECT FROM notify_deliveries WHERE id = $1 FOR UPDATE`, p.Header.Get("Webhook-Id"))
				close(locked)
				<-free
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
		<-locked
		return http.StatusOK
	})
	a.run(t)
	held := a.tell(t, brokenThing(uuid.New()), notice.Person(a.Principal("ada").ID))
	<-locked
	for range 5 {
		told := a.tell(t, brokenThing(uuid.New()), notice.Person(a.Principal("bob").ID))
		require.Equal(t, notice.Sent, a.delivered(t, told.ID).State)
	}
	a.reaches(t, held.ID, func(d notification.Delivery) bool { return d.Sending })
	close(free)
	holding.Wait()
	require.Equal(t, notice.Sent, a.delivered(t, held.ID).State)
	require.Len(t, a.hooks.Posts(), 6)
}

// A process that was killed between an attempt and its record: a webhook is repeated under its id, a mail is not.
func TestAnAttemptOfAKilledProcessIsNotForgotten(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.mailServer(t)
	a.hook(t, "bob", "/hook")
	thing := brokenThing(uuid.New())
	told := a.tell(t, thing, notice.Person(a.Principal("ada").ID), notice.Person(a.Principal("bob").ID))
	require.Len(t, told.Deliveries, 2)
	a.Exec(t, `UPDATE notify_deliveries SET claim = 1, attempts = 1, begun_at = now() - interval '40 s', next_at = now() - interval '10 s'`)
	over := a.tell(t, overOf(thing))
	require.Len(t, over.Deliveries, 2, "the problem may have arrived at both")
	a.run(t)
	for _, d := range told.Deliveries {
		require.Eventually(t, func() bool {
			return a.Count(t, `SELECT count(*) FROM notify_deliveries WHERE id = $1 AND state = 'unknown'`, d.ID) == 1
		}, waitTime, pollTime, "neither is repeated once its problem is over")
	}
	require.Eventually(t, func() bool {
		return a.Count(t, `SELECT count(*) FROM notify_deliveries WHERE notification_id = $1 AND state = 'sent'`, over.ID) == 2
	}, waitTime, pollTime)

	another := a.tell(t, brokenThing(uuid.New()), notice.Person(a.Principal("bob").ID))
	a.delivered(t, another.ID)
	a.Exec(t, `UPDATE notify_deliveries SET state = 'waiting', ended_at = NULL, begun_at = now() - interval '40 s',
		next_at = now() - interval '10 s' WHERE notification_id = $1`, another.ID)
	a.tell(t, brokenThing(uuid.New()), notice.Person(a.Principal("bob").ID))
	d := a.reaches(t, another.ID, func(d notification.Delivery) bool { return d.State == notice.Sent && d.Attempts == 2 })
	require.Equal(t, channel.Uncertain, d.Tries[1].Result)
	ids := map[string]int{}
	for _, p := range a.hooks.Posts() {
		ids[p.Header.Get("Webhook-Id")]++
	}
	require.Equal(t, 2, ids[d.ID.String()])
}

func TestASlowReceiverDoesNotHoldOthers(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	slow := channeltest.NewReceiver(t)
	release := make(chan struct{})
	slow.Answer(func(int, http.ResponseWriter, channeltest.Post) int {
		<-release
		return http.StatusOK
	})
	a.hook(t, "ada", "/fast")
	a.hook(t, "bob", "/slow", object{"url": slow.URL + "/slow"})
	a.run(t)
	t.Cleanup(func() { close(release) })
	for range 30 {
		a.tell(t, brokenThing(uuid.New()), notice.Person(a.Principal("bob").ID))
	}
	told := a.tell(t, brokenThing(uuid.New()), notice.Person(a.Principal("ada").ID))
	require.Equal(t, notice.Sent, a.delivered(t, told.ID).State)
	require.Empty(t, slow.Accepted())
}

func TestTwoProcessesSendEachMessageOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.hook(t, "ada", "/hook")
	a.run(t, a.module, a.newModule(t))
	const n = 100
	for range n {
		a.tell(t, brokenThing(uuid.New()), notice.Person(a.Principal("ada").ID))
	}
	require.Eventually(t, func() bool {
		return a.Count(t, `SELECT count(*) FROM notify_deliveries WHERE state = 'sent'`) == n
	}, waitTime, pollTime)
	ids := map[string]bool{}
	for _, p := range a.hooks.Posts() {
		ids[p.Header.Get("Webhook-Id")] = true
	}
	require.Len(t, a.hooks.Posts(), n)
	require.Len(t, ids, n)
}

func TestAnAddressInThisNetworkIsNotReached(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.hook(t, "ada", "/hook", object{"url": "http://10.0.0.1/hook"})
	a.run(t)
	d := a.delivered(t, a.tell(t, brokenThing(uuid.New()), notice.Person(a.Principal("ada").ID)).ID)
	require.Equal(t, notice.Failed, d.State)
	require.Contains(t, d.Reason, "not a public internet address")
	require.Equal(t, 1, d.Attempts)
}

// A mute holds what all of its systems are muted for; what still stands when it ends is delivered then, with what is true
// by then, and what has ended meanwhile is not.
func TestAMuteHoldsProblemsAndNoRecoveries(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.hook(t, "ada", "/hook")
	a.run(t)
	system, ada := store.NewID(), notice.Person(a.Principal("ada").ID)
	early := brokenThing(uuid.New())
	early.Systems = []uuid.UUID{system}
	a.delivered(t, a.tell(t, early, ada).ID)

	a.set(func() { a.mutes = []notice.Mute{{System: system, Reason: "maintenance 1"}} })
	recovery := a.delivered(t, a.tell(t, overOf(early)).ID)
	require.Equal(t, notice.Sent, recovery.State, "the problem was delivered before")

	still, ended := brokenThing(uuid.New()), brokenThing(uuid.New())
	still.Systems, ended.Systems = early.Systems, early.Systems
	held := a.tell(t, still, ada)
	for _, id := range []uuid.UUID{held.ID, a.tell(t, ended, ada).ID} {
		d := a.reaches(t, id, func(d notification.Delivery) bool { return d.Reason != "" })
		require.Equal(t, "Muted by maintenance 1.", d.Reason)
		require.Zero(t, d.Attempts)
	}
	require.Empty(t, a.tell(t, overOf(ended)).Deliveries)
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM notify_deliveries WHERE state = 'suppressed'`))

	a.set(func() { a.mutes, a.facts.Title = nil, "The thing is still broken" })
	require.NoError(t, a.ledger.Recheck(t.Context(), system))
	require.Equal(t, notice.Sent, a.delivered(t, held.ID).State)
	posts := a.hooks.Posts()
	require.Len(t, posts, 3)
	require.Contains(t, string(posts[2].Body), "The thing is still broken")
}

func TestNothingIsSentThatIsOverOrHidden(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.hook(t, "ada", "/hook")
	a.run(t)
	ada := a.Principal("ada").ID
	a.set(func() { a.facts.Over = true })
	thing := brokenThing(uuid.New())
	d := a.delivered(t, a.tell(t, thing, notice.Person(ada)).ID)
	require.Equal(t, notice.Suppressed, d.State)
	require.Empty(t, a.tell(t, overOf(thing)).Deliveries, "no recovery without a delivered problem")
	a.set(func() { a.facts.Over, a.hidden[ada] = false, true })
	d = a.delivered(t, a.tell(t, brokenThing(uuid.New()), notice.Person(ada)).ID)
	require.Equal(t, notice.Suppressed, d.State)
	require.Contains(t, d.Reason, "may not see")
	require.Empty(t, a.hooks.Posts())
}

func TestQuietHoursHoldWhatIsNotUrgent(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.hook(t, "ada", "/hook")
	a.Do(
		t,
		"ada",
		http.MethodPut,
		"/api/notifications/preferences",
		object{"rules": []any{}, "quietHours": "00:00-24:00", "zone": "Europe/Berlin"},
	)
	a.run(t)
	ada := notice.Person(a.Principal("ada").ID)
	d := a.reaches(t, a.tell(t, brokenThing(uuid.New()), ada).ID, func(d notification.Delivery) bool { return d.Reason != "" })
	require.True(t, strings.HasPrefix(d.Reason, "Quiet hours until "), d.Reason)
	urgent := brokenThing(uuid.New())
	urgent.Urgent = true
	require.Equal(t, notice.Sent, a.delivered(t, a.tell(t, urgent, ada).ID).State)
}

func TestWaitingNoticesOfABundleAreOneMessage(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.hook(t, "ada", "/hook")
	a.run(t)
	ada := notice.Person(a.Principal("ada").ID)
	tell := func() uuid.UUID {
		n := brokenThing(uuid.New())
		n.Bundle = "upstream"
		return a.tell(t, n, ada).ID
	}
	require.Equal(t, notice.Sent, a.delivered(t, tell()).State)
	var later []uuid.UUID
	for range 3 {
		later = append(later, tell())
	}
	for _, id := range later {
		a.reaches(t, id, func(d notification.Delivery) bool { return d.Reason != "" && d.Attempts == 0 })
	}
	a.Exec(t, `UPDATE notify_deliveries SET ended_at = ended_at - interval '1 minute' WHERE state = 'sent'`)
	a.Exec(t, `UPDATE notify_deliveries SET next_at = now() WHERE notification_id = $1`, later[0])
	a.tell(t, brokenThing(uuid.New()), ada)
	for _, id := range later {
		require.Equal(t, notice.Sent, a.delivered(t, id).State)
	}
	bundled := 0
	for _, p := range a.hooks.Posts() {
		if also, _ := decodeBody(t, p)["also"].([]any); len(also) == 2 {
			bundled++
		}
	}
	require.Equal(t, 1, bundled)
}
