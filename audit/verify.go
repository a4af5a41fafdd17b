package audit

import (
	"bytes"
	"context"
	"crypto/hmac"
	"fmt"
	"math"
	"slices"
	"time"

	"countersign/audit/auditdb"
	"countersign/internal/problem"
	"countersign/internal/store"
)

const (
	// verifyBatch, recordBatch and linkedBatch are the numbers of links, calls and entry numbers per statement.
	verifyBatch = 5000
	recordBatch = 50_000
	linkedBatch = 20_000
	// linkTimeout bounds how long an entry may wait for its link.
	linkTimeout = time.Minute
)

// Report is the result of a verification.
type Report struct {
	// Head is the end of the chain, or the last sound link when it is broken. Its Seq is the number of entries.
	Head Head
	// Break is nil for a sound chain.
	Break *Break
	// Begin is the place up to which entries were removed, 0 when none were.
	Begin int64
	// Relied is the checkpoint up to which the verification read nothing; nil when it read everything.
	Relied *Checkpoint
}

// Verify verifies the whole chain, except removed entries, and compares the calls with it. The chain must also hold
// expect, a head that was kept elsewhere; zero for none. Memory does not grow with the chain.
func (c *Chain) Verify(ctx context.Context, expect Head) (Report, error) {
	return c.steadily(ctx, func(start begin) (Report, error) { return c.verifyWhole(ctx, start, expect) })
}

// VerifyRecent verifies the chain after the newest checkpoint, and compares the calls in that part. Earlier entries
// were verified by the checkpoint; without one it verifies everything.
func (c *Chain) VerifyRecent(ctx context.Context) (Report, error) {
	return c.steadily(ctx, func(start begin) (Report, error) { return c.verifyRecent(ctx, start) })
}

// VerifySince verifies the chain after a head that was kept elsewhere, and compares the calls in that part. Earlier
// entries were verified when that head was printed.
func (c *Chain) VerifySince(ctx context.Context, since Head) (Report, error) {
	return c.steadily(ctx, func(start begin) (Report, error) {
		if since.Seq < start.Seq {
			return Report{}, removedAlready(since, start)
		}
		return c.verifySince(ctx, since)
	})
}

// removedAlready explains why a head is no longer in the database.
func removedAlready(head Head, start begin) error {
	return problem.Errorf(
		problem.Invalid,
		"The entries up to %d were removed, and the head is that of %d. Give a later one.",
		start.Seq,
		head.Seq,
	)
}

func (c *Chain) verifyWhole(ctx context.Context, start begin, expect Head) (Report, error) {
	seen, err := c.verified(ctx)
	if err != nil {
		return Report{}, err
	}
	if expect.Seq > 0 && expect.Seq < start.Seq {
		if _, err := auditdb.New(c.db.Conn(ctx)).LinkBySeq(ctx, expect.Seq); err != nil {
			if store.NoRows(err) {
				err = removedAlready(expect, start)
			}
			return Report{}, err
		}
	}
	report := Report{Head: start.Head}
	if _, _, report.Break, err = c.checkpoints(ctx); err != nil || report.Break != nil {
		return report, err
	}
	if report.Break, err = c.verifyKept(ctx, start); err != nil || report.Break != nil {
		return report, err
	}
	report, _, err = c.verifyLinks(ctx, start.Head, math.MaxInt)
	if err == nil && report.Break == nil {
		report.Break, err = c.verifyHead(ctx, report.Head, expect)
	}
	if err == nil && report.Break == nil {
		report.Break, err = c.verifyHead(ctx, report.Head, seen)
	}
	if err == nil && report.Break == nil {
		report.Break, err = c.verifyCalls(ctx)
	}
	return report, err
}

func (c *Chain) verifyRecent(ctx context.Context, start begin) (Report, error) {
	_, list, b, err := c.checkpoints(ctx)
	if err != nil || b != nil {
		return Report{Head: start.Head, Break: b}, err
	}
	newest := newestOf(list)
	if newest.Number == 0 {
		return c.verifyWhole(ctx, start, Head{})
	}
	report, err := c.verifySince(ctx, newest.Head)
	report.Relied = &newest
	return report, err
}

func (c *Chain) verifySince(ctx context.Context, since Head) (Report, error) {
	seen, err := c.verified(ctx)
	if err != nil {
		return Report{}, err
	}
	report, err := c.verifyAfter(ctx, since)
	if err != nil || report.Break != nil {
		return report, err
	}
	if report.Break, err = c.verifyHead(ctx, report.Head, seen); err == nil && report.Break == nil {
		var link auditdb.AiAuditLink
		if link, err = auditdb.New(c.db.Conn(ctx)).LinkBySeq(ctx, since.Seq); err == nil {
			report.Break, err = c.verifyLinked(ctx, link.EntryID-sweepBack)
		}
	}
	return report, err
}

