package healthcheck

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

// newCheckInput is the input of a proposal for a new check.
type newCheckInput struct{ NewCheck }

// Targets implements tool.Targeted: a new check is about the system that it is assigned to, if any.
func (in newCheckInput) Targets() []tool.Target {
	if in.AssignToSystemID == nil {
		return nil
	}
	return []tool.Target{systemsAPI.Target(*in.AssignToSystemID, access.Edit)}
}

func (m *Module) proposeTool() tool.Tool {
	d := kit.Define(texts, "healthcheck.propose", tool.Mutate, Manage)
	d.Impact.Inverse = kit.Remover("healthcheck.delete", "check")
	d.Policy.ConditionalCovers = kit.ConditionalCovers(
		kit.When(func(in NewCheck) bool { return in.AssignToSystemID != nil }, "healthcheck.assign"),
	)
	s := m.service
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in newCheckInput) (kit.Preview[newCheckInput], error) {
			var none kit.Preview[newCheckInput]
			v := validation{scripts: s.Scripts}
			in.NewCheck = v.check(ctx, s.Kinds, in.NewCheck)
			if err := checksAPI.CheckNameIsFree(ctx, c, &v.Issues, in.Name, uuid.Nil); err != nil {
				return none, err
			}
			if err := v.err(); err != nil {
				return none, err
			}
			if err := permitSecrets(c.Principal, nil, &in.NewCheck); err != nil {
				return none, err
			}
			if err := validated(ctx, c, in.Definition); err != nil {
				return none, err
			}
			p := kit.Preview[newCheckInput]{
				Summary: "Create the health check " + in.Name + ": " + s.kindName(
					in.StrategyID,
				) + " " + every(
					in.Interval,
				),
				Payload: in,
				Effects: s.inWords(in.Definition),
			}
			if in.AssignToSystemID == nil {
				p.Summary += ", assigned to no system yet"
				return p, nil
			}
			system, err := systemsAPI.LoadForChange(ctx, c, *in.AssignToSystemID, "assignToSystemId", access.Edit)
			if err != nil {
				return none, err
			}
			p.Summary += ", for the system " + system.Name
			p.Labels = map[string]string{system.ID.String(): system.Name}
			return p, nil
		},
		func(in newCheckInput) tool.Request { return kit.Post(checksPath, in.NewCheck) },
		newCheckOutput)
}

// validated validates through the API, which alone knows facts such as existing secrets.
func validated(ctx context.Context, c tool.Caller, d Definition) error {
	if len(d.secrets()) == 0 && len(d.Locations) == 0 {
		return nil
	}
	var verdict Verdict
	if _, err := c.Client.Do(ctx, http.MethodPost, validatePath, d, &verdict); err != nil {
		return err
	}
	if verdict.Valid {
		return nil
	}
	return problem.InvalidInput("The health check is not valid.", verdict.Errors...)
}
