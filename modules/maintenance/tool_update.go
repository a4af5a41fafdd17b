package maintenance

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

type updateInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the maintenance; ids come from maintenance_list."`
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
	d := kit.Define(texts, "maintenance.update", tool.Mutate, Manage)
	// An input says nothing of the former end: each new one may end the maintenance.
	d.Policy.ConditionalCovers = kit.ConditionalCovers(kit.When(func(in updateInput) bool {
		o := in.Occurrence
		return in.EndAt != nil || in.Rule != nil || o != nil && (o.EndAt != nil || o.Cancelled != nil && *o.Cancelled)
	}, "maintenance.close"))
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in updateInput) (kit.Preview[updateInput], error) {
			var none kit.Preview[updateInput]
			live, err := maintenancesAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			if err != nil {
				return none, err
			}
			before, m := live.Record.fields(), live.Record
			// The clock of the database decides when it is applied.
			after, _, err := checked(m, in.Change, time.Now())
			if err != nil {
				return none, err
			}
			labels := m.names()
			if in.SystemIDs != nil {
				var v validation
				found, _, err := systemsAPI.Names(ctx, c, &v.Issues, after.SystemIDs, "systemIds")
				if err == nil {
					err = v.Err()
				}
				if err != nil {
					return none, err
				}
				maps.Copy(labels, found)
			}
			if in.Occurrence != nil {
				return previewOccurrence(live, in, before, after, labels)
			}
			p, err := kit.Update(live, in, before, after)
			if err != nil {
				return none, err
			}
			labels[in.ID.String()] = live.Name
			p.Labels, p.Effects = labels, effectsOfChange(m, before, after)
			return p, nil
		},
		func(in updateInput) tool.Request { return kit.Patch(maintenancesAPI.At(in.ID), in.Change) },
		newMaintenanceOutput)
}

// effectsOfChange are the effects of other fields.
func effectsOfChange(m Maintenance, before, after fields) []string {
	var effects []string
	if before.SuppressNotifications != after.SuppressNotifications {
		effects = append(effects, suppression(after.SuppressNotifications)...)
	}
	if !before.replans(after) {
		return effects
	}
	switch {
	case m.Status == InProgress && m.Rule == "" && after.EndAt.After(before.EndAt):
		effects = append(effects, "The maintenance in progress is extended.")
	case m.Status == InProgress && m.Rule != "":
		effects = append(effects, "The occurrence in progress goes on as it is.")
	}
	if m.Rule != "" {
		effects = append(effects, "Moved and cancelled occurrences that the new recurrence does not have are forgotten.")
	}
	return append(effects, "It happens "+when(after.StartAt, after.EndAt, after.Zone)+".")
}

// previewOccurrence shows what becomes of one occurrence.
func previewOccurrence(
	live kit.Live[Maintenance],
	in updateInput,
	before, after fields,
	labels map[string]string,
) (kit.Preview[updateInput], error) {
	var none kit.Preview[updateInput]
	m := live.Record
	i := slices.IndexFunc(m.Upcoming, func(o Occurrence) bool { return o.At.Equal(in.Occurrence.At) })
	if i < 0 {
		return none, problem.InvalidInput(
			"The maintenance "+live.Name+" has no such occurrence among the next ones. Read it with maintenance_get.",
			problem.Issue{Path: "occurrence.at", Message: "names no occurrence to come"},
		)
	}
	type shown struct {
		fields
		StartAt time.Time `json:"occurrence.startAt"`
		EndAt   time.Time `json:"occurrence.endAt"`
		Status  Status    `json:"occurrence.status"`
	}
	o := m.Upcoming[i]
	was := shown{before, o.StartAt.UTC(), o.EndAt.UTC(), o.Status}
	now, summary := was, "Move the occurrence of "
	now.fields = after
	switch c := in.Occurrence; {
	case c.Cancelled != nil && *c.Cancelled:
		now.Status, summary = Cancelled, "Cancel the occurrence of "
	case c.Cancelled != nil:
		now.Status, summary = Scheduled, "Restore the occurrence of "
	default:
		one, err := moved(span{o.At, o.StartAt, o.EndAt}, *c, time.Now())
		if err != nil {
			return none, err
		}
		now.StartAt, now.EndAt = one.start, one.end
		if o.Status == InProgress {
			summary = "Change the end of the occurrence in progress of "
		}
	}
	diff, err := kit.Diff(was, now)
	if err != nil {
		return none, err
	}
	if len(diff) == 0 {
		return none, kit.Unchanged("the occurrence of %s is so already.", live.Name)
	}
	labels[in.ID.String()] = live.Name
	return kit.Preview[updateInput]{
		Summary: summary + live.Name + " " + when(o.StartAt, o.EndAt, m.Zone), Payload: in, Diff: diff, Revision: live.Revision, Labels: labels,
		Effects: []string{"The other occurrences stay as they are."},
	}, nil
}
