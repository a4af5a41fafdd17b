package sample_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"net/http"
	"sync"
	"testing/fstest"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.temporal.io/sdk/workflow"

	"countersign/app/module"
	"countersign/audit"
	systemhealth "countersign/check/health"
	"countersign/event"
	"countersign/internal/access"
	"countersign/internal/durable"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool"
	"countersign/tool/capability"
	"countersign/tool/kit"
)

// harborMigration is that of the sample module.
//
//go:embed migration.sql
var harborMigration string

const (
	berthType = "harbor.berth"
	berthRead = "harbor.berth.read"
	berthMade = "harbor.berth_made"
	berths    = "/api/harbor/berths"

	berthClosed = "harbor.berth_closed"
)

var auditedBerth = audit.Declare(audit.Type{
	ID: berthType, Label: "Berth", Plural: "Berths", Page: "/harbor/{id}", Kept: []string{"name"},
})

// harbor is a module with a table, REST, tools, capabilities, an event type, a consumer, a workflow, a health source, and the
// work of work_test.go. Its page is that of web/src/areas.apart.test.tsx.
// TestTheSampleModuleTouchesItsOwnFiles lists the files that name it.
type harbor struct {
	services module.Services

	heard chan event.Event
	// horns are heard by its loop, which passes them on as blown.
	horns, blown chan string
	calls        prometheus.Counter
	// removed are the kinds of records whose end it was told of.
	removed sync.Map
}

type berth struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name"`
	Surveyed bool      `json:"surveyed"`
}

type berthList struct {
	Berths []berth `json:"berths"`
}

type berthEvent struct {
	Name string `json:"name" jsonschema:"description=The name"`
}

type (
	surveyInput  struct{ ID uuid.UUID }
	surveyOutput struct{}
	chartInput   struct{ ID uuid.UUID }
	chartOutput  struct{}
)

var (
	chart  = durable.Step[chartInput, chartOutput]{Name: "ChartBerth", Options: durable.OutcomeStepOptions}
	survey = durable.Workflow[surveyInput, surveyOutput]{
		Name: "SurveyBerth",
		Code: func(ctx workflow.Context, in surveyInput) (surveyOutput, error) {
			_, err := chart.Do(ctx, "", chartInput(in))
			return surveyOutput{}, err
		},
	}
)

func (*harbor) Rules() []principal.Rule {
	return []principal.Rule{{ID: berthRead, Description: "See berths", Default: true}}
}

func (m *harbor) EventTypes() []event.Type {
	return []event.Type{event.Define[berthEvent](event.Type{
		ID: berthMade, Name: "Berth made", Description: "There is a new berth.", Rule: berthRead, Subject: "berth", See: m.see,
	})}
}

// harborMaster are the events that its consumer handles.
var harborMaster = []string{berthMade, systemhealth.EventDegraded, systemhealth.EventHealthy}

func (m *harbor) Consumers() []event.Consumer {
	return []event.Consumer{{Name: "harbor master", Types: harborMaster, Handle: func(_ context.Context, e event.Event) error {
		m.heard <- e
		return nil
	}}}
}

func (*harbor) Health() []systemhealth.Source {
	return []systemhealth.Source{{ID: berthClosed, Label: "Closed berth", Rule: berthRead}}
}

func (m *harbor) OnRemoved(_ context.Context, kind string, id uuid.UUID) error {
	m.removed.Store(kind, id)
	return nil
}

func (m *harbor) Workflows() []durable.Registration {
	return []durable.Registration{{
		Queue: durable.TurnQueue, Workflow: survey.Named(),
		Steps: []durable.Named{chart.Bind(func(ctx context.Context, in chartInput) (chartOutput, error) {
			_, err := m.services.DB.Conn(ctx).Exec(ctx, `UPDATE harbor_berths SET surveyed = true WHERE id = $1`, in.ID)
			return chartOutput{}, err
		})},
	}}
}

func (m *harbor) Audited() []audit.Kind {
	return []audit.Kind{audit.Ruled(auditedBerth, berthRead, audit.ByUUID(func(ctx context.Context, id uuid.UUID) (struct{}, error) {
		return struct{}{}, m.see(ctx, id)
	}))}
}

func (m *harbor) Routes(api huma.API) {
	m.closeRoutes(api)
	huma.Register(api, rest.Op("list-berths", http.MethodGet, berths, "List berths", rest.Rules(berthRead)),
		func(ctx context.Context, _ *struct{}) (*rest.Body[berthList], error) { return rest.With(m.list(ctx)) })
	huma.Register(api, rest.Op("count-berths", http.MethodGet, berths+"/count", "Count berths, for everybody", rest.Public()),
		func(ctx context.Context, _ *struct{}) (*rest.Body[int], error) {
			list, err := m.list(ctx)
			return rest.With(len(list.Berths), err)
		})
	huma.Register(
		api,
		rest.Op("make-berth", http.MethodPost, berths, "Make a berth", rest.Tool("harbor.makeBerth", rest.Mutates), rest.Rules(berthRead)),
		func(ctx context.Context, in *struct {
			Body struct {
				Name string `json:"name"`
			}
		},
		) (*rest.Body[berth], error) {
			return rest.With(m.make(ctx, in.Body.Name))
		},
	)
}

