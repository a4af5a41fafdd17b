package app_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/automation"
)

// automations is a product with an application that automations act as.
type automations struct {
	*apptest.Product
	account uuid.UUID
}

func startAutomations(t *testing.T, rules ...string) automations {
	t.Helper()
	p := apptest.Start(t, apptest.Options{})
	warm(t, p)
	return automations{p, p.Application(t, p.Role(t, rules...)).ID}
}

// saves creates an automation.
func (a automations) saves(t *testing.T, text string) (made automation.Automation) {
	t.Helper()
	a.Admin.Post(t, "/api/automations", map[string]any{"text": text, "runAs": a.account}, &made)
	return made
}

// run waits for a run of an automation with a status.
func (a automations) run(t *testing.T, of automation.Automation, status string) (found automation.Run) {
	t.Helper()
	require.Eventually(t, func() bool {
		var list struct{ Runs []automation.Run }
		a.Admin.Get(t, "/api/automation-runs?automationId="+of.ID.String(), &list)
		for _, r := range list.Runs {
			if r.Status == status {
				found = r
				return true
			}
		}
		return false
	}, time.Minute, 50*time.Millisecond, "no run is %s", status)
	return found
}

// steps are those of a run as path, status pairs.
func (a automations) steps(t *testing.T, of automation.Run) (list []automation.RunStep) {
	t.Helper()
	var page struct{ Steps []automation.RunStep }
	a.Admin.Get(t, "/api/automation-runs/"+of.ID.String()+"/steps", &page)
	return page.Steps
}

// An event, a wait, a loop and the end of the run: the whole way through real parts, without an effect outside.
func TestAnAutomationRunsOnAnEvent(t *testing.T) {
	t.Parallel()
	a := startAutomations(t, "catalog.system.read", "incident.incident.read")
	made := a.saves(t, `
name: Follow incidents
triggers:
  - id: opened
    event: incident.created
    filter: trigger.payload.title.startsWith("Payments")
mode: queued
actions:
  - variables: {seen: "{{ trigger.payload.title }}", n: 0}
  - repeat:
      count: 3
      sequence:
        - variables: {n: "{{ var.n + 1 }}"}
  - choose:
      - when: var.n == 3
        sequence:
          - delay: 1
    else:
      - stop: {reason: wrong, error: true}
  - id: over
    wait_for_trigger: {event: incident.resolved, timeout: 1h}
  - condition: var.seen == "Payments are slow"
`)
	var system struct{ ID uuid.UUID }
	a.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Payments"}, &system)
	open := func(title string) (id uuid.UUID) {
		var opened struct{ ID uuid.UUID }
		a.Admin.Post(t, "/api/incidents",
			map[string]any{"title": title, "severity": "minor", "systemIds": []uuid.UUID{system.ID}}, &opened)
		return opened.ID
	}
	open("Search is slow")
	incident := open("Payments are slow")
	running := a.run(t, made, "running")
	require.Eventually(t, func() bool {
		return a.Count(t, `SELECT count(*) FROM automation_waits WHERE run_id = $1`, running.ID) == 1
	}, time.Minute, 50*time.Millisecond, "the run waits for the end of the incident")
	a.Admin.Post(t, "/api/incidents/"+incident.String()+"/resolve", map[string]any{}, nil)
	done := a.run(t, made, "success")
	require.Equal(t, running.ID, done.ID)
	require.Empty(t, done.Reason)
	require.Equal(t, []string{"3 Payments are slow"}, a.Column(t, `SELECT (vars ->> 'n') || ' ' || (vars ->> 'seen') FROM automation_runs`))
	for _, s := range a.steps(t, done) {
		require.Equal(t, "success", s.Status, "%s: %s", s.Path, s.Reason)
	}
	a.AwaitWorkflow(t, done.WorkflowID)
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM automation_runs`), "the other incident is none of its business")
}

// Steps open and resolve an incident in the name of the application; the process ends between them, and another one goes on.
func TestAnAutomationOpensAndResolvesAnIncident(t *testing.T) {
	t.Parallel()
	a := startAutomations(t, "incident.incident.manage", "incident.incident.read", "catalog.system.read", "catalog.system.manage")
	var system struct{ ID uuid.UUID }
	a.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Payments"}, &system)
	made := a.saves(t, `
name: Payments in trouble
triggers:
  - id: asked
    event: automation.manual
actions:
  - id: open
    action: incident.create
    config:
      title: "{{ trigger.payload.what }} is slow"
      severity: minor
      systemIds: ["`+system.ID.String()+`"]
  - delay: 2
  - id: close
    action: incident.resolve
    config:
      incidentId: "{{ artifacts.open.incident.incidentId }}"
`)
	var started automation.Started
	a.Admin.Post(t, "/api/automations/"+made.ID.String()+"/run", map[string]any{"payload": map[string]any{"what": "Payments"}}, &started)
	require.True(t, started.Started, started.Run.Reason)
	require.Eventually(t, func() bool {
		return a.Count(t, `SELECT count(*) FROM automation_steps WHERE kind = 'delay'`) == 1
	}, time.Minute, 20*time.Millisecond)
	a.Restart(t)
	done := a.run(t, made, "success")
	require.Equal(t, []string{"resolved Payments is slow"}, a.Column(t, `SELECT status || ' ' || title FROM incidents`))
	steps := a.steps(t, done)
	require.Len(t, steps, 3)
	for _, s := range steps {
		require.Equal(t, "success", s.Status, "%s: %s", s.Path, s.Reason)
	}
	require.Equal(t, []string{"application automation " + a.account.String()}, a.Column(
		t,
		`SELECT DISTINCT principal_kind || ' ' || transport || ' ' || principal_id FROM ai_audit_entries WHERE object_type = 'incident.incident'`,
	))

	// The rights are those of now: without them the step fails and says so.
	a.Exec(t, `UPDATE roles SET rules = '{}' WHERE id IN (SELECT role_id FROM application_roles WHERE application_id = $1)`, a.account)
	a.Admin.Post(t, "/api/automations/"+made.ID.String()+"/run", map[string]any{"payload": map[string]any{"what": "Search"}}, &started)
	failed := a.run(t, made, "failed")
	require.Contains(t, failed.Reason, "incident.incident.manage")
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM incidents`))
}

