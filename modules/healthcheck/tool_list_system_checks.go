package healthcheck

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

type listSystemChecksInput struct {
	SystemID uuid.UUID `json:"systemId" jsonschema:"description=The id of the system."`
}

type listSystemChecksOutput struct{ SystemStatus }

// Tainted implements tool.Tainted: why a check fails quotes what its target answered.
func (o listSystemChecksOutput) Tainted() bool {
	for _, t := range o.Targets {
		if t.Reason != "" {
			return true
		}
	}
	return quotes(o.Status, o.Reason)
}

// Origin implements tool.Originated.
func (o listSystemChecksOutput) Origin() string { return resultsOrigin + " of " + o.SystemName }

func listSystemChecksTool() tool.Tool {
	d := kit.Define(texts, "healthcheck.listSystemChecks", tool.Read, StatusRead)
	d.Result.ImpliedRules = impliedRules[listSystemChecksOutput]
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in listSystemChecksInput) (out listSystemChecksOutput, err error) {
		_, err = c.Client.Get(ctx, base+"/systems/"+in.SystemID.String(), &out.SystemStatus)
		if problem.Is(err, problem.NotFound) {
			return out, problem.InvalidInput(problem.As(err).Detail, problem.Issue{Path: "systemId", Message: "names no system"})
		}
		return out, err
	})
}
