package maintenance

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
	MaintenanceID uuid.UUID `json:"maintenanceId" jsonschema:"description=The id of the maintenance."`
	LinkID        uuid.UUID `json:"linkId" jsonschema:"description=The id of the link as maintenance_get shows it."`
}

// Targets implements tool.Targeted.
func (in removeLinkInput) Targets() []tool.Target { return about(in.MaintenanceID) }

func removeLinkTool() tool.Tool {
	d := kit.Define(
		texts,
		"maintenance.removeLink",
		tool.Destructive,
		Manage,
	).WithoutCascade().WithInverse(
		kit.Restorer("maintenance.addLink"),
	)
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in removeLinkInput) (kit.Preview[removeLinkInput], error) {
			var none kit.Preview[removeLinkInput]
			live, err := maintenancesAPI.LoadForChange(ctx, c, in.MaintenanceID, "maintenanceId", access.Edit)
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
				Summary: "Remove the link to " + l.URL + " from the maintenance " + live.Name, Payload: in, Diff: diff, Revision: live.Revision,
				Labels: map[string]string{in.MaintenanceID.String(): live.Name},
				Before: addLinkInput{MaintenanceID: in.MaintenanceID, NewLink: former},
			}, err
		},
		func(in removeLinkInput) tool.Request {
			return kit.Delete(maintenancesAPI.At(in.MaintenanceID, "links", in.LinkID.String()))
		},
		kit.Gone)
}