// verifyAfter verifies the chain after a kept head and compares the calls with entries there. New calls are compared as
// a range, older ones individually, because a long-waiting call says nothing about those in between; so the cost per
// batch does not depend on the age of the head.
func (c *Chain) verifyAfter(ctx context.Context, since Head) (report Report, _ error) {
	if b, err := c.verifyHead(ctx, Head{Seq: since.Seq}, since); err != nil || b != nil {
		return Report{Break: b}, err
	}
	q := auditdb.New(c.db.Conn(ctx))
	known, err := q.RecordUpTo(ctx, since.Seq)
	if err != nil {
		return Report{Head: since}, err
	}
	report.Head = since
	for more := true; more; {
		var earlier []int64
		report, more, err = c.visitLinks(ctx, report.Head, verifyBatch, func(_ Head, e auditdb.AiAuditEntry) {
			if e.Record != nil && *e.Record <= known {
				earlier = append(earlier, *e.Record)
			}
		})
		if err != nil || report.Break != nil {
			return report, err
		}
		if report.Break, err = verifyThese(ctx, q, earlier); err != nil || report.Break != nil {
			return report, err
		}
	}
	_, report.Break, err = c.verifyRecords(ctx, known, math.MaxInt)
	return report, err
}

// nearRecords is the distance up to which two calls are compared as one range.
const nearRecords = 20

// verifyThese compares some calls with their last entries.
func verifyThese(ctx context.Context, q *auditdb.Queries, records []int64) (*Break, error) {
	slices.Sort(records)
	for i := 0; i < len(records); {
		first, last := records[i], records[i]
		for i < len(records) && records[i]-last <= nearRecords {
			last, i = records[i], i+1
		}
		if b, err := verifyRange(ctx, q, first-1, last); b != nil || err != nil {
			return b, err
		}
	}
	return nil, nil
}

// verifyFrom verifies the chain after a verified head.
func (c *Chain) verifyFrom(ctx context.Context, from Head) (Report, error) {
	if b, err := c.verifyHead(ctx, Head{Seq: from.Seq}, from); err != nil || b != nil {
		return Report{Break: b}, err
	}
	report, _, err := c.verifyLinks(ctx, from, math.MaxInt)
	return report, err
}

// verifyLinks verifies up to most links after a head, each against its entry and the link before it. more reports that
// others may follow.
func (c *Chain) verifyLinks(ctx context.Context, head Head, most int) (_ Report, more bool, _ error) {
	return c.visitLinks(ctx, head, most, func(Head, auditdb.AiAuditEntry) {})
}

// visitLinks is verifyLinks with a callback for each sound entry and the link before it.
func (c *Chain) visitLinks(
	ctx context.Context,
	head Head,
	most int,
	visit func(before Head, e auditdb.AiAuditEntry),
) (_ Report, more bool, _ error) {
	q := auditdb.New(c.db.Conn(ctx))
	erased, err := erasuresOf(ctx, q)
	if err != nil {
		return Report{Head: head}, false, err
	}
	for {
		size := min(verifyBatch, most)
		links, err := q.LinksAfter(ctx, auditdb.LinksAfterParams{After: head.Seq, MaxRows: int32(size)})
		if err != nil {
			return Report{Head: head}, false, err
		}
		// A join would let the planner read the whole table for each batch.
		entries, err := entriesOf(ctx, q, links)
		if err != nil {
			return Report{Head: head}, false, err
		}
		apart, err := personalOf(ctx, q, entries)
		if err != nil {
			return Report{Head: head}, false, err
		}
		for _, link := range links {
			what := c.check(head, link, entries)
			if what == "" {
				if what, err = erased.check(ctx, entries[link.EntryID], apart); err != nil {
					return Report{Head: head}, false, err
				}
			}
			if what != "" {
				return Report{Head: head, Break: &Break{Seq: head.Seq + 1, What: what}}, false, nil
			}
			visit(head, entries[link.EntryID])
			head = Head{Seq: link.Seq, Hash: link.Hash}
		}
		if most -= len(links); len(links) < size || most == 0 {
			return Report{Head: head}, len(links) == size, nil
		}
	}
}

func entriesOf(ctx context.Context, q *auditdb.Queries, links []auditdb.AiAuditLink) (map[int64]auditdb.AiAuditEntry, error) {
	ids := make([]int64, len(links))
	for i, l := range links {
		ids[i] = l.EntryID
	}
	rows, err := q.EntriesByID(ctx, ids)
	entries := make(map[int64]auditdb.AiAuditEntry, len(rows))
	for _, e := range rows {
		entries[e.ID] = e
	}
	return entries, err
}

// check returns the defect of the link that follows a head, "" if none.
func (c *Chain) check(head Head, link auditdb.AiAuditLink, entries map[int64]auditdb.AiAuditEntry) string {
	e, found := entries[link.EntryID]
	switch {
	case link.Seq != head.Seq+1:
		return fmt.Sprintf("the link is missing; the next one is %d", link.Seq)
	case !found:
		return fmt.Sprintf("entry %d is missing", link.EntryID)
	case link.KeyID != c.keyID:
		return fmt.Sprintf("the hash of entry %d was made with another keyset", e.ID)
	case !hmac.Equal(link.Hash, c.next(head.Hash, e)):
		return fmt.Sprintf("the hash does not fit entry %d (%s) and the link before it: one of them was changed, added or moved", e.ID, about(e))
	case misplaced(e):
		return fmt.Sprintf("entry %d (%s) holds what an entry of its form does not have", e.ID, about(e))
	}
	return ""
}

