package sample_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"countersign/app/apptest"
	"countersign/app/apptest/declaredtest"
	"countersign/app/module"
	"countersign/audit"
	systemhealth "countersign/check/health"
	"countersign/event"
	"countersign/internal/durable"
	"countersign/internal/store"
	"countersign/modules/healthcheck"
)

// TestMain reports goroutines that stopped processes have left behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// calls are the tool calls of a turn as JSON.
func calls(t *testing.T, turn *apptest.Turn) string {
	t.Helper()
	raw, err := json.Marshal(turn.ToolCalls())
	require.NoError(t, err)
	return string(raw)
}

// startHarbor starts the product with the sample module, whose consumer hands over events.
func startHarbor(t *testing.T) (*apptest.Product, <-chan event.Event) {
	t.Helper()
	p, m := startWithHarbor(t)
	return p, m.heard
}

// startWithHarbor starts the product with the sample module. A command of the product makes one of its own.
func startWithHarbor(t *testing.T) (*apptest.Product, *harbor) {
	t.Helper()
	var m *harbor
	p := apptest.Start(t, apptest.Options{Modules: []any{func(s module.Services) any {
		made := newHarbor()
		made.services = s
		m = cmp.Or(m, made)
		return made
	}}})
	p.Exec(t, harborMigration)
	return p, m
}

// A process runs for a module: its loop, its subscription, its metrics, and its sealed values under a new key.
func TestAModuleBringsTheWorkOfItsProcesses(t *testing.T) {
	t.Parallel()
	p, m := startWithHarbor(t)
	p.Exec(t, `SELECT pg_notify('harbor_horns', 'one long blast')`)
	require.Equal(t, "one long blast", <-m.blown)
	require.Contains(t, string(p.Anonymous().Call(t, http.MethodGet, "/metrics", nil).Body), "harbor_calls_total 1\n")

	var made berth
	p.Admin.Post(t, berths, map[string]any{"name": "East"}, &made)
	for _, args := range [][]string{{"secrets", "add-key"}, {"secrets", "rotate"}} {
		status, printed := p.Command(t, args...)
		require.Zero(t, status, printed)
		if args[1] == "rotate" {
			require.Contains(t, printed, "1 codes of berths")
		}
	}
	_, printed := p.Command(t, "secrets", "rotate")
	require.Contains(t, printed, "0 codes of berths")
}

func TestASampleModuleBringsEverythingOfItsOwn(t *testing.T) {
	t.Parallel()
	p, events := startHarbor(t)
	person := p.Person(t)
	window := person.Changes(t, "")

	var made berth
	person.Post(t, berths, map[string]any{"name": "East"}, &made)
	window.Hears(t, "record", `{"type":"harbor.berth","id":"`+made.ID.String()+`"}`)
	heard := <-events
	require.Equal(t, berthMade, heard.Type)
	require.JSONEq(t, `{"name":"East"}`, string(heard.Payload))
	p.AwaitWorkflow(t, durable.ID("survey", made.ID))
	var list berthList
	person.Get(t, berths, &list)
	require.Equal(t, []berth{{made.ID, "East", true}}, list.Berths)
	var count int
	p.Anonymous().Get(t, berths+"/count", &count)
	require.Equal(t, 1, count)
	turn := person.Conversation(t, nil).Perform(t, `tool=harbor.listBerths tool=harbor.countBerths text=Done.`)
	require.Contains(t, calls(t, turn), `"surveyed":true`)
	turn = person.Conversation(t, nil).Perform(
		t, `tool=harbor.listCapabilities tool=harbor.getCapabilitySchema input={"kind":"harbor.deep"} text=Done.`,
	)
	require.Contains(t, calls(t, turn), `"Deep berth"`)
	require.Contains(t, calls(t, turn), `"depth"`)

	var history struct {
		Changes []audit.ChangeEntry `json:"changes"`
	}
	person.Get(t, "/api/history/"+berthType+"/"+made.ID.String(), &history)
	require.Equal(t, []audit.Field{{Name: "name", From: new(""), To: new("East")}, {Name: "depth"}}, history.Changes[0].Fields)
	var types struct {
		Types []audit.ObjectType `json:"types"`
	}
	person.Get(t, "/api/ai/audit/types", &types)
	requirePages(t, types.Types)
	require.Contains(t, types.Types, audit.ObjectType{Type: berthType, Label: "Berth", Plural: "Berths", Page: "/harbor/{id}"})
}

// notFollowed are the kinds of deleted records that modules are not told about.
var notFollowed = map[string]string{
	"notification.channel": "deliveries stay on record without it, and its policy or team is what others refer to",
}

