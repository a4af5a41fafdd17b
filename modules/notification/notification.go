// Package notification delivers what modules tell people (package internal/notice): channels of people, teams and
// escalation policies, the rules by which people want to know, and the pump that sends what is due.
package notification

import (
	"context"
	"log/slog"
	"net"
	"net/http"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"countersign/event"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/internal/process"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/internal/store/batching"
	"countersign/modules/notification/channel"
	"countersign/modules/notification/notificationdb"
)

// People are the accounts of the installation.
type People interface {
	// Readers returns people with their current rights; those who may not sign in are missing.
	Readers(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]principal.Principal, error)
	// Names returns names of people; those who are gone are missing.
	Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
	// TeamNames returns names of teams; those that are gone are missing.
	TeamNames(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Systems reads the catalog as the principal of ctx.
type Systems interface {
	// See returns problem.NotFound for a system or group that the principal may not see.
	See(ctx context.Context, objectType string, id uuid.UUID) error
	// Name returns the name of a system or group, problem.NotFound for one that the principal may not see.
	Name(ctx context.Context, objectType string, id uuid.UUID) (string, error)
	// GroupsOf returns the groups of systems.
	GroupsOf(ctx context.Context, ids []uuid.UUID) (of map[uuid.UUID][]uuid.UUID, err error)
	// Seers returns those of the people who hold a rule and see any of the systems.
	Seers(ctx context.Context, rule string, systems, people []uuid.UUID) ([]uuid.UUID, error)
}

// Policies are the escalation policies.
type Policies interface {
	// PolicyTeam returns the team of a policy that the principal of ctx may see, nil for a policy without one.
	PolicyTeam(ctx context.Context, id uuid.UUID) (*uuid.UUID, error)
}

// Offers is what the other modules offer to notifications. It is complete when the product runs.
type Offers interface {
	notice.Mutes
	Notices() []notice.Subject
}

// Options are the dependencies of a Module.
type Options struct {
	DB      *store.DB
	Log     *slog.Logger
	Ledger  *notice.Ledger
	Events  event.Appender
	Sealer  secret.Sealer
	People  People
	Systems Systems
	// Policies may be incomplete until the product runs.
	Policies Policies
	Offers   Offers
	// Client and Dial go through the egress guard, and follow no redirects.
	Client *http.Client
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
	// URL is the address of the web app, for links.
	URL string
}

// Module provides the operations, tools, consumers and access rules of notifications.
type Module struct {
	service *service
	pump    *pump
}

// New creates the module.
func New(o Options) *Module {
	s := &service{
		db: o.DB, log: o.Log, ledger: o.Ledger, events: o.Events, sealer: o.Sealer, people: o.People, systems: o.Systems,
		policies: o.Policies, offers: o.Offers,
		mutes: o.Offers, url: o.URL,
		sender: &channel.Sender{Client: o.Client, Dial: o.Dial, Base: o.URL, Timeout: SendTimeout},
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "countersign", Name: "notification_attempts_total",
			Help: "Attempts to deliver notifications by kind of channel and result, and deliveries that ended without one.",
		}, []string{"kind", "result"}),
	}
	s.begins = batching.New(maxRecorded, s.beginAll)
	s.ends = batching.New(maxRecorded, s.endAll)
	return &Module{service: s, pump: newPump(s)}
}

type service struct {
	db       *store.DB
	log      *slog.Logger
	ledger   *notice.Ledger
	events   event.Appender
	sealer   secret.Sealer
	people   People
	systems  Systems
	policies Policies
	offers   Offers
	mutes    notice.Mutes
	url      string
	sender   *channel.Sender
	outcomes *prometheus.CounterVec
	// begins and ends record attempts, those of the same moment in one statement.
	begins *batching.Batcher[struct{}, notificationdb.BeginParams, bool]
	ends   *batching.Batcher[struct{}, notificationdb.FinishParams, bool]
}

func (s *service) queries(ctx context.Context) *notificationdb.Queries {
	return notificationdb.New(s.db.Conn(ctx))
}

func (s *service) subject(kind string) (notice.Subject, bool) {
	for _, subject := range s.offers.Notices() {
		// A module can add topics to the records of another one, whose facts that one has.
		if subject.Kind == kind && subject.Facts != nil {
			return subject, true
		}
	}
	return notice.Subject{}, false
}

// Loops send what is due.
func (m *Module) Loops() []process.Loop {
	return []process.Loop{{Name: "send notifications", Role: process.Turns, Run: m.pump.run}}
}

// Subscriptions wake the sender.
func (m *Module) Subscriptions() store.Subscriptions {
	return store.Subscriptions{notice.Channel: m.pump.notifier.Subscription()}
}

// Sealed are the configurations of channels, the password of the mail server and the private key of web push.
func (m *Module) Sealed() []secret.Sealed {
	return []secret.Sealed{{Values: "settings of notifications", Reseal: m.service.reseal}}
}

// Collectors are the metrics of deliveries.
func (m *Module) Collectors() []prometheus.Collector {
	return []prometheus.Collector{m.service.outcomes, depth{m.service}}
}
