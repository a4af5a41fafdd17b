package automation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/automation"
)

// hidden is a record that the application of the fixture may not see.
var hidden = uuid.MustParse("00000000-0000-7000-8000-00000000dead")

// happened is the payload of the event types of tests.
type happened struct {
	Title string `json:"title"`
	About string `json:"about"`
}

// happenings are a type of events that the application may see in part, and one that it may not see.
func happenings() []event.Type {
	see := func(_ context.Context, id uuid.UUID) error {
		if id == hidden {
			return problem.Errorf(problem.NotFound, "It is not there.")
		}
		return nil
	}
	redact := func(_ context.Context, payloads []happened) ([]*happened, error) {
		shown := make([]*happened, len(payloads))
		for n, p := range payloads {
			shown[n] = &happened{Title: p.Title}
		}
		return shown, nil
	}
	one := event.Type{
		ID: "test.happened", Name: "Happened", Description: "Something happened.", Rule: "catalog.system.read", Subject: "test", See: see,
	}
	other := one
	other.ID, other.Rule, other.See = "test.withheld", "test.secret.read", event.SeeAll
	return []event.Type{event.WithRedaction(event.Define[happened](one), redact), event.Define[happened](other)}
}

// consumes lets the module consume an event about a record.
func (f fixture) consumes(t *testing.T, id int64, subject uuid.UUID, title string) {
	t.Helper()
	payload, err := json.Marshal(happened{title, "withheld from applications"})
	require.NoError(t, err)
	require.NoError(t, f.DB.InTx(t.Context(), func(ctx context.Context) error {
		return f.module.Consumers()[0].Handle(ctx, event.Event{
			ID: id, Type: "test.happened", Subject: "test:" + subject.String(), Payload: payload, CreatedAt: time.Now(),
		})
	}))
}

func (f fixture) allRuns(t *testing.T) []automation.Run {
	t.Helper()
	return decode[struct{ Runs []automation.Run }](t, f.Do(t, "root", http.MethodGet, "/api/automation-runs", nil)).Runs
}

// on is a definition that a type of events triggers.
func on(name, happening, filter string) string {
	return fmt.Sprintf("name: %s\ntriggers:\n  - event: %s\n    filter: %s\nactions:\n  - action: test.nap\n    config: {}\n",
		name, happening, filter)
}

// A run, the filter before it and the list of runs have of an event what the application may see of it, and nothing of a record
// that it may not see.
func TestAnAutomationSeesWhatItsApplicationSees(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Do(t, "root", http.MethodPost, "/api/automations", map[string]any{
		"text": on("Titles", "test.happened", `trigger.payload.title != "other"`), "runAs": f.account,
	})
	probe := f.Do(t, "root", http.MethodPost, "/api/automations", map[string]any{
		"text": on("Probes", "test.happened", `trigger.payload.about.contains("withheld")`), "runAs": f.account,
	})
	require.Equal(t, http.StatusCreated, probe.Status, probe.Body)
	f.consumes(t, 1, hidden, "of a hidden record")
	require.Empty(t, f.allRuns(t), "to the application, it has not happened")
	f.consumes(t, 2, uuid.New(), "of an open record")
	runs := f.allRuns(t)
	require.Len(t, runs, 1, "the filter on what is withheld takes nothing")
	require.Contains(t, string(runs[0].Trigger), "of an open record")
	require.NotContains(t, string(runs[0].Trigger), "withheld from applications")

	refused := f.Do(t, "root", http.MethodPost, "/api/automations", map[string]any{
		"text": on("Withheld", "test.withheld", "true"), "runAs": f.account,
	})
	require.Equal(t, http.StatusUnprocessableEntity, refused.Status, refused.Body)
	require.Contains(t, refused.Body, "the application Robot lacks test.secret.read, which test.withheld needs")
}

// A caller who chooses a payload needs the rights of the application, since templates choose records by it.
func TestAPayloadByHandNeedsTheRightsOfTheApplication(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Person("lesser", automation.Manage)
	made := decode[automation.Automation](t, f.Do(t, "root", http.MethodPost, "/api/automations",
		map[string]any{"text": text("By hand"), "runAs": f.account}))
	path := "/api/automations/" + made.ID.String()
	require.Equal(
		t,
		http.StatusForbidden,
		f.Do(t, "lesser", http.MethodPost, path+"/run", map[string]any{"payload": map[string]any{"a": 1}}).Status,
	)
	require.Empty(t, f.allRuns(t))
	require.Less(t, f.Do(t, "lesser", http.MethodPost, path+"/run", map[string]any{}).Status, 300, "a run without a payload is the author's")
	large := map[string]any{"payload": map[string]any{"a": strings.Repeat("x", event.MaxPayloadBytes)}}
	require.Equal(t, http.StatusRequestEntityTooLarge, f.Do(t, "root", http.MethodPost, path+"/run", large).Status)

	// A person who lacks rights of the application changes neither what it does nor whether it acts.
	f.Do(t, "root", http.MethodPatch, path, map[string]any{"text": text("By hand, again"), "status": "disabled"})
	for _, change := range []map[string]any{{"text": text("Stolen")}, {"runAs": f.account, "text": text("Stolen")}, {"status": "enabled"}} {
		refused := f.Do(t, "lesser", http.MethodPatch, path, change)
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status, "%v: %s", change, refused.Body)
	}
	refused := f.Do(t, "lesser", http.MethodPost, path+"/rollback", map[string]any{"revision": 1})
	require.Equal(t, http.StatusUnprocessableEntity, refused.Status, refused.Body)
	now := decode[automation.Automation](t, f.Do(t, "root", http.MethodGet, path, nil))
	require.Equal(t, []any{"By hand, again", "disabled", int64(2)}, []any{now.Name, now.Status, now.DefinitionRevision})
}

func TestAutomationsOfADeletedApplicationAreDisabled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := decode[automation.Automation](t, f.Do(t, "root", http.MethodPost, "/api/automations",
		map[string]any{"text": on("Orphan", "test.happened", "true"), "runAs": f.account}))
	read := func() automation.Automation {
		return decode[automation.Automation](t, f.Do(t, "root", http.MethodGet, "/api/automations/"+made.ID.String(), nil))
	}
	removes := func(kind string, id uuid.UUID) {
		require.NoError(t, f.DB.InTx(principal.NewContext(t.Context(), principal.Principal{Kind: principal.User, ID: uuid.New(), Name: "root"}),
			func(ctx context.Context) error { return f.module.OnRemoved(ctx, kind, id) }))
	}
	removes("auth.application", uuid.New())
	removes("auth.user", f.account)
	require.Equal(t, automation.Enabled, read().Status, "others are none of its business")
	removes("auth.application", f.account)
	now := read()
	require.Equal(t, automation.Disabled, now.Status)
	require.Contains(t, now.DisabledReason, "application was deleted")
	f.consumes(t, 1, uuid.New(), "later")
	require.Empty(t, f.allRuns(t))
	f.Do(t, "root", http.MethodPatch, "/api/automations/"+made.ID.String(), map[string]any{"text": on("Orphan 2", "test.happened", "true")})
	require.Contains(t, read().DisabledReason, "application was deleted", "a new text says nothing about why it is disabled")
}
