package streamdb

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// FlushParams is what one flush writes; empty parts are left out.
type FlushParams struct {
	Events AppendEventsParams
	Steps  RecordStepsParams
}

type sender interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Flush writes everything in one round trip, which PostgreSQL runs as one transaction, and returns the steps it recorded.
func Flush(ctx context.Context, db sender, p FlushParams) ([]RecordStepsRow, error) {
	var batch pgx.Batch
	var recorded []RecordStepsRow
	if len(p.Events.TurnIds) > 0 {
		batch.Queue(appendEvents, p.Events.TurnIds, p.Events.Seqs, p.Events.Steps, p.Events.Chunks)
	}
	if len(p.Steps.TurnIds) > 0 {
		s := p.Steps
		batch.Queue(
			recordSteps,
			s.TurnIds,
			s.Claims,
			s.Steps,
			s.Calls,
			s.Results,
			s.EventTurnIds,
			s.EventSeqs,
			s.EventSteps,
			s.EventCalls,
			s.EventChunks,
			s.OutcomeTurnIds,
			s.OutcomeSteps,
			s.OutcomeCalls,
			s.OutcomeIds,
			s.OutcomeStatuses,
			s.OutcomeErrorCodes,
			s.SpendTurnIds,
			s.SpendSteps,
			s.SpendCalls,
			s.SpendIds,
			s.SpendConnectionIds,
			s.SpendPrincipalKinds,
			s.SpendPrincipalIds,
			s.SpendUnattended,
			s.SpendAttempts,
			s.SpendPurposes,
			s.SpendEstimates,
			s.SpendReported,
			s.SpendInputTokens,
			s.SpendOutputTokens,
			s.SpendCachedTokens,
			s.SpendModels,
			s.SpendTookMs,
			s.SpendFirstMs,
			s.SpendFailures,
			s.SpendCostMicros,
		).
			Query(func(rows pgx.Rows) error {
				var err error
				recorded, err = pgx.CollectRows(rows, pgx.RowToStructByPos[RecordStepsRow])
				return err
			})
	}
	if err := db.SendBatch(ctx, &batch).Close(); err != nil {
		return nil, err
	}
	return recorded, nil
}
