package oncall

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/calendar"
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
}

// reach looks targets up.
func (s *service) reach(ctx context.Context, refs references) (r reach, err error) {
	r = reach{
		empty:   map[uuid.UUID]bool{},
		crowded: map[uuid.UUID]bool{},
		gaps:    map[uuid.UUID]time.Time{},
		members: map[uuid.UUID][]uuid.UUID{},
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
func (r reach) warnings(steps []escalation.Step) []Warning {
	list := []Warning{}
	for i, step := range steps {
		path := fmt.Sprintf("steps[%d]", i)
		reached := 0
		for k, t := range step.Targets {
			message, nobody := r.warning(t)
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

// warning says what is wrong with a target, and whether it reaches nobody at all.
func (r reach) warning(t escalation.Target) (message string, nobody bool) {
	switch t.Kind {
	case escalation.Person:
		if r.people[t.ID] == "" {
			return "The person is gone.", true
		}
	case escalation.Members, escalation.Team:
		if r.teams[t.ID] == "" {
			return "The team is gone.", true
		}
		if t.Kind == escalation.Members && len(r.members[t.ID]) == 0 {
			return "The team " + r.teams[t.ID] + " has no members.", true
		}
	case escalation.Schedule:
		schedule, ok := r.schedules[t.ID]
		if !ok {
			return "The schedule is gone.", true
		}
		if _, err := calendar.Zone(schedule.Zone); err != nil {
			return "The time zone of the schedule " + schedule.Name + " has left the time zone database. Choose its successor.", false
		}
		if r.crowded[t.ID] {
			return "The schedule " + schedule.Name + " has too many shifts in the next four weeks to look for gaps.", false
		}
		if r.empty[t.ID] {
			return "Nobody is on call in " + schedule.Name + " in the next four weeks.", true
		}
		if gap, ok := r.gaps[t.ID]; ok {
			return "Nobody is on call in " + schedule.Name + " at " + gap.UTC().Format("2006-01-02 15:04 UTC") + ".", false
		}
	case escalation.Channels:
	}
	return "", false
}
