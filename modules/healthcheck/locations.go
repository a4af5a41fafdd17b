package healthcheck

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/check/engine"
	"countersign/check/health"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/healthcheck/healthcheckdb"
)

// locationsPath is the path of the locations.
const locationsPath = base + "/locations"

// maxLocations is the number of locations of a check, and maxLocationName the length of their names.
const (
	maxLocations    = 20
	maxLocationName = 60
)

// Location is a place from which checks run: that of the workers, and one for each place with processes of the role probe.
type Location struct {
	ID        int16             `json:"id"`
	Name      string            `json:"name" doc:"What checks name it by; main is that of the workers."`
	Labels    map[string]string `json:"labels" doc:"Of its probes."`
	Alive     bool              `json:"alive" doc:"Whether a process runs checks there."`
	LastSeen  *time.Time        `json:"lastSeen,omitempty" doc:"The last moment at which a process there could run checks."`
	Processes int               `json:"processes"`
	Versions  []string          `json:"versions" nullable:"false" doc:"Of its processes."`
	Checks    int               `json:"checks" doc:"How many checks run there, of those that the caller may see."`
}

// LocationStatus is the health of a target from one location.
type LocationStatus struct {
	ID      int32      `json:"id" doc:"Stands for the target in this location: its runs, its chart and its statistics are found by it."`
	Name    string     `json:"name"`
	Status  Status     `json:"status" enum:"unknown,healthy,degraded,unhealthy"`
	Since   *time.Time `json:"since,omitempty"`
	Reason  string     `json:"reason,omitempty" doc:"Why it is not healthy from there."`
	LastRun *time.Time `json:"lastRun,omitempty"`
	P50     *float64   `json:"p50,omitempty" doc:"Of the milliseconds of the runs of the last day."`
	P95     *float64   `json:"p95,omitempty"`
}

// FormerLocation is a location from which a target ran, and no longer runs.
type FormerLocation struct {
	ID      int32     `json:"id" doc:"Stands for the target in this location: its runs, its chart and its statistics are found by it."`
	Name    string    `json:"name"`
	Removed bool      `json:"removed" doc:"Whether the location itself was removed; otherwise the check has chosen others."`
	Until   time.Time `json:"until" doc:"When it ceased to run from there"`
}

// locationRoutes registers the locations.
func (m *Module) locationRoutes(api huma.API) {
	huma.Register(api, rest.Op("list-check-locations", http.MethodGet, locationsPath, "List the locations from which health checks run",
		rest.Rules(StatusRead),
		rest.Doc("Which are alive, with their labels and versions. A location appears when its first probe starts.")),
		func(ctx context.Context, _ *struct{}) (*rest.Body[locationList], error) {
			list, err := m.service.Locations(ctx)
			return rest.With(locationList{list}, err)
		})
	m.locationChangeRoutes(api)
}

type locationList struct {
	Locations []Location `json:"locations" nullable:"false"`
}

