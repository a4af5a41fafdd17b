package oncall

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/event"
	"countersign/internal/calendar"
	"countersign/internal/crash"
	"countersign/internal/durable"
	"countersign/internal/notice"
	"countersign/internal/store"
	"countersign/modules/oncall/escalation"
	"countersign/modules/oncall/oncalldb"
)

// States of escalations.
const (
	stateWaiting      = "waiting"
	stateAcknowledged = "acknowledged"
	stateResolved     = "resolved"
	stateExhausted    = "exhausted"
	stateGone         = "gone"
)

// Times of waiting escalations.
const (
	// untilChanged is how long an escalation waits that only a change can make due.
	untilChanged = 24 * time.Hour
	// muteCheck is how often a mute without a known end is looked at.
	muteCheck = time.Minute
	// longestWait bounds a timer.
	longestWait = 7 * 24 * time.Hour
)

// mutedWord begins the reason of an escalation that a mute holds.
const mutedWord = "Muted by "

// Workflows is the workflow of an escalation, beside the turns.
func (m *Module) Workflows() []durable.Registration {
	return []durable.Registration{{
		Queue: durable.TurnQueue, Workflow: escalateIncident.Named(), Steps: []durable.Named{advanceEscalation.Bind(m.advance)},
	}}
}

// advance takes the steps that are due. A repeat finds in the row what was done.
func (m *Module) advance(ctx context.Context, in advanceInput) (advanceOutput, error) {
	crash.Point("escalation.before-advance", in.IncidentID)
	out, err := store.InTx(ctx, m.service.db, func(ctx context.Context) (advanceOutput, error) {
		return m.service.advance(ctx, in)
	})
	if err == nil {
		crash.Point("escalation.after-advance", in.IncidentID)
	}
	return out, err
}

// standing is an escalation with its locked row and incident.
type standing struct {
	oncalldb.OncallEscalation

	incident Incident
	// gone says that the incident was deleted.
	gone bool
	now  time.Time
}

// hold locks the incident and then the row of an escalation, in the order in which the deletion of an incident locks them.
// It reports whether there is a row.
func (s *service) hold(ctx context.Context, id uuid.UUID) (standing, bool, error) {
	incident, found, err := s.incidents.Hold(ctx, id)
	if err != nil {
		return standing{}, false, err
	}
	if !found {
		incident = Incident{ID: id}
	}
	row, err := s.queries(ctx).LockEscalation(ctx, id)
	if err != nil && !store.NoRows(err) {
		return standing{}, false, fmt.Errorf("lock escalation: %w", err)
	}
	return standing{OncallEscalation: row, incident: incident, gone: !found}, err == nil, nil
}

