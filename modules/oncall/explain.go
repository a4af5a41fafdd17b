package oncall

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/notice"
	"countersign/internal/store"
	"countersign/modules/oncall/escalation"
	"countersign/modules/oncall/oncalldb"
)

// maxSimulated bounds the steps of a simulated run.
const maxSimulated = 60

// Question asks who is called.
type Question struct {
	IncidentID *uuid.UUID
	SystemIDs  []uuid.UUID
	Severity   string
	PersonID   *uuid.UUID
	At         time.Time
}

// Reasons why a person is not called.
const (
	ReasonSuppressed   = "suppressed"
	ReasonMaintenance  = "maintenance"
	ReasonOfficeHours  = "officeHours"
	ReasonAcknowledged = "acknowledged"
	ReasonResolved     = "resolved"
	ReasonNoChannel    = "noChannel"
	ReasonNotOnCall    = "notOnCall"
	ReasonNoPolicy     = "noPolicy"
	ReasonSeverity     = "severity"
	ReasonExhausted    = "exhausted"
	ReasonNotNamed     = "notNamed"
	ReasonNotSeen      = "notSeen"
)

// Planned is a step of a simulated run.
type Planned struct {
	Step     int       `json:"step" doc:"Counted from 1."`
	Round    int       `json:"round" doc:"How often the steps were begun."`
	At       time.Time `json:"at"`
	Taken    bool      `json:"taken,omitempty" doc:"It was taken already."`
	People   []Named   `json:"people" nullable:"false" doc:"Who is called."`
	Channels []string  `json:"channels" nullable:"false" doc:"The kinds of channels that messages go to."`
	Reasons  []string  `json:"reasons" nullable:"false" doc:"What holds it or keeps it from reaching a target, such as officeHours, noChannel, notSeen or notOnCall."`
	Text     string    `json:"text" doc:"The same as a sentence."`
}

// Explained says of one person whether they are called.
type Explained struct {
	Person Named      `json:"person"`
	Called bool       `json:"called" doc:"Whether they were or will be called."`
	At     *time.Time `json:"at,omitempty" doc:"When, for the first time."`
	Reason string     `json:"reason,omitempty" doc:"Why not, such as notOnCall, noChannel or acknowledged."`
	Text   string     `json:"text" doc:"The same as a sentence."`
}

// Explanation says who is called when, and why others are not.
type Explanation struct {
	Policy *Named      `json:"policy,omitempty" doc:"Absent when none is for the incident."`
	Text   string      `json:"text" doc:"One sentence about the whole."`
	Reason string      `json:"reason,omitempty" doc:"Why nobody is called any more, such as noPolicy, suppressed, maintenance, acknowledged or resolved."`
	Steps  []Planned   `json:"steps" nullable:"false"`
	People []Explained `json:"people" nullable:"false" doc:"Everybody whom the policy names, and the person that was asked for."`
	// Sources let a chat know whose text the sentences hold.
	Sources []Named `json:"sources" nullable:"false" doc:"The records whose names the sentences hold: policies and schedules."`
}

// run is a simulated escalation.
type run struct {
	standing

	policy followed
	reach  reach
	out    Explanation
	people map[uuid.UUID]*Explained
	order  []uuid.UUID
	// opened says that there is such an incident, and seen who may see it.
	opened bool
	seen   map[uuid.UUID]bool
}

// Explain simulates who is called from now on. It changes nothing.
func (s *service) Explain(ctx context.Context, q Question) (Explanation, error) {
	if err := readable(ctx); err != nil {
		return Explanation{}, err
	}
	var out Explanation
	// Channels are looked up by telling the call in a transaction that is rolled back.
	err := s.db.DryRun(ctx, func(ctx context.Context) (err error) {
		out, err = s.explain(ctx, q)
		return err
	})
	return out, err
}

