package automation

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/tool"
	"countersign/tool/kit"
)

type runsInput struct {
	ID     *uuid.UUID `json:"id,omitempty" jsonschema:"description=Only runs of this automation."`
	Status string     `json:"status,omitempty" jsonschema:"enum=queued,enum=pending,enum=running,enum=success,enum=failed,enum=cancelled,enum=skipped"`
	Limit  int        `json:"limit,omitempty" jsonschema:"minimum=1,maximum=50,description=How many to return at most; 20 when left out."`
}

type briefRun struct {
	ID         uuid.UUID  `json:"id"`
	Automation string     `json:"automation"`
	TriggerID  string     `json:"triggerId"`
	Status     string     `json:"status"`
	Reason     string     `json:"reason,omitempty"`
	CreatedAt  time.Time  `json:"createdAt"`
	EndedAt    *time.Time `json:"endedAt,omitempty"`
}

type runsOutput struct {
	Runs []briefRun `json:"runs"`
	More bool       `json:"more,omitempty"`
}

func briefOf(r Run) briefRun {
	return briefRun{r.ID, r.Automation, r.TriggerID, r.Status, r.Reason, r.CreatedAt, r.EndedAt}
}

func runsTool() tool.Tool {
	d := kit.Define(texts, "automation.runs", tool.Read, Read)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in runsInput) (runsOutput, error) {
		query := limited(in.Limit)
		if in.ID != nil {
			query.Set("automationId", in.ID.String())
		}
		if in.Status != "" {
			query.Set("status", in.Status)
		}
		found, more, err := kit.Page[Run](ctx, c, runsPath, "runs", query)
		out := runsOutput{Runs: make([]briefRun, len(found)), More: more}
		for i, one := range found {
			out.Runs[i] = briefOf(one)
		}
		return out, err
	})
}
