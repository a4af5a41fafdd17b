package app_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/internal/store/storetest"
	"countersign/tool/proposal"
)

// cutWorker is a worker whose way to the database leads through a relay.
func cutWorker(t *testing.T, beside *apptest.Product, env map[string]string) (*apptest.Product, *storetest.Relay) {
	t.Helper()
	relay := storetest.NewRelay(t, beside.DatabaseHost(t))
	own := map[string]string{"DATABASE_URL": beside.DatabaseThrough(t, relay.Address)}
	maps.Copy(own, env)
	return apptest.Start(t, apptest.Options{Beside: beside, Roles: app.Roles{Worker: true}, Env: own}), relay
}

// lossLimit is within what a worker has to notice that its database is lost, and the most that a turn beside it may take. About
// 5 s are asked for; a busy machine has twice that.
const lossLimit = 10 * time.Second

func suspensions(p *apptest.Product) int {
	return strings.Count(p.Log.String(), "Workers suspended")
}

func resumptions(p *apptest.Product) int {
	return strings.Count(p.Log.String(), "Workers resumed")
}

// A worker is cut from the database and reaches Temporal. Other workers go on with its work and take what comes, and it
// works again once it reaches the database. The cut lasts until everything has ended.
func TestAWorkerThatLosesTheDatabaseGivesItsWorkUp(t *testing.T) {
	t.Parallel()
	for name, strike := range map[string]func(*storetest.Relay){"silent": (*storetest.Relay).Freeze, "refused": (*storetest.Relay).Away} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider := apptest.NewProvider(t)
			front := apptest.Start(t, apptest.Options{Roles: app.Roles{API: true}, Env: provider.Env()})
			cut, relay := cutWorker(t, front, provider.Env())
			chat := front.Admin.Conversation(t, nil)
			running, _ := startPaused(t, provider, chat, apptest.Message{Text: "Hello"})
			healthy := apptest.Start(t, apptest.Options{Beside: front, Roles: app.Roles{Worker: true}, Env: provider.Env()})
			provider.Answer(apptest.Events("stop", apptest.Text("Here it is.")))
			strike(relay)
			struck := time.Now()
			apptest.Eventually(t, "the worker takes no more work", func() bool { return suspensions(cut) == 1 })
			require.Less(t, time.Since(struck), lossLimit)

			turn := running.Rest(t)
			require.Equal(t, "done", turn.Metadata.Status)
			require.Contains(t, turn.Text(), "Here it is.")
			for range 12 {
				began := time.Now()
				require.Equal(t, "done", front.Admin.Conversation(t, nil).Perform(t, "text=hi").Metadata.Status)
				require.Less(t, time.Since(began), lossLimit, "no turn waits for a worker that cannot work")
			}
			card := front.Admin.Propose(t, "catalog.createSystem", map[string]any{"name": "Payments API"})
			require.Equal(t, proposal.Applied, front.Admin.Apply(t, card.ProposalID).Status)
			require.Zero(t, resumptions(cut))
			require.Zero(t, suspensions(healthy))

			relay.Thaw()
			relay.Back()
			apptest.Eventually(t, "the worker works again", func() bool { return resumptions(cut) == 1 })
			healthy.Stop(t)
			require.Equal(t, "done", front.Admin.Conversation(t, nil).Perform(t, "text=hi").Metadata.Status)
		})
	}
}

// All workers lose the database together: nobody takes work from another, and what was begun is done when it is back.
func TestTurnsOutliveADatabaseThatAllWorkersLose(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	front := apptest.Start(t, apptest.Options{Roles: app.Roles{API: true}, Env: provider.Env()})
	one, toOne := cutWorker(t, front, provider.Env())
	other, toOther := cutWorker(t, front, provider.Env())
	var streams []*apptest.Stream
	var chats []*apptest.Conversation
	for range 3 {
		chat := front.Admin.Conversation(t, nil)
		following, _ := startPaused(t, provider, chat, apptest.Message{Text: "Hello"})
		streams, chats = append(streams, following), append(chats, chat)
	}
	for range len(streams) + 1 {
		provider.Answer(apptest.Events("stop", apptest.Text("Here it is.")))
	}
	toOne.Freeze()
	toOther.Freeze()
	apptest.Eventually(t, "both take no more work", func() bool { return suspensions(one) == 1 && suspensions(other) == 1 })
	waiting := front.Admin.Conversation(t, nil).Send(t, apptest.Message{Text: "Hello"})
	toOne.Thaw()
	toOther.Thaw()
	for i, following := range streams {
		turn := following.Rest(t)
		require.Equal(t, "done", turn.Metadata.Status)
		require.Contains(t, turn.Text(), "Here it is.")
		requireStored(t, chats[i], turn)
	}
	require.Equal(t, "done", waiting.Rest(t).Metadata.Status)
	require.Equal(t, 1, suspensions(one))
	require.Equal(t, 1, suspensions(other))
}
