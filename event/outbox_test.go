package event_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check/health"
	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store/storetest"
)

func TestWhatDoesNotFitItsTypeIsRefused(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	outbox := event.NewOutbox(db, registry(t))
	good := changed(1, "x")
	payload := good.Payload.(health.ChangedPayload)
	with := func(change func(*event.New, *health.ChangedPayload)) event.New {
		n, p := good, payload
		n.Payload = nil
		change(&n, &p)
		if n.Payload == nil {
			n.Payload = p
		}
		return n
	}
	cases := map[string]struct {
		event event.New
		want  string
	}{
		"unknown type": {with(func(n *event.New, _ *health.ChangedPayload) { n.Type = "healthcheck.nothing" }), "no type of events"},
		"other payload": {
			with(func(n *event.New, _ *health.ChangedPayload) { n.Payload = map[string]any{"systemId": system(1)} }),
			"is a health.ChangedPayload",
		},
		"no payload":      {event.New{Type: good.Type, Subject: good.Subject}, "is a health.ChangedPayload"},
		"pointer":         {with(func(n *event.New, p *health.ChangedPayload) { n.Payload = p }), "and not a *health.ChangedPayload"},
		"other subject":   {with(func(n *event.New, _ *health.ChangedPayload) { n.Subject = "team:" + system(1).String() }), "system:<uuid>"},
		"no subject":      {with(func(n *event.New, _ *health.ChangedPayload) { n.Subject = "" }), "system:<uuid>"},
		"unknown status":  {with(func(_ *event.New, p *health.ChangedPayload) { p.After = "fine" }), `to "fine"`},
		"no change":       {with(func(_ *event.New, p *health.ChangedPayload) { p.After = p.Before }), "the same as before"},
		"no system":       {with(func(_ *event.New, p *health.ChangedPayload) { p.SystemID = uuid.Nil }), "lacks the system"},
		"too large":       {with(func(_ *event.New, p *health.ChangedPayload) { p.Reason = strings.Repeat("x", 20_000) }), "the limit is"},
		"long contextKey": {with(func(n *event.New, _ *health.ChangedPayload) { n.ContextKey = strings.Repeat("x", 300) }), "the limit is"},
	}
	for name, c := range cases {
		err := db.InTx(t.Context(), func(ctx context.Context) error { return outbox.Append(ctx, good, c.event) })
		require.ErrorContains(t, err, c.want, name)
	}
	require.ErrorContains(t, outbox.Append(t.Context(), good), "in the transaction")
	count := func() (n int) {
		require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), `SELECT count(*) FROM events`).Scan(&n))
		return n
	}
	require.Zero(t, count())
	require.Error(t, db.InTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, outbox.Append(ctx, good))
		return errors.New("no")
	}))
	require.Zero(t, count(), "what was taken back did not happen")
	appendNow(t, db, good, changed(1, "y"))
	require.Equal(t, 2, count())
}

func TestEveryTypeIsDescribed(t *testing.T) {
	t.Parallel()
	r := registry(t)
	require.NotEmpty(t, r.Types())
	for _, kind := range r.Types() {
		var schema struct {
			Type       string `json:"type"`
			Additional *bool  `json:"additionalProperties"`
			Properties map[string]struct {
				Description string `json:"description"`
			} `json:"properties"`
		}
		require.NoError(t, json.Unmarshal(kind.Schema, &schema))
		require.Equal(t, "object", schema.Type)
		require.NotNil(t, schema.Additional, kind.ID)
		require.False(t, *schema.Additional, "%s is closed", kind.ID)
		require.NotEmpty(t, schema.Properties)
		for name, p := range schema.Properties {
			require.NotEmpty(t, p.Description, "%s %s", kind.ID, name)
		}
	}
	_, err := event.NewRegistry(append(r.Types(), r.Types()[0], event.Define[health.ChangedPayload](event.Type{ID: "x"}))...)
	require.ErrorContains(t, err, "is there twice")
	require.ErrorContains(t, err, "lacks a name")
}

