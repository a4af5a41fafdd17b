package engine

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/check/engine/enginedb"
	"countersign/check/health"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// maxOverridden is the maximum number of systems that one key overrides.
const maxOverridden = 1000

// Override implements health.Overrides.
func (s Systems) Override(ctx context.Context, source string, key uuid.UUID, overrides ...health.Override) (changed bool, err error) {
	if _, ok := s.Sources.Source(source); !ok {
		return false, fmt.Errorf("health source %q is not declared", source)
	}
	if len(overrides) > maxOverridden {
		return false, fmt.Errorf("%d systems are overridden at once instead of %d at most", len(overrides), maxOverridden)
	}
	put := enginedb.PutOverridesParams{Source: source, Key: key, Systems: []uuid.UUID{}}
	seen := map[uuid.UUID]bool{}
	for _, o := range overrides {
		o.Source, o.Key = source, key
		if err := o.Check(); err != nil {
			return false, err
		}
		if seen[o.System] {
			return false, fmt.Errorf("the system %s is overridden twice", o.System)
		}
		seen[o.System] = true
		put.Systems = append(put.Systems, o.System)
		put.Statuses, put.Reasons = append(put.Statuses, int16(o.Status)), append(put.Reasons, o.Reason)
	}
	err = s.DB.InTx(ctx, func(ctx context.Context) error {
		q := enginedb.New(s.DB.Conn(ctx))
		systems, err := q.DropOverrides(ctx, enginedb.DropOverridesParams{Source: source, Key: key, Systems: put.Systems})
		if err != nil {
			return fmt.Errorf("lift overrides: %w", err)
		}
		set, err := q.PutOverrides(ctx, put)
		if store.Violates(err, "check_overrides_system_id_fkey") {
			return problem.Errorf(problem.NotFound, "There is no such system. List the systems to see what exists.")
		}
		if err != nil {
			return fmt.Errorf("write overrides: %w", err)
		}
		systems = append(systems, set...)
		if changed = len(systems) > 0; !changed {
			return nil
		}
		now, err := q.Clock(ctx)
		if err != nil {
			return fmt.Errorf("read the clock: %w", err)
		}
		return s.Recompute(ctx, systems, now.NowMs)
	})
	return changed && err == nil, err
}
