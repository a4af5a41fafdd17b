// Package escalation says when the steps of an escalation policy are due. It is pure.
package escalation

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/calendar"
)

// Limits of policies.
const (
	MaxSteps       = 20
	MaxTargets     = 20
	MaxRepeats     = 20
	MaxDelay       = 7 * 24 * 3600 // seconds
	DefaultBetween = 300           // seconds
)

// TargetKind says what a target is.
type TargetKind string

// The kinds of targets. Members are the people of a team, Team its own channels, and Channels those of the policy.
const (
	Person   TargetKind = "person"
	Members  TargetKind = "members"
	Team     TargetKind = "team"
	Schedule TargetKind = "schedule"
	Channels TargetKind = "channels"
)

// Target is who a step calls.
type Target struct {
	Kind TargetKind `json:"kind" enum:"person,members,team,schedule,channels" doc:"A person, each member of a team, the channels of a team, the people on call in a schedule, or the channels of the policy."`
	ID   uuid.UUID  `json:"id,omitzero" doc:"The person, team or schedule; absent for the channels of the policy."`
}

// Step is one step of a policy.
type Step struct {
	DelaySeconds int      `json:"delaySeconds" minimum:"0" maximum:"604800" doc:"How long after the step before it is taken; the first one after the incident was opened."`
	Hours        string   `json:"hours,omitempty" maxLength:"100" doc:"Hours in the zone of the policy in which the step is taken, such as mon-fri 09:00-17:00. A step that is due outside of them waits for their begin."`
	Targets      []Target `json:"targets" maxItems:"20" nullable:"false"`
}

// Policy is the part of a policy that decides about times.
type Policy struct {
	Zone  *time.Location
	Steps []Step
	// Repeats is how often all steps are taken again, Between seconds after the last one.
	Repeats int
	Between int
}

// Position is a step that is not taken yet, counted from 0.
type Position struct{ Round, Step int }

// Next is the position after it in a policy of so many steps.
func (p Position) Next(steps int) Position {
	if p.Step+1 < steps {
		return Position{p.Round, p.Step + 1}
	}
	return Position{p.Round + 1, 0}
}

// Waits reports whether a step waits for the begin of its hours.
func (p Policy) Waits(at Position, last time.Time) bool {
	due, ok := p.Due(at, last)
	return ok && !due.Equal(p.delayed(at, last))
}

// delayed is when a step would be due without hours.
func (p Policy) delayed(at Position, last time.Time) time.Time {
	due := last.Add(time.Duration(p.Steps[at.Step].DelaySeconds) * time.Second)
	if at.Step == 0 && at.Round > 0 {
		due = due.Add(time.Duration(p.Between) * time.Second)
	}
	return due
}

// Passed is when a step counts as taken, from which the next one is waited for. After one that reached nobody the next step of
// the round is due at once; a further round keeps its pause, as it would ask the same in vain.
func (p Policy) Passed(at Position, taken time.Time, reached bool) time.Time {
	next := at.Next(len(p.Steps))
	if reached || next.Round != at.Round {
		return taken
	}
	return taken.Add(-time.Duration(p.Steps[next.Step].DelaySeconds) * time.Second)
}

// Due returns when a step is due. last is when the one before was taken, or when the escalation began; false when the
// policy has no such step.
func (p Policy) Due(at Position, last time.Time) (time.Time, bool) {
	// An edited policy can have fewer steps than have been taken.
	if at.Step >= len(p.Steps) {
		at = Position{at.Round + 1, 0}
	}
	if len(p.Steps) == 0 || at.Round > p.Repeats {
		return time.Time{}, false
	}
	due := p.delayed(at, last)
	if text := p.Steps[at.Step].Hours; text != "" {
		hours, err := calendar.ParseQuietHours(text, p.Zone)
		if err != nil {
			return due, true // checked when it was saved: a step is rather taken than lost
		}
		if _, in := hours.Until(due); !in {
			if begin, ok := hours.Next(due); ok {
				due = begin
			}
		}
	}
	return due, true
}

// At is the position with the step that exists: one behind the last step is the first of the next round.
func (p Policy) At(at Position) Position {
	if at.Step >= len(p.Steps) {
		return Position{at.Round + 1, 0}
	}
	return at
}
