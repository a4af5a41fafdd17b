package apptest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"countersign/workflows"
)

// ScheduleState is Temporal's state of the retention schedule.
type ScheduleState struct {
	Exists bool
	Paused bool
}

func (p *Product) schedule(ctx context.Context, c client.Client) client.ScheduleHandle {
	return c.ScheduleClient().GetHandle(ctx, p.site.queue+workflows.RetentionSchedule)
}

// Schedule reads the schedule.
func (p *Product) Schedule(t testing.TB) (state ScheduleState) {
	t.Helper()
	p.temporal(t, func(ctx context.Context, c client.Client) {
		found, err := p.schedule(ctx, c).Describe(ctx)
		if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
			return
		}
		require.NoError(t, err)
		state = ScheduleState{Exists: true, Paused: found.Schedule.State.Paused}
	})
	return state
}

// Sweeps returns the ids of the workflows that the schedule started recently, the oldest first.
func (p *Product) Sweeps(t testing.TB) (ids []string) {
	t.Helper()
	p.temporal(t, func(ctx context.Context, c client.Client) {
		found, err := p.schedule(ctx, c).Describe(ctx)
		require.NoError(t, err)
		for _, action := range found.Info.RecentActions {
			ids = append(ids, action.StartWorkflowResult.WorkflowID)
		}
	})
	return ids
}

// TriggerSchedule runs the sweep now.
func (p *Product) TriggerSchedule(t testing.TB) {
	t.Helper()
	p.temporal(t, func(ctx context.Context, c client.Client) {
		require.NoError(t, p.schedule(ctx, c).Trigger(ctx, client.ScheduleTriggerOptions{}))
	})
}

// DropSchedule deletes the schedule when the test ends: the Temporal server outlives it.
func (p *Product) DropSchedule(t testing.TB) {
	t.Helper()
	t.Cleanup(func() {
		c, err := client.Dial(TemporalOptions(p.site.temporal))
		require.NoError(t, err)
		defer c.Close()
		ctx := context.WithoutCancel(t.Context())
		_ = p.schedule(ctx, c).Delete(ctx)
	})
}

// Exec runs SQL that no API call can express, such as backdating a row.
func (p *Product) Exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := p.DB.Conn(t.Context()).Exec(t.Context(), sql, args...)
	require.NoError(t, err, sql)
}

// Failures returns the chores and activities whose failure was logged.
func (p *Product) Failures(t testing.TB) (lines []string) {
	t.Helper()
	for line := range strings.Lines(p.Log.String()) {
		if strings.Contains(line, "Activity error") || strings.Contains(line, "Chore failed") || strings.Contains(line, `"level":"ERROR"`) {
			lines = append(lines, line)
		}
	}
	return lines
}
