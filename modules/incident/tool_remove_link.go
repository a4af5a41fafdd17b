package incident

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/note"
	"countersign/tool"
	"countersign/tool/kit"
)

type removeLinkInput struct {
	IncidentID uuid.UUID `json:"incidentId" jsonschema:"description=The id of the incident."`
	LinkID     uuid.UUID `json:"linkId" jsonschema:"description=The id of the link as incident_get shows it."`
}

// Targets implements tool.Targeted.
func (in removeLinkInput) Targets() []tool.Target { return about(in.IncidentID) }

func removeLinkTool() tool.Tool {
	d := kit.Define(texts, "incident.removeLink", tool.Destructive, Manage).WithoutCascade().WithInverse(kit.Restorer("incident.addLink"))
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in removeLinkInput) (kit.Preview[removeLinkInput], error) {
			var none kit.Preview[removeLinkInput]
			live, err := incidentsAPI.LoadForChange(ctx, c, in.IncidentID, "incidentId", access.Edit)
			if err != nil {
				return none, err
			}
			i := slices.IndexFunc(live.Record.Links, func(l note.Link) bool { return l.ID == in.LinkID })
			if i < 0 {
				return none, noneOf(live.Name, "link", "linkId")
			}
			l := live.Record.Links[i]
			former := note.NewLink{Label: l.Label, URL: l.URL, Visibility: l.Visibility}
			diff, err := kit.Diff(map[string]any{"link": former}, struct{}{})
			return kit.Preview[removeLinkInput]{
				Summary: "Remove the link to " + l.URL + " from the incident " + live.Name, Payload: in, Diff: diff, Revision: live.Revision,
				Labels: map[string]string{in.IncidentID.String(): live.Name},
				Before: addLinkInput{IncidentID: in.IncidentID, NewLink: former},
			}, err
		},
		func(in removeLinkInput) tool.Request {
			return kit.Delete(incidentsAPI.At(in.IncidentID, "links", in.LinkID.String()))
		},
		kit.Gone)
}