func (m *harbor) closeRoutes(api huma.API) {
	type systemsOf struct {
		ID   uuid.UUID `path:"id"`
		Body struct {
			Systems []uuid.UUID `json:"systems" maxItems:"9" doc:"That it closes for; empty reopens it"`
		}
	}
	operation := rest.Op("close-berth", http.MethodPut, berths+"/{id}/closed", "Close a berth",
		rest.Tool("harbor.closeBerth", rest.Mutates), rest.Rules(berthRead))
	huma.Register(api, operation, func(ctx context.Context, in *systemsOf) (*rest.Body[bool], error) {
		overrides := make([]systemhealth.Override, len(in.Body.Systems))
		for i, system := range in.Body.Systems {
			overrides[i] = systemhealth.Override{System: system, Status: systemhealth.Degraded, Reason: "Its berth is closed"}
		}
		return rest.With(m.services.Health.Override(ctx, berthClosed, in.ID, overrides...))
	})
}

// harborTexts are the texts of its tools.
var harborTexts = &fstest.MapFS{
	"tool_list_capabilities.md":     {Data: []byte("Searches the kinds of berths.\n")},
	"tool_get_capability_schema.md": {Data: []byte("Gives the schema of a kind of berths.\n")},
}

// kinds are what a berth can be configured with.
func (*harbor) kinds() capability.Kit {
	return capability.Kit{
		Context: "harbor", Texts: harborTexts, Rule: berthRead, Kind: access.Kind{Noun: "berth", Plural: "berths"},
		List: func(context.Context, tool.Caller) ([]capability.Entry, error) {
			return []capability.Entry{{
				ID: "harbor.deep", Name: "Deep berth", Description: "For ships of more than 9 m draught.", Role: "kind",
				ConfigSchema: json.RawMessage(`{"type":"object","properties":{"depth":{"type":"number"}},"additionalProperties":false}`),
			}}, nil
		},
	}
}

func (m *harbor) Tools() []tool.Tool {
	list := tool.Definition{Name: "harbor.listBerths", Description: "All berths.", Effect: tool.Read, Rules: []string{berthRead}}
	count := tool.Definition{
		Name:        "harbor.countBerths",
		Description: "How many berths there are.",
		Effect:      tool.Read,
		Rules:       []string{berthRead},
	}
	return append(m.kinds().Tools(),
		kit.NewRead(list, func(ctx context.Context, c tool.Caller, _ struct{}) (out berthList, err error) {
			_, err = c.Client.Get(ctx, berths, &out)
			return out, err
		}),
		kit.NewRead(count, func(ctx context.Context, c tool.Caller, _ struct{}) (out int, err error) {
			_, err = c.Client.Get(ctx, berths+"/count", &out)
			return out, err
		}),
	)
}

func (m *harbor) see(ctx context.Context, id uuid.UUID) error {
	var found bool
	if err := m.services.DB.Conn(ctx).QueryRow(ctx, `SELECT EXISTS (SELECT FROM harbor_berths WHERE id = $1)`, id).Scan(&found); err != nil {
		return err
	}
	if !found {
		return problem.Errorf(problem.NotFound, "There is no such berth.")
	}
	return nil
}

func (m *harbor) list(ctx context.Context) (berthList, error) {
	list := berthList{Berths: []berth{}}
	rows, err := m.services.DB.Conn(ctx).Query(ctx, `SELECT id, name, surveyed FROM harbor_berths ORDER BY name`)
	if err != nil {
		return list, err
	}
	defer rows.Close()
	for rows.Next() {
		var b berth
		if err := rows.Scan(&b.ID, &b.Name, &b.Surveyed); err != nil {
			return list, err
		}
		list.Berths = append(list.Berths, b)
	}
	return list, rows.Err()
}

func (m *harbor) make(ctx context.Context, name string) (berth, error) {
	made := berth{ID: uuid.New(), Name: name}
	err := m.services.DB.InTx(ctx, func(ctx context.Context) error {
		code, err := m.services.Sealer.Seal([]byte("code of "+name), made.ID[:])
		if err != nil {
			return err
		}
		const insert = `INSERT INTO harbor_berths (id, name, code_sealed) VALUES ($1, $2, $3)`
		if _, err := m.services.DB.Conn(ctx).Exec(ctx, insert, made.ID, name, code); err != nil {
			return err
		}
		var fields audit.Fields
		fields.Compare("name", "", name)
		fields.Compare("depth", 0, 7)
		if err := audit.Record(ctx, m.services.DB, audit.Event{
			Action: audit.Created, Object: audit.Object(berthType, made.ID, name), Summary: "Berth made", Fields: fields,
		}); err != nil {
			return err
		}
		return m.services.Events.Append(ctx, event.New{Type: berthMade, Subject: "berth:" + made.ID.String(), Payload: berthEvent{name}})
	})
	if err != nil {
		return made, err
	}
	x := durable.Execution{ID: durable.ID("survey", made.ID), Queue: durable.TurnQueue, Summary: "Survey of a berth", Timeout: time.Minute}
	return made, m.services.Engine.Start(ctx, survey.Execute(x, surveyInput{made.ID}))
}
