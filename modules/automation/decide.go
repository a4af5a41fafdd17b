package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/automation/definition"
	"countersign/automation/expression"
	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/automation/automationdb"
)

// maxDepth bounds chains of runs that trigger each other.
const maxDepth = 8

// firing is a trigger that fires.
type firing struct {
	automation uuid.UUID
	trigger    definition.Trigger
	eventID    *int64
	slot       *time.Time
	contextKey string
	// data is the root trigger of expressions.
	data json.RawMessage
	// cause is that of what the run does, and by that of the event itself.
	cause event.Cause
	by    *event.Cause
	// skip is why nothing can run, known before.
	skip string
	// actor and againOf are set for runs by hand.
	actor, againOf *uuid.UUID
}

// decide says what becomes of a trigger of a locked automation: the status of its run, and why it is skipped.
func (s *service) decide(
	ctx context.Context,
	a automationdb.Automation,
	def *definition.Definition,
	f firing,
) (status, reason string, err error) {
	switch {
	case f.skip != "":
		return runSkipped, f.skip, nil
	case a.Status != Enabled && f.actor == nil:
		return runSkipped, "The automation is disabled.", nil
	}
	if reason, err = s.looping(ctx, a, def, f); err != nil || reason != "" {
		return runSkipped, reason, err
	}
	acts, idle, err := s.acting(ctx, a.RunAs)
	if err != nil || idle != "" {
		return runSkipped, idle, err
	}
	now, err := s.db.Now(ctx)
	if err != nil {
		return "", "", fmt.Errorf("read the clock: %w", err)
	}
	looks := principal.NewContext(ctx, acts)
	scope, err := s.health(looks, def, expression.Scope{Trigger: f.data, Now: now})
	if err != nil {
		return "", "", err
	}
	for n, c := range def.Conditions {
		v, err := s.holds(looks, c, scope)
		switch {
		case err != nil && problem.CodeOf(err) == problem.Internal:
			return "", "", err
		case err != nil:
			return runSkipped, fmt.Sprintf("Condition %d could not be evaluated: %s", n+1, problem.As(err).Detail), nil
		case !v.holds:
			return runSkipped, fmt.Sprintf("Condition %d did not hold. %s", n+1, v.why), nil
		}
	}
	return s.place(ctx, a, def, f)
}

// looping is why a trigger is part of a loop; "" when it is not.
func (s *service) looping(ctx context.Context, a automationdb.Automation, def *definition.Definition, f firing) (string, error) {
	if f.cause.Depth > maxDepth {
		return fmt.Sprintf("Loop: %d events of other runs led to this one, at most %d may.", f.cause.Depth, maxDepth), nil
	}
	if f.by == nil || f.by.Run == "" || def.AllowSelf {
		return "", nil
	}
	id, err := uuid.Parse(f.by.Run)
	if err != nil {
		return "", nil //nolint:nilerr // another workflow acted
	}
	before, err := s.queries(ctx).Run(ctx, id)
	if store.NoRows(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read run %s: %w", id, err)
	}
	if before.AutomationID == a.ID {
		return "Loop: its own run " + id.String() + " did this, and allowSelf is not set.", nil
	}
	return "", nil
}

// place applies the mode of the automation.
func (s *service) place(
	ctx context.Context,
	a automationdb.Automation,
	def *definition.Definition,
	f firing,
) (status, reason string, err error) {
	q := s.queries(ctx)
	open, err := q.OpenRuns(ctx, automationdb.OpenRunsParams{
		AutomationID: a.ID, Whole: def.ConcurrencyScope != definition.PerContext, ContextKey: f.contextKey,
	})
	if err != nil {
		return "", "", fmt.Errorf("read open runs of automation %s: %w", a.ID, err)
	}
	if len(open) == 0 {
		return runPending, "", nil
	}
	switch def.Mode {
	case definition.Parallel, definition.Queued:
		if len(open) >= def.MaxRuns {
			return runSkipped, fmt.Sprintf("%d runs are open, which is the maximum of its mode.", len(open)), nil
		}
		if def.Mode == definition.Queued {
			return runQueued, "", nil
		}
		return runPending, "", nil
	case definition.Restart:
		for _, r := range open {
			if _, err := q.CancelRun(ctx, automationdb.CancelRunParams{ID: r.ID, Reason: "Superseded by a newer trigger."}); err != nil &&
				!store.NoRows(err) {
				return "", "", fmt.Errorf("cancel run %s: %w", r.ID, err)
			}
		}
		return runPending, "", nil
	case definition.Single:
		return runSkipped, "Run " + open[0].ID.String() + " has not ended, and the mode is single.", nil
	default:
		return runSkipped, "This version does not know the mode.", nil
	}
}

// inWindow reports whether a moment lies in times of day.
func inWindow(c definition.TimeCondition, now time.Time) bool {
	zone, err := time.LoadLocation(c.Timezone)
	if err != nil {
		return false
	}
	local := now.In(zone)
	clock, day := local.Format("15:04"), int(local.Weekday())
	inside := (c.After == "" || clock >= c.After) && (c.Before == "" || clock < c.Before)
	if overnight := c.After != "" && c.Before != "" && c.After > c.Before; overnight {
		inside = clock >= c.After || clock < c.Before
		if clock < c.Before {
			// After midnight it is still the window of the day before.
			day = (day + 6) % 7
		}
	}
	return inside && (len(c.Weekday) == 0 || slices.Contains(c.Weekday, day))
}
