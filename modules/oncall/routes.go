package oncall

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/rest"
)

// Paths of the REST API.
const (
	schedulesPath = "/api/oncall/schedules"
	policiesPath  = "/api/oncall/policies"
)

type teamQuery struct {
	rest.Page
	TeamID string `query:"teamId" format:"uuid" doc:"Only those that this team owns."`
}

type scheduleList struct {
	Schedules []Schedule `json:"schedules" nullable:"false"`
	rest.Next
}

type policyList struct {
	Policies []Policy `json:"policies" nullable:"false"`
	rest.Next
}

type shiftQuery struct {
	rest.ByID
	From time.Time `query:"from" doc:"Now when absent; at most 10 years away."`
	To   time.Time `query:"to" doc:"A week later when absent, at most 100 days."`
}

type overrideRemoval struct {
	rest.ByID
	OverrideID uuid.UUID `path:"overrideId" format:"uuid"`
	rest.IfMatch
}

// Routes declares the operations of schedules and policies. The service checks what the caller may change.
func (m *Module) Routes(api huma.API) {
	m.scheduleRoutes(api)
	m.policyRoutes(api)
	m.escalationRoutes(api)
}

// ownerDoc says who may change a record.
const ownerDoc = "Needs " + Manage + ", or to be a member of the team that owns it."

func (m *Module) scheduleRoutes(api huma.API) {
	s := m.service
	huma.Register(api, rest.Op("list-oncall-schedules", http.MethodGet, schedulesPath, "List on-call schedules",
		rest.Doc("By name, with who is on call now. Needs "+Read+" or "+Manage+".")), m.listSchedules)
	huma.Register(api, rest.Op("create-oncall-schedule", http.MethodPost, schedulesPath, "Create an on-call schedule",
		rest.Tool("oncall.createSchedule", rest.Mutates, rest.Decided(Manage)), rest.Doc(ownerDoc)), rest.Create(s.CreateSchedule))
	huma.Register(api, rest.Op("get-oncall-schedule", http.MethodGet, schedulesPath+"/{id}", "Read an on-call schedule",
		rest.Doc("Needs "+Read+" or "+Manage+".")), rest.Get(s.Schedule))
	huma.Register(api, rest.Op("update-oncall-schedule", http.MethodPatch, schedulesPath+"/{id}", "Change an on-call schedule",
		rest.Tool("oncall.updateSchedule", rest.Mutates, rest.Decided(Manage)), rest.Doc("What is absent stays, null clears. "+ownerDoc)),
		rest.Change(s.UpdateSchedule))
	huma.Register(api, rest.Op("delete-oncall-schedule", http.MethodDelete, schedulesPath+"/{id}", "Delete an on-call schedule",
		rest.Tool("oncall.deleteSchedule", rest.Destroys, rest.Decided(Manage)), rest.Doc("With its overrides. Policies lose it. "+ownerDoc)),
		rest.Delete(s.DeleteSchedule))
	huma.Register(
		api,
		rest.Op("set-oncall-calendar", http.MethodPut, schedulesPath+"/{id}/calendar", "Import the calendar of an on-call schedule",
			rest.Tool("oncall.setCalendar", rest.Mutates, rest.Direct(), rest.External(), rest.Decided(Manage)),
			rest.Doc("An iCalendar file or the https address of a feed. Its events say who is on call, by e-mail addresses of attendees or by "+
				"the summary; layers take their place. "+ownerDoc)),
		rest.Set(s.SetCalendar),
	)
	huma.Register(api, rest.Op("list-oncall-shifts", http.MethodGet, schedulesPath+"/{id}/shifts", "List who is on call when",
		rest.Doc("Needs "+Read+" or "+Manage+".")), m.listShifts)
	huma.Register(api, rest.Op("add-oncall-override", http.MethodPost, schedulesPath+"/{id}/overrides", "Put a person on call for a while",
		rest.Tool("oncall.addOverride", rest.Mutates, rest.Decided(Manage)),
		rest.Doc("People whom the schedule names may take over themselves. "+ownerDoc+" The ETag is the revision of the schedule.")),
		rest.Add(s.AddOverride))
	huma.Register(api, rest.Op("remove-oncall-override", http.MethodDelete, schedulesPath+"/{id}/overrides/{overrideId}", "End an override",
		rest.Tool("oncall.removeOverride", rest.Destroys, rest.Decided(Manage)), rest.Doc("The person of the override may too. "+ownerDoc)),
		func(ctx context.Context, in *overrideRemoval) (*struct{}, error) {
			return nil, s.RemoveOverride(ctx, in.ID, in.OverrideID, in.Revision())
		})
}

func (m *Module) policyRoutes(api huma.API) {
	s := m.service
	huma.Register(api, rest.Op("list-escalation-policies", http.MethodGet, policiesPath, "List escalation policies",
		rest.Doc("By name. Needs "+Read+" or "+Manage+".")), m.listPolicies)
	huma.Register(api, rest.Op("create-escalation-policy", http.MethodPost, policiesPath, "Create an escalation policy",
		rest.Tool("oncall.createPolicy", rest.Mutates, rest.Decided(Manage)), rest.Doc(ownerDoc)), rest.Create(s.CreatePolicy))
	huma.Register(api, rest.Op("get-escalation-policy", http.MethodGet, policiesPath+"/{id}", "Read an escalation policy",
		rest.Doc("Needs "+Read+" or "+Manage+".")), rest.Get(s.Policy))
	huma.Register(api, rest.Op("update-escalation-policy", http.MethodPatch, policiesPath+"/{id}", "Change an escalation policy",
		rest.Tool("oncall.updatePolicy", rest.Mutates, rest.Decided(Manage)),
		rest.Doc("What is absent stays, null clears. Escalations that wait follow it at once. "+ownerDoc)), rest.Change(s.UpdatePolicy))
	huma.Register(api, rest.Op("delete-escalation-policy", http.MethodDelete, policiesPath+"/{id}", "Delete an escalation policy",
		rest.Tool("oncall.deletePolicy", rest.Destroys, rest.Decided(Manage)), rest.Doc(ownerDoc)), rest.Delete(s.DeletePolicy))
}

func (m *Module) listSchedules(ctx context.Context, in *teamQuery) (*rest.Body[scheduleList], error) {
	team, err := rest.OptionalID("teamId", in.TeamID)
	if err != nil {
		return nil, err
	}
	list, next, err := m.service.Schedules(ctx, team, in.Page)
	return rest.With(scheduleList{list, next}, err)
}

func (m *Module) listPolicies(ctx context.Context, in *teamQuery) (*rest.Body[policyList], error) {
	team, err := rest.OptionalID("teamId", in.TeamID)
	if err != nil {
		return nil, err
	}
	list, next, err := m.service.Policies(ctx, team, in.Page)
	return rest.With(policyList{list, next}, err)
}

func (m *Module) listShifts(ctx context.Context, in *shiftQuery) (*rest.Body[Shifts], error) {
	return rest.With(m.service.Shifts(ctx, in.ID, in.From, in.To))
}
