package healthcheck

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"countersign/audit"
	"countersign/check/history"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
)

// retentionPath is the path of the retention setting.
const retentionPath = base + "/retention"

// Keeper stores the retention setting of check history.
type Keeper interface {
	Setting(ctx context.Context) (history.RetentionSetting, error)
	// HoldSetting locks the setting until the transaction ends.
	HoldSetting(ctx context.Context) (history.RetentionSetting, error)
	// SetRetention reports whether the setting changed.
	SetRetention(ctx context.Context, r history.Retention) (bool, error)
}

// Retention is the number of days for which history is kept.
type Retention struct {
	history.Retention
	rest.Revised
	UpdatedAt time.Time `json:"updatedAt"`
}

func retentionOf(set history.RetentionSetting, err error) (Retention, error) {
	return Retention{set.Retention, rest.Revised{Revision: set.Revision}, set.UpdatedAt}, err
}

func (m *Module) retentionRoutes(api huma.API) {
	s := m.service
	huma.Register(
		api,
		rest.Op(
			"get-check-retention",
			http.MethodGet,
			retentionPath,
			"See for how long history of health checks is kept",
			rest.Rules(HistoryManage),
		),
		func(ctx context.Context, _ *struct{}) (*rest.Record[Retention], error) {
			return rest.Show(retentionOf(s.Keeper.Setting(ctx)))
		},
	)
	huma.Register(api, rest.Op("set-check-retention", http.MethodPut, retentionPath, "Choose for how long history of health checks is kept",
		rest.Tool("healthcheck.setRetention", rest.Mutates, rest.ByHand()), rest.Rules(HistoryManage),
		rest.Doc("Older history is deleted permanently within the hour. More days bring nothing back.")),
		func(ctx context.Context, in *struct {
			rest.IfMatch
			Body history.Retention
		},
		) (*rest.Record[Retention], error) {
			return rest.Show(s.SetRetention(ctx, in.Body, in.Revision()))
		})
}

// SetRetention sets the number of days for which history is kept. An unchanged setting keeps its revision.
func (s *service) SetRetention(ctx context.Context, in history.Retention, based *int64) (Retention, error) {
	return store.InTx(ctx, s.DB, func(ctx context.Context) (Retention, error) {
		before, err := s.Keeper.HoldSetting(ctx)
		if err != nil {
			return Retention{}, err
		}
		if err := problem.CheckRevision("retention of health checks", before.Revision, based); err != nil {
			return Retention{}, err
		}
		changed, err := s.Keeper.SetRetention(ctx, in)
		if err != nil || !changed {
			return retentionOf(before, err)
		}
		var fields audit.Fields
		fields.Compare("rawDays", before.RawDays, in.RawDays)
		fields.Compare("hourlyDays", before.HourlyDays, in.HourlyDays)
		fields.Compare("dailyDays", before.DailyDays, in.DailyDays)
		err = audit.Record(ctx, s.DB, audit.Event{
			Action: audit.Changed, Object: audit.Ref{Type: retentionType, ID: "retention"}, Fields: fields,
			Summary: "It was changed for how long history of health checks is kept",
		})
		if err != nil {
			return Retention{}, fmt.Errorf("record a change of retention: %w", err)
		}
		return retentionOf(s.Keeper.Setting(ctx))
	})
}
