package incident

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/note"
	"countersign/tool"
	"countersign/tool/kit"
)

type addUpdateInput struct {
	IncidentID uuid.UUID `json:"incidentId" jsonschema:"description=The id of the incident; ids come from incident_list."`
	NewUpdate
}

// Targets implements tool.Targeted.
func (in addUpdateInput) Targets() []tool.Target { return about(in.IncidentID) }

type updateOutput struct {
	Update briefUpdate `json:"update"`
}

func addUpdateTool() tool.Tool {
	d := kit.Define(texts, "incident.addUpdate", tool.Mutate, Manage).
		WithInverse(kit.PartRemover("incident.deleteUpdate", "incidentId", "updateId", "update"))
	d.Operations.RelatedOperations = []tool.Operation{{Method: http.MethodPatch, Path: path + "/{id}/updates/{updateId}"}}
	d.Policy.ConditionalCovers = kit.ConditionalCovers(
		kit.When(func(in addUpdateInput) bool { return in.StatusChange == Resolved }, "incident.resolve"),
	)
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in addUpdateInput) (kit.Preview[addUpdateInput], error) {
			var none kit.Preview[addUpdateInput]
			live, err := incidentsAPI.LoadForChange(ctx, c, in.IncidentID, "incidentId", access.Edit)
			if err != nil {
				return none, err
			}
			var v validation
			in.NewUpdate = v.update(in.NewUpdate)
			if err := v.Err(); err != nil {
				return none, err
			}
			p := kit.Preview[addUpdateInput]{
				Summary: "Write " + article(in.Visibility) + " update of the incident " + live.Name, Payload: in, Revision: live.Revision,
				Labels: map[string]string{in.IncidentID.String(): live.Name},
			}
			after := struct {
				Message string `json:"message"`
				Status  Status `json:"status"`
			}{in.Message, live.Record.Status}
			if in.StatusChange != "" && in.StatusChange != live.Record.Status {
				after.Status = in.StatusChange
				p.Summary += " and set it to " + string(in.StatusChange)
				p.Effects = effectsOfMove(live.Record, in.StatusChange)
			}
			p.Diff, err = kit.Diff(struct {
				Status Status `json:"status"`
			}{live.Record.Status}, after)
			return p, err
		},
		func(in addUpdateInput) tool.Request {
			return kit.Post(incidentsAPI.At(in.IncidentID, "updates"), in.NewUpdate)
		},
		func(n note.Note) updateOutput { return updateOutput{briefNote(n)} })
}

// article is that of an update with a visibility.
func article(v note.Visibility) string {
	switch v {
	case note.Internal:
		return "an internal"
	case note.LoggedIn:
		return "a signed-in-only"
	default:
		return "a public"
	}
}

// effectsOfMove are the effects of another status.
func effectsOfMove(i Incident, to Status) []string {
	switch {
	case to == Resolved:
		return endOfOverride(i)
	case !i.IsOpen():
		return append([]string{"The incident is open again."}, overrideEffect(i.HealthOverride)...)
	}
	return nil
}
