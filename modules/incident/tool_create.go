package incident

import (
	"context"
	"net/http"
	"strings"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

// Targets implements tool.Targeted: an incident is about its systems.
func (in NewIncident) Targets() []tool.Target { return systemsAPI.Targets(in.SystemIDs, access.View) }

type createOutput struct {
	Incident briefIncident `json:"incident"`
	Created  bool          `json:"created" jsonschema:"description=false: an open incident has the dedupeKey and nothing was made."`
}

// Tainted implements tool.Tainted: a report may find an imported incident.
func (o createOutput) Tainted() bool { return o.Incident.Tainted() }

// Origin implements tool.Originated.
func (createOutput) Origin() string { return importOrigin }

func createTool() tool.Tool {
	d := kit.Define(texts, "incident.create", tool.Mutate, Manage).WithInverse(kit.Remover("incident.delete", "incident"))
	d.Operations.RelatedOperations = []tool.Operation{{Method: http.MethodPost, Path: path + "/import"}}
	// Programs give a key, and the first status and the visibility of the first update are the usual ones.
	d.Schema.HiddenInput = []string{"dedupeKey", "onDuplicate", "status", "visibility"}
	d.Policy.ConditionalCovers = kit.ConditionalCovers(
		kit.When(func(in NewIncident) bool { return in.InitialMessage != "" }, "incident.addUpdate"),
		kit.When(func(in NewIncident) bool { return in.OnDuplicate == OnDuplicateUpdate }, "incident.update"),
	)
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in NewIncident) (kit.Preview[NewIncident], error) {
			var v validation
			in = v.opening(in)
			labels, names, err := systemsAPI.Names(ctx, c, &v.Issues, in.SystemIDs, "systemIds")
			if err != nil {
				return kit.Preview[NewIncident]{}, err
			}
			if err := v.Err(); err != nil {
				return kit.Preview[NewIncident]{}, err
			}
			p := kit.Preview[NewIncident]{
				Summary: "Open the " + string(in.Severity) + " incident " + in.Title + " on " + listed(names), Payload: in, Labels: labels,
				Effects: overrideEffect(in.HealthOverride),
			}
			if in.SuppressNotifications {
				p.Effects = append(p.Effects, "Nobody is notified about it.")
			}
			return p, nil
		},
		func(in NewIncident) tool.Request { return kit.Post(path, in) },
		func(o Opened) createOutput { return createOutput{brief(o.Listed), o.Created} })
}

// listed names a few of a list.
func listed(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and more"
	}
	return strings.Join(names, ", ")
}
