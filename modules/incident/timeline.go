package incident

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/calendar"
	"countersign/internal/note"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/modules/incident/incidentdb"
)

// Lead is how long before its start a timeline shows what changed around an incident, and lag how long after its end.
const (
	Lead = 6 * time.Hour
	lag  = 10 * time.Minute
)

// Kinds of entries of a timeline.
const (
	entryBegan    = "began"
	entryState    = "state"
	entryUpdate   = "update"
	entryChange   = "change"
	entryHealth   = "health"
	entryProposal = "proposal"
	entryCall     = "call"
	entryNotice   = "notice"
	entryAlert    = "alert"
)

// Entry is one moment of a timeline. The member that its kind names is set; began has none.
type Entry struct {
	ID       string             `json:"id" doc:"Unique in the timeline."`
	At       time.Time          `json:"at"`
	Kind     string             `json:"kind" enum:"began,state,update,change,health,proposal,call,notice,alert"`
	State    *State             `json:"state,omitempty" doc:"A state that no visible update tells."`
	Update   *note.Note         `json:"update,omitempty"`
	Change   *audit.ChangeEntry `json:"change,omitempty" doc:"A change of the incident, of its systems or of their checks."`
	Health   *HealthChange      `json:"health,omitempty" doc:"A change of the health of a system or check."`
	Proposal *Proposed          `json:"proposal,omitempty" doc:"A proposal about the incident or its systems."`
	Call     *EscalationStep    `json:"call,omitempty" doc:"A step of an escalation policy. Its messages are in notice, as far as the caller sees them."`
	Notice   *Notified          `json:"notice,omitempty" doc:"Messages about the incident. Managers of incidents and readers of the delivery log see all, others those to them."`
	Alert    *AlertReceipt      `json:"alert,omitempty" doc:"What a source of alerts has sent about it."`

	// mark is its place among the entries of its source.
	mark rest.Moment
}

// State is a step of an incident.
type State struct {
	Kind         string     `json:"kind" enum:"opened,imported,moved,acknowledged,resolved,reopened,merged"`
	Status       Status     `json:"status" enum:"investigating,identified,fixing,monitoring,resolved"`
	StatusBefore Status     `json:"statusBefore,omitempty"`
	ByID         uuid.UUID  `json:"byId"`
	ByName       string     `json:"byName,omitempty" doc:"Absent when the account is gone."`
	Into         *uuid.UUID `json:"into,omitempty" doc:"The incident into which it was merged, if the caller may see that."`
}

// HealthChange is a change of the health of a system, or of one of its checks.
type HealthChange struct {
	SystemID   uuid.UUID  `json:"systemId"`
	SystemName string     `json:"systemName"`
	CheckID    *uuid.UUID `json:"checkId,omitempty" doc:"Absent for the system as a whole."`
	CheckName  string     `json:"checkName,omitempty"`
	Before     string     `json:"before" enum:"unknown,healthy,partly-unknown,degraded,unhealthy"`
	After      string     `json:"after" enum:"unknown,healthy,partly-unknown,degraded,unhealthy"`
	Reason     string     `json:"reason,omitempty" doc:"For those who see what runs of checks found."`
}

// AlertReceipt is a payload of a source of alerts.
type AlertReceipt struct {
	SourceID   uuid.UUID  `json:"sourceId"`
	SourceName string     `json:"sourceName"`
	Result     string     `json:"result" enum:"opened,updated,reopened,resolved" doc:"What it did."`
	Title      string     `json:"title" doc:"Of its first alert. The text comes from outside."`
	Firing     int        `json:"firing" doc:"How many alerts fired then."`
	Resolved   int        `json:"resolved" doc:"How many had ended."`
	PayloadID  *uuid.UUID `json:"payloadId,omitempty" doc:"What was sent, while it is kept."`
}

// Proposed is a proposed change.
type Proposed struct {
	ProposalID uuid.UUID `json:"proposalId"`
	Tool       string    `json:"toolName"`
	Summary    string    `json:"summary"`
	Status     string    `json:"status" enum:"proposed,applying,applied,failed,declined,expired,skipped"`
	ProposerID uuid.UUID `json:"proposerId"`
	Proposer   string    `json:"proposerName"`
	Decider    string    `json:"deciderName,omitempty"`
}

// About is the question to a source: an incident with the systems that the caller sees, and the period of its timeline.
type About struct {
	Incident uuid.UUID
	Systems  []System
	From, To time.Time
}

