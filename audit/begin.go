package audit

import (
	"bytes"
	"context"
	"crypto/hmac"
	"fmt"
	"time"

	"countersign/audit/auditdb"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// begin is the place where the chain begins after entries were removed; zero while it begins with its first entry.
type begin struct {
	// Head is the last removed place; of the entries up to it only those that are still needed remain.
	Head
	// target is the checkpoint at which the removal ends. archive is the hash of the file to which a version before wrote
	// the entries first; empty since. The seal covers it.
	target     Head
	checkpoint int64
	archive    []byte
	// kept is the number of entries that remain before the begin, keptHash the hash over them in their order.
	kept     int64
	keptHash []byte
	at       time.Time
}

func (b begin) same(other begin) bool {
	return b.Seq == other.Seq && bytes.Equal(b.Hash, other.Hash) && b.target.Seq == other.target.Seq && b.kept == other.kept &&
		bytes.Equal(b.keptHash, other.keptHash)
}

func beginOf(r auditdb.BeginRow) begin {
	return begin{
		Head: Head{Seq: r.Seq, Hash: r.Hash}, target: Head{Seq: r.TargetSeq, Hash: r.TargetHash}, checkpoint: r.Checkpoint, archive: r.Archive,
		kept: r.Kept, keptHash: r.KeptHash, at: r.At,
	}
}

func (c *Chain) sealOfBegin(b begin) []byte {
	x := &encoder{}
	x.field("countersign audit begin 1")
	x.head(b.Head)
	x.head(b.target)
	x.number(b.checkpoint)
	x.field(string(b.archive))
	x.number(b.kept)
	x.field(string(b.keptHash))
	x.time(b.at)
	return c.sealOf(x)
}

// begins reads and verifies the begin of the chain.
func (c *Chain) begins(ctx context.Context) (begin, *Break, error) {
	q := auditdb.New(c.db.Conn(ctx))
	row, err := q.Begin(ctx)
	if store.NoRows(err) {
		return begin{}, nil, nil
	}
	if err != nil {
		return begin{}, nil, err
	}
	b, broken := c.opened(row)
	if broken != nil || b.Seq == 0 {
		return b, broken, nil
	}
	link, err := q.LinkBySeq(ctx, b.Seq)
	switch {
	case err != nil && !store.NoRows(err):
		return b, nil, err
	//nolint:nilerr // no row is what is found
	case err != nil || !bytes.Equal(link.Hash, b.Hash):
		return b, &Break{
			Seq:  b.Seq,
			What: "the link with which the chain begins, since entries were removed, is missing or another one",
		}, nil
	}
	return b, nil, nil
}

// opened verifies the seal of the removal record.
func (c *Chain) opened(row auditdb.BeginRow) (begin, *Break) {
	b := beginOf(row)
	switch {
	case row.KeyID != c.keyID:
		return b, &Break{Seq: b.Seq, What: "the record of what was removed was sealed with another keyset"}
	case !hmac.Equal(row.Seal, c.sealOfBegin(b)):
		return b, &Break{Seq: b.Seq, What: "the seal does not fit the record of what was removed: it was changed, or forged"}
	}
	return b, nil
}

// steadily verifies from the begin of the chain, and repeats when a removal moved the begin meanwhile: a view of both
// states would look broken.
func (c *Chain) steadily(ctx context.Context, verify func(start begin) (Report, error)) (Report, error) {
	for range 5 {
		start, b, err := c.begins(ctx)
		report := Report{Break: b}
		if err == nil && b == nil {
			report, err = verify(start)
		}
		report.Begin = start.Seq
		if err != nil {
			return report, fmt.Errorf("verify audit chain: %w", err)
		}
		if report.Break == nil {
			return report, nil
		}
		if moved, err := c.moved(ctx, start); err != nil || !moved {
			return report, err
		}
	}
	return Report{}, problem.Errorf(problem.Conflict, "Entries of the audit log are being removed. Verify it again when that has ended.")
}

// inSnapshot runs do on a snapshot of the database, with the begin of the chain in it, so that a concurrent removal
// does not look like a break. A defect of the begin is returned instead. It is read-only, and in a transaction of the
// caller it uses that transaction's snapshot.
func (c *Chain) inSnapshot(ctx context.Context, do func(ctx context.Context, start begin) (*Break, error)) (*Break, error) {
	joined := c.db.InTransaction(ctx)
	return store.InTx(ctx, c.db, func(ctx context.Context) (*Break, error) {
		if !joined {
			if err := auditdb.New(c.db.Conn(ctx)).OneSnapshot(ctx); err != nil {
				return nil, err
			}
		}
		start, b, err := c.begins(ctx)
		if err != nil || b != nil {
			return b, err
		}
		return do(ctx, start)
	})
}

// moved reports whether a removal has moved the begin of the chain.
func (c *Chain) moved(ctx context.Context, start begin) (bool, error) {
	now, _, err := c.begins(ctx)
	if err != nil {
		return false, fmt.Errorf("look where the audit chain begins: %w", err)
	}
	return !now.same(start), nil
}

// stay counts a kept entry and adds it to the hash over all of them.
func (c *Chain) stay(b *begin, seq int64, previous, hash []byte) {
	x := &encoder{}
	x.field("countersign audit kept 1")
	x.field(string(b.keptHash))
	x.number(seq)
	x.field(string(previous))
	x.field(string(hash))
	b.kept, b.keptHash = b.kept+1, c.sealOf(x)
}

// others returns the Break for a number of kept entries that differs from the sealed one.
func (b begin) others(found int64) *Break {
	return &Break{
		Seq:  b.Seq,
		What: fmt.Sprintf("%d entries have stayed where older ones were removed, and those that are there, %d, are not the same", b.kept, found),
	}
}

// verifyKept verifies the entries that remain before the begin: exactly the sealed ones, each against its link and the
// hash before it.
func (c *Chain) verifyKept(ctx context.Context, start begin) (*Break, error) {
	if start.Seq == 0 {
		return nil, nil
	}
	q := auditdb.New(c.db.Conn(ctx))
	erased, err := erasuresOf(ctx, q)
	if err != nil {
		return nil, err
	}
	found := begin{}
	for after, more := int64(0), true; more; {
		rows, err := q.KeptAfter(ctx, auditdb.KeptAfterParams{After: after, MaxRows: verifyBatch})
		if err != nil {
			return nil, err
		}
		if _, b, err := c.checkKept(ctx, q, rows, erased); err != nil || b != nil {
			return b, err
		}
		for _, k := range rows {
			c.stay(&found, k.Seq, k.Before, k.Hash)
			after = k.Seq
		}
		more = len(rows) == verifyBatch
	}
	if found.kept != start.kept || !bytes.Equal(found.keptHash, start.keptHash) {
		return start.others(found.kept), nil
	}
	stray, err := q.FirstStrayLink(ctx, start.Seq)
	if err == nil {
		return &Break{
			Seq:  stray.Seq,
			What: fmt.Sprintf("entry %d has a link before the begin of the chain, though it was removed", stray.EntryID),
		}, nil
	}
	if !store.NoRows(err) {
		return nil, err
	}
	left, err := q.EntryLeft(ctx, start.Seq)
	if err == nil && left {
		return &Break{Seq: start.Seq, What: "the entry is there though it was removed"}, nil
	}
	return nil, err
}

// checkKept verifies some kept entries, each against its link and the hash before it, and returns them by id.
func (c *Chain) checkKept(
	ctx context.Context,
	q *auditdb.Queries,
	rows []auditdb.KeptAfterRow,
	erased *erasures,
) (map[int64]auditdb.AiAuditEntry, *Break, error) {
	links := make([]auditdb.AiAuditLink, len(rows))
	for i, k := range rows {
		links[i] = auditdb.AiAuditLink{Seq: k.Seq, EntryID: k.EntryID, KeyID: k.KeyID, Hash: k.Hash}
	}
	entries, err := entriesOf(ctx, q, links)
	if err != nil {
		return nil, nil, err
	}
	apart, err := personalOf(ctx, q, entries)
	if err != nil {
		return nil, nil, err
	}
	for i, k := range rows {
		what := "the link is missing, though its entry has to stay"
		if k.LinkedID == k.EntryID {
			what = c.check(Head{Seq: k.Seq - 1, Hash: k.Before}, links[i], entries)
		}
		if what == "" {
			if what, err = erased.check(ctx, entries[k.EntryID], apart); err != nil {
				return nil, nil, err
			}
		}
		if what != "" {
			return nil, &Break{Seq: k.Seq, What: what}, nil
		}
	}
	return entries, nil, nil
}
