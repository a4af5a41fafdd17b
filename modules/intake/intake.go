// Package intake receives alerts of other products and turns them into incidents. A source has an unguessable address and a
// secret with which the sender signs or signs in. Its payloads are kept as they came, and in the same transaction open, update,
// reopen or resolve incidents by a key.
//
// A source acts for itself: it opens incidents about the systems that it names and nothing else. The person who names them
// must see them and be allowed to manage incidents. Incidents belong to another module, reached through the interface Incidents.
package intake

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/internal/store/throttle"
	"countersign/modules/intake/intakedb"
)

// Systems reads the catalog as the principal of the context.
type Systems interface {
	// Lookup finds visible systems; others are missing in the answer.
	Lookup(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]access.Record, error)
}

// Teams names teams; those that are gone are missing.
type Teams interface {
	TeamNames(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Wording is what a source says about an incident.
type Wording struct{ Title, Description, Severity string }

// Report tells incidents that something is wrong, see incident.Report.
type Report struct {
	Key          string
	Last         *uuid.UUID
	Was, Now     Wording
	Systems      []uuid.UUID
	StartedAt    time.Time
	IsNew        bool
	ReopenWithin time.Duration
}

// Results of reports. An unchanged incident is not noted.
const (
	resultOpened    = "opened"
	resultReopened  = "reopened"
	resultUpdated   = "updated"
	resultResolved  = "resolved"
	resultUnchanged = "unchanged"
)

// Incidents are those of the product.
type Incidents interface {
	// See refuses an incident that the principal of ctx may not see.
	See(ctx context.Context, id uuid.UUID) error
	// Report and End act as a source, in the transaction of ctx. They answer with one of the results.
	Report(ctx context.Context, source uuid.UUID, name string, r Report) (id uuid.UUID, result string, err error)
	End(ctx context.Context, source uuid.UUID, name string, id uuid.UUID, key string, at time.Time) (result string, err error)
}

// Options are the dependencies of a Module.
type Options struct {
	DB        *store.DB
	Systems   Systems
	Teams     Teams
	Incidents Incidents
	Sealer    secret.Sealer
	// Client fetches certificates and confirms subscriptions at AWS, through the egress guard. It follows no redirects.
	Client *http.Client
	// URL is the address of the web app.
	URL     string
	Removed access.OnRemoved
}

// Module provides the operations, the tool and the access rules of sources of alerts.
type Module struct {
	service *service
}

// New creates the module.
func New(o Options) *Module {
	limit := throttle.New(o.DB)
	return &Module{service: &service{
		db: o.DB, systems: o.Systems, teams: o.Teams, incidents: o.Incidents, sealer: o.Sealer, url: o.URL, removed: o.Removed,
		limit: limit,
		sns: newTopics(o.Client, func(ctx context.Context, source uuid.UUID) error {
			return limit.Attempt(ctx, tooNew, fetches.Bucket(source.String()))
		}),
	}}
}

type service struct {
	db        *store.DB
	systems   Systems
	teams     Teams
	incidents Incidents
	sealer    secret.Sealer
	url       string
	removed   access.OnRemoved
	limit     *throttle.Throttle
	sns       *topics
}

func (s *service) queries(ctx context.Context) *intakedb.Queries { return intakedb.New(s.db.Conn(ctx)) }

// readable refuses a caller whose rules open nothing here.
func readable(ctx context.Context) error {
	if p := principal.FromContext(ctx); p.Has(Read) || p.Has(Manage) {
		return nil
	}
	return problem.MissingRule("see sources of alerts", Read)
}

// levelOf is what the caller may do with a source of a team.
func levelOf(ctx context.Context, team *uuid.UUID) access.Level {
	p := principal.FromContext(ctx)
	if p.Has(incidentManage) && (p.Has(Manage) || team != nil && slices.Contains(p.TeamIDs, *team)) {
		return access.Own
	}
	return access.View
}

// creatable refuses a caller who may have no source for a team.
func creatable(ctx context.Context, team *uuid.UUID) error {
	if levelOf(ctx, team) == access.Own {
		return nil
	}
	if p := principal.FromContext(ctx); !p.Has(incidentManage) {
		return problem.MissingRule("set up sources of alerts, which open incidents,", incidentManage)
	}
	return sourceKind.Creatable(ctx)
}

// Names returns the names of sources, for what they did.
func (m *Module) Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	rows, err := m.service.queries(ctx).NamesOf(ctx, ids)
	names := make(map[uuid.UUID]string, len(rows))
	for _, r := range rows {
		names[r.ID] = r.Name
	}
	return names, store.Wrap("name sources of alerts", err)
}
