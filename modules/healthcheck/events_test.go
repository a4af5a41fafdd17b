package healthcheck_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check/health"
	"countersign/event"
	"countersign/internal/access"
	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
)

// Events about a system name checks, and quote environments and results. A reader is told of those that it may see.
func TestEventsNameNoCheckThatTheReaderMayNotSee(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	open, closed := a.check(t, door("Open", "example.org")), a.check(t, door("Closed", "example.org"))
	deleted := a.check(t, door("Deleted", "example.org"))
	owners := a.team(t, "Owners")
	a.member("owner", []uuid.UUID{owners}, healthcheck.StatusRead, healthcheck.DetailsRead, catalog.SystemRead, catalog.EnvironmentRead)
	for _, c := range []healthcheck.Check{closed, deleted} {
		a.grant(t, healthcheck.ObjectType, c.ID, true, map[uuid.UUID]access.Level{owners: access.Own})
	}
	a.ok(t, a.Do(t, "owner", http.MethodDelete, at(checks, deleted.ID), nil))

	types, err := event.NewRegistry(a.module.EventTypes()...)
	require.NoError(t, err)
	log, outbox := event.NewLog(a.DB, types, event.NewNotifier()), event.NewOutbox(a.DB, types)
	reasonOf := func(c healthcheck.Check) string {
		return "The check " + c.Name + " in canary place is so: canary words."
	}
	var events []event.New
	add := func(kind string, payload any) {
		events = append(events, event.New{Type: kind, Subject: health.SubjectOf(shop), Payload: payload})
	}
	target := int32(7)
	for _, c := range []healthcheck.Check{open, closed, deleted} {
		add(health.EventChanged, health.ChangedPayload{
			SystemID:   shop,
			SystemName: "Shop",
			Before:     "healthy",
			After:      "unhealthy",
			Reason:     reasonOf(c),
			TargetID:   &target,
			CheckID:    &c.ID,
			At:         time.Now(),
		})
		add(health.EventCheckUnknown, health.CheckUnknownPayload{
			SystemID: shop, SystemName: "Shop", TargetID: target, CheckID: c.ID, Reason: reasonOf(c), At: time.Now(),
		})
	}
	a.Person("viewer", healthcheck.StatusRead, catalog.SystemRead)
	a.Person("detail", healthcheck.StatusRead, healthcheck.DetailsRead, catalog.SystemRead, catalog.EnvironmentRead)
	a.Person("stranger", catalog.SystemRead)
	query := event.Query{Subjects: []string{health.SubjectOf(shop)}}
	tail, err := log.Follow(t.Context(), a.Principal("viewer"), query, 0)
	require.NoError(t, err)
	require.NoError(t, a.DB.InTx(t.Context(), func(ctx context.Context) error { return outbox.Append(ctx, events...) }))

	const hidden = "A check that you may not see makes it so."
	told := func(list []event.Event) (changed []health.ChangedPayload, unknown []health.CheckUnknownPayload) {
		for _, e := range list {
			if e.Type == health.EventChanged {
				p, err := event.Decode[health.ChangedPayload](e)
				require.NoError(t, err)
				changed = append(changed, p)
				continue
			}
			p, err := event.Decode[health.CheckUnknownPayload](e)
			require.NoError(t, err)
			unknown = append(unknown, p)
		}
		return changed, unknown
	}
	// Each is told the reasons of the changes about the three checks, and which of them could not be run.
	for who, wanted := range map[string]struct {
		changes []string
		unknown map[uuid.UUID]string
	}{
		"viewer":   {[]string{"One of its checks makes it so.", hidden, hidden}, map[uuid.UUID]string{open.ID: "Its runs could not be made."}},
		"detail":   {[]string{reasonOf(open), hidden, hidden}, map[uuid.UUID]string{open.ID: reasonOf(open)}},
		"owner":    {[]string{reasonOf(open), reasonOf(closed), hidden}, map[uuid.UUID]string{open.ID: reasonOf(open), closed.ID: reasonOf(closed)}},
		"stranger": {nil, map[uuid.UUID]string{}},
	} {
		for _, q := range []event.Query{query, {}} {
			page, err := log.List(t.Context(), a.Principal(who), q)
			require.NoError(t, err)
			changed, unknown := told(page.Events)
			require.Len(t, changed, len(wanted.changes), who)
			for i, p := range changed { // the newest first
				at := len(changed) - 1 - i
				require.Equal(t, wanted.changes[at], p.Reason, who)
				require.Equal(t, p.Reason == hidden, p.CheckID == nil, who)
				require.Equal(t, p.CheckID == nil, p.TargetID == nil, who)
			}
			reasons := map[uuid.UUID]string{}
			for _, p := range unknown {
				reasons[p.CheckID] = p.Reason
			}
			require.Equal(t, wanted.unknown, reasons, who)
		}
	}

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var followed []event.Event
	for len(followed) < 4 {
		next, err := tail.Next(ctx)
		require.NoError(t, err)
		followed = append(followed, next...)
	}
	changed, unknown := told(followed)
	require.Len(t, changed, 3)
	require.Equal(t, hidden, changed[2].Reason)
	require.Len(t, unknown, 1)
	require.Equal(t, open.ID, unknown[0].CheckID)

	query.Bare = true
	bare, err := log.List(t.Context(), a.Principal("viewer"), query)
	require.NoError(t, err)
	require.Len(t, bare.Events, len(events))
	for _, e := range bare.Events {
		require.Empty(t, e.Payload)
	}
}
