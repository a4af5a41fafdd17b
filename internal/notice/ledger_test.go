package notice_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"countersign/internal/notice"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func TestAFactIsToldOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ada, bob := f.user(t, "Ada"), f.user(t, "Bob")
	opened := f.problem("opened")
	var wait sync.WaitGroup
	told := make([]notice.Told, 8)
	for i := range told {
		wait.Go(func() { told[i] = f.tell(t, opened, notice.Person(ada)) })
	}
	wait.Wait()
	created, delivered := 0, 0
	for _, one := range told {
		require.Equal(t, told[0].ID, one.ID)
		if one.Created {
			created++
		}
		delivered += len(one.Deliveries)
	}
	require.Equal(t, []int{1, 1}, []int{created, delivered})

	again := f.tell(t, opened, notice.Person(ada), notice.Person(bob))
	require.False(t, again.Created)
	require.Len(t, again.Deliveries, 1, "the one of Bob, who had none")
	require.Equal(t, bob, *again.Deliveries[0].Person)
	require.Equal(t, "email", again.Deliveries[0].Kind)
	require.Equal(t, []string{"waiting", "waiting"}, f.states(t, "opened"))
}

// More people than one statement takes are all told, of the problem and of its end.
func TestManyAreTold(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const many = 4100
	f.exec(t, `INSERT INTO users (id, email, name, password_hash)
		SELECT gen_random_uuid(), n || '@example.org', 'Many', '' FROM generate_series(1, $1::integer) n`, many)
	rows, err := f.db.Conn(t.Context()).Query(t.Context(), `SELECT id FROM users WHERE name = 'Many'`)
	require.NoError(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	require.NoError(t, err)
	to := make([]notice.Recipient, len(ids))
	for i, id := range ids {
		to[i] = notice.Person(id)
	}
	told := f.tell(t, f.problem("opened"), to...)
	require.Len(t, told.Deliveries, many)
	require.Empty(t, told.Unreached)
	f.exec(t, "UPDATE notify_deliveries SET state = 'sent', ended_at = now()")
	over := f.problem("resolved")
	over.Phase = notice.Recovery
	require.Len(t, f.tell(t, over).Deliveries, many)
}

func TestARecoveryFollowsADeliveredProblem(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ada, bob, eve := f.user(t, "Ada"), f.user(t, "Bob"), f.user(t, "Eve")
	told := f.tell(t, f.problem("opened"), notice.Person(ada), notice.Person(bob), notice.Person(eve))
	for _, d := range told.Deliveries {
		switch *d.Person {
		case ada:
			f.exec(t, "UPDATE notify_deliveries SET state = 'sent', ended_at = now() WHERE id = $1", d.ID)
		case bob:
			f.exec(t, "UPDATE notify_deliveries SET begun_at = now() WHERE id = $1", d.ID)
		}
	}
	over := f.problem("resolved:1")
	over.Phase = notice.Recovery
	recovery := f.tell(t, over)
	require.True(t, recovery.Created)
	people := []uuid.UUID{}
	for _, d := range recovery.Deliveries {
		people = append(people, *d.Person)
	}
	require.ElementsMatch(t, []uuid.UUID{ada, bob}, people, "one knows of the problem, and one may")
	require.ElementsMatch(t, []string{"sent", "waiting", "stopped"}, f.states(t, "opened"), "what is being sent ends with its outcome")

	f.tell(t, f.problem("reopened"), notice.Person(eve))
	over.Edge = "resolved:2"
	require.Empty(t, f.tell(t, over).Deliveries, "nobody was told of the second problem")
	require.Equal(t, []string{"stopped"}, f.states(t, "reopened"))
}

func TestAcknowledgingStopsThePersonsDeliveries(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ada, bob := f.user(t, "Ada"), f.user(t, "Bob")
	f.tell(t, f.problem("step:1"), notice.Person(ada), notice.Person(bob))
	f.tell(t, f.problem("step:2"), notice.Person(ada))
	stop := func(person *uuid.UUID) (stopped int) {
		require.NoError(t, f.db.InTx(t.Context(), func(ctx context.Context) (err error) {
			stopped, err = f.ledger.Stop(ctx, notice.Stop{About: f.about, Person: person, Reason: "Acknowledged by Ada."})
			return err
		}))
		return stopped
	}
	require.Equal(t, 2, stop(&ada))
	require.Equal(t, 0, stop(&ada), "the second call stops nothing")
	require.ElementsMatch(t, []string{"stopped", "waiting"}, f.states(t, "step:1"))
	require.Equal(t, 1, stop(nil))
	history := func(q notice.HistoryQuery) []notice.Past {
		q.About, q.BeforeAt, q.Limit = f.about, time.Now().Add(time.Hour), 10
		list, err := f.ledger.History(t.Context(), q)
		require.NoError(t, err)
		return list
	}
	all := history(notice.HistoryQuery{})
	require.Len(t, all, 2, "the newest first")
	require.Equal(t, []string{"step:2", "step:1"}, []string{all[0].Edge, all[1].Edge})
	require.Equal(t, notice.Counts{Deliveries: 2}, all[1].Counts)
	require.ElementsMatch(t, []notice.Receiver{
		{Kind: "email", Person: &ada, State: notice.Stopped}, {Kind: "email", Person: &bob, State: notice.Stopped},
	}, all[1].Receivers)
	require.Equal(
		t,
		[]notice.Receiver{{Kind: "email", Person: &bob, State: notice.Stopped}},
		history(notice.HistoryQuery{Person: &bob})[0].Receivers,
	)
	topic := all[0].Topic
	require.Empty(t, history(notice.HistoryQuery{Topic: topic}))
	require.Equal(t, all[1:], history(notice.HistoryQuery{Topic: topic, Edges: []string{"step:1", "step:3"}}))
}

func TestPeopleAreToldByTheirRules(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ada, off, gone := f.user(t, "Ada"), f.user(t, "Off"), f.user(t, "Gone")
	f.exec(t, "UPDATE users SET disabled = true WHERE id = $1", gone)
	f.exec(t, "INSERT INTO notify_people (user_id, off) VALUES ($1, '{test.opened}')", off)
	push, hook, chat, team := store.NewID(), store.NewID(), store.NewID(), store.NewID()
	for id, owner := range map[uuid.UUID]string{push: "person", hook: "person", chat: "team"} {
		of := ada
		if owner == "team" {
			of = team
		}
		f.exec(t, `INSERT INTO notify_channels (id, owner_kind, owner_id, kind, name, lane, target, config_sealed)
			VALUES ($1, $2, $3, 'webhook', 'Hook', 'hooks.example.org', 'hooks.example.org', '\x00')`, id, owner, of)
	}
	f.exec(t, "INSERT INTO notify_rules VALUES ($1, '', $2, 0), ($1, 'test.opened', $2, 0), ($1, 'test.opened', $3, 300)", ada, push, hook)
	f.exec(t, "INSERT INTO teams (id, name) VALUES ($1, 'Team')", team)
	f.exec(t, "INSERT INTO team_members (team_id, user_id) VALUES ($1, $2)", team, ada)

	told := f.tell(t, f.problem("opened"), notice.Members(team), notice.Team(team), notice.Person(off), notice.Person(gone),
		notice.Policy(team))
	due := map[uuid.UUID]float64{}
	now, err := f.db.Now(t.Context())
	require.NoError(t, err)
	for _, d := range told.Deliveries {
		due[d.Channel] = d.DueAt.Sub(now).Round(time.Minute).Minutes()
	}
	require.Equal(t, map[uuid.UUID]float64{push: 0, hook: 5, chat: 0}, due)
	require.ElementsMatch(t, []notice.Recipient{notice.Person(off), notice.Person(gone), notice.Policy(team)}, told.Unreached)
}

func TestATellOutsideOfATransactionIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, err := f.ledger.Tell(t.Context(), f.problem("opened"))
	require.ErrorContains(t, err, "in the transaction of their change")
	for _, broken := range []notice.Notice{{}, {About: f.about, Topic: "test.opened", Phase: notice.Problem}, {About: f.about, Topic: "a", Edge: "b"}} {
		require.Error(t, f.db.InTx(t.Context(), func(ctx context.Context) error {
			_, err := f.ledger.Tell(ctx, broken)
			return err
		}))
	}
}

