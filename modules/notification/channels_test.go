package notification_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/modules/notification"
)

// Parallel requests make no more channels than one after another.
func TestAnOwnerHasSoManyChannels(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	var all sync.WaitGroup
	for n := range notification.MaxChannels + 8 {
		all.Go(func() {
			a.Do(t, "ada", http.MethodPost, channels, object{"kind": "webhook", "name": fmt.Sprintf("Hook %d", n), "url": a.hooks.URL + "/hook"})
		})
	}
	all.Wait()
	require.Equal(t, notification.MaxChannels,
		a.Count(t, `SELECT count(*) FROM notify_channels WHERE owner_id = $1`, a.Principal("ada").ID))
}

// A test message goes to whoever has the address, so there are few of them, and its link leads somewhere.
func TestAChannelIsTestedOnceAMinute(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	test := channels + "/" + a.hook(t, "ada", "/hook").ID.String() + "/test"
	var all sync.WaitGroup
	var mu sync.Mutex
	answers := map[int]apitest.Answer{}
	for range 4 {
		all.Go(func() {
			answer := a.Do(t, "ada", http.MethodPost, test, nil)
			mu.Lock()
			defer mu.Unlock()
			answers[answer.Status] = answer
		})
	}
	all.Wait()
	require.Len(t, answers, 2)
	require.Contains(t, answers, http.StatusOK)
	require.NotEmpty(t, answers[http.StatusTooManyRequests].Header.Get("Retry-After"))
	require.Contains(t, answers[http.StatusTooManyRequests].Body, "once a minute. Wait")
	require.Len(t, a.hooks.Posts(), 1)
	require.Contains(t, string(a.hooks.Posts()[0].Body), "https://countersign.example.com/docs/concepts/notifications")
	require.FileExists(t, "../../docs/concepts/notifications.md")

	a.Exec(t, `UPDATE throttled_failures SET last_at = last_at - interval '61 s', kept_until = kept_until - interval '61 s'`)
	require.Equal(t, http.StatusOK, a.Do(t, "ada", http.MethodPost, test, nil).Status)
}