func (s *service) advance(ctx context.Context, in advanceInput) (advanceOutput, error) {
	e, known, err := s.hold(ctx, in.IncidentID)
	if err != nil {
		return advanceOutput{}, err
	}
	if !known || e.Opening != in.Opening || e.State != stateWaiting {
		return advanceOutput{Ended: true}, nil
	}
	if e.now, err = s.clock(ctx); err != nil {
		return advanceOutput{}, err
	}
	if state, reason, err := s.ended(ctx, e); err != nil || state != "" {
		return advanceOutput{Ended: true}, firstError(err, s.end(ctx, e, state, reason))
	}
	return s.step(ctx, e)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ended returns the state and the reason of an escalation whose incident needs nobody any more.
func (s *service) ended(ctx context.Context, e standing) (state, reason string, err error) {
	switch {
	case e.gone:
		return stateGone, "The incident was deleted.", nil
	case !e.incident.Open:
		return stateResolved, "The incident was resolved.", nil
	case e.incident.AcknowledgedAt == nil || e.incident.AcknowledgedAt.Before(e.BeganAt):
		return "", "", nil
	}
	reason, err = s.acknowledgedBy(ctx, e.incident)
	return stateAcknowledged, reason, err
}

func (s *service) acknowledgedBy(ctx context.Context, i Incident) (string, error) {
	if i.AcknowledgedBy == nil {
		return "Acknowledged.", nil
	}
	n, err := s.lookUp(ctx, []uuid.UUID{*i.AcknowledgedBy}, nil)
	if err != nil || n.people[*i.AcknowledgedBy] == "" {
		return "Acknowledged.", err
	}
	return "Acknowledged by " + n.people[*i.AcknowledgedBy] + ".", nil
}

// end ends an escalation. Messages that wait are stopped when it was acknowledged.
func (s *service) end(ctx context.Context, e standing, state, reason string) error {
	if state == "" {
		return nil
	}
	if state == stateAcknowledged || state == stateGone {
		if _, err := s.notices.Stop(ctx, notice.Stop{About: aboutIncident(e.IncidentID), Reason: reason}); err != nil {
			return err
		}
	}
	e.State, e.Reason, e.DueAt = state, reason, nil
	return s.move(ctx, e)
}

func (s *service) move(ctx context.Context, e standing) error {
	err := s.queries(ctx).MoveEscalation(ctx, oncalldb.MoveEscalationParams{
		IncidentID: e.IncidentID, State: e.State, Reason: e.Reason, PolicyID: e.PolicyID, Run: e.Run, Round: e.Round, Step: e.Step,
		LastAt: e.LastAt, DueAt: e.DueAt,
	})
	if err != nil {
		return fmt.Errorf("move escalation: %w", err)
	}
	return nil
}

// step takes one step if it is due, and says how long to wait for the next one.
func (s *service) step(ctx context.Context, e standing) (advanceOutput, error) {
	if e.incident.Suppressed {
		return s.wait(ctx, e, nil, untilChanged, "Notifications about the incident are suppressed.")
	}
	row, found, err := s.policyFor(ctx, e.incident.Systems, e.incident.Severity)
	if err != nil {
		return advanceOutput{}, err
	}
	if !found {
		return s.wait(ctx, e, nil, untilChanged, "No escalation policy is for the incident.")
	}
	if e.PolicyID == nil || *e.PolicyID != row.ID {
		if e.PolicyID != nil {
			e.Run, e.LastAt = e.Run+1, e.now
		}
		e.PolicyID, e.Round, e.Step = &row.ID, 0, 0
	}
	p, at := timesOf(row.OncallPolicy), row.position(e.OncallEscalation)
	due, ok := p.Due(at, e.LastAt)
	if !ok {
		return advanceOutput{Ended: true}, s.end(ctx, e, stateExhausted, "All steps were taken and nobody has acknowledged.")
	}
	if wait := due.Sub(e.now); wait > 0 {
		return s.wait(ctx, e, &due, wait, "")
	}
	mute, muted, err := s.muted(ctx, e.incident.Systems)
	if err != nil {
		return advanceOutput{}, err
	}
	if muted {
		wait := muteCheck
		if !mute.Until.IsZero() {
			wait = max(mute.Until.Sub(e.now), time.Second)
		}
		return s.wait(ctx, e, nil, wait, mutedWord+mute.Reason+".")
	}
	reached, err := s.take(ctx, e, row.OncallPolicy, at, due)
	if err != nil {
		return advanceOutput{}, err
	}
	next := at.Next(len(p.Steps))
	e.Round, e.Step, e.LastAt = int32(next.Round), int32(next.Step), p.Passed(at, e.now, reached)
	following, ok := p.Due(next, e.LastAt)
	if !ok {
		return advanceOutput{Ended: true}, s.end(ctx, e, stateExhausted, "All steps were taken and nobody has acknowledged.")
	}
	return s.wait(ctx, e, &following, following.Sub(e.now), "")
}

// wait keeps an escalation for a while.
func (s *service) wait(ctx context.Context, e standing, due *time.Time, wait time.Duration, reason string) (advanceOutput, error) {
	e.DueAt, e.Reason = due, reason
	return advanceOutput{Wait: min(max(wait, 0), longestWait)}, s.move(ctx, e)
}

// muted reports whether all systems are muted, and returns the mute that ends first.
func (s *service) muted(ctx context.Context, systems []uuid.UUID) (first notice.Mute, muted bool, err error) {
	if len(systems) == 0 || s.mutes == nil {
		return first, false, nil
	}
	mutes, err := s.mutes.Muted(ctx, systems)
	if err != nil {
		return first, false, fmt.Errorf("look for mutes: %w", err)
	}
	by := map[uuid.UUID]notice.Mute{}
	for _, m := range mutes {
		by[m.System] = m
	}
	for _, id := range systems {
		m, ok := by[id]
		if !ok {
			return notice.Mute{}, false, nil
		}
		if first.Reason == "" || m.Until.Before(first.Until) {
			first = m
		}
	}
	return first, true, nil
}

// timesOf is the part of a policy that decides about times.
func timesOf(row oncalldb.OncallPolicy) escalation.Policy {
	zone, err := calendar.Zone(row.Zone)
	if err != nil {
		zone = time.UTC
	}
	return escalation.Policy{Zone: zone, Steps: row.Steps, Repeats: int(row.Repeats), Between: int(row.BetweenSeconds)}
}

// policyFor returns the policy of an incident; false when there is none.
func (s *service) policyFor(ctx context.Context, systems []uuid.UUID, severity string) (followed, bool, error) {
	teams, err := s.incidents.Owners(ctx, systems)
	if err != nil {
		return followed{}, false, fmt.Errorf("find owners of systems: %w", err)
	}
	rows, err := s.queries(ctx).ApplicablePolicies(ctx, oncalldb.ApplicablePoliciesParams{
		TeamIds: append([]uuid.UUID{}, teams...), Severity: severity,
	})
	if err != nil {
		return followed{}, false, fmt.Errorf("find policy: %w", err)
	}
	row, found := choose(rows, teams)
	return row, found, nil
}

// called are those whom a step calls at an instant.
type called struct {
	recipients []notice.Recipient
	// people are those called by themselves, by the target that names them.
	people []uuid.UUID
	// empty are targets that stand for nobody at that instant.
	empty []escalation.Target
}

// calledBy resolves the targets of a step.
func (s *service) calledBy(ctx context.Context, policy uuid.UUID, step escalation.Step, at time.Time) (c called, err error) {
	refs := referencesOf([]escalation.Step{step})
	schedules, err := s.schedulesByID(ctx, refs.schedules)
	if err != nil {
		return c, err
	}
	rows := make([]oncalldb.OncallSchedule, 0, len(schedules))
	for _, row := range schedules {
		rows = append(rows, row)
	}
	rotas, err := s.rotas(ctx, rows, at, at.Add(time.Microsecond))
	if err != nil {
		return c, err
	}
	members := map[uuid.UUID][]uuid.UUID{}
	if len(refs.teams) > 0 {
		if members, err = s.people.Members(ctx, unique(refs.teams)); err != nil {
			return c, fmt.Errorf("list members of teams: %w", err)
		}
	}
	for _, t := range step.Targets {
		var people []uuid.UUID
		switch t.Kind {
		case escalation.Person:
			people = []uuid.UUID{t.ID}
		case escalation.Members:
			people = members[t.ID]
		case escalation.Schedule:
			people = rotas[t.ID].At(at)
		case escalation.Team:
			c.recipients = append(c.recipients, notice.Team(t.ID))
			continue
		case escalation.Channels:
			if t.ID == uuid.Nil {
				t.ID = policy
			}
			c.recipients = append(c.recipients, notice.Policy(t.ID))
			continue
		}
		if len(people) == 0 {
			c.empty = append(c.empty, t)
		}
		for _, id := range people {
			if !slices.Contains(c.people, id) {
				c.people = append(c.people, id)
				c.recipients = append(c.recipients, notice.Person(id))
			}
		}
	}
	return c, nil
}

// take calls the people of a step, in the transaction of the row that says so. It reports false when all messages will be
// suppressed, because none of the receivers may see the incident.
func (s *service) take(
	ctx context.Context, e standing, row oncalldb.OncallPolicy, at escalation.Position, due time.Time,
) (reached bool, err error) {
	c, err := s.calledBy(ctx, row.ID, row.Steps[at.Step], e.now)
	if err != nil {
		return false, err
	}
	about := aboutIncident(e.IncidentID)
	// The rules of people end when the policy moves on; messages to subscribers stay, and so do calls whose receiver fails.
	reason := fmt.Sprintf("The policy went on to step %d.", at.Step+1)
	if _, err := s.notices.Stop(ctx, notice.Stop{About: about, Topic: TopicCalled, Ahead: true, Reason: reason}); err != nil {
		return false, err
	}
	told, err := s.notices.Tell(ctx, callOf(e.incident, edgeOf(e.Run, int32(at.Round), int32(at.Step))), c.recipients...)
	if err != nil {
		return false, fmt.Errorf("tell the call of an escalation: %w", err)
	}
	messages, unreached := len(told.Deliveries), len(told.Unreached)+len(c.empty)
	if reached, err = s.reaches(ctx, e.IncidentID, c.recipients, told); err != nil {
		return false, err
	}
	if !reached {
		messages, unreached = 0, len(c.recipients)+len(c.empty)
	}
	err = s.queries(ctx).AddCall(ctx, oncalldb.AddCallParams{
		IncidentID: e.IncidentID, Run: e.Run, Round: int32(at.Round), Step: int32(at.Step), PolicyID: row.ID, PolicyName: row.Name,
		DueAt: due, People: append([]uuid.UUID{}, c.people...), Messages: int32(messages), Unreached: int32(unreached), IsHidden: !reached,
	})
	if err != nil {
		return false, fmt.Errorf("note the call of an escalation: %w", err)
	}
	return reached, s.announce(ctx, event.New{
		Type: EventEscalated, Subject: incidentSubject + ":" + e.IncidentID.String(), ContextKey: e.IncidentID.String(),
		Payload: Escalated{
			IncidentID: e.IncidentID, PolicyID: row.ID, PolicyName: row.Name, Step: at.Step + 1, Round: at.Round + 1,
			People: len(c.people), Messages: messages, At: e.now.UTC(),
		},
	})
}

// reaches reports false when there are messages and none of their receivers may see the incident. It looks no further than to
// the first who may; messages to the others are suppressed when they are sent.
func (s *service) reaches(ctx context.Context, incident uuid.UUID, to []notice.Recipient, told notice.Told) (bool, error) {
	for _, r := range to {
		if slices.Contains(told.Unreached, r) {
			continue
		}
		if seen, err := s.sees(ctx, incident, r); seen || err != nil {
			return seen, err
		}
	}
	return len(told.Deliveries) == 0, nil
}

// sees reports whether a receiver of calls may see an incident: a person with their own rights, channels with the grants of their
// team. A policy without a team has none.
func (s *service) sees(ctx context.Context, incident uuid.UUID, r notice.Recipient) (seen bool, err error) {
	switch r {
	case notice.Person(r.ID()):
		seen, err = s.incidents.SeenBy(ctx, incident, r.ID())
	case notice.Policy(r.ID()):
		row, found := s.queries(ctx).Policy(ctx, r.ID())
		if store.NoRows(found) || found == nil && row.TeamID == nil {
			return false, nil
		}
		if err = found; err == nil {
			seen, err = s.incidents.SeenByTeam(ctx, incident, *row.TeamID)
		}
	default:
		seen, err = s.incidents.SeenByTeam(ctx, incident, r.ID())
	}
	if err != nil {
		return false, fmt.Errorf("check who sees an incident: %w", err)
	}
	return seen, nil
}

// callOf is the notice of a step.
func callOf(i Incident, edge string) notice.Notice {
	return notice.Notice{
		About: aboutIncident(i.ID), Topic: TopicCalled, Edge: edge, Phase: notice.Problem, Urgent: true, Systems: i.Systems,
	}
}