func (s *service) explain(ctx context.Context, q Question) (Explanation, error) {
	r := &run{
		out:    Explanation{Steps: []Planned{}, People: []Explained{}, Sources: []Named{}},
		people: map[uuid.UUID]*Explained{}, seen: map[uuid.UUID]bool{},
	}
	if err := s.begun(ctx, q, r); err != nil {
		return Explanation{}, err
	}
	row, found, err := s.policyFor(ctx, r.incident.Systems, r.incident.Severity)
	if err != nil {
		return Explanation{}, err
	}
	if !found {
		if err := s.uncovered(ctx, r); err != nil {
			return Explanation{}, err
		}
		return s.answer(ctx, q, r)
	}
	r.policy, r.out.Policy, r.out.Sources = row, &Named{row.ID, row.Name}, row.sources
	if r.PolicyID == nil || *r.PolicyID != row.ID {
		r.PolicyID, r.Round, r.Step = &row.ID, 0, 0
	}
	if r.reach, err = s.reach(ctx, referencesOf(row.Steps), row.ID); err != nil {
		return Explanation{}, err
	}
	for _, id := range unique(referencesOf(row.Steps).schedules) {
		r.out.Sources = append(r.out.Sources, Named{id, r.reach.schedules[id].Name})
	}
	if err := s.taken(ctx, r); err != nil {
		return Explanation{}, err
	}
	if r.out.Reason, r.out.Text, err = s.over(ctx, r); err != nil {
		return Explanation{}, err
	}
	if r.out.Reason == "" {
		if err := s.simulate(ctx, r); err != nil {
			return Explanation{}, err
		}
	}
	return s.answer(ctx, q, r)
}

// uncovered says why no policy is for an incident.
func (s *service) uncovered(ctx context.Context, r *run) error {
	for _, severity := range severities {
		row, found, err := s.policyFor(ctx, r.incident.Systems, severity)
		if err != nil {
			return err
		}
		if found {
			r.out.Reason, r.out.Sources = ReasonSeverity, row.sources
			r.out.Text = "Nobody is called: the policy " + row.Name + " is for " + strings.Join(row.Severities, " and ") +
				" incidents, and this one is " + r.incident.Severity + "."
			return nil
		}
	}
	r.out.Reason, r.out.Text = ReasonNoPolicy, "Nobody is called: no escalation policy is for this incident."
	return nil
}

// begun reads the incident, or makes one up that opens.
func (s *service) begun(ctx context.Context, q Question, r *run) (err error) {
	if r.now, err = s.clock(ctx); err != nil {
		return err
	}
	if !q.At.IsZero() {
		if err := checkFar("at", q.At, r.now); err != nil {
			return err
		}
	}
	if q.IncidentID == nil {
		if !q.At.IsZero() {
			r.now = q.At
		}
		if q.Severity == "" {
			q.Severity = "major"
		}
		if err := s.incidents.CheckSystems(ctx, q.SystemIDs); err != nil {
			return err
		}
		r.incident = Incident{ID: store.NewID(), Title: "An incident", Severity: q.Severity, Systems: q.SystemIDs, Open: true}
		r.IncidentID, r.State, r.BeganAt, r.LastAt, r.Run = r.incident.ID, stateWaiting, r.now, r.now, 1
		return nil
	}
	if r.incident, err = s.incidents.See(ctx, *q.IncidentID); err != nil {
		return err
	}
	row, err := s.queries(ctx).EscalationOf(ctx, *q.IncidentID)
	if err != nil && !store.NoRows(err) {
		return fmt.Errorf("load escalation: %w", err)
	}
	if err != nil {
		row = oncalldb.OncallEscalation{IncidentID: *q.IncidentID, State: stateWaiting, BeganAt: r.now, LastAt: r.now, Run: 1}
	}
	r.OncallEscalation, r.opened = row, true
	return nil
}

// taken lists the steps that were taken.
func (s *service) taken(ctx context.Context, r *run) error {
	calls, err := s.queries(ctx).Calls(ctx, r.IncidentID)
	if err != nil {
		return fmt.Errorf("list calls: %w", err)
	}
	slices.Reverse(calls)
	for _, c := range calls {
		if c.Run != r.Run {
			continue
		}
		n, err := s.lookUp(ctx, c.People, nil)
		if err != nil {
			return err
		}
		p := Planned{
			Step: int(c.Step) + 1, Round: int(c.Round) + 1, At: c.TakenAt.UTC(), Taken: true, People: n.persons(c.People), Channels: []string{},
			Reasons: []string{},
		}
		if c.IsHidden {
			p.hide(fmt.Sprintf("Step %d was taken at %s", p.Step, r.shown(p.At)))
			for _, person := range n.persons(c.People) {
				r.missed(person, ReasonNotSeen, person.Name+" may not see the incident and got no message.")
			}
			r.out.Steps = append(r.out.Steps, p)
			continue
		}
		p.Text = fmt.Sprintf("Step %d was taken at %s and called %s.", p.Step, r.shown(p.At), listed(p.People))
		r.out.Steps = append(r.out.Steps, p)
		for _, person := range p.People {
			r.called(person, p.At, person.Name+" was called at "+r.shown(p.At)+".")
		}
	}
	return nil
}

