package rota

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/calendar"
	"countersign/internal/problem"
)

// Limits of rotations.
const (
	MaxPeople = 50
	MaxHours  = 10
	MaxLength = 366
)

// Rotation is the stored form of a layer.
type Rotation struct {
	Name   string      `json:"name,omitempty" maxLength:"100"`
	Start  string      `json:"start" maxLength:"30" doc:"The local time of the first hand-over in the zone of the schedule, such as 2026-01-05T09:00. Nobody is on call before it."`
	Unit   Unit        `json:"unit" enum:"hours,days,weeks"`
	Length int         `json:"length" minimum:"1" maximum:"366" doc:"How many units a shift takes."`
	People []uuid.UUID `json:"people" maxItems:"50" nullable:"false" doc:"Users in the order of their turns."`
	Hours  []string    `json:"hours,omitempty" maxItems:"10" doc:"Hours to which the layer is restricted, such as mon-fri 09:00-17:00; always when absent."`
	Beside bool        `json:"beside,omitempty" doc:"Its people are on call beside those of the layers before it, not in their place."`
}

// Compile checks a rotation and returns its layer. Issues are those of the member path.
func (r Rotation) Compile(zone *time.Location, path string, issues *problem.Issues) Layer {
	l := Layer{Unit: r.Unit, Length: r.Length, People: r.People, Beside: r.Beside}
	start, err := calendar.ParseLocal(r.Start)
	if err != nil {
		report(issues, path+".start", err)
	}
	l.Start = start
	if r.Unit != Hours && r.Unit != Days && r.Unit != Weeks {
		issues.Report(path+".unit", "must be hours, days or weeks")
	}
	if r.Length < 1 || r.Length > MaxLength {
		issues.Report(path+".length", "must be 1 to %d", MaxLength)
	}
	if len(r.People) > MaxPeople {
		issues.Report(path+".people", "has %d entries, at most %d are allowed", len(r.People), MaxPeople)
	}
	if len(r.Hours) > MaxHours {
		issues.Report(path+".hours", "has %d entries, at most %d are allowed", len(r.Hours), MaxHours)
	}
	for i, text := range r.Hours {
		h, err := calendar.ParseQuietHours(text, zone)
		if err != nil {
			report(issues, fmt.Sprintf("%s.hours[%d]", path, i), err)
			continue
		}
		l.Hours = append(l.Hours, h)
	}
	return l
}

func report(issues *problem.Issues, path string, err error) {
	issue := calendar.Issue(path, err)
	issues.Report(issue.Path, "%s", issue.Message)
}
