package incident

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/note"
	"countersign/internal/rest"
)

const path = "/api/incidents"

type incidentQuery struct {
	rest.Page
	Status   string `query:"status" enum:"investigating,identified,fixing,monitoring,resolved"`
	Severity string `query:"severity" enum:"minor,major,critical"`
	State    string `query:"state" enum:"open,resolved" doc:"open are all that are not resolved."`
	SystemID string `query:"systemId" format:"uuid" doc:"Only incidents of this system."`
	Key      string `query:"dedupeKey" maxLength:"200" doc:"Only those with this key. Needs incident.incident.manage."`
	Query    string `query:"query" maxLength:"200" doc:"Text to look for in titles and descriptions."`
}

type incidentList struct {
	Incidents []Listed `json:"incidents" nullable:"false"`
	rest.Next
}

type openedIncident struct {
	Status int
	rest.ETag
	Body Opened
}

type updateList struct {
	Updates []note.Note `json:"updates" nullable:"false"`
	rest.Next
}

type timelineQuery struct {
	rest.ByID
	rest.Page
	Before time.Time `query:"before" doc:"Only what happened before this moment."`
}

type timelinePage struct {
	Entries []Entry `json:"entries" nullable:"false"`
	rest.Next
}

type acknowledging struct {
	rest.ByID
	rest.IfMatch
}

type bulk struct {
	Body struct {
		IDs []uuid.UUID `json:"ids" minItems:"1" maxItems:"100" nullable:"false"`
	}
}

type resultList struct {
	Results []Result `json:"results" nullable:"false" doc:"One for each incident, in the order of the request."`
}

// Routes declares the operations of incidents. The service checks what the caller may see.
func (m *Module) Routes(api huma.API) {
	s := m.service
	huma.Register(api, rest.Op("list-incidents", http.MethodGet, path, "List incidents",
		rest.Doc("The last ones to start first, those of systems that the caller may see. Needs "+Read+" or "+Manage+".")), m.list)
	huma.Register(api, rest.Op("create-incident", http.MethodPost, path, "Open an incident", rest.Rules(Manage),
		rest.Doc("While an open incident has the dedupeKey of the report, none is made: the answer is that one, with status 200.")), m.open)
	huma.Register(api, rest.Op("get-incident", http.MethodGet, path+"/{id}", "Read an incident",
		rest.Doc("Needs "+Read+" or "+Manage+".")), rest.Get(s.Get))
	huma.Register(api, rest.Op("update-incident", http.MethodPatch, path+"/{id}", "Change an incident", rest.Rules(Manage),
		rest.Doc("What is absent stays, null clears.")), rest.Change(s.Update))
	huma.Register(api, rest.Op("delete-incident", http.MethodDelete, path+"/{id}", "Delete an incident", rest.Rules(Manage),
		rest.Doc("With its updates and links.")), rest.Delete(s.Delete))
	past := rest.Op("import-incidents", http.MethodPost, path+"/import", "Import incidents", rest.Rules(Manage),
		rest.Status(http.StatusOK), rest.Doc("Incidents of the past with their own times, each by itself. One whose dedupeKey an "+
			"incident has, open or ended, is left as it is, so that an import can be repeated. Nobody is notified of those that have "+
			"ended."))
	past.MaxBodyBytes = maxImportedBytes
	huma.Register(api, past, func(ctx context.Context, in *struct{ Body Import }) (*rest.Body[ImportReport], error) {
		return rest.With(s.Import(ctx, in.Body))
	})
	m.stateRoutes(api)
	m.partRoutes(api)
}

func (m *Module) stateRoutes(api huma.API) {
	s := m.service
	post := func(id, part, summary string, doc string, more ...rest.Option) huma.Operation {
		more = append(more, rest.Rules(Manage), rest.Status(http.StatusOK), rest.Doc(doc))
		return rest.Op(id, http.MethodPost, path+"/{id}/"+part, summary, more...)
	}
	huma.Register(api, post("resolve-incident", "resolve", "Resolve an incident",
		"changed is false when it was resolved before."), moved(s.Resolve))
	huma.Register(api, post("reopen-incident", "reopen", "Reopen an incident",
		"changed is false when it was open. It is no duplicate any more."), moved(s.Reopen))
	huma.Register(api, post("merge-incident", "merge", "Merge an incident into another one",
		"It is resolved as a duplicate, and the other one gets its systems.",
		rest.Tool("incident.merge", rest.Mutates, rest.AtRevision(), rest.WithLoosening(mergeCovers))), moved(s.Merge))
	huma.Register(api, post("acknowledge-incident", "acknowledge", "Acknowledge an incident",
		"The caller takes it on. changed is false when somebody has done so before; a resolved incident is refused."),
		func(ctx context.Context, in *acknowledging) (*rest.Record[Moved], error) {
			return rest.Show(s.Acknowledge(ctx, in.ID, in.Revision()))
		})
	huma.Register(api, rest.Op("resolve-incidents", http.MethodPost, path+"/bulk-resolve", "Resolve incidents",
		rest.Rules(Manage), rest.Status(http.StatusOK), rest.Doc("Each by itself; the answer says what happened to which.")),
		func(ctx context.Context, in *bulk) (*rest.Body[resultList], error) {
			results, err := s.ResolveAll(ctx, in.Body.IDs)
			return rest.With(resultList{results}, err)
		})
	huma.Register(api, rest.Op("delete-incidents", http.MethodPost, path+"/bulk-delete", "Delete incidents",
		rest.Rules(Manage), rest.Status(http.StatusOK), rest.Doc("Each by itself; the answer says what happened to which.")),
		func(ctx context.Context, in *bulk) (*rest.Body[resultList], error) {
			results, err := s.DeleteAll(ctx, in.Body.IDs)
			return rest.With(resultList{results}, err)
		})
}

