package api_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/api/apitest"
	"countersign/check/health"
	"countersign/event"
	"countersign/internal/problem"
)

func newEvents(t *testing.T) *apitest.Server {
	t.Helper()
	server := apitest.New(t)
	types, err := event.NewRegistry(health.EventTypes("healthcheck.healthcheck.status.read", event.SeeAll)...)
	require.NoError(t, err)
	server.Mount(t, &api.Events{DB: server.DB, Operator: event.NewOperator(server.DB), Types: types})
	server.Person("operator", api.EventsRule)
	server.Person("nobody")
	return server
}

// park lets a consumer have given up an event, and returns its id.
func park(t *testing.T, server *apitest.Server, consumer string) (id int64) {
	t.Helper()
	require.NoError(t, server.DB.InTx(t.Context(), func(ctx context.Context) error {
		return server.DB.Conn(
			ctx,
		).QueryRow(
			ctx,
			`WITH e AS (INSERT INTO events (type, subject, payload) VALUES ('healthcheck.system_degraded', 'system:' || $2::text, '{}') RETURNING *),
			c AS (INSERT INTO event_consumers (name, seen) VALUES ($1, 0) ON CONFLICT (name) DO UPDATE SET seen = 0 RETURNING name)
			INSERT INTO event_retries (consumer, event_id, lane, subject, attempts, error, due_at, dead_at) SELECT c.name, e.id,
				event_lane(e.subject), e.subject, 10, 'No.', now(), now() FROM e, c
			RETURNING event_id`,
			consumer,
			uuid.New(),
		).Scan(
			&id,
		)
	}))
	return id
}

type parkedPage struct {
	Events     []api.DeadLetter
	NextCursor string
}

func TestOperatorsRetryAndSkipDeadLetters(t *testing.T) {
	t.Parallel()
	server := newEvents(t)
	first, second, third := park(t, server, "incidents"), park(t, server, "incidents"), park(t, server, "mail")
	list := func(query string) parkedPage {
		return apitest.Decode[parkedPage](t, server.Do(t, "operator", http.MethodGet, "/api/events/parked"+query, nil))
	}
	page := list("?limit=2")
	require.Len(t, page.Events, 2)
	require.Equal(t, []int64{first, second}, []int64{page.Events[0].EventID, page.Events[1].EventID})
	require.Equal(t, "System degraded", page.Events[0].TypeName)
	require.Equal(t, third, list("?limit=2&cursor=" + page.NextCursor).Events[0].EventID)
	consumers := apitest.Decode[struct{ Consumers []api.EventConsumer }](
		t,
		server.Do(t, "operator", http.MethodGet, "/api/events/consumers", nil),
	).Consumers
	require.Equal(t, "incidents", consumers[0].Name)
	require.EqualValues(t, 2, consumers[0].DeadLetters)
	require.False(t, consumers[0].Absent || consumers[0].Overdue)
	server.Exec(t, `UPDATE event_consumers SET run_at = now() - interval '1 hour' WHERE name = 'incidents'`)
	server.Exec(t, `UPDATE event_retries SET dead_at = NULL WHERE event_id = $1`, second)
	server.Exec(t, `UPDATE events SET created_at = now() - interval '31 days' WHERE id = $1`, second)
	consumers = apitest.Decode[struct{ Consumers []api.EventConsumer }](
		t,
		server.Do(t, "operator", http.MethodGet, "/api/events/consumers", nil),
	).Consumers
	require.True(t, consumers[0].Absent && consumers[0].Overdue)
	require.False(t, consumers[1].Absent || consumers[1].Overdue)
	server.Exec(t, `UPDATE event_retries SET dead_at = now() WHERE event_id = $1`, second)

	at := func(consumer string, id int64, do string) string {
		return "/api/events/parked/" + consumer + "/" + strconv.FormatInt(id, 10) + "/" + do
	}
	server.Do(t, "nobody", http.MethodPost, at("incidents", first, "retry"), nil).Refused(t, problem.Forbidden)
	for _, do := range []string{"retry", "skip"} {
		require.Equal(
			t,
			http.StatusNoContent,
			server.Do(t, "operator", http.MethodPost, at("incidents", map[string]int64{"retry": first, "skip": second}[do], do), nil).Status,
		)
		server.Do(
			t,
			"operator",
			http.MethodPost,
			at("incidents", map[string]int64{"retry": first, "skip": second}[do], do),
			nil,
		).Refused(
			t,
			problem.NotFound,
		)
	}
	server.Do(t, "operator", http.MethodPost, at("mail", first, "skip"), nil).Refused(t, problem.NotFound)
	require.Len(t, list("").Events, 1)
	var waiting, entries int
	require.NoError(
		t,
		server.DB.Conn(
			t.Context(),
		).QueryRow(
			t.Context(),
			`SELECT (SELECT count(*) FROM event_retries WHERE dead_at IS NULL AND event_id = $1 AND attempts = 0),
		(SELECT count(*) FROM ai_audit_entries WHERE object_type = 'event.parked')`,
			first,
		).Scan(
			&waiting,
			&entries,
		),
	)
	require.Equal(t, 1, waiting, "it is tried again from the beginning")
	require.Equal(t, 2, entries)
}

func TestTheEventsConform(t *testing.T) {
	t.Parallel()
	server := newEvents(t)
	types, err := event.NewRegistry(health.EventTypes("healthcheck.healthcheck.status.read", event.SeeAll)...)
	require.NoError(t, err)
	apitest.Conform(t, apitest.Subject{
		Server: server, Module: &api.Events{DB: server.DB, Operator: event.NewOperator(server.DB), Types: types},
		Unpaged: map[string]string{"/api/events/consumers": "parts of the product"},
	})
}
