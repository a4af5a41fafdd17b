package intake

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/rest"
	"countersign/modules/intake/alert"
)

// Paths of the REST API.
const (
	sourcesPath = "/api/intake/sources"
	// alertsPath is where senders post to. The Authorization header there is that of a source.
	alertsPath = "/api/alerts"
)

type sourceQuery struct {
	rest.Page
	TeamID string `query:"teamId" format:"uuid" doc:"Only those that this team owns."`
}

type sourceList struct {
	Sources []Source `json:"sources" nullable:"false"`
	rest.Next
}

type payloadQuery struct {
	rest.ByID
	rest.Page
}

type payloadList struct {
	Payloads []Payload `json:"payloads" nullable:"false"`
	rest.Next
}

type payloadByID struct {
	rest.ByID
	PayloadID uuid.UUID `path:"payloadId" format:"uuid"`
}

type alertQuery struct {
	IncidentID uuid.UUID `query:"incidentId" format:"uuid" required:"true" doc:"The incident."`
}

type alertList struct {
	Alerts []Alert `json:"alerts" nullable:"false" doc:"At most 200, those that fire first."`
}

// sending is the request of a sender.
type sending struct {
	Token   string `path:"token" maxLength:"200" doc:"From the address of the source."`
	RawBody []byte `contentType:"application/json"`

	header http.Header
}

// Resolve implements huma.Resolver.
func (s *sending) Resolve(ctx huma.Context) []error {
	s.header = http.Header{}
	ctx.EachHeader(s.header.Add)
	return nil
}

// ownerDoc says who may change a source.
const ownerDoc = "Needs " + incidentManage + ", as a source opens incidents, and " + Manage + " or to be a member of the team that owns it."

// Routes declares the operations of sources of alerts. The service checks what the caller may change.
func (m *Module) Routes(api huma.API) {
	s := m.service
	const reads = "Needs " + Read + " or " + Manage + "."
	huma.Register(api, rest.Op("list-alert-sources", http.MethodGet, sourcesPath, "List sources of alerts", rest.Doc("By name. "+reads)),
		func(ctx context.Context, in *sourceQuery) (*rest.Body[sourceList], error) {
			team, err := rest.OptionalID("teamId", in.TeamID)
			if err != nil {
				return nil, err
			}
			list, next, err := s.Sources(ctx, team, in.Page)
			return rest.With(sourceList{list, next}, err)
		})
	huma.Register(api, rest.Op("create-alert-source", http.MethodPost, sourcesPath, "Create a source of alerts", rest.ShownOnce(),
		rest.Tool("intake.createSource", rest.Mutates, rest.Direct(), rest.Decided(Manage, incidentManage)),
		rest.Doc("The answer shows its address and its secret, this once. The caller must see the systems that it names. "+ownerDoc)),
		rest.Create(s.Create))
	huma.Register(api, rest.Op("get-alert-source", http.MethodGet, sourcesPath+"/{id}", "Read a source of alerts",
		rest.Doc("Without its secrets. "+reads)), rest.Get(s.Source))
	huma.Register(api, rest.Op("update-alert-source", http.MethodPatch, sourcesPath+"/{id}", "Change a source of alerts",
		rest.Tool("intake.updateSource", rest.Mutates, rest.Decided(Manage, incidentManage)),
		rest.Doc("What is absent stays. Its kind cannot be changed. "+ownerDoc)), rest.Change(s.Update))
	huma.Register(api, rest.Op("delete-alert-source", http.MethodDelete, sourcesPath+"/{id}", "Delete a source of alerts",
		rest.Tool("intake.deleteSource", rest.Destroys, rest.Decided(Manage, incidentManage)),
		rest.Doc("With what it has sent. Its address ends and its incidents stay. "+ownerDoc)), rest.Delete(s.Delete))
	huma.Register(api, rest.Op("rotate-alert-source", http.MethodPost, sourcesPath+"/{id}/rotate", "Replace the secret of a source of alerts",
		rest.Tool("intake.rotateSource", rest.Mutates, rest.Direct(), rest.AtRevision(), rest.Decided(Manage, incidentManage)),
		rest.ShownOnce(), rest.Status(http.StatusOK),
		rest.Doc("The answer shows the new one, this once. The one before counts for 24 hours more, or ends at once. "+ownerDoc)),
		rest.Set(s.Rotate))
	huma.Register(api, rest.Op(
		"try-alert-source",
		http.MethodPost,
		sourcesPath+"/{id}/try",
		"Try a payload",
		rest.ReadOnly(),
		rest.Status(
			http.StatusOK,
		),
		rest.Doc("Which alerts it has, how bad they are and which systems they are about. Nothing is stored. "+reads),
	),
		func(ctx context.Context, in *rest.Part[Trial]) (*rest.Body[Tried], error) {
			return rest.With(s.Try(ctx, in.ID, in.Body, in.Revision()))
		})
	huma.Register(api, rest.Op("list-alert-payloads", http.MethodGet, sourcesPath+"/{id}/payloads", "List what a source has sent",
		rest.Doc("The last first, of 30 days. "+reads)),
		func(ctx context.Context, in *payloadQuery) (*rest.Body[payloadList], error) {
			list, next, err := s.Payloads(ctx, in.ID, in.Page)
			return rest.With(payloadList{list, next}, err)
		})
	huma.Register(api, rest.Op("get-alert-payload", http.MethodGet, sourcesPath+"/{id}/payloads/{payloadId}", "Read what a source has sent",
		rest.Doc("As it came: text from outside. "+reads)),
		func(ctx context.Context, in *payloadByID) (*rest.Body[FullPayload], error) {
			return rest.With(s.Payload(ctx, in.ID, in.PayloadID))
		})
	huma.Register(api, rest.Op("list-incident-alerts", http.MethodGet, "/api/intake/alerts", "List the alerts of an incident",
		rest.Doc("Where it came from. Their texts come from outside. Needs to see the incident.")),
		func(ctx context.Context, in *alertQuery) (*rest.Body[alertList], error) {
			list, err := s.Alerts(ctx, in.IncidentID)
			return rest.With(alertList{list}, err)
		})
	send := rest.Op("send-alerts", http.MethodPost, alertsPath+"/{token}", "Send alerts", rest.Public(), rest.Status(http.StatusOK),
		rest.Doc("For the products of the source's kind, in their own formats, with the secret of the source: as a bearer token, as the "+
			"password of basic authentication, or as a signature. The same payload again changes nothing."))
	// The module reads what senders send itself.
	send.MaxBodyBytes, send.SkipValidateBody = alert.MaxBody, true
	huma.Register(api, send, func(ctx context.Context, in *sending) (*rest.Body[Received], error) {
		return rest.With(s.Receive(ctx, in.Token, request{in.header, in.RawBody}))
	})
}