// mergeCovers are the policies that apply to a merge too: it ends one incident, and changes systems of the other one.
func mergeCovers(context.Context, json.RawMessage, []string) (rest.Loosening, error) {
	return rest.Loosening{Covers: []string{"incident.resolve", "incident.update"}}, nil
}

// moved makes the handler of a POST that sets the state of an incident.
func moved[N any](
	do func(ctx context.Context, id uuid.UUID, in N, based *int64) (Moved, error),
) func(context.Context, *rest.Part[N]) (*rest.Record[Moved], error) {
	return func(ctx context.Context, in *rest.Part[N]) (*rest.Record[Moved], error) {
		return rest.Show(do(ctx, in.ID, in.Body, in.Revision()))
	}
}

func (m *Module) partRoutes(api huma.API) {
	s, e := m.service, m.service.editor()
	huma.Register(api, rest.Op("list-incident-timeline", http.MethodGet, path+"/{id}/timeline", "Read the timeline of an incident",
		rest.Doc("What happened with it and around it, newest first: updates, states, changes of its systems and their checks from "+
			"6 hours before it began, changes of their health, and proposals; what the caller may see. Needs "+Read+" or "+Manage+".")),
		func(ctx context.Context, in *timelineQuery) (*rest.Body[timelinePage], error) {
			list, next, err := s.Timeline(ctx, in.ID, in.Before, in.Page)
			return rest.With(timelinePage{list, next}, err)
		})
	const updates, links = path + "/{id}/updates", path + "/{id}/links"
	huma.Register(api, rest.Op("list-incident-updates", http.MethodGet, updates, "List the updates of an incident",
		rest.Doc("Newest first, those whose visibility includes the caller. Needs "+Read+" or "+Manage+".")), m.listUpdates)
	huma.Register(api, rest.Op("add-incident-update", http.MethodPost, updates, "Write an update of an incident", rest.Rules(Manage),
		rest.Doc("It may set the status. The ETag is the revision of the incident.")), rest.Add(s.AddUpdate))
	huma.Register(api, rest.Op("get-incident-update", http.MethodGet, updates+"/{updateId}", "Read an update of an incident",
		rest.Doc("Needs "+Read+" or "+Manage+".")), e.Read)
	huma.Register(api, rest.Op("edit-incident-update", http.MethodPatch, updates+"/{updateId}", "Edit an update of an incident",
		rest.Rules(Manage), rest.Doc("What it was stays in its history. The ETag is the revision of the incident.")), m.editUpdate)
	huma.Register(api, rest.Op("delete-incident-update", http.MethodDelete, updates+"/{updateId}", "Delete an update of an incident",
		rest.Rules(Manage), rest.Doc("With its history. The status that it set stays.")), e.DeleteUpdate)
	huma.Register(api, rest.Op("add-incident-link", http.MethodPost, links, "Add a link to an incident", rest.Rules(Manage),
		rest.Doc("The ETag is the new revision of the incident.")), rest.Add(e.AddLink))
	huma.Register(api, rest.Op("remove-incident-link", http.MethodDelete, links+"/{linkId}", "Remove a link from an incident",
		rest.Rules(Manage)), e.RemoveLink)
}

func (m *Module) list(ctx context.Context, in *incidentQuery) (*rest.Body[incidentList], error) {
	system, err := rest.OptionalID("systemId", in.SystemID)
	if err != nil {
		return nil, err
	}
	filter := Filter{
		Status: Status(in.Status), Severity: Severity(in.Severity), State: in.State, SystemID: system, Query: in.Query, DedupeKey: in.Key,
	}
	list, next, err := m.service.List(ctx, filter, in.Page)
	return rest.With(incidentList{list, next}, err)
}

func (m *Module) open(ctx context.Context, in *rest.Creation[NewIncident]) (*openedIncident, error) {
	opened, err := m.service.Open(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	out := &openedIncident{Status: http.StatusOK, ETag: rest.Tag(opened.Revision), Body: opened}
	if opened.Created {
		out.Status = http.StatusCreated
	}
	return out, nil
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
