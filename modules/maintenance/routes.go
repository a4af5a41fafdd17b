package maintenance

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/note"
	"countersign/internal/rest"
)

const (
	path         = "/api/maintenances"
	calendarPath = path + "/calendar"
	feedPath     = path + "/feed"
	feedsPath    = path + "/feeds"
)

type maintenanceQuery struct {
	rest.Page
	Status   string `query:"status" enum:"scheduled,in_progress,completed,cancelled"`
	State    string `query:"state" enum:"open,over" doc:"open are all that are scheduled or in progress."`
	SystemID string `query:"systemId" format:"uuid" doc:"Only maintenances of this system."`
	Query    string `query:"query" maxLength:"200" doc:"Text to look for in titles and descriptions."`
}

type maintenanceList struct {
	Maintenances []Listed `json:"maintenances" nullable:"false"`
	rest.Next
}

type calendarQuery struct {
	From     time.Time `query:"from" required:"true" doc:"With an offset from UTC."`
	To       time.Time `query:"to" required:"true" doc:"With an offset from UTC; at most 100 days after from."`
	SystemID string    `query:"systemId" format:"uuid" doc:"Only maintenances of this system."`
}

type updateList struct {
	Updates []note.Note `json:"updates" nullable:"false"`
	rest.Next
}

type byToken struct {
	Token string `path:"token" maxLength:"60" doc:"The secret of the feed."`
}

type byUser struct {
	UserID uuid.UUID `path:"userId" format:"uuid"`
}

// Routes declares the operations of maintenances. The service checks what the caller may see.
func (m *Module) Routes(api huma.API) {
	s := m.service
	huma.Register(api, rest.Op("list-maintenances", http.MethodGet, path, "List maintenances",
		rest.Doc("The last ones to start first, those of systems that the caller may see. Needs "+Read+" or "+Manage+".")), m.list)
	huma.Register(api, rest.Op("create-maintenance", http.MethodPost, path, "Schedule a maintenance", rest.Rules(Manage),
		rest.Doc("Once, or by a recurrence rule in a time zone. One whose start has passed begins at once.")), rest.Create(s.Schedule))
	huma.Register(api, rest.Op("get-maintenance-calendar", http.MethodGet, calendarPath, "List what maintenances happen in a span of time",
		rest.Doc("Each occurrence, by start, 1,000 at most. Needs "+Read+" or "+Manage+".")), m.calendar)
	huma.Register(api, rest.Op("get-maintenance", http.MethodGet, path+"/{id}", "Read a maintenance",
		rest.Doc("Needs "+Read+" or "+Manage+".")), rest.Get(s.Get))
	huma.Register(api, rest.Op("update-maintenance", http.MethodPatch, path+"/{id}", "Change a maintenance", rest.Rules(Manage),
		rest.Doc("What is absent stays, null clears. occurrence moves, cancels or restores one occurrence.")), rest.Change(s.Update))
	huma.Register(api, rest.Op("delete-maintenance", http.MethodDelete, path+"/{id}", "Delete a maintenance", rest.Rules(Manage),
		rest.Doc("With its updates, links and occurrences.")), rest.Delete(s.Delete))
	huma.Register(api, rest.Op("close-maintenance", http.MethodPost, path+"/{id}/close", "Close a maintenance", rest.Rules(Manage),
		rest.Status(http.StatusOK), rest.Doc("Ends it early when it is in progress, and cancels it when it has not begun. "+
			"changed is false when it was over.")),
		func(ctx context.Context, in *rest.Part[Closing]) (*rest.Record[Moved], error) {
			return rest.Show(s.Close(ctx, in.ID, in.Body, in.Revision()))
		})
	m.partRoutes(api)
	m.feedRoutes(api)
}

func (m *Module) partRoutes(api huma.API) {
	s, e := m.service, m.service.editor()
	const updates, links = path + "/{id}/updates", path + "/{id}/links"
	huma.Register(api, rest.Op("list-maintenance-updates", http.MethodGet, updates, "List the updates of a maintenance",
		rest.Doc("Newest first, those whose visibility includes the caller. Needs "+Read+" or "+Manage+".")), m.listUpdates)
	huma.Register(api, rest.Op("add-maintenance-update", http.MethodPost, updates, "Write an update of a maintenance", rest.Rules(Manage),
		rest.Doc("The ETag is the revision of the maintenance.")), rest.Add(s.AddUpdate))
	huma.Register(api, rest.Op("get-maintenance-update", http.MethodGet, updates+"/{updateId}", "Read an update of a maintenance",
		rest.Doc("Needs "+Read+" or "+Manage+".")), e.Read)
	huma.Register(api, rest.Op("edit-maintenance-update", http.MethodPatch, updates+"/{updateId}", "Edit an update of a maintenance",
		rest.Rules(Manage), rest.Doc("What it was stays in its history. The ETag is the revision of the maintenance.")), m.editUpdate)
	huma.Register(api, rest.Op("delete-maintenance-update", http.MethodDelete, updates+"/{updateId}", "Delete an update of a maintenance",
		rest.Tool("maintenance.deleteUpdate", rest.Destroys, rest.AtRevision()),
		rest.Rules(Manage), rest.Doc("With its history.")), e.DeleteUpdate)
	huma.Register(api, rest.Op("add-maintenance-link", http.MethodPost, links, "Add a link to a maintenance", rest.Rules(Manage),
		rest.Doc("The ETag is the new revision of the maintenance.")), rest.Add(e.AddLink))
	huma.Register(api, rest.Op("remove-maintenance-link", http.MethodDelete, links+"/{linkId}", "Remove a link from a maintenance",
		rest.Rules(Manage)), e.RemoveLink)
}