func TestTheEndOfAStateIsAnEventAboutTheSameSubject(t *testing.T) {
	t.Parallel()
	define := func(id, subject string, opposites ...string) event.Type {
		return event.Define[health.ChangedPayload](event.Type{
			ID: id, Name: id, Description: id, Rule: "x.y.read", Subject: subject, See: event.SeeAll, Opposites: opposites,
		})
	}
	_, err := event.NewRegistry(define("door.opened", "door", "door.closed"), define("door.closed", "door", "door.opened"))
	require.NoError(t, err)
	_, err = event.NewRegistry(define("door.opened", "door", "door.shut"))
	require.ErrorContains(t, err, `"door.opened" ends with "door.shut", which does not exist`)
	_, err = event.NewRegistry(define("door.opened", "door", "gate.closed"), define("gate.closed", "gate"))
	require.ErrorContains(t, err, "gate and not door")
}

// The product's processes act as a role with few rights.
func TestTheRoleOfTheProcessesCanAppendAndConsume(t *testing.T) {
	t.Parallel()
	app, _ := storetest.Restricted(t)
	h := consume(t, app, event.Options{}, nil)
	appendNow(t, app, changed(1, "a"))
	h.wait(t, "a")
}

func TestAReaderSeesWhatItsRulesAllow(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	notifier := event.NewNotifier()
	even := func(_ context.Context, subject uuid.UUID) error {
		if subject != system(0) {
			return problem.Errorf(problem.NotFound, "Not yours.")
		}
		return nil
	}
	types, err := event.NewRegistry(health.EventTypes("healthcheck.healthcheck.status.read", even)...)
	require.NoError(t, err)
	log := event.NewLog(db, types, notifier)
	nobody, reader := principal.Principal{}, principal.Principal{Rules: []string{"healthcheck.healthcheck.status.read"}}
	for i := range 5 {
		appendNow(t, db, changed(i%2, string(rune('a'+i))))
	}
	list := func(p principal.Principal, q event.Query) (marks string, next int64) {
		page, err := log.List(t.Context(), p, q)
		require.NoError(t, err)
		for _, e := range page.Events {
			marks += mark(t, e)
		}
		return marks, page.Next
	}
	one := event.Query{Subjects: []string{health.SubjectOf(system(1))}}
	marks, next := list(reader, one)
	require.Equal(t, "db", marks)
	require.Zero(t, next)
	marks, next = list(reader, event.Query{All: true, Limit: 2})
	require.Equal(t, "ed", marks)
	marks, next = list(reader, event.Query{All: true, Limit: 3, Before: next})
	require.Equal(t, "cba", marks)
	require.Zero(t, next)
	marks, _ = list(nobody, event.Query{All: true})
	require.Empty(t, marks)
	marks, _ = list(reader, event.Query{})
	require.Equal(t, "eca", marks, "of the subjects that the reader may see")
	marks, _ = list(reader, event.Query{All: true, Types: []string{health.EventHealthy}})
	require.Empty(t, marks)
}

func TestATailFollowsWhatComes(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	notifier := event.NewNotifier()
	log := event.NewLog(db, registry(t), notifier)
	reader := principal.Principal{Rules: []string{principal.Admin}}
	appendNow(t, db, changed(1, "old"))
	tail, err := log.Follow(t.Context(), reader, event.Query{Subjects: []string{health.SubjectOf(system(1))}}, 0)
	require.NoError(t, err)
	appendNow(t, db, changed(2, "other"), changed(1, "a"), changed(1, "b"))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	events, err := tail.Next(ctx)
	require.NoError(t, err)
	require.Len(t, events, 2)
	require.Equal(t, "a", mark(t, events[0]))
	next := make(chan string, 1)
	go func() {
		events, err := tail.Next(ctx)
		if err == nil && len(events) == 1 {
			next <- events[0].Subject
		}
		close(next)
	}()
	appendNow(t, db, changed(1, "c"))
	notifier.Subscription().Notify("")
	require.Equal(t, health.SubjectOf(system(1)), <-next)
	short, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	_, err = tail.Next(short)
	require.Error(t, err)
}
