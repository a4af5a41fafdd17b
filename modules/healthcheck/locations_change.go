package healthcheck

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/internal/text"
	"countersign/modules/healthcheck/healthcheckdb"
)

// LocationName is the new name of a location.
type LocationName struct {
	Name string `json:"name" minLength:"1" maxLength:"60"`
}

// ByLocation names a location in a path.
type ByLocation struct {
	ID int16 `path:"id" minimum:"0" maximum:"500" doc:"The id of a location, from the list of locations."`
}

// locationChangeRoutes registers what changes locations. Probes add them.
func (m *Module) locationChangeRoutes(api huma.API) {
	const path = locationsPath + "/{id}"
	huma.Register(api, rest.Op("rename-check-location", http.MethodPatch, path, "Rename a location",
		rest.Tool("healthcheck.renameLocation", rest.Mutates), rest.Rules(LocationManage),
		rest.Doc("Checks that name it follow. Its probes go on registering with the name that they know.")),
		func(ctx context.Context, in *struct {
			ByLocation
			Body LocationName
		},
		) (*struct{}, error) {
			return nil, m.service.renameLocation(ctx, in.ID, in.Body.Name)
		})
	huma.Register(api, rest.Op(
		"remove-check-location",
		http.MethodDelete,
		path,
		"Remove a location",
		rest.Tool("healthcheck.removeLocation", rest.Destroys),
		rest.Rules(LocationManage),
		rest.Doc(
			"One without probes from which no check runs. Past runs from it stay visible. A probe that starts with its name makes a new one.",
		),
	),
		func(ctx context.Context, in *ByLocation) (*struct{}, error) {
			return nil, m.service.removeLocation(ctx, in.ID)
		})
}

// changeLocation locks all locations, and changes one other than main in a transaction.
func (s *service) changeLocation(
	ctx context.Context,
	id int16,
	change func(ctx context.Context, row healthcheckdb.LocationByIDRow) error,
) error {
	return s.DB.InTx(ctx, func(ctx context.Context) error {
		q := s.queries(ctx)
		if err := q.LockLocations(ctx); err != nil {
			return fmt.Errorf("lock locations: %w", err)
		}
		row, err := q.LocationByID(ctx, id)
		if store.NoRows(err) {
			return problem.Errorf(problem.NotFound, "There is no location with the id %d. List the locations to see what exists.", id)
		}
		if err != nil {
			return fmt.Errorf("find a location: %w", err)
		}
		if id == 0 {
			return problem.Errorf(problem.Conflict, "The location main is that of the workers: it keeps its name and cannot be removed.")
		}
		return change(ctx, row)
	})
}

// renameLocation gives a location another name. An unchanged name changes nothing.
func (s *service) renameLocation(ctx context.Context, id int16, name string) error {
	var v validation
	v.named("name", name, maxLocationName)
	if strings.Contains(name, "=") {
		v.Report("name", "holds =, by which checks tell labels from names")
	}
	if err := v.Err(); err != nil {
		return err
	}
	return s.changeLocation(ctx, id, func(ctx context.Context, row healthcheckdb.LocationByIDRow) error {
		if row.Name == name {
			return nil
		}
		q := s.queries(ctx)
		key := text.Key(name)
		taken, err := q.LocationNamed(ctx, healthcheckdb.LocationNamedParams{ID: id, NameKey: key})
		if err != nil {
			return fmt.Errorf("look for the name of a location: %w", err)
		}
		if taken {
			return problem.Errorf(problem.Conflict, "Another location has that name, or its probes use it. Choose another one.")
		}
		if err := q.RenameLocation(ctx, healthcheckdb.RenameLocationParams{ID: id, Name: name, NameKey: key}); err != nil {
			return fmt.Errorf("rename a location: %w", err)
		}
		if err := q.RenameInChecks(ctx, healthcheckdb.RenameInChecksParams{Before: row.Name, After: name}); err != nil {
			return fmt.Errorf("rename a location in checks: %w", err)
		}
		var fields audit.Fields
		fields.Compare("name", row.Name, name)
		if err := s.recordLocation(ctx, audit.Changed, id, name, "A location of health checks was renamed", fields); err != nil {
			return err
		}
		// Reasons name locations.
		targets, err := q.TargetsAt(ctx, id)
		if err != nil {
			return fmt.Errorf("list targets of a location: %w", err)
		}
		return s.settleLocated(ctx, targets)
	})
}

// removeLocation removes a location that nothing uses. Past runs from it stay.
func (s *service) removeLocation(ctx context.Context, id int16) error {
	return s.changeLocation(ctx, id, func(ctx context.Context, row healthcheckdb.LocationByIDRow) error {
		switch {
		case row.Alive:
			return problem.Errorf(problem.Conflict, "A probe runs there. Stop the probes of the location first, and remove it a few seconds later.")
		case row.Used:
			return problem.Errorf(problem.Conflict, "Health checks run from it. Choose other locations for them first.")
		}
		q := s.queries(ctx)
		// Checks can still choose it by a label.
		targets, err := q.TargetsAt(ctx, id)
		if err != nil {
			return fmt.Errorf("list targets of a location: %w", err)
		}
		for _, remove := range []func(context.Context, int16) error{
			q.LeaveLocation, q.ForgetStatesAt, q.DropClaimsAt, q.DropProcessesAt, q.RemoveLocation,
		} {
			if err := remove(ctx, id); err != nil {
				return fmt.Errorf("remove a location: %w", err)
			}
		}
		if err := s.settleLocated(ctx, targets); err != nil {
			return err
		}
		return s.recordLocation(ctx, audit.Deleted, id, row.Name, "A location of health checks was removed", audit.Fields{})
	})
}

// settleLocated settles targets whose locations have changed.
func (s *service) settleLocated(ctx context.Context, targets []int32) error {
	now, err := s.queries(ctx).NowMS(ctx)
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	return store.Wrap("settle located targets", s.Settler.SettleLocated(ctx, targets, now))
}

// FollowLabels plans the checks that name labels which probes have come with or left. One that cannot be planned keeps no other from
// it, and is tried again with the next call.
func (s *service) FollowLabels(ctx context.Context) error {
	var failed error
	after := uuid.Nil
	for ctx.Err() == nil {
		ids, err := s.queries(ctx).ChecksToFollow(ctx, after)
		if err != nil {
			return errors.Join(failed, fmt.Errorf("find checks whose labels are elsewhere: %w", err))
		}
		if len(ids) == 0 {
			return failed
		}
		for _, id := range ids {
			if err := s.DB.InTx(ctx, func(ctx context.Context) error { return s.planCheck(ctx, id, false) }); err != nil {
				failed = errors.Join(failed, fmt.Errorf("plan the health check %s: %w", id, err))
			}
		}
		after = ids[len(ids)-1]
	}
	return errors.Join(failed, ctx.Err())
}

// Chores are the periodic jobs.
func (m *Module) Chores() []chore.Chore {
	return []chore.Chore{{Name: "follow labels of locations", Every: 5 * time.Second, Do: m.service.FollowLabels}}
}

func (s *service) recordLocation(ctx context.Context, action audit.Action, id int16, name, summary string, fields audit.Fields) error {
	err := audit.Record(ctx, s.DB, audit.Event{
		Action: action, Object: audit.Ref{Type: locationType, ID: strconv.Itoa(int(id)), Name: name}, Fields: fields, Summary: summary,
	})
	return store.Wrap("record a change of a location", err)
}
