package maintenance

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/internal/calendar"
	"countersign/internal/note"
	"countersign/internal/text"
	"countersign/tool"
	"countersign/tool/kit"
)

type getInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the maintenance; ids come from maintenance_list."`
}

type briefLink struct {
	ID         uuid.UUID       `json:"id"`
	Label      string          `json:"label,omitempty"`
	URL        string          `json:"url"`
	Visibility note.Visibility `json:"visibility"`
}

// briefOccurrence is an occurrence for a model.
type briefOccurrence struct {
	At      time.Time `json:"at" jsonschema:"description=Names the occurrence in maintenance_update."`
	StartAt time.Time `json:"startAt"`
	EndAt   time.Time `json:"endAt"`
	Status  Status    `json:"status"`
}

type getOutput struct {
	Maintenance briefMaintenance  `json:"maintenance"`
	SystemIDs   []uuid.UUID       `json:"systemIds,omitempty" jsonschema:"description=In the order of the names."`
	Description string            `json:"description,omitempty"`
	Rule        string            `json:"rule,omitempty" jsonschema:"description=Its recurrence rule of RFC 5545."`
	Upcoming    []briefOccurrence `json:"upcoming,omitempty" jsonschema:"description=The next occurrences of a recurring one."`
	Issue       string            `json:"issue,omitempty" jsonschema:"description=Why its recurrence cannot be read."`
	Links       []briefLink       `json:"links,omitempty"`
	Updates     []briefUpdate     `json:"updates" jsonschema:"description=The last ones first; a long one is shortened."`
	MoreUpdates bool              `json:"moreUpdates,omitempty" jsonschema:"description=There are older updates."`
}

// Limits of what a model gets of a maintenance.
const (
	shownUpdates     = 10
	shownMessage     = 600
	shownOccurrences = 5
)

func getTool() tool.Tool {
	d := kit.Define(texts, "maintenance.get", tool.Read, Read)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in getInput) (getOutput, error) {
		live, err := maintenancesAPI.Load(ctx, c, in.ID, "id")
		if err != nil {
			return getOutput{}, err
		}
		updates, more, err := updatesOf(ctx, c, in.ID, shownUpdates)
		m := live.Record
		out := getOutput{
			Maintenance: brief(m.Listed), SystemIDs: m.systemIDs(), Description: m.Description, Rule: m.Rule, Issue: m.Issue,
			MoreUpdates: more, Updates: make([]briefUpdate, len(updates)),
		}
		zone, zoneErr := calendar.Zone(m.Zone)
		if zoneErr != nil {
			zone = time.UTC
		}
		for n, o := range m.Upcoming {
			if n == shownOccurrences {
				break
			}
			out.Upcoming = append(out.Upcoming, briefOccurrence{o.At.In(zone), o.StartAt.In(zone), o.EndAt.In(zone), o.Status})
		}
		for n, l := range m.Links {
			if n == shownUpdates {
				break
			}
			out.Links = append(out.Links, briefLink{ID: l.ID, Label: l.Label, URL: l.URL, Visibility: l.Visibility})
		}
		for n, u := range updates {
			out.Updates[n] = briefNote(u)
			out.Updates[n].Message = text.Shown(u.Message, shownMessage)
		}
		return out, err
	})
}

// updatesOf reads the last updates of a maintenance.
func updatesOf(ctx context.Context, c tool.Caller, id uuid.UUID, limit int) (updates []note.Note, more bool, err error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	return kit.Page[note.Note](ctx, c, maintenancesAPI.At(id, "updates"), "updates", query)
}