func (m *Module) feedRoutes(api huma.API) {
	s := m.service
	huma.Register(api, rest.Op("get-maintenance-feed", http.MethodGet, feedPath, "Read my calendar feed",
		rest.Doc("Without its address, which is shown when it is made. Needs "+Read+" or "+Manage+".")),
		func(ctx context.Context, _ *struct{}) (*rest.Body[Feed], error) { return rest.With(s.Feed(ctx)) })
	huma.Register(api, rest.Op("make-maintenance-feed", http.MethodPost, feedPath, "Make my calendar feed", rest.ShownOnce(),
		rest.Doc("With a new address; the one before ends. For people in the web app, with "+Read+" or "+Manage+".")),
		func(ctx context.Context, _ *struct{}) (*rest.Body[Feed], error) { return rest.With(s.MakeFeed(ctx)) })
	huma.Register(api, rest.Op("revoke-maintenance-feed", http.MethodDelete, feedPath, "Revoke my calendar feed"),
		func(ctx context.Context, _ *struct{}) (*struct{}, error) { return nil, s.RevokeFeed(ctx) })
	huma.Register(api, rest.Op("end-maintenance-feed", http.MethodDelete, feedsPath+"/{userId}", "Revoke the calendar feed of a person",
		rest.Tool("maintenance.endFeed", rest.Destroys), rest.Rules(usersManage),
		rest.Doc("Its address stops working. The person can make another one.")),
		func(ctx context.Context, in *byUser) (*struct{}, error) { return nil, s.EndFeed(ctx, in.UserID) })
	op := rest.Op("read-maintenance-feed", http.MethodGet, feedPath+"/{token}", "Read a calendar feed", rest.Public(),
		rest.Doc("An iCalendar document with what the owner of the feed may see now: 30 days back, 180 ahead, 500 events at most."))
	op.Responses = map[string]*huma.Response{"200": {
		Description: "An iCalendar document",
		Content:     map[string]*huma.MediaType{"text/calendar": {Schema: &huma.Schema{Type: huma.TypeString}}},
	}}
	huma.Register(api, op, func(ctx context.Context, in *byToken) (*huma.StreamResponse, error) {
		document, err := s.ICalendar(ctx, in.Token)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(c huma.Context) {
			c.SetHeader("Content-Type", "text/calendar; charset=utf-8")
			c.SetHeader("Cache-Control", "private, no-store")
			_, _ = c.BodyWriter().Write(document)
		}}, nil
	})
}

func (m *Module) list(ctx context.Context, in *maintenanceQuery) (*rest.Body[maintenanceList], error) {
	system, err := rest.OptionalID("systemId", in.SystemID)
	if err != nil {
		return nil, err
	}
	filter := Filter{Status: Status(in.Status), State: in.State, SystemID: system, Query: in.Query}
	list, next, err := m.service.List(ctx, filter, in.Page)
	return rest.With(maintenanceList{list, next}, err)
}

func (m *Module) calendar(ctx context.Context, in *calendarQuery) (*rest.Body[Calendar], error) {
	system, err := rest.OptionalID("systemId", in.SystemID)
	if err != nil {
		return nil, err
	}
	return rest.With(m.service.Calendar(ctx, in.From, in.To, system))
}

func (m *Module) listUpdates(ctx context.Context, in *note.UpdatesOf) (*rest.Body[updateList], error) {
	list, next, err := m.service.editor().Updates(ctx, in.ID, in.Page)
	return rest.With(updateList{list, next}, err)
}

func (m *Module) editUpdate(ctx context.Context, in *note.UpdatePatch[UpdateChange]) (*rest.Record[note.Note], error) {
	if err := in.Body.Err(); err != nil {
		return nil, err
	}
	return rest.Answer(m.service.editor().EditUpdate(ctx, in.ID, in.UpdateID, note.UpdateChange(in.Body.Change), in.Revision()))
}