type fixture struct {
	db     *store.DB
	ledger *notice.Ledger
	about  notice.About
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	db := storetest.New(t)
	return fixture{db, notice.NewLedger(db), notice.About{Kind: "test", ID: store.NewID()}}
}

func (f fixture) problem(edge string) notice.Notice {
	return notice.Notice{About: f.about, Topic: "test.opened", Edge: edge, Phase: notice.Problem}
}

func (f fixture) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := f.db.Conn(t.Context()).Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func (f fixture) user(t *testing.T, name string) uuid.UUID {
	t.Helper()
	id := store.NewID()
	f.exec(t, "INSERT INTO users (id, email, name, password_hash) VALUES ($1, $2, $3, '')", id, fmt.Sprintf("%s@example.org", id), name)
	return id
}

func (f fixture) tell(t *testing.T, n notice.Notice, to ...notice.Recipient) (told notice.Told) {
	t.Helper()
	require.NoError(t, f.db.InTx(t.Context(), func(ctx context.Context) (err error) {
		told, err = f.ledger.Tell(ctx, n, to...)
		return err
	}))
	return told
}

func (f fixture) states(t *testing.T, edge string) []string {
	t.Helper()
	rows, err := f.db.Conn(
		t.Context(),
	).Query(
		t.Context(),
		`SELECT d.state FROM notifications n JOIN notify_deliveries d ON d.notification_id = n.id
		WHERE n.about_id = $1 AND n.edge = $2 ORDER BY d.id`,
		f.about.ID,
		edge,
	)
	require.NoError(t, err)
	defer rows.Close()
	states := []string{}
	for rows.Next() {
		var state string
		require.NoError(t, rows.Scan(&state))
		states = append(states, state)
	}
	require.NoError(t, rows.Err())
	return states
}