// A module that stores data about records of others follows the end of every kind of record whose deletion is declared.
// Conversations end by retention and erasures, whose tests are in chat/conversation.
func TestAModuleFollowsTheEndOfRecords(t *testing.T) {
	t.Parallel()
	m := newHarbor()
	p := apptest.Start(t, apptest.Options{Modules: []any{m}})
	known := declaredtest.Load(t)
	followed := 0
	for _, operation := range slices.Sorted(maps.Keys(known.Operations)) {
		change := known.Operations[operation].Change
		if change == nil || !strings.HasPrefix(operation, "delete-") || strings.Contains(change.Path, "{draft}") {
			continue // parts of the draft of an agent are no records, and their examples need the compiler
		}
		method := http.MethodDelete
		if change.Body != nil {
			method = http.MethodPost
		}
		answer := known.NewScope(t, p, nil).Prepare(method, *change).Send(t)
		require.Less(t, answer.Status, http.StatusMultipleChoices, "%s: %s", operation, answer.Body)
		var kind, id string
		err := p.DB.Conn(t.Context()).QueryRow(t.Context(), `SELECT object_type, object_id FROM ai_audit_entries
			WHERE operation = $1 AND action = 'deleted' ORDER BY id DESC LIMIT 1`, operation).Scan(&kind, &id)
		if store.NoRows(err) {
			continue // it deletes a part of a record, which changes
		}
		require.NoError(t, err, operation)
		told, isTold := m.removed.Load(kind)
		require.Equal(t, notFollowed[kind] == "", isTold, "%s tells modules of the end of a %s, or notFollowed says why not", operation, kind)
		if isTold {
			if _, err := uuid.Parse(id); err == nil { // secrets are on record by name
				require.Equal(t, id, told.(uuid.UUID).String(), operation)
			}
			followed++
		}
	}
	require.Greater(t, followed, 15)
}

// An override of a module enters the health of a system as a failing check does: by state, change stream and event.
func TestAModuleOverridesTheHealthOfASystem(t *testing.T) {
	t.Parallel()
	p, events := startHarbor(t)
	p.Exec(t, `UPDATE roles SET rules = '{}' WHERE name = 'users'`)
	reader := p.Person(t, p.Role(t, "healthcheck.healthcheck.status.read", "catalog.system.read"))
	var made struct {
		ID string `json:"id"`
	}
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Payments"}, &made)
	system := made.ID
	window := apptest.Changes{Stream: p.Admin.Stream(t, http.MethodGet, "/api/events?health=0", nil)}
	window.Hears(t, "health", "{}")
	closes := func(berth uuid.UUID, systems ...string) (changed bool) {
		t.Helper()
		answer := p.Admin.Call(t, http.MethodPut, berths+"/"+berth.String()+"/closed", map[string]any{"systems": append([]string{}, systems...)})
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
		answer.Decode(t, &changed)
		return changed
	}
	status := func(as *apptest.Client) (s healthcheck.SystemStatus) {
		as.Get(t, "/api/healthcheck/systems/"+system, &s)
		return s
	}
	hears := func(kind, reason string) {
		t.Helper()
		e := <-events
		require.Equal(t, kind, e.Type)
		require.Equal(t, "system:"+system, e.Subject)
		var change systemhealth.ChangedPayload
		require.NoError(t, json.Unmarshal(e.Payload, &change))
		require.Equal(t, "Payments", change.SystemName)
		require.Equal(t, reason, change.Reason)
	}

	first, second := uuid.New(), uuid.New()
	require.True(t, closes(first, system))
	window.Hears(t, "health", `{"id":"`+system+`"}`)
	hears(systemhealth.EventDegraded, "Its berth is closed.")
	require.False(t, closes(first, system), "it is set already")
	require.True(t, closes(second, system))
	s := status(p.Admin)
	require.Equal(t, healthcheck.Degraded, s.Status)
	require.Equal(t, "Its berth is closed.", s.Reason)
	require.Contains(t, s.Why, "Payments has been degraded for ")
	require.NotNil(t, s.Since)
	require.Len(t, s.Overrides, 2)
	require.Equal(t, "Closed berth", s.Overrides[0].Label)
	require.Equal(t, healthcheck.Degraded, s.Overrides[1].Status)

	// The reason is for those who hold the rule of the source.
	s = status(reader)
	require.Equal(t, healthcheck.Degraded, s.Status)
	require.Empty(t, s.Overrides)
	require.Equal(t, "The reason is one that you may not see.", s.Reason)
	board := func(as *apptest.Client) string {
		var list struct {
			Systems []healthcheck.BoardRow `json:"systems"`
		}
		as.Get(t, "/api/healthcheck/board", &list)
		return string(list.Systems[0].Status) + ": " + list.Systems[0].Reason
	}
	require.Equal(t, "degraded: Its berth is closed.", board(p.Admin))
	require.Equal(t, "degraded: The reason is one that you may not see.", board(reader))

	// It lasts until the last one is lifted, and one of a system ends with the system.
	require.True(t, closes(first))
	require.Equal(t, healthcheck.Degraded, status(p.Admin).Status)
	until := len(window.Events)
	require.True(t, closes(second))
	require.False(t, closes(second), "it is lifted already")
	require.Equal(t, healthcheck.Unknown, status(p.Admin).Status)
	window.Hears(t, "health", `{"id":"`+system+`"}`)
	require.Greater(t, len(window.Events), until)
	closes(first, system)
	p.Admin.Delete(t, "/api/catalog/systems/"+system)
	require.Zero(t, p.Count(t, `SELECT count(*) FROM check_overrides`)+p.Count(t, `SELECT count(*) FROM check_system_states`))
	answer := p.Admin.Call(t, http.MethodPut, berths+"/"+first.String()+"/closed", map[string]any{"systems": []string{system}})
	require.Equal(t, http.StatusNotFound, answer.Status, "%s", answer.Body)
}