// over returns why an escalation calls nobody any more.
func (s *service) over(ctx context.Context, r *run) (reason, text string, err error) {
	switch {
	case !r.incident.Open:
		return ReasonResolved, "Nobody is called any more: the incident is resolved.", nil
	case r.incident.AcknowledgedAt != nil && !r.incident.AcknowledgedAt.Before(r.BeganAt):
		by, err := s.acknowledgedBy(ctx, r.incident)
		return ReasonAcknowledged, "Nobody is called any more. " + by, err
	case r.incident.Suppressed:
		return ReasonSuppressed, "Nobody is called: notifications about the incident are suppressed.", nil
	case r.State == stateExhausted:
		return ReasonExhausted, "Nobody is called any more: all steps were taken.", nil
	}
	return "", "", nil
}

// simulate takes the steps that are left, at the times at which they will be due.
func (s *service) simulate(ctx context.Context, r *run) error {
	p := timesOf(r.policy.OncallPolicy)
	mute, muted, err := s.muted(ctx, r.incident.Systems)
	if err != nil {
		return err
	}
	until, why := mute.Until, mute.Reason
	at := r.policy.position(r.OncallEscalation)
	for range maxSimulated {
		due, ok := p.Due(at, r.LastAt)
		if !ok {
			break
		}
		planned := Planned{Step: at.Step + 1, Round: at.Round + 1, Reasons: []string{}, Channels: []string{}}
		var notes []string
		step := p.Steps[at.Step]
		if p.Waits(at, r.LastAt) {
			planned.Reasons, notes = append(planned.Reasons, ReasonOfficeHours), append(notes, "it waits for "+step.Hours+", "+p.Zone.String())
		}
		due = later(due, r.now)
		if muted && (until.IsZero() || due.Before(until)) {
			planned.Reasons, notes = append(planned.Reasons, ReasonMaintenance), append(notes, "it is held by "+why)
			if !until.IsZero() {
				due = until
			}
		}
		planned.At = due.UTC()
		reached, err := s.simulateStep(ctx, r, step, at, &planned, notes)
		if err != nil {
			return err
		}
		r.out.Steps = append(r.out.Steps, planned)
		r.LastAt, at = p.Passed(at, due, reached), at.Next(len(p.Steps))
	}
	last := len(r.out.Steps)
	r.out.Text = fmt.Sprintf("%s calls in %d steps until a person acknowledges.", r.policy.Name, last)
	return nil
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// simulateStep finds the people and channels of a step, and reports whether it reaches a receiver who may see the incident.
func (s *service) simulateStep(
	ctx context.Context, r *run, step escalation.Step, at escalation.Position, planned *Planned, notes []string,
) (reached bool, err error) {
	c, err := s.calledBy(ctx, r.policy.ID, step, planned.At)
	if err != nil {
		return false, err
	}
	told, err := s.notices.Tell(ctx, callOf(r.incident, fmt.Sprintf("simulated:%d:%d", at.Round, at.Step)), c.recipients...)
	if err != nil {
		return false, fmt.Errorf("look for channels: %w", err)
	}
	if reached = true; r.opened {
		if reached, err = s.reaches(ctx, r.IncidentID, c.recipients, told); err != nil {
			return false, err
		}
	}
	for _, d := range told.Deliveries {
		if !slices.Contains(planned.Channels, d.Kind) {
			planned.Channels = append(planned.Channels, d.Kind)
		}
	}
	n, err := s.lookUp(ctx, c.people, nil)
	if err != nil {
		return false, err
	}
	planned.People = []Named{}
	for _, person := range n.persons(c.people) {
		if slices.Contains(told.Unreached, notice.Person(person.ID)) {
			r.missed(person, ReasonNoChannel, person.Name+" has no channel for calls.")
			notes = append(notes, person.Name+" has no channel")
			planned.reason(ReasonNoChannel)
			continue
		}
		seen, err := s.seen(ctx, r, person.ID)
		if err != nil {
			return false, err
		}
		if !seen {
			r.missed(person, ReasonNotSeen, person.Name+" may not see the incident and gets no message.")
			notes = append(notes, person.Name+" may not see the incident")
			planned.reason(ReasonNotSeen)
			continue
		}
		planned.People = append(planned.People, person)
		r.called(person, planned.At, fmt.Sprintf("%s is called by step %d at %s.", person.Name, planned.Step, r.shown(planned.At)))
	}
	for _, t := range c.empty {
		if t.Kind == escalation.Schedule {
			notes = append(notes, "nobody is on call in "+r.reach.schedules[t.ID].Name)
			planned.reason(ReasonNotOnCall)
		}
	}
	if !reached {
		planned.hide(fmt.Sprintf("Step %d at %s", planned.Step, r.shown(planned.At)))
		return false, nil
	}
	planned.Text = fmt.Sprintf("Step %d at %s calls %s", planned.Step, r.shown(planned.At), listed(planned.People))
	if len(planned.Channels) > 0 {
		planned.Text += " by " + strings.Join(planned.Channels, ", ")
	}
	if len(notes) > 0 {
		planned.Text += ": " + strings.Join(notes, "; ")
	}
	planned.Text += "."
	return true, nil
}

// hide says of a step that it reaches nobody.
func (p *Planned) hide(step string) {
	p.People, p.Channels = []Named{}, []string{}
	p.reason(ReasonNotSeen)
	p.Text = step + " reaches nobody, as none of those whom it names may see the incident. The next step follows at once."
}

// seen reports whether a person may see an incident that has opened. Messages are sent to nobody else.
func (s *service) seen(ctx context.Context, r *run, person uuid.UUID) (seen bool, err error) {
	if !r.opened {
		return true, nil
	}
	seen, known := r.seen[person]
	if !known {
		if seen, err = s.incidents.SeenBy(ctx, r.IncidentID, person); err != nil {
			return false, fmt.Errorf("check who sees an incident: %w", err)
		}
		r.seen[person] = seen
	}
	return seen, nil
}

func (p *Planned) reason(reason string) {
	if !slices.Contains(p.Reasons, reason) {
		p.Reasons = append(p.Reasons, reason)
	}
}

// shown is a time in the zone of the policy, whose hours are local times of it too.
func (r *run) shown(t time.Time) string {
	return t.In(timesOf(r.policy.OncallPolicy).Zone).Format("2006-01-02 15:04:05 MST")
}

// listed names people in a sentence.
func listed(people []Named) string {
	if len(people) == 0 {
		return "nobody"
	}
	names := make([]string, len(people))
	for i, p := range people {
		if names[i] = p.Name; p.Name == "" {
			names[i] = "a deleted user"
		}
	}
	return strings.Join(names, ", ")
}

// called notes the first call of a person.
func (r *run) called(p Named, at time.Time, text string) {
	if e := r.explained(p); !e.Called {
		e.Called, e.At, e.Reason, e.Text = true, &at, "", text
	}
}

// missed notes why a person is not called, unless they are.
func (r *run) missed(p Named, reason, text string) {
	if e := r.explained(p); !e.Called && e.Reason == "" {
		e.Reason, e.Text = reason, text
	}
}

func (r *run) explained(p Named) *Explained {
	if r.people[p.ID] == nil {
		r.people[p.ID] = &Explained{Person: p}
		r.order = append(r.order, p.ID)
	}
	return r.people[p.ID]
}

// answer adds everybody whom the policy names and who is not called.
func (s *service) answer(ctx context.Context, q Question, r *run) (Explanation, error) {
	why := func(reason, text string) (string, string) {
		if r.out.Reason != "" {
			return r.out.Reason, r.out.Text
		}
		return reason, text
	}
	for _, step := range r.policy.Steps {
		for _, t := range step.Targets {
			switch t.Kind {
			case escalation.Person:
				p := r.reach.person(t.ID)
				reason, text := why(ReasonExhausted, p.Name+" is not called any more.")
				r.missed(p, reason, text)
			case escalation.Schedule:
				schedule := r.reach.schedules[t.ID]
				n, err := s.lookUp(ctx, peopleOf(schedule.Layers), nil)
				if err != nil {
					return Explanation{}, err
				}
				for _, p := range n.persons(unique(peopleOf(schedule.Layers))) {
					reason, text := why(ReasonNotOnCall, p.Name+" is not on call in "+schedule.Name+" when the step is taken.")
					r.missed(p, reason, text)
				}
			case escalation.Members, escalation.Team, escalation.Channels:
			}
		}
	}
	if q.PersonID != nil {
		n, err := s.lookUp(ctx, []uuid.UUID{*q.PersonID}, nil)
		if err != nil {
			return Explanation{}, err
		}
		p := n.person(*q.PersonID)
		if r.people[p.ID] == nil {
			reason, text := why(ReasonNotNamed, "The policy does not name "+listed([]Named{p})+".")
			r.missed(p, reason, text)
		}
		r.order = []uuid.UUID{p.ID}
	}
	for _, id := range r.order {
		r.out.People = append(r.out.People, *r.people[id])
	}
	return r.out, nil
}
