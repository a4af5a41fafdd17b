package healthcheck

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"countersign/check/history"
	"countersign/internal/rest"
)

// ByTarget names a target in a path.
type ByTarget struct {
	Target int32 `path:"id" minimum:"1" doc:"The id of a target, from the checks of a system."`
}

type runsQuery struct {
	ByTarget
	Verdict string `query:"verdict" enum:"passed,failed,errored,skipped"`
	Limit   int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many to list at most."`
	Cursor  string `query:"cursor" maxLength:"1000" doc:"nextCursor of the page before."`
}

type runList struct {
	Runs []Run `json:"runs" nullable:"false"`
	rest.Next
}

// WindowQuery is a time range.
type WindowQuery struct {
	From time.Time `query:"from" doc:"A day before to when absent."`
	To   time.Time `query:"to" doc:"Now when absent."`
	Days int       `query:"days" minimum:"1" maximum:"1000" doc:"The last days (UTC), today included, as boards have them; instead of from and to."`
}

// ChartQuery selects the data of a chart.
type ChartQuery struct {
	WindowQuery
	Points int `query:"points" minimum:"10" maximum:"2000" default:"500" doc:"How many points at most."`
}

type targetsQuery struct {
	Query string `query:"query" maxLength:"200" doc:"An id, or text to look for in the names of systems."`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many to list at most."`
}

// historyRoutes registers the history operations. The details of runs need a rule of their own.
func (m *Module) historyRoutes(api huma.API) {
	s := m.service
	status := rest.Rules(StatusRead)
	const target, system = base + "/targets/{id}", base + "/systems/{id}"
	huma.Register(api, rest.Op(
		"find-check-targets",
		http.MethodGet,
		base+"/targets",
		"Find targets",
		status,
		rest.Doc(
			"The one with the id that is asked for, and those of the first systems whose names hold it, of checks and systems "+
				"that the caller may see.",
		),
	),
		func(ctx context.Context, in *targetsQuery) (*rest.Body[foundTargets], error) {
			return rest.With(s.FindTargets(ctx, in.Query, in.Limit))
		})
	huma.Register(
		api,
		rest.Op("list-check-runs", http.MethodGet, target+"/runs", "List the runs of a target", status, rest.Doc("The newest first.")),
		func(ctx context.Context, in *runsQuery) (*rest.Body[runList], error) {
			runs, next, err := s.Runs(ctx, in.Target, in.Verdict, in.Limit, in.Cursor)
			return rest.With(runList{runs, next}, err)
		},
	)
	huma.Register(
		api,
		rest.Op("get-check-run", http.MethodGet, target+"/runs/{slot}", "See what a run found", rest.Rules(StatusRead, DetailsRead)),
		func(ctx context.Context, in *struct {
			ByTarget
			Slot int64 `path:"slot" minimum:"1"`
		},
		) (*rest.Body[WholeRun], error) {
			return rest.With(s.Run(ctx, in.Target, in.Slot))
		},
	)
	huma.Register(api, rest.Op("get-target-chart", http.MethodGet, target+"/chart", "See what happened to a target over time", status),
		func(ctx context.Context, in *struct {
			ByTarget
			ChartQuery
		},
		) (*rest.Body[history.Chart], error) {
			return rest.With(s.TargetChart(ctx, in.Target, in.WindowQuery, in.Points))
		})
	huma.Register(api, rest.Op("get-target-period", http.MethodGet, target+"/period", "See what the runs of a target amount to", status),
		func(ctx context.Context, in *struct {
			ByTarget
			WindowQuery
		},
		) (*rest.Body[Period], error) {
			return rest.With(s.TargetPeriod(ctx, in.Target, in.WindowQuery))
		})
	huma.Register(api, rest.Op(
		"get-system-chart",
		http.MethodGet,
		system+"/chart",
		"See what happened to a system over time",
		status,
		rest.Doc(
			"The runs are those of checks that the caller may see; availability and outages are those of the system, whose checks all count.",
		),
	),
		func(ctx context.Context, in *struct {
			rest.ByID
			ChartQuery
		},
		) (*rest.Body[history.Chart], error) {
			return rest.With(s.SystemChart(ctx, in.ID, in.WindowQuery, in.Points))
		})
	huma.Register(api, rest.Op(
		"get-system-period",
		http.MethodGet,
		system+"/period",
		"See what the runs of a system amount to",
		status,
		rest.Doc(
			"The runs are those of checks that the caller may see; availability and outages are those of the system, whose checks all count.",
		),
	),
		func(ctx context.Context, in *struct {
			rest.ByID
			WindowQuery
		},
		) (*rest.Body[Period], error) {
			return rest.With(s.SystemPeriod(ctx, in.ID, in.WindowQuery))
		})
}