// A waiting run is cancelled within seconds, and a disabled automation begins none.
func TestARunIsCancelledAndADisabledAutomationRests(t *testing.T) {
	t.Parallel()
	a := startAutomations(t, "catalog.system.read")
	made := a.saves(t, "name: Waits\ntriggers: [{event: automation.manual}]\nactions: [{delay: 30d}]")
	path := "/api/automations/" + made.ID.String()
	var started, second automation.Started
	a.Admin.Post(t, path+"/run", map[string]any{}, &started)
	require.True(t, started.Started)
	running := a.run(t, made, "running")
	a.Admin.Post(t, path+"/run", map[string]any{}, &second)
	require.False(t, second.Started)
	require.Contains(t, second.Run.Reason, running.ID.String(), "the mode is single")

	var cancelled, again automation.Cancellation
	a.Admin.Post(t, "/api/automation-runs/"+running.ID.String()+"/cancel", nil, &cancelled)
	a.Admin.Post(t, "/api/automation-runs/"+running.ID.String()+"/cancel", nil, &again)
	require.Equal(t, []bool{true, false}, []bool{cancelled.Cancelled, again.Cancelled})
	require.Contains(t, a.run(t, made, "cancelled").Reason, "Cancelled by")
	require.Equal(t, []string{"cancelled"}, []string{a.steps(t, running)[0].Status})

	a.Admin.Patch(t, path, map[string]any{"status": "disabled"}, nil)
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM automations WHERE status = 'disabled'`))
}

// Slots of a schedule run once each, however many processes look at it.
func TestAScheduleRunsItsSlotsOnce(t *testing.T) {
	t.Parallel()
	a := startAutomations(t, "catalog.system.read")
	made := a.saves(t, "name: Ticks\nmode: parallel\nmax_runs: 100\ntriggers: [{event: automation.interval, config: {intervalSeconds: 1}}]\n"+
		"actions: [{variables: {slot: '{{ trigger.payload.slot }}'}}]")
	require.Eventually(t, func() bool {
		return a.Count(t, `SELECT count(*) FROM automation_runs WHERE automation_id = $1 AND status = 'success'`, made.ID) >= 3
	}, time.Minute, 100*time.Millisecond)
	require.Zero(t, a.Count(t, `SELECT count(*) - count(DISTINCT slot) FROM automation_runs WHERE automation_id = $1`, made.ID))
}

// A definition with several mistakes is refused once, with all of them and their places.
func TestADefinitionIsRefusedWithAllItsIssues(t *testing.T) {
	t.Parallel()
	a := startAutomations(t, "catalog.system.read")
	refused := a.Admin.Refused(t, problem.Invalid, "POST", "/api/automations", map[string]any{"runAs": a.account, "text": `
name: Wrong
triggers:
  - event: healthcheck.system_degraded
    filter: trigger.payload.sytemName == "x"
actions:
  - variables: {a: "{{ var.b }}"}
  - action: incident.creat
    config: {}
  - action: integration-script.run_script
    config: {script: "export default () => '{{ trigger.payload.reason }}'"}
`})
	paths := fmt.Sprint(refused.Issues)
	require.Contains(t, paths, "triggers[0].filter")
	require.Contains(t, paths, "actions[1].action")
	require.Contains(t, paths, "actions[0].variables")
	require.Contains(t, paths, "actions[2].config.script: cannot hold a template", "what an event says would become code")
}
