package oncall

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/calendar"
	"countersign/internal/notice"
	"countersign/modules/oncall/escalation"
	"countersign/modules/oncall/oncalldb"
)

// lookAhead is the time for which a warning looks whether anybody is on call.
const lookAhead = 28 * 24 * time.Hour

// reach is what is known of targets.
type reach struct {
	names
	schedules map[uuid.UUID]oncalldb.OncallSchedule
	members   map[uuid.UUID][]uuid.UUID
	// empty are schedules in which nobody is on call in the next weeks, gaps the first time without anybody, and crowded
	// schedules with too many shifts to tell.
	empty, crowded map[uuid.UUID]bool
	gaps           map[uuid.UUID]time.Time
	// silent are people, teams and policies without a channel for calls, and waits the longest delays of people's own rules.
	silent map[notice.Recipient]bool
	waits  map[uuid.UUID]time.Duration
}

// reach looks targets of policies up.
func (s *service) reach(ctx context.Context, refs references, policies ...uuid.UUID) (r reach, err error) {
	r = reach{
		empty:   map[uuid.UUID]bool{},
		crowded: map[uuid.UUID]bool{},
		gaps:    map[uuid.UUID]time.Time{},
		members: map[uuid.UUID][]uuid.UUID{},
	}
	if r.silent, r.waits, err = s.channels(ctx, refs, policies); err != nil {
		return r, err
	}
	if r.schedules, err = s.schedulesByID(ctx, refs.schedules); err != nil {
		return r, err
	}
	if r.names, err = s.lookUp(ctx, refs.people, refs.teams); err != nil {
		return r, err
	}
	if len(refs.teams) > 0 {
		if r.members, err = s.people.Members(ctx, unique(refs.teams)); err != nil {
			return r, fmt.Errorf("list members of teams: %w", err)
		}
	}
	if len(r.schedules) == 0 {
		return r, nil
	}
	now, err := s.clock(ctx)
	if err != nil {
		return r, err
	}
	rows := make([]oncalldb.OncallSchedule, 0, len(r.schedules))
	for _, row := range r.schedules {
		rows = append(rows, row)
	}
	rotas, err := s.rotas(ctx, rows, now, now.Add(lookAhead))
	if err != nil {
		return r, err
	}
	for id, rota := range rotas {
		spans, err := rota.Between(now, now.Add(lookAhead))
		if err != nil {
			r.crowded[id] = true
			continue
		}
		r.empty[id] = true
		for _, span := range spans {
			_, known := r.gaps[id]
			switch {
			case len(span.People) > 0:
				r.empty[id] = false
			case !known:
				r.gaps[id] = span.From
			}
		}
	}
	return r, nil
}

// channels returns the targets that have no channel for calls, and how long people's own rules wait at most.
func (s *service) channels(ctx context.Context, refs references, policies []uuid.UUID) (
	silent map[notice.Recipient]bool, waits map[uuid.UUID]time.Duration, err error,
) {
	var to []notice.Recipient
	for _, id := range unique(refs.people) {
		to = append(to, notice.Person(id))
	}
	for _, id := range unique(refs.teams) {
		to = append(to, notice.Team(id))
	}
	for _, id := range policies {
		to = append(to, notice.Policy(id))
	}
	ways, unreached, err := s.notices.Ways(ctx, TopicCalled, to...)
	if err != nil {
		return nil, nil, fmt.Errorf("look for channels of a policy: %w", err)
	}
	silent, waits = map[notice.Recipient]bool{}, map[uuid.UUID]time.Duration{}
	for _, one := range unreached {
		silent[one] = true
	}
	for _, w := range ways {
		if w.Person != nil {
			waits[*w.Person] = max(waits[*w.Person], w.After)
		}
	}
	return silent, waits, nil
}

// targets are the names of all that steps name.
func (r reach) targets(steps []escalation.Step) []Named {
	refs := referencesOf(steps)
	list := r.persons(unique(refs.people))
	for _, id := range unique(refs.teams) {
		list = append(list, *r.team(&id))
	}
	for _, id := range unique(refs.schedules) {
		list = append(list, Named{id, r.schedules[id].Name})
	}
	return list
}

// unused warns of a policy that no incident follows.
func unused(row oncalldb.OncallPolicy) []Warning {
	if row.TeamID != nil || len(row.Severities) > 0 || row.IsDefault {
		return []Warning{}
	}
	return []Warning{{Message: "It is for no incident: give it a team or severities, or make it the default."}}
}

// warnings say which targets and steps reach nobody.
func (r reach) warnings(policy uuid.UUID, steps []escalation.Step) []Warning {
	list := []Warning{}
	for i, step := range steps {
		path := fmt.Sprintf("steps[%d]", i)
		reached := 0
		for k, t := range step.Targets {
			message, nobody := r.warning(policy, t)
			if message == "" && i+1 < len(steps) {
				message = r.cut(t, i+2, time.Duration(steps[i+1].DelaySeconds)*time.Second)
			}
			if message != "" {
				list = append(list, Warning{fmt.Sprintf("%s.targets[%d]", path, k), message})
			}
			if !nobody {
				reached++
			}
		}
		if reached == 0 {
			list = append(list, Warning{path, fmt.Sprintf("Step %d calls nobody.", i+1)})
		}
	}
	return list
}

// cut says that a step ends what a person's own rules would send later.
func (r reach) cut(t escalation.Target, next int, after time.Duration) string {
	if wait := r.waits[t.ID]; t.Kind == escalation.Person && wait > 0 && wait >= after {
		return fmt.Sprintf(
			"The own rules of %s wait for up to %s, and step %d ends them after %s.",
			r.people[t.ID],
			words(wait),
			next,
			words(after),
		)
	}
	return ""
}

// words are a duration without its zeros, such as 5 min.
func words(d time.Duration) string {
	if d%time.Minute == 0 {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}

// warning says what is wrong with a target, and whether it reaches nobody at all.
func (r reach) warning(policy uuid.UUID, t escalation.Target) (message string, nobody bool) {
	switch t.Kind {
	case escalation.Person:
		if r.people[t.ID] == "" {
			return "The person is gone.", true
		}
		if r.silent[notice.Person(t.ID)] {
			return r.people[t.ID] + " has no channel for calls.", true
		}
	case escalation.Members, escalation.Team:
		if r.teams[t.ID] == "" {
			return "The team is gone.", true
		}
		if t.Kind == escalation.Members && len(r.members[t.ID]) == 0 {
			return "The team " + r.teams[t.ID] + " has no members.", true
		}
		if t.Kind == escalation.Team && r.silent[notice.Team(t.ID)] {
			return "The team " + r.teams[t.ID] + " has no channel of its own.", true
		}
	case escalation.Schedule:
		schedule, ok := r.schedules[t.ID]
		if !ok {
			return "The schedule is gone.", true
		}
		zone, err := calendar.Zone(schedule.Zone)
		if err != nil {
			return "The time zone of the schedule " + schedule.Name + " has left the time zone database. Choose its successor.", false
		}
		if r.crowded[t.ID] {
			return "The schedule " + schedule.Name + " has too many shifts in the next four weeks to look for gaps.", false
		}
		if r.empty[t.ID] {
			return "Nobody is on call in " + schedule.Name + " in the next four weeks.", true
		}
		if gap, ok := r.gaps[t.ID]; ok {
			return "Nobody is on call in " + schedule.Name + " at " + gap.In(zone).Format("2006-01-02 15:04 MST") + ".", false
		}
	case escalation.Channels:
		if r.silent[notice.Policy(policy)] {
			return "The policy has no channel of its own.", true
		}
	}
	return "", false
}
