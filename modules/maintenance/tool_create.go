package maintenance

import (
	"context"
	"strings"
	"time"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

// Targets implements tool.Targeted: a maintenance is about its systems.
func (in NewMaintenance) Targets() []tool.Target {
	return systemsAPI.Targets(in.SystemIDs, access.View)
}

func createTool() tool.Tool {
	d := kit.Define(texts, "maintenance.create", tool.Mutate, Manage).WithInverse(kit.Remover("maintenance.delete", "maintenance"))
	d.Schema.HiddenInput = []string{"visibility"}
	d.Policy.ConditionalCovers = kit.ConditionalCovers(
		kit.When(func(in NewMaintenance) bool { return in.InitialMessage != "" }, "maintenance.addUpdate"),
	)
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in NewMaintenance) (kit.Preview[NewMaintenance], error) {
			var v validation
			in, p := v.scheduling(in)
			labels, names, err := systemsAPI.Names(ctx, c, &v.Issues, in.SystemIDs, "systemIds")
			if err != nil {
				return kit.Preview[NewMaintenance]{}, err
			}
			// The clock of the database decides when it is applied.
			now := time.Now()
			if v.Count() == 0 {
				v.upcoming(p, p.unfinished(now), now, nil)
			}
			if err := v.Err(); err != nil {
				return kit.Preview[NewMaintenance]{}, err
			}
			preview := kit.Preview[NewMaintenance]{
				Summary: "Schedule the maintenance " + in.Title + " of " + named(names) + " " + when(in.StartAt, in.EndAt, in.Zone),
				Payload: in, Labels: labels, Effects: suppression(in.SuppressNotifications),
			}
			if p.recurrence != nil {
				preview.Effects = append(preview.Effects, "It recurs "+p.words()+".")
			}
			if !in.StartAt.After(now) && p.recurrence == nil {
				preview.Effects = append(preview.Effects, "Its start has passed: it begins at once.")
			}
			return preview, nil
		},
		func(in NewMaintenance) tool.Request { return kit.Post(path, in) },
		newMaintenanceOutput)
}

// named names a few of a list.
func named(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and more"
	}
	return strings.Join(names, ", ")
}
