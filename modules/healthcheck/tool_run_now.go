package healthcheck

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type runNowInput struct {
	CheckID uuid.UUID `json:"checkId" jsonschema:"description=The id of the health check."`
	RunNow
}

// Targets implements tool.Targeted.
func (in runNowInput) Targets() []tool.Target {
	return []tool.Target{checksAPI.Target(in.CheckID, access.Edit)}
}

// An immediate run is a write: its result becomes part of the history and can change the status of a system.
func runNowTool() tool.Tool {
	return kit.NewWrite(kit.Define(texts, "healthcheck.runNow", tool.Mutate, Manage).OrGrant(checkKind, access.Edit),
		func(ctx context.Context, c tool.Caller, in runNowInput) (kit.Preview[runNowInput], error) {
			var none kit.Preview[runNowInput]
			var v validation
			check, err := checksAPI.Load(ctx, c, in.CheckID, "checkId")
			if err := v.Absorb(err); err != nil {
				return none, err
			}
			system, err := systemsAPI.Load(ctx, c, in.SystemID, "systemId")
			if err := v.Absorb(err); err != nil {
				return none, err
			}
			if err := v.Err(); err != nil {
				return none, err
			}
			return kit.Preview[runNowInput]{
				Summary: "Run the health check " + check.Name + " at once for the system " + system.Name, Payload: in, Revision: check.Revision,
				Labels: map[string]string{check.ID.String(): check.Name, system.ID.String(): system.Name},
			}, checkKind.Permit(check.Name, check.Record.Access, access.Edit)
		},
		func(in runNowInput) tool.Request { return kit.Post(checksAPI.At(in.CheckID, "run-now"), in.RunNow) },
		func(r Requested) Requested { return r })
}
