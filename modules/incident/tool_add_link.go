package incident

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/note"
	"countersign/tool"
	"countersign/tool/kit"
)

type addLinkInput struct {
	IncidentID uuid.UUID `json:"incidentId" jsonschema:"description=The id of the incident; ids come from incident_list."`
	note.NewLink
}

// Targets implements tool.Targeted.
func (in addLinkInput) Targets() []tool.Target { return about(in.IncidentID) }

type linkOutput struct {
	Link briefLink `json:"link"`
}

func addLinkTool() tool.Tool {
	d := kit.Define(texts, "incident.addLink", tool.Mutate, Manage).
		WithInverse(kit.PartRemover("incident.removeLink", "incidentId", "linkId", "link"))
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in addLinkInput) (kit.Preview[addLinkInput], error) {
			var none kit.Preview[addLinkInput]
			live, err := incidentsAPI.LoadForChange(ctx, c, in.IncidentID, "incidentId", access.Edit)
			if err != nil {
				return none, err
			}
			var v validation
			in.NewLink = note.Linked(&v.Issues, in.NewLink)
			if err := v.Err(); err != nil {
				return none, err
			}
			for _, other := range live.Record.Links {
				if other.URL == in.URL {
					return none, kit.Unchanged("the incident %s has a link to %s already.", live.Name, in.URL)
				}
			}
			diff, err := kit.Diff(struct{}{}, map[string]any{"link": in.NewLink})
			return kit.Preview[addLinkInput]{
				Summary: "Add a link to " + in.URL + " to the incident " + live.Name, Payload: in, Diff: diff, Revision: live.Revision,
				Labels: map[string]string{in.IncidentID.String(): live.Name},
			}, err
		},
		func(in addLinkInput) tool.Request {
			return kit.Post(incidentsAPI.At(in.IncidentID, "links"), in.NewLink)
		},
		func(l note.Link) linkOutput {
			return linkOutput{briefLink{ID: l.ID, Label: l.Label, URL: l.URL, Visibility: l.Visibility}}
		})
}
