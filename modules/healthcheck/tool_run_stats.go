package healthcheck

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
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
	Days     int        `json:"days,omitempty" jsonschema:"minimum=1,maximum=1000,description=The last days (UTC) with today instead of hours; a board shows 90."`
	Until    string     `json:"until,omitempty" jsonschema:"format=date-time,description=When the hours end: RFC 3339 with an offset; now when left out."`
}

type runStatsOutput struct {
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
		if in.Days > 0 && (in.Hours > 0 || in.Until != "") {
			return out, problem.InvalidInput(
				"Say either days or hours.",
				problem.Issue{Path: "days", Message: "does not go with hours or until: leave one of them out"},
			)
		}
		if in.Hours == 0 {
			in.Hours = defaultHours
		}
		path := fmt.Sprintf("%s/targets/%d/period", base, in.TargetID)
		if in.SystemID != nil {
			path = base + "/systems/" + in.SystemID.String() + "/period"
		}
		until := time.Now().UTC().Truncate(time.Second)
		if in.Until != "" {
			// The schema has checked its form.
			if until, err = time.Parse(time.RFC3339, in.Until); err != nil {
				return out, fmt.Errorf("read until: %w", err)
			}
		}
		from := until.Add(-time.Duration(in.Hours) * time.Hour)
		q := url.Values{"from": {from.Format(time.RFC3339)}, "to": {until.Format(time.RFC3339)}}
		if in.Days > 0 {
			q = url.Values{"days": {strconv.Itoa(in.Days)}}
		}
		_, err = c.Client.Get(ctx, path+"?"+q.Encode(), &out.Period)
		if problem.Is(err, problem.NotFound) {
			return out, problem.InvalidInput(problem.As(err).Detail, problem.Issue{Path: "systemId", Message: problem.As(err).Detail})
		}
		return out, err
	})
}
