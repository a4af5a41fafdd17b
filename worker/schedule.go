package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"countersign/workflows"
)

// sweepHour is the hour, in UTC, of the daily sweep.
const sweepHour = 3

// scheduleVersion is raised with each change of the schedule below, so that existing schedules are updated.
const scheduleVersion = 1

// ScheduleRetention makes the schedule of the sweep match the setting: active while enabled, paused otherwise. It
// creates no schedule that was never enabled.
func (e *Engine) ScheduleRetention(ctx context.Context, enabled bool, revision int64) error {
	handle := e.client.ScheduleClient().GetHandle(ctx, e.scheduleID())
	note := fmt.Sprintf("Follows the retention setting, revision %d (%d)", revision, scheduleVersion)
	known, err := handle.Describe(ctx)
	_, missing := errors.AsType[*serviceerror.NotFound](err)
	switch {
	case missing && !enabled:
		return nil
	case missing:
		return e.createRetention(ctx, note)
	case err != nil:
		return fmt.Errorf("describe retention schedule: %w", err)
	case known.Schedule.State.Note == note && known.Schedule.State.Paused == !enabled:
		return nil
	}
	return e.updateRetention(ctx, handle, note, enabled)
}

func (e *Engine) createRetention(ctx context.Context, note string) error {
	spec := e.retentionSchedule()
	_, err := e.client.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: e.scheduleID(), Spec: *spec.Spec, Action: spec.Action, Overlap: spec.Policy.Overlap, Note: note,
	})
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("create retention schedule: %w", err)
	}
	return nil
}

func (e *Engine) updateRetention(ctx context.Context, handle client.ScheduleHandle, note string, enabled bool) error {
	err := handle.Update(ctx, client.ScheduleUpdateOptions{DoUpdate: func(client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
		schedule := e.retentionSchedule()
		schedule.State = &client.ScheduleState{Note: note, Paused: !enabled}
		return &client.ScheduleUpdate{Schedule: schedule}, nil
	}})
	if err != nil {
		return fmt.Errorf("update retention schedule: %w", err)
	}
	return nil
}

func (e *Engine) retentionSchedule() *client.Schedule {
	return &client.Schedule{
		Spec: &client.ScheduleSpec{Calendars: []client.ScheduleCalendarSpec{{Hour: []client.ScheduleRange{{Start: sweepHour}}}}},
		Action: action(client.ScheduleWorkflowAction{
			ID: e.prefix() + "retention", TaskQueue: e.queue, StaticSummary: "Deletes conversations whose time is over",
		}, workflows.RetentionWorkflow, workflows.RetentionInput{}),
		Policy: &client.SchedulePolicies{Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP},
	}
}

func (e *Engine) scheduleID() string { return e.prefix() + workflows.RetentionSchedule }

// prefix separates installations that share a namespace, as in the names of their task queues.
func (e *Engine) prefix() string { return strings.TrimSuffix(e.queue, workflows.TurnQueue) }
