package audit

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"countersign/audit/auditdb"
	"countersign/internal/store"
)

// releaseKept removes entries that earlier removals had to keep and nothing needs any more, such as the calls of
// proposals that were deleted since. Each batch is one transaction and is
// verified once more.
func (c *Chain) releaseKept(ctx context.Context, r Removal, done *Progress) error {
	after, more := int64(0), true
	for more {
		next := *done
		reached, err := store.InTx(ctx, c.db, func(ctx context.Context) (reached int64, err error) {
			reached, more, err = c.releaseBatch(ctx, after, cmp.Or(r.Batch, removeBatch), &next)
			return reached, err
		})
		if err != nil {
			return fmt.Errorf("remove what audit entries stayed: %w", err)
		}
		if next.Entries > done.Entries && r.Progress != nil {
			r.Progress(next)
		}
		after, *done = reached, next
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// releaseBatch examines the next kept entries after a place, up to size, and removes those that nothing needs any more.
// A call is removed with all its entries, including later kept ones.
func (c *Chain) releaseBatch(ctx context.Context, after int64, size int, done *Progress) (reached int64, more bool, _ error) {
	q := auditdb.New(c.db.Conn(ctx))
	start, err := c.lockBegin(ctx, q)
	if err != nil || start.kept == 0 {
		return after, false, err
	}
	rows, err := q.KeptAfter(ctx, auditdb.KeptAfterParams{After: after, MaxRows: int32(size)})
	if err != nil || len(rows) == 0 {
		return after, false, err
	}
	reached = rows[len(rows)-1].Seq
	erased, err := erasuresOf(ctx, q)
	if err != nil {
		return after, false, err
	}
	entries, err := c.soundKept(ctx, q, rows, erased)
	if err != nil {
		return after, false, err
	}
	// Entries that are not removed yet allow no release, whatever a removal includes.
	stays, err := c.staying(ctx, q, entries, auditdb.StayingEntriesParams{Target: start.Seq, Upto: start.Seq})
	if err != nil {
		return after, false, err
	}
	var goes []auditdb.AiAuditEntry
	var records []int64
	for _, e := range entries {
		if stays[e.ID] {
			continue
		}
		goes = append(goes, e)
		if e.Record != nil {
			records = append(records, *e.Record)
		}
	}
	if len(goes) == 0 {
		return reached, len(rows) == size, nil
	}
	along, err := q.KeptOfRecords(ctx, auditdb.KeptOfRecordsParams{Records: records, After: reached})
	if err != nil {
		return after, false, err
	}
	rest := make([]auditdb.KeptAfterRow, len(along))
	for i, k := range along {
		rest[i] = auditdb.KeptAfterRow(k)
	}
	others, err := c.soundKept(ctx, q, rest, erased)
	if err != nil {
		return after, false, err
	}
	return reached, len(rows) == size, c.release(ctx, q, start, append(goes, others...), done)
}

// soundKept returns the kept entries that verify, in their order.
func (c *Chain) soundKept(
	ctx context.Context,
	q *auditdb.Queries,
	rows []auditdb.KeptAfterRow,
	erased *erasures,
) ([]auditdb.AiAuditEntry, error) {
	found, b, err := c.checkKept(ctx, q, rows, erased)
	if err := sound(b, err); err != nil {
		return nil, err
	}
	entries := make([]auditdb.AiAuditEntry, len(rows))
	for i, k := range rows {
		entries[i] = found[k.EntryID]
	}
	return entries, nil
}

// release removes kept entries.
func (c *Chain) release(ctx context.Context, q *auditdb.Queries, start begin, goes []auditdb.AiAuditEntry, done *Progress) error {
	ids, gone := make([]int64, len(goes)), make(map[int64]bool, len(goes))
	for i, e := range goes {
		ids[i], gone[e.ID] = e.ID, true
	}
	next, err := c.without(ctx, q, start, gone)
	if err != nil {
		return err
	}
	if err := c.recordRelease(ctx, ids); err != nil {
		return err
	}
	if err := q.Release(ctx, ids); err != nil {
		return err
	}
	if err := c.take(ctx, q, goes, nil, done); err != nil {
		return err
	}
	if err := q.RemoveLinksOf(ctx, auditdb.RemoveLinksOfParams{EntryIds: ids, Before: start.Seq}); err != nil {
		return err
	}
	done.Kept = next.kept
	return c.saveBegin(ctx, q, next)
}

// recordRelease logs the removal of kept entries.
func (c *Chain) recordRelease(ctx context.Context, ids []int64) error {
	return c.recordRemoved(
		ctx,
		fmt.Sprintf(
			"Of the entries of the audit log that an earlier removal kept, %d are not needed any more, and are removed",
			len(ids),
		),
		Fields{
			{Name: "entries", To: digits(int64(len(ids)))},
			{Name: "firstEntry", To: digits(slices.Min(ids))},
			{Name: "lastEntry", To: digits(slices.Max(ids))},
		},
	)
}

// without returns the begin of the chain after some kept entries are removed. The hash covers all remaining ones, so it
// is recomputed from places and hashes, which are verified against the seal.
func (c *Chain) without(ctx context.Context, q *auditdb.Queries, start begin, gone map[int64]bool) (begin, error) {
	was, next := begin{}, start
	next.kept, next.keptHash = 0, nil
	for after := int64(0); ; {
		rows, err := q.KeptAfter(ctx, auditdb.KeptAfterParams{After: after, MaxRows: verifyBatch})
		if err != nil {
			return next, err
		}
		for _, k := range rows {
			c.stay(&was, k.Seq, k.Before, k.Hash)
			if !gone[k.EntryID] {
				c.stay(&next, k.Seq, k.Before, k.Hash)
			}
			after = k.Seq
		}
		if len(rows) < verifyBatch {
			break
		}
	}
	if was.kept != start.kept || !bytes.Equal(was.keptHash, start.keptHash) {
		return next, broken(start.others(was.kept))
	}
	return next, nil
}
