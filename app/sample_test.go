package app_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"

	"countersign/app/apptest"
	"countersign/app/module"
	"countersign/audit"
	"countersign/event"
	"countersign/internal/durable"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool"
)

// harborMigration is that of the sample module.
const harborMigration = `
CREATE TABLE harbor_berths (id uuid PRIMARY KEY, name text NOT NULL, surveyed boolean NOT NULL DEFAULT false);
CREATE TRIGGER feed AFTER INSERT OR UPDATE OR DELETE ON harbor_berths FOR EACH ROW
EXECUTE FUNCTION feed_record('harbor.berth', 'harbor.berth');`

const (
	berthType = "harbor.berth"
	berthRead = "harbor.berth.read"
	berthMade = "harbor.berth_made"
	berths    = "/api/harbor/berths"
)

var _ = audit.Declare(audit.Type{ID: berthType, Label: "Berth", Kept: []string{"name"}})

// harbor is a module with a table, whose only other traces in the product are its migration and its line in the list.
type harbor struct {
	module.Services

	heard chan event.Event
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

func (m *harbor) Consumers() []event.Consumer {
	return []event.Consumer{{Name: "harbor master", Types: []string{berthMade}, Handle: func(_ context.Context, e event.Event) error {
		m.heard <- e
		return nil
	}}}
}

func (m *harbor) Workflows() []durable.Registration {
	return []durable.Registration{{
		Queue: durable.TurnQueue, Workflow: survey.Named(),
		Steps: []durable.Named{chart.Bind(func(ctx context.Context, in chartInput) (chartOutput, error) {
			_, err := m.DB.Conn(ctx).Exec(ctx, `UPDATE harbor_berths SET surveyed = true WHERE id = $1`, in.ID)
			return chartOutput{}, err
		})},
	}}
}

func (m *harbor) Audited() []audit.Kind {
	return []audit.Kind{audit.Ruled(berthType, berthRead, audit.ByUUID(func(ctx context.Context, id uuid.UUID) (struct{}, error) {
		return struct{}{}, m.see(ctx, id)
	}))}
}

func (m *harbor) Routes(api huma.API) {
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

func (m *harbor) Tools() []tool.Tool {
	list := tool.Definition{Name: "harbor.listBerths", Description: "All berths.", Effect: tool.Read, Rules: []string{berthRead}}
	count := tool.Definition{
		Name:        "harbor.countBerths",
		Description: "How many berths there are.",
		Effect:      tool.Read,
		Rules:       []string{berthRead},
	}
	return []tool.Tool{
		tool.NewRead(list, func(ctx context.Context, c tool.Caller, _ struct{}) (out berthList, err error) {
			_, err = c.Client.Get(ctx, berths, &out)
			return out, err
		}),
		tool.NewRead(count, func(ctx context.Context, c tool.Caller, _ struct{}) (out int, err error) {
			_, err = c.Client.Get(ctx, berths+"/count", &out)
			return out, err
		}),
	}
}

func (m *harbor) see(ctx context.Context, id uuid.UUID) error {
	var found bool
	if err := m.DB.Conn(ctx).QueryRow(ctx, `SELECT EXISTS (SELECT FROM harbor_berths WHERE id = $1)`, id).Scan(&found); err != nil {
		return err
	}
	if !found {
		return problem.Errorf(problem.NotFound, "There is no such berth.")
	}
	return nil
}

func (m *harbor) list(ctx context.Context) (berthList, error) {
	list := berthList{Berths: []berth{}}
	rows, err := m.DB.Conn(ctx).Query(ctx, `SELECT id, name, surveyed FROM harbor_berths ORDER BY name`)
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
	err := m.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := m.DB.Conn(ctx).Exec(ctx, `INSERT INTO harbor_berths (id, name) VALUES ($1, $2)`, made.ID, name); err != nil {
			return err
		}
		var fields audit.Fields
		fields.Compare("name", "", name)
		fields.Compare("depth", 0, 7)
		if err := audit.Record(ctx, m.DB, audit.Event{
			Action: audit.Created, Object: audit.Object(berthType, made.ID, name), Summary: "Berth made", Fields: fields,
		}); err != nil {
			return err
		}
		return m.Events.Append(ctx, event.New{Type: berthMade, Subject: "berth:" + made.ID.String(), Payload: berthEvent{name}})
	})
	if err != nil {
		return made, err
	}
	x := durable.Execution{ID: durable.ID("survey", made.ID), Queue: durable.TurnQueue, Summary: "Survey of a berth", Timeout: time.Minute}
	return made, m.Engine.Start(ctx, survey.Execute(x, surveyInput{made.ID}))
}

func TestASampleModuleBringsEverythingOfItsOwn(t *testing.T) {
	t.Parallel()
	m := &harbor{heard: make(chan event.Event, 1)}
	p := apptest.Start(t, apptest.Options{Modules: []any{func(s module.Services) any {
		m.Services = s
		return m
	}}})
	p.Exec(t, harborMigration)
	person := p.Person(t)
	window := person.Changes(t, "")

	var made berth
	person.Post(t, berths, map[string]any{"name": "East"}, &made)
	window.Hears(t, "record", `{"type":"harbor.berth","id":"`+made.ID.String()+`"}`)
	heard := <-m.heard
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
	require.Contains(t, encode(t, turn.ToolCalls()), `"surveyed":true`)

	var history struct {
		Changes []audit.ChangeEntry `json:"changes"`
	}
	person.Get(t, "/api/history/"+berthType+"/"+made.ID.String(), &history)
	require.Equal(t, []audit.Field{{Name: "name", From: new(""), To: new("East")}, {Name: "depth"}}, history.Changes[0].Fields)
	var types struct {
		Types []audit.ObjectType `json:"types"`
	}
	person.Get(t, "/api/ai/audit/types", &types)
	require.Contains(t, types.Types, audit.ObjectType{Type: berthType, Label: "Berth"})
}

// Skills declare with their table what pages read again.
func TestChangesOfSkillsAreHeard(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	window := p.Person(t).Changes(t, "")
	var made struct {
		ID string `json:"id"`
	}
	p.Admin.Post(t, "/api/ai/skills", newSkill(), &made)
	heard := `{"type":"ai.skill","id":"` + made.ID + `"}`
	window.Hears(t, "record", heard)
	p.Admin.Delete(t, "/api/ai/skills/"+made.ID)
	window.Hears(t, "record", heard)
}
