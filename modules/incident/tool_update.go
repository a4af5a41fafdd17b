package incident

import (
	"context"
	"maps"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type updateInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the incident; ids come from incident_list."`
	Change
}

// Targets implements tool.Targeted.
func (in updateInput) Targets() []tool.Target {
	targets := about(in.ID)
	if in.SystemIDs != nil {
		targets = append(targets, systemsAPI.Targets(*in.SystemIDs, access.View)...)
	}
	return targets
}

func updateTool() tool.Tool {
	d := kit.Define(texts, "incident.update", tool.Mutate, Manage).WithInverse(kit.Former("incident.update"))
	d.Schema.HiddenInput = []string{"dedupeKey"}
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in updateInput) (kit.Preview[updateInput], error) {
			var none kit.Preview[updateInput]
			live, err := incidentsAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			if err != nil {
				return none, err
			}
			var v validation
			before := live.Record.fields()
			after := v.fields(in.over(before))
			labels := live.Record.names()
			if in.SystemIDs != nil {
				if len(after.SystemIDs) == 0 && v.Count() == 0 {
					v.Report("systemIds", "must name a system")
				}
				named, _, err := systemsAPI.Names(ctx, c, &v.Issues, after.SystemIDs, "systemIds")
				if err != nil {
					return none, err
				}
				maps.Copy(labels, named)
			}
			if err := v.Err(); err != nil {
				return none, err
			}
			p, err := kit.Update(live, in, before, after)
			if err != nil {
				return none, err
			}
			labels[in.ID.String()] = live.Name
			p.Labels = labels
			if live.Record.IsOpen() && before.HealthOverride != after.HealthOverride {
				if p.Effects = overrideEffect(after.HealthOverride); after.HealthOverride == NoOverride {
					p.Effects = endOfOverride(live.Record)
				}
			}
			return p, nil
		},
		func(in updateInput) tool.Request { return kit.Patch(incidentsAPI.At(in.ID), in.Change) },
		newIncidentOutput)
}
