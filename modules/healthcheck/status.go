package healthcheck

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/check/health"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/healthcheck/healthcheckdb"
)

// Status is the health of a target or a system.
type Status string

// A target without runs is unknown.
const (
	Unknown   Status = "unknown"
	Healthy   Status = "healthy"
	Degraded  Status = "degraded"
	Unhealthy Status = "unhealthy"
	// PartlyUnknown is for systems alone: what is known of the checks is healthy, and nothing is known of at least one.
	PartlyUnknown Status = "partly-unknown"
)

// statusOf converts a stored status.
func statusOf(stored int16) Status { return Status(health.Status(stored).String()) }

func (c *StatusCounts) add(stored int16, n int) {
	switch statusOf(stored) {
	case Healthy:
		c.Healthy += n
	case Degraded:
		c.Degraded += n
	case Unhealthy:
		c.Unhealthy += n
	default:
		c.Unknown += n
	}
}

// Place is an environment, with its name for readers of environments.
type Place struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name,omitempty"`
}

// TargetStatus is the health of a check of a system in one environment.
type TargetStatus struct {
	ID          int32      `json:"id"`
	CheckID     uuid.UUID  `json:"checkId"`
	CheckName   string     `json:"checkName"`
	Environment *Place     `json:"environment,omitempty" doc:"Absent when it runs without one."`
	Status      Status     `json:"status" enum:"unknown,healthy,degraded,unhealthy"`
	Since       *time.Time `json:"since,omitempty" doc:"When the status changed; absent before the first run."`
	DownSince   *time.Time `json:"downSince,omitempty" doc:"When the outage began that goes on, which is with the first failed run of the streak; absent without one, and when that was more than a day ago."`
	Reason      string     `json:"reason,omitempty" doc:"Why it is not healthy, or how the last runs went that are too few to change it."`
	LastRun     *time.Time `json:"lastRun,omitempty"`
	Interval    int        `json:"intervalSeconds"`
	Paused      bool       `json:"paused" doc:"Whether it does not run; then it counts for nothing."`
	// Locations are empty for a check that runs in the main location alone.
	Locations []LocationStatus `json:"locations,omitempty" doc:"The locations from which it runs; absent for main alone. Runs are found under the ids of locations."`
	Former    []FormerLocation `json:"formerLocations,omitempty" nullable:"false" doc:"Locations from which it no longer runs, the last one first, as long as history is kept. Past runs are found under their ids."`
	// Statistics of the last day, in milliseconds; absent without runs.
	Availability *float64 `json:"availability24h,omitempty" doc:"Which part of the measured time of the last day was no downtime, from 0 to 1."`
	P50          *float64 `json:"p50,omitempty" doc:"Of the milliseconds of the runs of the last day."`
	P95          *float64 `json:"p95,omitempty"`
}

// SystemOverride is why a system is worse than its checks say.
type SystemOverride struct {
	Source string    `json:"source" doc:"What kind of cause it is, such as incident.open"`
	Label  string    `json:"label" doc:"The same for people"`
	Status Status    `json:"status" enum:"degraded,unhealthy"`
	Since  time.Time `json:"since"`
	Reason string    `json:"reason" doc:"A sentence without its full stop"`
}

// PlannedWork is a maintenance that is in progress on a system. It changes no status.
type PlannedWork struct {
	ID                    uuid.UUID `json:"id"`
	Title                 string    `json:"title"`
	Since                 time.Time `json:"since"`
	Until                 time.Time `json:"until" doc:"Its planned end."`
	SuppressNotifications bool      `json:"suppressNotifications" doc:"Whether notifications about the system are suppressed meanwhile."`
}

// Planned finds the maintenances in progress on systems, those that the principal of the context may see.
type Planned interface {
	PlannedWork(ctx context.Context, systems []uuid.UUID) (map[uuid.UUID][]PlannedWork, error)
}

// SystemStatus is the health of a system: that of its worst target, whose check the reader may not see, or of a worse
// override.
type SystemStatus struct {
	SystemID   uuid.UUID        `json:"systemId"`
	SystemName string           `json:"systemName"`
	Status     Status           `json:"status" enum:"unknown,healthy,partly-unknown,degraded,unhealthy" doc:"Partly unknown: what is known of its checks is healthy, and nothing is known of at least one."`
	Since      *time.Time       `json:"since,omitempty"`
	Reason     string           `json:"reason" doc:"Which check makes it so, in one sentence."`
	Why        string           `json:"why" doc:"Why it is as it is and for how long, in one sentence."`
	Targets    []TargetStatus   `json:"targets" nullable:"false" doc:"Those of checks that the reader may see, by name."`
	Overrides  []SystemOverride `json:"overrides,omitempty" doc:"What else makes it degraded or unhealthy, the oldest first: what the reader may see."`
	Planned    []PlannedWork    `json:"maintenances,omitempty" doc:"The maintenances in progress, the last to end first: what the reader may see. They change no status."`
	Held       []HeldCheck      `json:"held,omitempty" doc:"Checks whose assignment to the system awaits a decision, because of secrets: the checks that the reader may see."`
}

