package oncall

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/event"
	"countersign/internal/access"
	"countersign/internal/durable"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/modules/oncall/oncalldb"
)

// People reads users and teams. Those that are gone are missing in the answers.
type People interface {
	Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
	TeamNames(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
	// Members lists the users of each team.
	Members(ctx context.Context, teams []uuid.UUID) (map[uuid.UUID][]uuid.UUID, error)
	// Find finds users by their lower-case e-mail addresses and names. A name that two users have finds none.
	Find(ctx context.Context, names []string) (map[string]uuid.UUID, error)
}

// Module provides the operations, tools and access rules of on-call schedules and escalation policies.
type Module struct {
	service *service
}

// Options are the dependencies of a Module.
type Options struct {
	DB        *store.DB
	People    People
	Sealer    secret.Sealer
	Incidents Incidents
	Events    event.Appender
	Engine    durable.Engine
	Notices   *notice.Ledger
	// Now is the clock; that of the database when nil.
	Now func(ctx context.Context) (time.Time, error)
	// Mutes are those of systems; nil for none.
	Mutes notice.Mutes
	// Feeds reads iCal feeds. Its transport is the SSRF guard.
	Feeds *http.Client
	// Removed is called for deleted schedules and policies.
	Removed access.OnRemoved
}

// New creates the module.
func New(o Options) *Module {
	if o.Now == nil {
		o.Now = o.DB.Now
	}
	return &Module{service: &service{
		now: o.Now,
		db:  o.DB, people: o.People, incidents: o.Incidents, events: o.Events, engine: o.Engine, notices: o.Notices, mutes: o.Mutes,
		sealer: o.Sealer, feeds: o.Feeds, removed: o.Removed,
	}}
}

type service struct {
	now       func(ctx context.Context) (time.Time, error)
	db        *store.DB
	people    People
	incidents Incidents
	events    event.Appender
	engine    durable.Engine
	notices   *notice.Ledger
	mutes     notice.Mutes
	sealer    secret.Sealer
	feeds     *http.Client
	removed   access.OnRemoved
}

func (s *service) queries(ctx context.Context) *oncalldb.Queries { return oncalldb.New(s.db.Conn(ctx)) }

// readable refuses a caller whose rules open nothing here.
func readable(ctx context.Context) error {
	if p := principal.FromContext(ctx); p.Has(Read) || p.Has(Manage) {
		return nil
	}
	return problem.MissingRule("see who is on call", Read)
}

// levelOf is what the caller may do with a record of a team.
func levelOf(ctx context.Context, team *uuid.UUID) access.Level {
	p := principal.FromContext(ctx)
	if p.Has(Manage) || team != nil && slices.Contains(p.TeamIDs, *team) {
		return access.Own
	}
	return access.View
}

// creatable refuses a caller who may make no record for a team.
func creatable(ctx context.Context, kind access.Kind, team *uuid.UUID) error {
	if levelOf(ctx, team) == access.Own {
		return nil
	}
	return kind.Creatable(ctx)
}

// checkTeam refuses a team that does not exist.
func (s *service) checkTeam(ctx context.Context, issues *problem.Issues, team *uuid.UUID) error {
	if team == nil {
		return nil
	}
	names, err := s.people.TeamNames(ctx, []uuid.UUID{*team})
	if err != nil {
		return fmt.Errorf("look teams up: %w", err)
	}
	if _, ok := names[*team]; !ok {
		issues.Report("teamId", "names no team: %s", *team)
	}
	return nil
}

// given returns nil for an absent id and for the nil id, which clears a field.
func given(id *uuid.UUID) *uuid.UUID {
	if id == nil || *id == uuid.Nil {
		return nil
	}
	return id
}

// names are those of people and teams.
type names struct {
	people, teams map[uuid.UUID]string
}

// lookUp reads names.
func (s *service) lookUp(ctx context.Context, people, teams []uuid.UUID) (n names, err error) {
	n = names{map[uuid.UUID]string{}, map[uuid.UUID]string{}}
	if people = unique(people); len(people) > 0 {
		if n.people, err = s.people.Names(ctx, people); err != nil {
			return n, fmt.Errorf("look people up: %w", err)
		}
	}
	if teams = unique(teams); len(teams) > 0 {
		if n.teams, err = s.people.TeamNames(ctx, teams); err != nil {
			return n, fmt.Errorf("look teams up: %w", err)
		}
	}
	return n, nil
}

// unique returns ids sorted, each once.
func unique(ids []uuid.UUID) []uuid.UUID {
	ids = slices.Clone(ids)
	store.SortIDs(ids)
	return slices.Compact(ids)
}

func (n names) person(id uuid.UUID) Named { return Named{id, n.people[id]} }

func (n names) persons(ids []uuid.UUID) []Named {
	list := make([]Named, len(ids))
	for i, id := range ids {
		list[i] = n.person(id)
	}
	return list
}

func (n names) team(id *uuid.UUID) *Named {
	if id == nil {
		return nil
	}
	return &Named{*id, n.teams[*id]}
}

// clock is the time of the database.
func (s *service) clock(ctx context.Context) (time.Time, error) {
	now, err := s.now(ctx)
	if err != nil {
		return now, fmt.Errorf("read the clock: %w", err)
	}
	return now, nil
}

// taken turns the violation of a unique name into its answer.
func taken(err error, kind access.Kind, index, name string) error {
	if store.Violates(err, index) {
		return problem.Errorf(problem.Conflict, "Another %s is called %s. Choose another name.", kind.Noun, name)
	}
	return err
}