// Source lists what another part of the product knows about an incident, as the principal of ctx sees it: entries before a
// moment, newest first. Entries of the same time are in the order of their ids.
type Source func(ctx context.Context, about About, before rest.Moment, limit int) ([]Entry, error)

// last is after every id.
var last = uuid.Max

// Numbered makes the id of a moment from the number of a row, and numberOf the number of a row from such an id.
func numbered(n int64) uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	return id
}

func numberOf(id uuid.UUID) int64 {
	if id == last {
		return math.MaxInt64
	}
	return int64(binary.BigEndian.Uint64(id[8:]))
}

// cursor is the place of the last entry of a page: its time, its source and its place there.
type cursor struct {
	at     time.Time
	source int
	id     uuid.UUID
}

func (c cursor) String() string { return fmt.Sprintf("%d %d %s", c.at.UnixMicro(), c.source, c.id) }

// before is the moment before which a source goes on: at one time the entries of the first sources stand first.
func (c cursor) before(source int) rest.Moment {
	switch {
	case source < c.source:
		return rest.Moment{At: c.at}
	case source > c.source:
		return rest.Moment{At: c.at, ID: last}
	}
	return rest.Moment{At: c.at, ID: c.id}
}

// parseCursor returns the place after which a page begins; the first one begins before a moment, if it is set.
func parseCursor(page rest.Page, before time.Time) (cursor, error) {
	after, err := page.After()
	if err != nil {
		return cursor{}, err
	}
	if after == "" && !before.IsZero() && before.Before(rest.Latest().At) {
		return cursor{at: before, source: math.MaxInt32}, nil
	}
	if after == "" {
		return cursor{at: rest.Latest().At, source: -1}, nil
	}
	parts := strings.Split(after, " ")
	if len(parts) != 3 {
		return cursor{}, problem.UnknownCursor()
	}
	micro, atErr := strconv.ParseInt(parts[0], 10, 64)
	source, sourceErr := strconv.Atoi(parts[1])
	id, idErr := uuid.Parse(parts[2])
	c := cursor{time.UnixMicro(micro).UTC(), source, id}
	if atErr != nil || sourceErr != nil || idErr != nil || c.String() != after || c.at.After(rest.Latest().At) || c.at.Year() < 1 {
		return cursor{}, problem.UnknownCursor()
	}
	return c, nil
}

// Timeline returns a page of what happened with an incident and around it, newest first.
func (s *service) Timeline(ctx context.Context, id uuid.UUID, before time.Time, page rest.Page) ([]Entry, rest.Next, error) {
	if err := readable(ctx); err != nil {
		return nil, rest.Next{}, err
	}
	row, err := s.queries(ctx).Incident(ctx, id)
	h, err := s.see(ctx, id, row, err)
	if err != nil {
		return nil, rest.Next{}, err
	}
	after, err := parseCursor(page, before)
	if err != nil {
		return nil, rest.Next{}, err
	}
	about := About{Incident: id, Systems: h.visible, From: calendar.Earlier(h.StartedAt, h.CreatedAt).Add(-Lead), To: rest.Latest().At}
	if h.ResolvedAt != nil {
		about.To = h.ResolvedAt.Add(lag)
	}
	sources := append([]Source{began(h), s.told, s.states}, s.sources...)
	type placed struct {
		Entry
		source int
	}
	var merged []placed
	for i, source := range sources {
		entries, err := source(ctx, about, after.before(i), int(page.Rows()))
		if err != nil {
			return nil, rest.Next{}, err
		}
		for _, e := range entries {
			merged = append(merged, placed{e, i})
		}
	}
	slices.SortStableFunc(merged, func(a, b placed) int {
		if c := b.At.Compare(a.At); c != 0 {
			return c
		}
		if a.source != b.source {
			return a.source - b.source
		}
		return bytes.Compare(b.mark.ID[:], a.mark.ID[:])
	})
	merged, next := rest.Cut(page, merged, func(p placed) string { return cursor{p.At, p.source, p.mark.ID}.String() })
	entries := make([]Entry, len(merged))
	for i, p := range merged {
		entries[i] = p.Entry
	}
	return entries, next, nil
}

// placedAt is an entry of a source at its moment.
func placedAt(kind string, at time.Time, id uuid.UUID) Entry {
	return Entry{ID: kind + " " + id.String(), At: at.UTC(), Kind: kind, mark: rest.Moment{At: at, ID: id}}
}