// verifyHead checks that the chain that ends at head holds an earlier head; every chain holds the zero one.
func (c *Chain) verifyHead(ctx context.Context, head, earlier Head) (*Break, error) {
	if earlier.Seq == 0 {
		return nil, nil
	}
	if head.Seq < earlier.Seq {
		return &Break{
			Seq:  head.Seq + 1,
			What: fmt.Sprintf("the chain ends at %d, but it was %d long: its end was cut off", head.Seq, earlier.Seq),
		}, nil
	}
	link, err := auditdb.New(c.db.Conn(ctx)).LinkBySeq(ctx, earlier.Seq)
	switch {
	case store.NoRows(err):
		return &Break{Seq: earlier.Seq, What: "the link is missing, though it was verified before: the end of the chain was cut off"}, nil
	case err != nil:
		return nil, err
	case !bytes.Equal(link.Hash, earlier.Hash):
		return &Break{Seq: earlier.Seq, What: "the hash is not the expected one: the chain was rewritten"}, nil
	}
	return nil, nil
}

// verified returns the head of the last verification in the background. It is read before the links: read after them,
// it could name a later one.
func (c *Chain) verified(ctx context.Context) (Head, error) {
	state, err := auditdb.New(c.db.Conn(ctx)).State(ctx)
	return Head{Seq: state.VerifiedSeq, Hash: state.VerifiedHash}, err
}

// verifyCalls finds defects that a sound chain hides: entries without a link, and calls that differ from their last
// entry.
func (c *Chain) verifyCalls(ctx context.Context) (*Break, error) {
	if b, err := c.verifyLinked(ctx, 0); b != nil || err != nil {
		return b, err
	}
	_, b, err := c.verifyRecords(ctx, 0, math.MaxInt)
	return b, err
}

// verifyLinked finds an entry above a number whose link is missing for too long.
func (c *Chain) verifyLinked(ctx context.Context, after int64) (*Break, error) {
	q := auditdb.New(c.db.Conn(ctx))
	entries, err := q.EntryRange(ctx)
	if err != nil {
		return nil, err
	}
	for after = max(after, entries.First-1); after < entries.Last; after += linkedBatch {
		late, err := q.FirstUnlinked(
			ctx,
			auditdb.FirstUnlinkedParams{After: after, Last: after + linkedBatch, OlderThanSeconds: linkTimeout.Seconds()},
		)
		if err == nil {
			return &Break{What: fmt.Sprintf("entry %d (%s) has no link since %s", late.ID, late.About, late.At.UTC().Format(time.RFC3339))}, nil
		}
		if !store.NoRows(err) {
			return nil, err
		}
	}
	return nil, nil
}

// verifyRecords compares about so many calls after a record with their last entries. The returned record is 0 at the
// end.
func (c *Chain) verifyRecords(ctx context.Context, after int64, most int) (reached int64, _ *Break, _ error) {
	q := auditdb.New(c.db.Conn(ctx))
	records, err := q.RecordRange(ctx)
	if store.NoRows(err) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	for after = max(after, records.First-1); after < records.Last; after += recordBatch {
		if most <= 0 {
			return after, nil, nil
		}
		most -= recordBatch
		if b, err := verifyRange(ctx, q, after, min(after+recordBatch, records.Last)); b != nil || err != nil {
			return 0, b, err
		}
	}
	return 0, nil, nil
}

func verifyRange(ctx context.Context, q *auditdb.Queries, after, last int64) (*Break, error) {
	d, err := q.FirstDifference(ctx, auditdb.FirstDifferenceParams{After: after, Last: last})
	switch {
	case err == nil && !d.HasCall:
		return &Break{What: fmt.Sprintf("call %s is missing; its last entry is %d (%s)", d.CallID, d.EntryID, d.EntryStatus)}, nil
	case err == nil && d.EntryID == 0:
		return &Break{What: fmt.Sprintf("call %s (%s) has no entry", d.CallID, d.CallStatus)}, nil
	case err == nil:
		return &Break{
			What: fmt.Sprintf("call %s (%s) differs from its last entry %d (%s)", d.CallID, d.CallStatus, d.EntryID, d.EntryStatus),
		}, nil
	case !store.NoRows(err):
		return nil, err
	}
	i, err := q.FirstImpossible(ctx, auditdb.FirstImpossibleParams{After: after, Last: last})
	switch {
	case err == nil:
		return &Break{What: fmt.Sprintf("entry %d says %s, which cannot follow %s", i.ID, i.Status, i.Previous)}, nil
	case !store.NoRows(err):
		return nil, err
	}
	return nil, nil
}