// Locations lists the locations, the main one first.
func (s *service) Locations(ctx context.Context) ([]Location, error) {
	sight := statusKind.Sight(ctx)
	rows, err := s.queries(ctx).Locations(ctx, healthcheckdb.LocationsParams{
		ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return nil, fmt.Errorf("list locations: %w", err)
	}
	list := make([]Location, len(rows))
	for i, row := range rows {
		list[i] = Location{
			ID: row.ID, Name: row.Name, Labels: map[string]string{}, Alive: row.Processes > 0, LastSeen: optional(moment(row.SeenMs)),
			Processes: int(row.Processes), Versions: row.Versions, Checks: int(row.Checks),
		}
		if err := json.Unmarshal(row.Labels, &list[i].Labels); err != nil {
			return nil, fmt.Errorf("read the labels of a location: %w", err)
		}
	}
	return list, nil
}

// locations validates the locations of a check as far as they are known without the database.
func (v *validation) locations(d Definition) Definition {
	if len(d.Locations) == 0 {
		d.Locations = nil
		if d.LocationRule != "" {
			v.Report("locationRule", "needs locations: without any the check runs in the location main alone")
		}
		return d
	}
	if len(d.Locations) > maxLocations {
		v.Report("locations", "are %d, at most %d are allowed", len(d.Locations), maxLocations)
	}
	seen := map[string]bool{}
	for i, name := range d.Locations {
		at := "locations[" + strconv.Itoa(i) + "]"
		v.named(at, name, maxLocationName)
		if seen[text.Key(name)] {
			v.Report(at, "is there twice")
		}
		seen[text.Key(name)] = true
	}
	if d.LocationRule == "" {
		d.LocationRule = string(health.MajorityOfLocations)
	}
	if !health.LocationRule(d.LocationRule).Valid() {
		v.Report("locationRule", "must be any, majority or all")
	}
	if d.StrategyID == heartbeatStrategy {
		v.Report("locations", "mean nothing for a heartbeat, which arrives instead of being asked for: leave them out")
	}
	return d
}

// located returns a definition with the stored names of its locations, in their order, and then its labels. The main one alone is no
// choice. A location that has never had a probe and a label of none are issues.
func (s *service) located(ctx context.Context, d Definition) (Definition, error) {
	if len(d.Locations) == 0 {
		return d, nil
	}
	if err := s.queries(ctx).ShareLocations(ctx); err != nil {
		return d, fmt.Errorf("lock names of locations: %w", err)
	}
	known, err := s.queries(ctx).LocationNames(ctx)
	if err != nil {
		return d, fmt.Errorf("list names of locations: %w", err)
	}
	var v validation
	var names, stored, chosen []string
	labels := map[string]bool{}
	for _, row := range known {
		names = append(names, row.Name)
		if slices.ContainsFunc(d.Locations, func(name string) bool { return text.Key(name) == row.NameKey }) {
			stored = append(stored, row.Name)
		}
		var of map[string]string
		if err := json.Unmarshal(row.Labels, &of); err != nil {
			return d, fmt.Errorf("read the labels of a location: %w", err)
		}
		for label, value := range of {
			labels[label+"="+value] = true
		}
	}
	for i, name := range d.Locations {
		switch {
		case slices.ContainsFunc(known, func(row healthcheckdb.LocationNamesRow) bool { return row.NameKey == text.Key(name) }):
		case labels[name]:
			chosen = append(chosen, name)
		case strings.Contains(name, "="):
			v.Report("locations["+strconv.Itoa(i)+"]", "is a label of no location; there are %s", joined(slices.Sorted(maps.Keys(labels))))
		default:
			v.Report("locations["+strconv.Itoa(i)+"]", "names no location; there are %s. A new one appears when a probe starts there",
				joined(names))
		}
	}
	if err := v.Err(); err != nil {
		return d, err
	}
	slices.Sort(chosen)
	stored = append(stored, chosen...)
	d.Locations = stored
	if len(stored) == 1 && stored[0] == engine.MainLocation {
		d.Locations, d.LocationRule = nil, ""
		return d, nil
	}
	old, err := s.queries(ctx).OldWorkers(ctx)
	if err != nil {
		return d, fmt.Errorf("look for processes of the version before: %w", err)
	}
	if old {
		return d, problem.Errorf(
			problem.Conflict,
			"Some processes still run the version before, which knows of no locations. Choose them when all have been replaced.",
		)
	}
	return d, nil
}

// places are the locations from which a definition runs.
func (d Definition) places() []string {
	if len(d.Locations) == 0 {
		return []string{engine.MainLocation}
	}
	return d.Locations
}

// within reports whether a definition runs from no other locations than another one.
func (d Definition) within(other Definition) bool {
	places := other.places()
	return !slices.ContainsFunc(d.places(), func(name string) bool {
		return !slices.ContainsFunc(places, func(p string) bool { return text.Key(p) == text.Key(name) })
	})
}

func joined(names []string) string { return text.Shown(strings.Join(names, ", "), 500) }

// placed returns a definition with the locations of its row.
func placed(d Definition, locations []string, rule string) Definition {
	if d.Locations = locations; len(locations) > 0 {
		d.LocationRule = rule
	}
	return d
}

// rule is the stored rule of a definition.
func (d Definition) rule() string {
	if d.LocationRule == "" {
		return string(health.MajorityOfLocations)
	}
	return d.LocationRule
}

// ruleWords are the rules in words.
var ruleWords = map[string]string{
	string(health.AnyLocation):         "any of them",
	string(health.MajorityOfLocations): "a majority of them",
	string(health.AllLocations):        "all of them",
}

// locate plans in which locations the targets of systems run, and settles those with locations of their own.
func (p *plan) locate(ctx context.Context, systems []uuid.UUID) error {
	q := p.queries(ctx)
	some, err := q.AnyLocated(ctx, healthcheckdb.AnyLocatedParams{SystemIds: systems, CheckID: p.check})
	if err != nil || !some {
		return store.Wrap("look for located targets", err)
	}
	moved, err := q.LocateTargets(ctx, healthcheckdb.LocateTargetsParams{SystemIds: systems, CheckID: p.check, Shards: int32(p.Shards)})
	if err != nil {
		return fmt.Errorf("locate targets: %w", err)
	}
	if err := q.DropLocations(ctx, healthcheckdb.DropLocationsParams{SystemIds: systems, CheckID: p.check}); err != nil {
		return fmt.Errorf("drop targets of locations: %w", err)
	}
	err = q.PlanLocations(ctx, healthcheckdb.PlanLocationsParams{SystemIds: systems, CheckID: p.check, Shards: int32(p.Shards)})
	if err != nil {
		return fmt.Errorf("plan targets of locations: %w", err)
	}
	// The state of a target that ran somewhere else says nothing about where it runs now.
	if err := q.ForgetStatesOf(ctx, moved); err != nil {
		return fmt.Errorf("forget states of moved targets: %w", err)
	}
	if err := q.ForgetLocationStates(ctx, systems); err != nil {
		return fmt.Errorf("forget states of locations: %w", err)
	}
	for _, id := range systems {
		p.changed[id] = p.changed[id] || len(moved) > 0
	}
	located, err := q.LocatedTargets(ctx, healthcheckdb.LocatedTargetsParams{SystemIds: systems, CheckID: p.check})
	if err != nil || len(located) == 0 {
		return store.Wrap("list located targets", err)
	}
	now, err := q.NowMS(ctx)
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	return store.Wrap("settle located targets", p.Settler.SettleLocated(ctx, located, now))
}

// addLocations adds the health from each location to targets, and the locations from which they no longer run.
func (s *service) addLocations(ctx context.Context, targets []TargetStatus) error {
	ids := make([]int32, len(targets))
	at := make(map[int32]*TargetStatus, len(targets))
	for i := range targets {
		ids[i], at[targets[i].ID] = targets[i].ID, &targets[i]
	}
	rows, err := s.queries(ctx).LocationsOf(ctx, ids)
	if err != nil {
		return fmt.Errorf("list targets of locations: %w", err)
	}
	details := seesDetails(ctx)
	for _, row := range rows {
		t := at[row.Target]
		t.Locations = append(t.Locations, LocationStatus{
			ID: row.ID, Name: row.Name, Status: statusOf(row.Status), Since: optional(moment(row.SinceMs)),
			Reason: shownReason(row.Reason, details), LastRun: optional(moment(row.LastSlot)),
		})
	}
	former, err := s.queries(ctx).FormerLocationsOf(ctx, ids)
	if err != nil {
		return fmt.Errorf("list former locations of targets: %w", err)
	}
	for _, row := range former {
		t := at[row.Target]
		t.Former = append(t.Former, FormerLocation{ID: row.ID, Name: row.Name, Removed: row.Removed, Until: moment(row.LeftMs)})
	}
	return nil
}

// runsHere refuses a located target, whose runs are found under the ids of its locations.
func (s *service) runsHere(ctx context.Context, id int32) error {
	rows, err := s.queries(ctx).LocationsOf(ctx, []int32{id})
	if err != nil || len(rows) == 0 {
		return store.Wrap("list targets of locations", err)
	}
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = fmt.Sprintf("%d for %s", row.ID, row.Name)
	}
	return problem.Errorf(
		problem.Invalid,
		"The check runs from several locations, which have runs of their own. Ask for those of one location: %s.", joined(names),
	)
}