// HeldCheck is a check whose assignment needs a decision: see Assignment.Held.
type HeldCheck struct {
	CheckID   uuid.UUID `json:"checkId"`
	CheckName string    `json:"checkName"`
}

// shownReason returns the reason of a status, with results of runs only for readers with details.
func shownReason(reason string, details bool) string {
	if !details {
		reason, _, _ = strings.Cut(reason, ": ")
	}
	return reason
}

// seesDetails reports whether the caller may see results of runs.
func seesDetails(ctx context.Context) bool { return principal.FromContext(ctx).Has(DetailsRead) }

// hiddenReason replaces the reason when the determining check is invisible to the reader.
const hiddenReason = "A check that you may not see makes it so."

// hiddenOverride does so when the determining override is.
const hiddenOverride = "The reason is one that you may not see."

// System returns the health of a system, with statistics of the last day.
func (s *service) System(ctx context.Context, id uuid.UUID) (SystemStatus, error) {
	status, err := s.status(ctx, id)
	if err != nil {
		return status, err
	}
	if status.Held, err = s.pendingAssignments(ctx, id); err != nil {
		return status, err
	}
	if err := s.addPlanned(ctx, &status); err != nil {
		return status, err
	}
	if err := s.addLocations(ctx, status.Targets); err != nil {
		return status, err
	}
	return status, s.addDay(ctx, status.Targets)
}

// addPlanned adds the maintenances in progress, and says so where the status is explained.
func (s *service) addPlanned(ctx context.Context, status *SystemStatus) error {
	if s.Planned == nil {
		return nil
	}
	work, err := s.Planned.PlannedWork(ctx, []uuid.UUID{status.SystemID})
	if err != nil {
		return fmt.Errorf("read planned work: %w", err)
	}
	if status.Planned = work[status.SystemID]; len(status.Planned) > 0 {
		first := status.Planned[0]
		status.Why = strings.TrimSpace(fmt.Sprintf(
			"%s The maintenance %s is in progress until %s.", status.Why, first.Title, first.Until.UTC().Format("2006-01-02 15:04 MST"),
		))
	}
	return nil
}

