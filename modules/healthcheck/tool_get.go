package healthcheck

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type getCheckInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the health check."`
}

type wholeCheck struct {
	briefCheck
	Definition Definition   `json:"definition" jsonschema:"description=What it does; in the form in which healthcheck_update takes its parts."`
	Schedule   *Schedule    `json:"schedule,omitempty" jsonschema:"description=When the job of a heartbeat check is due; with a cron schedule."`
	Secrets    []string     `json:"secrets,omitempty"`
	Access     access.Level `json:"access"`
}

type getCheckOutput struct {
	Check wholeCheck `json:"check"`
}

func getCheckTool() tool.Tool {
	d := kit.Define(texts, "healthcheck.get", tool.Read, Read).OrGrant(checkKind, access.View)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in getCheckInput) (getCheckOutput, error) {
		live, err := checksAPI.Load(ctx, c, in.ID, "id")
		if err != nil {
			return getCheckOutput{}, err
		}
		check := live.Record
		return getCheckOutput{
			wholeCheck{
				briefCheck: brief(check), Definition: check.Definition, Schedule: check.Schedule, Secrets: check.Secrets, Access: check.Access,
			},
		}, nil
	})
}
