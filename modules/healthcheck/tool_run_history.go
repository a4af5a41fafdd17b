package healthcheck

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

// mostMessages bounds the runs whose messages are read.
const mostMessages = 5

type runHistoryInput struct {
	TargetID int32  `json:"targetId" jsonschema:"minimum=1,description=The id of a target; from healthcheck_listSystemChecks."`
	Verdict  string `json:"verdict,omitempty" jsonschema:"enum=passed,enum=failed,enum=errored,enum=skipped,description=Only runs that ended like this."`
	Limit    int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=20,description=How many of the newest runs; 10 when left out."`
}

type briefRun struct {
	At      time.Time `json:"at"`
	Verdict string    `json:"verdict"`
	Cause   string    `json:"cause,omitempty"`
	Code    int16     `json:"code,omitempty"`
	TookMS  float64   `json:"tookMs"`
	Message string    `json:"message,omitempty"`
}

type runHistoryOutput struct {
	Runs []briefRun `json:"runs" jsonschema:"description=The newest first."`
	More bool       `json:"more,omitempty" jsonschema:"description=There are older ones: use healthcheck_runStats for figures over a time."`
}

func runHistoryTool() tool.Tool {
	const defaultLimit = 10
	d := kit.Define(texts, "healthcheck.runHistory", tool.Read, StatusRead, DetailsRead)
	d.Result.Untrusted = true
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in runHistoryInput) (runHistoryOutput, error) {
		if in.Limit == 0 {
			in.Limit = defaultLimit
		}
		q := url.Values{"limit": {strconv.Itoa(in.Limit)}}
		if in.Verdict != "" {
			q.Set("verdict", in.Verdict)
		}
		path := fmt.Sprintf("%s/targets/%d/runs", base, in.TargetID)
		runs, more, err := kit.Page[Run](ctx, c, path, "runs", q)
		if problem.Is(err, problem.NotFound) {
			return runHistoryOutput{}, problem.InvalidInput(problem.As(err).Detail, problem.Issue{Path: "targetId", Message: "names no target"})
		}
		if err != nil {
			return runHistoryOutput{}, err
		}
		out := runHistoryOutput{Runs: make([]briefRun, 0, len(runs)), More: more}
		messages := 0
		for _, r := range runs {
			b := briefRun{At: r.At, Verdict: r.Verdict, Code: r.Code, TookMS: r.TookMS}
			if r.Verdict != "passed" {
				b.Cause = r.Cause
				if messages++; messages <= mostMessages {
					var whole WholeRun
					if _, err := c.Client.Get(ctx, fmt.Sprintf("%s/%d", path, r.Slot), &whole); err != nil && !problem.Is(err, problem.NotFound) {
						return out, err
					}
					b.Message = whole.Message
				}
			}
			out.Runs = append(out.Runs, b)
		}
		return out, nil
	})
}
