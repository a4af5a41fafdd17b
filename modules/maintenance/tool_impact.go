package maintenance

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

type impactInput struct {
	ID        *uuid.UUID  `json:"id,omitempty" jsonschema:"description=A maintenance; without it give systems and times."`
	SystemIDs []uuid.UUID `json:"systemIds,omitempty" jsonschema:"maxItems=20,description=The systems that are worked on."`
	StartAt   *time.Time  `json:"startAt,omitempty" jsonschema:"description=With an offset from UTC."`
	EndAt     *time.Time  `json:"endAt,omitempty" jsonschema:"description=With an offset from UTC."`
}

// affected is what a maintenance means for a system. A count is absent where the person may not read it.
type affected struct {
	ID        uuid.UUID       `json:"id"`
	Name      string          `json:"name"`
	Owners    []string        `json:"owners,omitempty" jsonschema:"description=Teams to ask or to tell."`
	Health    string          `json:"health,omitempty"`
	Checks    *int            `json:"checks,omitempty" jsonschema:"description=Health checks that keep running on it."`
	Incidents []affectedEvent `json:"openIncidents,omitempty"`
	Overlaps  []affectedEvent `json:"overlaps,omitempty" jsonschema:"description=Other maintenances at that time."`
}

type affectedEvent struct {
	ID      uuid.UUID  `json:"id"`
	Title   string     `json:"title"`
	StartAt *time.Time `json:"startAt,omitempty"`
	EndAt   *time.Time `json:"endAt,omitempty"`
	// Imported is set for an incident whose title comes from another product.
	Imported bool `json:"imported,omitempty"`
}

type impactOutput struct {
	StartAt   time.Time  `json:"startAt"`
	EndAt     time.Time  `json:"endAt"`
	Systems   []affected `json:"systems"`
	Unread    []string   `json:"unread,omitempty" jsonschema:"description=What the person may not read and is missing here."`
	Truncated bool       `json:"truncated,omitempty" jsonschema:"description=Only the first 20 systems are listed."`
}

// Tainted implements tool.Tainted: titles of imported incidents are from outside.
func (o impactOutput) Tainted() bool {
	return slices.ContainsFunc(o.Systems, func(a affected) bool {
		return slices.ContainsFunc(a.Incidents, func(e affectedEvent) bool { return e.Imported })
	})
}

// Origin implements tool.Originated.
func (impactOutput) Origin() string { return "imported incidents" }

// Bounds of what is read about one impact.
const (
	maxAffected = 20
	maxEvents   = 5
)

func impactTool() tool.Tool {
	d := kit.Define(texts, "maintenance.impact", tool.Read, Read)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in impactInput) (impactOutput, error) {
		out, systems, err := resolveImpact(ctx, c, in)
		if err != nil {
			return out, err
		}
		if out.Truncated = len(systems) > maxAffected; out.Truncated {
			systems = systems[:maxAffected]
		}
		r := impactReader{caller: c, own: in.ID, out: &out, unread: map[string]bool{}}
		for _, id := range systems {
			one, err := r.system(ctx, id)
			if err != nil {
				return out, err
			}
			out.Systems = append(out.Systems, one)
		}
		return out, nil
	})
}

// resolveImpact returns the time and the systems that the impact is about.
func resolveImpact(ctx context.Context, c tool.Caller, in impactInput) (impactOutput, []uuid.UUID, error) {
	out, systems := impactOutput{Systems: []affected{}}, in.SystemIDs
	if in.ID != nil {
		live, err := maintenancesAPI.Load(ctx, c, *in.ID, "id")
		if err != nil {
			return out, nil, err
		}
		out.StartAt, out.EndAt = live.Record.Occurrence.StartAt, live.Record.Occurrence.EndAt
		if len(systems) == 0 {
			systems = live.Record.systemIDs()
		}
	}
	if in.StartAt != nil {
		out.StartAt = *in.StartAt
	}
	if in.EndAt != nil {
		out.EndAt = *in.EndAt
	}
	var v validation
	if len(systems) == 0 {
		v.Report("systemIds", "must name a system, unless id names a maintenance")
	}
	if in.ID == nil && (in.StartAt == nil || in.EndAt == nil) {
		v.Report("startAt", "and endAt must be given, unless id names a maintenance")
	}
	if v.Count() == 0 {
		v.span("startAt", "endAt", out.StartAt, out.EndAt)
	}
	if v.Count() == 0 && out.EndAt.Sub(out.StartAt) > MaxRange {
		v.Report("endAt", "must be within 100 days of the start")
	}
	return out, systems, v.Err()
}

// impactReader reads what a maintenance means for systems, as the caller.
type impactReader struct {
	caller tool.Caller
	own    *uuid.UUID
	out    *impactOutput
	unread map[string]bool
}

// read reads part of the answer; what the caller may not see is left out and named.
func (r *impactReader) read(ctx context.Context, what, path string, query url.Values, into any) error {
	if r.unread[what] {
		return nil
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	_, err := r.caller.Client.Do(ctx, http.MethodGet, path, nil, into)
	if problem.Is(err, problem.Forbidden) || problem.Is(err, problem.NotFound) {
		r.unread[what] = true
		r.out.Unread = append(r.out.Unread, what)
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}

func (r *impactReader) system(ctx context.Context, id uuid.UUID) (affected, error) {
	live, err := systemsAPI.Load(ctx, r.caller, id, "systemIds")
	if err != nil {
		return affected{}, err
	}
	a := affected{ID: id, Name: live.Name}
	for _, o := range live.Record.Owners {
		a.Owners = append(a.Owners, o.TeamName)
	}
	var health struct {
		Status  string           `json:"status"`
		Targets []map[string]any `json:"targets"`
	}
	if err := r.read(ctx, "health of systems", "/api/healthcheck/systems/"+id.String(), nil, &health); err != nil {
		return a, err
	}
	if health.Status != "" {
		a.Health, a.Checks = health.Status, new(len(health.Targets))
	}
	var open struct {
		Incidents []affectedEvent `json:"incidents"`
	}
	few := url.Values{"state": {"open"}, "systemId": {id.String()}, "limit": {fmt.Sprint(maxEvents)}}
	if err := r.read(ctx, "incidents", "/api/incidents", few, &open); err != nil {
		return a, err
	}
	for _, one := range open.Incidents {
		a.Incidents = append(a.Incidents, affectedEvent{ID: one.ID, Title: one.Title, Imported: one.Imported})
	}
	var others Calendar
	span := url.Values{
		"systemId": {id.String()}, "from": {r.out.StartAt.Format(time.RFC3339Nano)}, "to": {r.out.EndAt.Format(time.RFC3339Nano)},
	}
	if err := r.read(ctx, "maintenances", calendarPath, span, &others); err != nil {
		return a, err
	}
	for _, e := range others.Entries {
		if e.Status == Cancelled || r.own != nil && e.MaintenanceID == *r.own || len(a.Overlaps) == maxEvents {
			continue
		}
		a.Overlaps = append(a.Overlaps, affectedEvent{ID: e.MaintenanceID, Title: e.Title, StartAt: &e.StartAt, EndAt: &e.EndAt})
	}
	return a, nil
}
