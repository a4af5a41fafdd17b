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
	Hours    int        `json:"hours,omitempty" jsonschema:"minimum=1,maximum=8760,description=How far back; 24 when left out."`
	Until    string     `json:"until,omitempty" jsonschema:"format=date-time,description=When the hours end: RFC 3339 with an offset; now when left out."`
}

type runStatsOutput struct {
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
	Hours int       `json:"hours"`
	Period
}

// Tainted implements tool.Tainted: the reasons of outages quote what targets answered.
func (o runStatsOutput) Tainted() bool { return len(o.Downtime) > 0 }

// Origin implements tool.Originated.
func (o runStatsOutput) Origin() string { return resultsOrigin }

func (o runStatsOutput) details() bool {
	for _, d := range o.Downtime {
		for _, part := range d.Parts {
			if foundSaid(part.Reason) {
				return true
			}
		}
	}
	return false
}

func runStatsTool() tool.Tool {
	const defaultHours = 24
	d := kit.Define(texts, "healthcheck.runStats", tool.Read, StatusRead)
	d.Result.ImpliedRules = impliedRules[runStatsOutput]
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
		out.Hours, out.Until = in.Hours, time.Now().UTC().Truncate(time.Second)
		if in.Until != "" {
			// The schema has checked its form.
			if out.Until, err = time.Parse(time.RFC3339, in.Until); err != nil {
				return out, fmt.Errorf("read until: %w", err)
			}
		}
		out.From = out.Until.Add(-time.Duration(in.Hours) * time.Hour)
		q := url.Values{"from": {out.From.Format(time.RFC3339)}, "to": {out.Until.Format(time.RFC3339)}}
		_, err = c.Client.Get(ctx, path+"?"+q.Encode(), &out.Period)
		if problem.Is(err, problem.NotFound) {
			return out, problem.InvalidInput(problem.As(err).Detail, problem.Issue{Path: "systemId", Message: problem.As(err).Detail})
		}
		return out, err
	})
}