// began is the start of an incident that was opened later.
func began(h held) Source {
	return func(_ context.Context, _ About, before rest.Moment, _ int) ([]Entry, error) {
		isBefore := h.StartedAt.Before(before.At) || h.StartedAt.Equal(before.At) && bytes.Compare(h.ID[:], before.ID[:]) < 0
		if h.StartedAt.Equal(h.CreatedAt) || !isBefore {
			return nil, nil
		}
		return []Entry{placedAt(entryBegan, h.StartedAt, h.ID)}, nil
	}
}

// told are the updates.
func (s *service) told(ctx context.Context, about About, before rest.Moment, limit int) ([]Entry, error) {
	notes, err := s.notes.Before(ctx, about.Incident, before, limit)
	entries := make([]Entry, len(notes))
	for i, n := range notes {
		entries[i] = placedAt(entryUpdate, n.CreatedAt, n.ID)
		entries[i].Update = &n
	}
	return entries, err
}

// states are those that no visible update tells.
func (s *service) states(ctx context.Context, about About, before rest.Moment, limit int) ([]Entry, error) {
	params := incidentdb.StatesParams{IncidentID: about.Incident, BeforeAt: before.At, BeforeID: before.ID, MaxRows: int32(limit)}
	for _, v := range note.Audience(ctx, Manage) {
		params.Audience = append(params.Audience, string(v))
	}
	rows, err := s.queries(ctx).States(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("list states of an incident: %w", err)
	}
	var people, into []uuid.UUID
	for _, r := range rows {
		people = append(people, r.ByID)
		if r.OtherID != nil {
			into = append(into, *r.OtherID)
		}
	}
	names, err := s.namesOf(ctx, people)
	if err != nil {
		return nil, err
	}
	seen, err := s.visibleOf(ctx, into)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(rows))
	for i, r := range rows {
		entries[i] = placedAt(entryState, r.At, r.ID)
		entries[i].State = &State{
			Kind: r.Kind, Status: Status(r.Status), StatusBefore: Status(r.StatusBefore), ByID: r.ByID, ByName: names[r.ByID],
		}
		if r.OtherID != nil && seen[*r.OtherID] {
			entries[i].State.Into = r.OtherID
		}
	}
	return entries, nil
}

// Changes are the sources that an audit log is: changes of the incident beside its states and updates, and of its systems and
// their checks.
func Changes(log ChangeLog, checksOf func(ctx context.Context, systems []uuid.UUID) ([]uuid.UUID, error)) Source {
	return func(ctx context.Context, about About, before rest.Moment, limit int) ([]Entry, error) {
		objects := []audit.Ref{{Type: incidentType, ID: about.Incident.String()}}
		for _, system := range about.Systems {
			objects = append(objects, audit.Ref{Type: systemType, ID: system.ID.String()})
		}
		checks, err := checksOf(ctx, ids(about.Systems))
		if err != nil {
			return nil, err
		}
		for _, id := range checks {
			objects = append(objects, audit.Ref{Type: checkType, ID: id.String()})
		}
		list, err := log.About(ctx, principal.FromContext(ctx), audit.AboutQuery{
			Objects: objects, From: about.From, To: about.To, BeforeAt: before.At, BeforeEntry: numberOf(before.ID), Limit: limit,
			Without: toldOtherwise,
		})
		entries := make([]Entry, len(list))
		for i, e := range list {
			entries[i] = placedAt(entryChange, e.At, numbered(e.Entry))
			entries[i].Change = &e
		}
		return entries, err
	}
}

// ChangeLog is the audit log.
type ChangeLog interface {
	About(ctx context.Context, p principal.Principal, q audit.AboutQuery) ([]audit.ChangeEntry, error)
}

// fieldsOf names the changed fields of an entry.
func fieldsOf(e audit.ChangeEntry) string { return audit.Fields(e.Fields).Names() }

func ids(systems []System) []uuid.UUID {
	list := make([]uuid.UUID, len(systems))
	for i, s := range systems {
		list[i] = s.ID
	}
	return list
}

// Health makes an entry of a change of health with a number.
func Health(n int64, at time.Time, change HealthChange) Entry {
	e := placedAt(entryHealth, at, numbered(n))
	e.Health = &change
	return e
}

// Number is that of the entry before which a source of numbered entries goes on.
func Number(before rest.Moment) int64 { return numberOf(before.ID) }

// Proposal makes an entry of a proposal.
func Proposal(at time.Time, p Proposed) Entry {
	e := placedAt(entryProposal, at, p.ProposalID)
	e.Proposal = &p
	return e
}