// pendingAssignments returns the visible checks of a system whose assignment awaits a decision.
func (s *service) pendingAssignments(ctx context.Context, system uuid.UUID) ([]HeldCheck, error) {
	rows, err := s.queries(ctx).HeldOfSystem(ctx, system)
	if err != nil || len(rows) == 0 {
		return nil, store.Wrap("list what is held", err)
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	levels, err := statusKind.Sight(ctx).Levels(ctx, s.DB, ids...)
	if err != nil {
		return nil, err
	}
	var seen []HeldCheck
	for _, row := range rows {
		if levels[row.ID] != access.None {
			seen = append(seen, HeldCheck{CheckID: row.ID, CheckName: row.Name})
		}
	}
	return seen, nil
}

// status returns the health of a system.
func (s *service) status(ctx context.Context, id uuid.UUID) (SystemStatus, error) {
	found, err := s.Systems.Lookup(ctx, []uuid.UUID{id})
	if err != nil {
		return SystemStatus{}, fmt.Errorf("look up system: %w", err)
	}
	system, ok := found[id]
	if !ok {
		return SystemStatus{}, problem.Errorf(problem.NotFound, "No system has the id %s. List the systems to see what exists.", id)
	}
	rows, err := s.queries(ctx).TargetsOfSystem(ctx, id)
	if err != nil {
		return SystemStatus{}, fmt.Errorf("list targets: %w", err)
	}
	checks := make([]uuid.UUID, 0, len(rows))
	for _, row := range rows {
		checks = append(checks, row.CheckID)
	}
	levels, err := statusKind.Sight(ctx).Levels(ctx, s.DB, checks...)
	if err != nil {
		return SystemStatus{}, err
	}
	status := SystemStatus{SystemID: id, SystemName: system.Name, Targets: []TargetStatus{}}
	places, details := s.Systems.SeesEnvironments(ctx), seesDetails(ctx)
	var all, seen []health.Target
	for _, row := range rows {
		visible := levels[row.CheckID] != access.None
		row.Reason = shownReason(row.Reason, details)
		if row.Active {
			t := healthTarget(row, places)
			all = append(all, t)
			if visible {
				seen = append(seen, t)
			}
		}
		if visible {
			status.Targets = append(status.Targets, targetStatus(row, places))
		}
	}
	now, err := s.queries(ctx).NowMS(ctx)
	if err != nil {
		return status, fmt.Errorf("read the clock: %w", err)
	}
	states, err := s.queries(ctx).SystemStates(ctx, []uuid.UUID{id})
	if err != nil {
		return status, fmt.Errorf("read the state of a system: %w", err)
	}
	overrides, err := s.overridesOf(ctx, id)
	if err != nil {
		return status, err
	}
	visible := slices.DeleteFunc(slices.Clone(overrides), func(o health.Override) bool { return !s.seesOverride(ctx, o.Source) })
	for _, o := range visible {
		source, _ := s.Sources.Source(o.Source)
		status.Overrides = append(status.Overrides, SystemOverride{
			Source: o.Source, Label: source.Label, Status: Status(o.Status.String()), Since: o.Since, Reason: o.Reason,
		})
	}
	settled := health.Settle(all, overrides)
	// A state that changed after the read of the targets does not apply to them.
	if len(states) == 1 && health.Status(states[0].Status) == settled.Status && settled.Target+settled.Override > -2 {
		status.Since = optional(moment(states[0].SinceMs))
	}
	explained := health.Settle(seen, visible)
	judge(&status, settled, explained, len(seen) == 0 && len(all) > 0 && explained.Override < 0, moment(now))
	return status, nil
}

// overridesOf returns all overrides of a system, the oldest first.
func (s *service) overridesOf(ctx context.Context, system uuid.UUID) ([]health.Override, error) {
	rows, err := s.queries(ctx).OverridesOfSystem(ctx, system)
	if err != nil {
		return nil, fmt.Errorf("read the overrides of a system: %w", err)
	}
	overrides := make([]health.Override, len(rows))
	for i, row := range rows {
		overrides[i] = health.Override{
			System: system, Source: row.Source, Key: row.Key, Status: health.Status(row.Status), Reason: row.Reason,
			Since: moment(row.SinceMs),
		}
	}
	return overrides, nil
}

// seesOverride reports whether the caller may see reasons of overrides from a source.
func (s *service) seesOverride(ctx context.Context, source string) bool {
	declared, ok := s.Sources.Source(source)
	return ok && principal.FromContext(ctx).Has(declared.Rule)
}

// judge sets the status as it is settled, with the reason that the visible causes explain, unless a cause is hidden.
func judge(s *SystemStatus, settled, explained health.Settled, hidden bool, now time.Time) {
	s.Status = Status(settled.Status.String())
	var since time.Time
	if s.Since != nil {
		since = *s.Since
	}
	s.Reason, s.Why = explained.Reason, health.Why(s.SystemName, since, explained, now)
	if hidden || explained.Status != settled.Status {
		s.Reason, s.Why = hiddenReason, fmt.Sprintf("%s is %s. %s", s.SystemName, s.Status, hiddenReason)
		if settled.Override >= 0 {
			s.Reason, s.Why = hiddenOverride, fmt.Sprintf("%s is %s. %s", s.SystemName, s.Status, hiddenOverride)
		}
	}
}

func optional(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func healthTarget(row healthcheckdb.TargetsOfSystemRow, places bool) health.Target {
	t := health.Target{ID: row.ID, Name: row.CheckName, Status: health.Status(row.Status), Since: moment(row.SinceMs), Reason: row.Reason}
	if places {
		t.Environment = row.EnvironmentName
	}
	return t
}

func targetStatus(row healthcheckdb.TargetsOfSystemRow, places bool) TargetStatus {
	t := TargetStatus{
		ID:        row.ID,
		CheckID:   row.CheckID,
		CheckName: row.CheckName,
		Status:    statusOf(row.Status),
		Since:     optional(moment(row.SinceMs)),
		Reason:    row.Reason,
		LastRun:   optional(moment(row.LastSlot)),
		Interval:  int(row.IntervalMs / 1000),
		Paused:    !row.Active,
	}
	if row.EnvironmentID != nil {
		t.Environment = &Place{ID: *row.EnvironmentID}
		if places {
			t.Environment.Name = row.EnvironmentName
		}
	}
	return t
}
