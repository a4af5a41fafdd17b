package healthcheck

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

type runStatsInput struct {
	SystemID *uuid.UUID `json:"systemId,omitempty" jsonschema:"description=All checks of this system together."`
	TargetID int32      `json:"targetId,omitempty" jsonschema:"minimum=1,description=One target instead; from healthcheck_listSystemChecks."`
	Hours    int        `json:"hours,omitempty" jsonschema:"minimum=1,maximum=8760,description=How far back from now; 24 when left out."`
}

type runStatsOutput struct {
	Hours int `json:"hours"`
	Period
}

func runStatsTool() tool.Tool {
	const defaultHours = 24
	d := kit.Define(texts, "healthcheck.runStats", tool.Read, StatusRead)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in runStatsInput) (out runStatsOutput, err error) {
		if (in.SystemID == nil) == (in.TargetID == 0) {
			return out, problem.InvalidInput(
				"Say either which system or which target the figures are about.",
				problem.Issue{Path: "systemId", Message: "give this or targetId"},
			)
		}
		if in.Hours == 0 {
			in.Hours = defaultHours
		}
		path := fmt.Sprintf("%s/targets/%d/period", base, in.TargetID)
		if in.SystemID != nil {
			path = base + "/systems/" + in.SystemID.String() + "/period"
		}
		now := time.Now().UTC().Truncate(time.Second)
		q := url.Values{"from": {now.Add(-time.Duration(in.Hours) * time.Hour).Format(time.RFC3339)}, "to": {now.Format(time.RFC3339)}}
		out.Hours = in.Hours
		_, err = c.Client.Get(ctx, path+"?"+q.Encode(), &out.Period)
		if problem.Is(err, problem.NotFound) {
			return out, problem.InvalidInput(problem.As(err).Detail, problem.Issue{Path: "systemId", Message: problem.As(err).Detail})
		}
		return out, err
	})
}
