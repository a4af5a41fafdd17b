package notification_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/modules/notification"
	"countersign/modules/notification/channel/channeltest"
)

// anybody are people who may all read.
type anybody struct{ accounts }

// Readers implements notification.People.
func (anybody) Readers(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]principal.Principal, error) {
	found := map[uuid.UUID]principal.Principal{}
	for _, id := range ids {
		found[id] = principal.Principal{Kind: principal.User, ID: id}
	}
	return found, nil
}

// sender is another process, which sends what is due with the keys of its request.
func sender(t *testing.T) func(db *store.DB, request string) string {
	return func(db *store.DB, request string) string {
		data, err := hex.DecodeString(request)
		require.NoError(t, err)
		a := &app{Server: &apitest.Server{DB: db}, ledger: notice.NewLedger(db), facts: notice.Facts{Title: "The thing is broken"}}
		a.keys, err = secret.Parse(data)
		require.NoError(t, err)
		a.module = a.newModuleOf(t, anybody{accounts{a}})
		for _, loop := range a.module.Loops() {
			go loop.Run(context.WithoutCancel(t.Context()))
		}
		return "sends"
	}
}

// addressOf is the URL of the database of a test.
func addressOf(t testing.TB, db *store.DB) string {
	t.Helper()
	u, err := url.Parse(os.Getenv(storetest.EnvURL))
	require.NoError(t, err)
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), `SELECT '/' || current_database()`).Scan(&u.Path))
	return u.String()
}

// A process is killed while a receiver has the messages and has not answered. The next one repeats the webhook under its id, whose
// receiver knows the message then, and gives the chat up as unknown: a second message there would be one too many.
func TestAProcessIsKilledInTheMiddleOfADelivery(t *testing.T) {
	t.Parallel()
	var a *app
	_, processes := storetest.Processes(t, func(t testing.TB) string {
		a = newApp(t)
		return addressOf(t, a.DB)
	}, 1, sender(t))
	a.hook(t, "ada", "/hook")
	a.hook(t, "ada", "/chat", object{"kind": "slack"})
	arrived, killed := make(chan struct{}, 2), make(chan struct{})
	a.hooks.Answer(func(n int, _ http.ResponseWriter, _ channeltest.Post) int {
		if n < 2 {
			arrived <- struct{}{}
			<-killed
		}
		return http.StatusOK
	})
	keys, err := a.keys.Marshal()
	require.NoError(t, err)
	storetest.Ask(t, processes, hex.EncodeToString(keys))
	told := a.tell(t, brokenThing(uuid.New()), notice.Person(a.Principal("ada").ID))
	require.Len(t, told.Deliveries, 2)
	<-arrived
	<-arrived
	processes[0].Signal(t, syscall.SIGKILL)
	close(killed)
	require.Equal(t, 2, a.Count(t, `SELECT count(*) FROM notify_deliveries WHERE state = 'waiting' AND begun_at IS NOT NULL AND attempts = 1`))

	// The lease of the killed process ends.
	a.Exec(t, `UPDATE notify_deliveries SET next_at = now()`)
	a.run(t)
	const lost = "The process ended while the message was being sent. It may have arrived."
	for kind, want := range map[string]struct {
		state    notice.State
		reason   string
		attempts int
		posts    int
	}{
		"webhook": {notice.Sent, "", 2, 2},
		"slack":   {notice.Unknown, lost, 1, 1},
	} {
		require.Eventually(t, func() bool {
			return a.Count(t, `SELECT count(*) FROM notify_deliveries WHERE channel_kind = $1 AND state <> 'waiting'`, kind) == 1
		}, waitTime, pollTime)
		var id uuid.UUID
		var state, reason string
		var attempts int
		var raw []byte
		require.NoError(t, a.DB.Conn(t.Context()).QueryRow(t.Context(),
			`SELECT id, state, reason, attempts, tries FROM notify_deliveries WHERE channel_kind = $1`, kind).
			Scan(&id, &state, &reason, &attempts, &raw), kind)
		require.Equal(t, string(want.state), state, kind)
		require.Equal(t, want.reason, reason, kind)
		require.Equal(t, want.attempts, attempts, kind)
		var tries []notification.Try
		require.NoError(t, json.Unmarshal(raw, &tries))
		require.Equal(t, lost, tries[0].Reason, kind)
		path := map[string]string{"webhook": "/hook", "slack": "/chat"}[kind]
		posts := 0
		for _, p := range a.hooks.Posts() {
			if p.Path != path {
				continue
			}
			posts++
			if kind == "webhook" {
				require.Equal(t, id.String(), p.Header.Get("Webhook-Id"), "one id for all attempts")
			}
		}
		require.Equal(t, want.posts, posts, kind)
	}
}
