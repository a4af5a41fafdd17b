package oncall

import (
	"bytes"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/modules/oncall/escalation"
	"countersign/modules/oncall/oncalldb"
)

// followed is the policy of an incident, or those of several teams as one.
type followed struct {
	oncalldb.OncallPolicy

	// own is how many steps the policy has that gives a joined one its id; 0 for a single policy.
	own int
	// sources are the policies themselves.
	sources []Named
}

// position is the step that an escalation takes next. A joined policy has no rounds: its steps go on.
func (f followed) position(e oncalldb.OncallEscalation) escalation.Position {
	at := escalation.Position{Round: int(e.Round), Step: int(e.Step)}
	if f.own > 0 {
		at = escalation.Position{Step: at.Round*f.own + at.Step}
	}
	return timesOf(f.OncallPolicy).At(at)
}

// choose picks the policy of an incident from those that it may follow, the closest first; false when there is none. Each
// owner team has a policy of its own, and all of them run together: a team cannot keep another one from calling its people.
func choose(rows []oncalldb.OncallPolicy, teams []uuid.UUID) (followed, bool) {
	if len(rows) == 0 {
		return followed{}, false
	}
	var of []uuid.UUID
	var each []oncalldb.OncallPolicy
	for _, row := range rows {
		if row.TeamID != nil && slices.Contains(teams, *row.TeamID) && !slices.Contains(of, *row.TeamID) {
			of, each = append(of, *row.TeamID), append(each, row)
		}
	}
	if len(each) == 0 {
		each = rows[:1]
	}
	if len(each) == 1 {
		return followed{OncallPolicy: each[0], sources: []Named{{each[0].ID, each[0].Name}}}, true
	}
	// The oldest gives the run its id, so that a policy made later does not begin it again.
	slices.SortFunc(each, func(a, b oncalldb.OncallPolicy) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	f := followed{OncallPolicy: join(each), own: len(each[0].Steps)}
	for _, row := range each {
		f.sources = append(f.sources, Named{row.ID, row.Name})
	}
	return f, true
}

// join makes one policy of several. Its step n calls those whom step n of each of them calls, counted over their rounds, and
// no later than any of them would: after the shortest delay, and without hours unless all have the same. So each of them
// misses no step, whatever becomes of the others.
func join(rows []oncalldb.OncallPolicy) oncalldb.OncallPolicy {
	all := rows[0]
	names := make([]string, len(rows))
	all.Steps, all.Repeats = nil, 0
	for i, row := range rows {
		names[i] = row.Name
		for _, severity := range row.Severities {
			if !slices.Contains(all.Severities, severity) {
				all.Severities = append(slices.Clone(all.Severities), severity)
			}
		}
		for n, step := range unrolled(row) {
			if n == len(all.Steps) {
				all.Steps = append(all.Steps, step)
				continue
			}
			joined := &all.Steps[n]
			joined.DelaySeconds = min(joined.DelaySeconds, step.DelaySeconds)
			if joined.Hours != step.Hours {
				joined.Hours = ""
			}
			joined.Targets = append(joined.Targets, step.Targets...)
		}
	}
	if slices.ContainsFunc(rows, func(row oncalldb.OncallPolicy) bool { return row.Zone != all.Zone }) {
		for n := range all.Steps {
			all.Steps[n].Hours = ""
		}
	}
	all.Name = strings.Join(names, " + ")
	return all
}

// unrolled are the steps of all rounds of a policy, with copies of their targets.
func unrolled(row oncalldb.OncallPolicy) []escalation.Step {
	var steps []escalation.Step
	for round := range int(row.Repeats) + 1 {
		for n, step := range row.Steps {
			if round > 0 && n == 0 {
				step.DelaySeconds += int(row.BetweenSeconds)
			}
			step.Targets = slices.Clone(step.Targets)
			for k := range step.Targets {
				if step.Targets[k].Kind == escalation.Channels {
					step.Targets[k].ID = row.ID // the channels of this policy, not of the first
				}
			}
			steps = append(steps, step)
		}
	}
	return steps
}
