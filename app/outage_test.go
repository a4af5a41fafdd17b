package app_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/store/storetest"
	"countersign/tool/proposal"
)

// beforeTemporal is a relay before the Temporal server of the test stack, and the variables that lead a process to it.
func beforeTemporal(t *testing.T) (*storetest.Relay, map[string]string) {
	t.Helper()
	address := os.Getenv(apptest.EnvTemporal)
	if address == "" {
		t.Skipf("%s is not set: run `make test`, or `bin/devstack exec -- go test ./...`", apptest.EnvTemporal)
	}
	relay := storetest.NewRelay(t, address)
	return relay, map[string]string{"TEMPORAL_ADDRESS": relay.Address}
}

// health is what the process says of itself.
func health(t *testing.T, p *apptest.Product) (status int, said string) {
	t.Helper()
	answer := p.Anonymous().Call(t, http.MethodGet, "/readyz", nil)
	var body struct {
		Status string `json:"status"`
	}
	answer.Decode(t, &body)
	return answer.Status, body.Status
}

// tooLong is no measure of speed: before there was a bound, a call waited a minute for Temporal.
const tooLong = 30 * time.Second

func TestAProcessStartsWithoutTemporalAndWorksWhenItIsBack(t *testing.T) {
	t.Parallel()
	relay, env := beforeTemporal(t)
	relay.Away()
	p := apptest.Start(t, apptest.Options{Env: env})
	status, said := health(t, p)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "degraded", said)

	chat := p.Admin.Conversation(t, nil)
	stream := chat.Send(t, apptest.Scripted(`tool=ai.listDocs text="Here it is."`))
	require.Equal(t, "start", stream.UntilType(t, "start").Type, "the message is taken")
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_messages WHERE role = 'user'`))
	relay.Back()
	turn := stream.Rest(t)
	require.Equal(t, "done", turn.Metadata.Status)
	require.Contains(t, turn.Text(), "Here it is.")
	apptest.Eventually(t, "the process is whole again", func() bool {
		_, said := health(t, p)
		return said == "ready"
	})
	p.Restart(t)
	require.Equal(t, "done", chat.Perform(t, "text=again").Metadata.Status)
}

// Away as after a crash, and away as behind a network that swallows everything.
func TestWhileTemporalIsAwayMessagesAndDecisionsAreTaken(t *testing.T) {
	t.Parallel()
	for name, strike := range map[string]func(*storetest.Relay){"away": (*storetest.Relay).Away, "silent": (*storetest.Relay).Freeze} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			relay, env := beforeTemporal(t)
			p := apptest.Start(t, apptest.Options{Env: env})
			chat := p.Admin.Conversation(t, nil)
			waiting := p.Admin.Propose(t, "catalog.createSystem", map[string]any{"name": "Payments API"})
			unwanted := p.Admin.Propose(t, "catalog.createSystem", map[string]any{"name": "Nobody wants it"})
			strike(relay)

			began := time.Now()
			applied := p.Admin.Call(
				t,
				http.MethodPost,
				"/api/ai/proposals/apply",
				map[string]any{"token": waiting.Token},
				apptest.Header{Name: "Idempotency-Key", Value: uuid.NewString()},
			)
			require.Equal(t, http.StatusAccepted, applied.Status, "%s", applied.Body)
			require.Less(t, time.Since(began), tooLong)
			began = time.Now()
			p.Admin.Post(t, "/api/ai/proposals/"+unwanted.ProposalID.String()+"/decline", nil, nil)
			require.Less(t, time.Since(began), tooLong)
			later := p.Admin.Propose(t, "catalog.createSystem", map[string]any{"name": "Billing API"})
			stream := chat.Send(t, apptest.Scripted(`text="Here it is."`))
			stream.UntilType(t, "start")
			status, said := health(t, p)
			require.Equal(t, http.StatusOK, status)
			require.Equal(t, "degraded", said)

			relay.Thaw()
			relay.Back()
			require.Equal(t, "done", stream.Rest(t).Metadata.Status)
			apptest.Eventually(t, "what was decided is carried out", func() bool {
				return p.Count(t, `SELECT count(*) FROM ai_proposals WHERE id = $1 AND status = 'applied'`, waiting.ProposalID) == 1
			})
			require.Equal(t, proposal.Applied, p.Admin.Apply(t, later.ProposalID).Status)
			require.Len(t, systems(t, p.Admin), 2)
		})
	}
}

// A turn that waits for Temporal outlives the process that has taken its message.
func TestAMessageIsKeptWhileTemporalIsAwayAndTheProcessEnds(t *testing.T) {
	t.Parallel()
	relay, env := beforeTemporal(t)
	p := apptest.Start(t, apptest.Options{Env: env})
	relay.Away()
	chat := p.Admin.Conversation(t, nil)
	chat.Send(t, apptest.Scripted(`tool=ai.listDocs text="Here it is."`)).UntilType(t, "start")
	p.Restart(t)
	relay.Back()
	chat.Idle(t)
	require.Contains(t, apptest.TextOf(chat.Last(t)), "Here it is.")
}

// A write that has begun is finished and answered, and what has no end of its own ends at once.
func TestAProcessThatIsAskedToEndFinishesWrites(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	env := provider.Env()
	env["COUNTERSIGN_DRAIN_TIMEOUT"] = "2m"
	p := apptest.Start(t, apptest.Options{Env: env})
	stream, pause := startPaused(t, provider, p.Admin.Conversation(t, nil), apptest.Message{Text: "Hello"})
	live := p.Admin.Stream(t, http.MethodGet, "/api/healthcheck/live", nil)

	type written struct {
		answer apptest.Answer
		err    error
	}
	writing, ended := make(chan written, 1), make(chan error, 1)
	require.NoError(t, p.DB.InTx(t.Context(), func(ctx context.Context) error {
		_, err := p.DB.Conn(ctx).Exec(ctx, `LOCK TABLE catalog_systems IN EXCLUSIVE MODE`)
		require.NoError(t, err)
		go func() {
			answer, err := p.Admin.Send(t.Context(), http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Payments API"})
			writing <- written{answer, err}
		}()
		apptest.Eventually(t, "the write waits", func() bool {
			return p.Count(t, `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'catalog_systems'::regclass`) > 0
		})
		go func() { ended <- p.End() }()
		require.True(t, stream.BreaksOff(t), "another process goes on with it")
		require.True(t, live.BreaksOff(t))
		return nil
	}))
	w := <-writing
	require.NoError(t, w.err)
	require.Equal(t, http.StatusCreated, w.answer.Status, "%s", w.answer.Body)
	pause.Resume()
	require.NoError(t, <-ended)
}

// Everything that a process does at its end has one time together: what a request takes of it, steps have no more.
func TestTheEndOfAProcessHasOneTimeForEverything(t *testing.T) {
	t.Parallel()
	const all = 8 * time.Second // less than the 15 s after which the database ends the wait of the write
	provider := apptest.NewProvider(t)
	env := provider.Env()
	env["COUNTERSIGN_DRAIN_TIMEOUT"] = all.String()
	p := apptest.Start(t, apptest.Options{Env: env})
	_, pause := startPaused(t, provider, p.Admin.Conversation(t, nil), apptest.Message{Text: "Hello"})
	written := make(chan struct{})
	require.NoError(t, p.DB.InTx(t.Context(), func(ctx context.Context) error {
		_, err := p.DB.Conn(ctx).Exec(ctx, `LOCK TABLE catalog_systems IN EXCLUSIVE MODE`)
		require.NoError(t, err)
		go func() {
			defer close(written)
			_, _ = p.Admin.Send(t.Context(), http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Payments API"})
		}()
		apptest.Eventually(t, "the write waits", func() bool {
			return p.Count(t, `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'catalog_systems'::regclass`) > 0
		})
		began := time.Now()
		require.NoError(t, p.End())
		require.Less(t, time.Since(began), 2*all, "and not as much again for the steps")
		return nil
	}))
	<-written
	require.Contains(t, p.Log.String(), "Requests cut off")
	require.Contains(t, p.Log.String(), "Steps cut off")
	// What was broken off ends behind the process, which is this one.
	pause.Resume()
	apptest.Eventually(t, "its workers have stopped", func() bool { return strings.Count(p.Log.String(), "Stopped Worker") >= 4 })
}

// Load balancers hear of it before anybody is turned away.
func TestAProcessThatIsAskedToEndSaysSoFirst(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_DRAIN_TIMEOUT": "8s", "COUNTERSIGN_DRAIN_DELAY": "6s"}})
	ended := make(chan error, 1)
	go func() { ended <- p.End() }()
	apptest.Eventually(t, "the process says that it is not ready", func() bool {
		status, _ := health(t, p)
		return status == http.StatusServiceUnavailable
	})
	require.Equal(
		t,
		http.StatusCreated,
		p.Admin.Call(t, http.MethodPost, "/api/catalog/systems", map[string]any{"name": "Payments API"}).Status,
	)
	require.Equal(t, "done", p.Admin.Conversation(t, nil).Perform(t, "text=hi").Metadata.Status)
	require.NoError(t, <-ended)
}

// A database that stands still holds nobody up for longer than a statement may take.
func TestADatabaseThatStandsStillIsToldAndComesBack(t *testing.T) {
	t.Parallel()
	first := apptest.Start(t, apptest.Options{})
	relay := storetest.NewRelay(t, first.DatabaseHost(t))
	p := apptest.Start(t, apptest.Options{Beside: first, Env: map[string]string{
		"DATABASE_URL": first.DatabaseThrough(
			t,
			relay.Address,
		),
		"COUNTERSIGN_DATABASE_STATEMENT_TIMEOUT": "2s",
		"COUNTERSIGN_DATABASE_ACQUIRE_TIMEOUT":   "2s",
	}})
	for _, strike := range []func(){relay.Freeze, relay.Away} {
		strike()
		answer := p.Admin.Call(t, http.MethodGet, "/api/catalog/systems", nil)
		require.Equal(t, http.StatusServiceUnavailable, answer.Status, "%s", answer.Body)
		require.Equal(t, "2", answer.Header.Get("Retry-After"))
		require.NotContains(t, string(answer.Body), "127.0.0.1")
		status, _ := health(t, p)
		require.Equal(t, http.StatusServiceUnavailable, status)
		relay.Thaw()
		relay.Back()
		apptest.Eventually(t, "the process serves again", func() bool {
			return p.Admin.Call(t, http.MethodGet, "/api/catalog/systems", nil).Status == http.StatusOK
		})
	}
	require.Equal(t, "done", p.Admin.Conversation(t, nil).Perform(t, "tool=ai.listDocs text=hi").Metadata.Status)
	require.NotContains(t, p.Log.String(), "panic")
}
