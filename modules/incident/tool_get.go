package incident

import (
	"context"
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"countersign/internal/note"
	"countersign/internal/text"
	"countersign/tool"
	"countersign/tool/kit"
)

type getInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the incident; ids come from incident_list."`
}

type briefLink struct {
	ID         uuid.UUID       `json:"id"`
	Label      string          `json:"label,omitempty"`
	URL        string          `json:"url"`
	Visibility note.Visibility `json:"visibility"`
}

type getOutput struct {
	Incident    briefIncident `json:"incident"`
	SystemIDs   []uuid.UUID   `json:"systemIds,omitempty" jsonschema:"description=In the order of the names."`
	Description string        `json:"description,omitempty"`
	Links       []briefLink   `json:"links,omitempty"`
	Updates     []briefUpdate `json:"updates" jsonschema:"description=The last ones first; a long one is shortened."`
	MoreUpdates bool          `json:"moreUpdates,omitempty" jsonschema:"description=There are older updates."`
}

// Tainted implements tool.Tainted.
func (o getOutput) Tainted() bool { return o.Incident.Tainted() }

// Origin implements tool.Originated.
func (getOutput) Origin() string { return importOrigin }

// Limits of what a model gets of an incident.
const (
	shownUpdates = 10
	shownMessage = 600
)

func getTool() tool.Tool {
	d := kit.Define(texts, "incident.get", tool.Read, Read)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in getInput) (getOutput, error) {
		live, err := incidentsAPI.Load(ctx, c, in.ID, "id")
		if err != nil {
			return getOutput{}, err
		}
		updates, more, err := updatesOf(ctx, c, in.ID, shownUpdates)
		i := live.Record
		out := getOutput{
			Incident: brief(i.Listed), SystemIDs: i.systemIDs(), Description: i.Description, MoreUpdates: more,
			Updates: make([]briefUpdate, len(updates)),
		}
		for n, l := range i.Links {
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

// updatesOf reads the last updates of an incident.
func updatesOf(ctx context.Context, c tool.Caller, id uuid.UUID, limit int) (updates []note.Note, more bool, err error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	return kit.Page[note.Note](ctx, c, incidentsAPI.At(id, "updates"), "updates", query)
}
