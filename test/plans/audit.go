package plans

import (
	"context"

	"countersign/audit"
	"countersign/audit/auditdb"
)

// Batch sizes of a removal and of a verification; see audit.
const (
	removeBatch = 2000
	verifyBatch = 5000
	linkedBatch = 20_000
)

// begun reads the beginning of the chain.
func begun(ctx context.Context, c connections) (auditdb.BeginRow, error) {
	return auditdb.New(c.conn.Conn).Begin(ctx)
}

// verified are the queries of verifying and archiving the audit log, in batches.
func verified() []query {
	return []query{
		// The link of each is looked up. There is one for each thousand here, and for a hundred thousand in an installation.
		{name: "checkpoints of the audit log that fit no link", most: 1500, own: 4000, run: func(ctx context.Context, c connections) error {
			b, err := begun(ctx, c)
			if err != nil {
				return err
			}
			_, err = auditdb.New(c.conn).FirstStrayCheckpoint(ctx, b.Seq)
			return err
		}},
		{name: "the newest checkpoint of the audit log", most: 20, run: func(ctx context.Context, c connections) error {
			_, err := auditdb.New(c.conn).NewestCheckpoint(ctx)
			return err
		}},
		{name: "when an entry was made that has a place", most: 20, run: func(ctx context.Context, c connections) error {
			b, err := begun(ctx, c)
			if err != nil {
				return err
			}
			_, err = auditdb.New(c.conn).TimeOfPlace(ctx, b.Seq+1)
			return err
		}},
		{name: "five thousand places of the audit log", most: 20_000, run: func(ctx context.Context, c connections) error {
			b, err := begun(ctx, c)
			if err != nil {
				return err
			}
			links, err := auditdb.New(c.conn).LinksAfter(ctx, auditdb.LinksAfterParams{After: b.Seq, MaxRows: verifyBatch})
			if err != nil {
				return err
			}
			_, err = auditdb.New(c.conn).EntriesByID(ctx, entriesOf(links))
			return err
		}},
		{name: "what entries say about people", most: 1000, run: func(ctx context.Context, c connections) error {
			ids, err := changes(ctx, c, 200)
			if err != nil {
				return err
			}
			_, err = auditdb.New(c.conn).PersonalOf(ctx, ids)
			return err
		}},
		{name: "people whose erasure is on record", most: 20, run: func(ctx context.Context, c connections) error {
			_, err := auditdb.New(c.conn).ErasedPeople(ctx)
			return err
		}},
		{name: "the newest call up to a place of the audit log", most: 2500, run: func(ctx context.Context, c connections) error {
			b, err := begun(ctx, c)
			if err != nil {
				return err
			}
			_, err = auditdb.New(c.conn).RecordUpTo(ctx, b.Seq+removeBatch)
			return err
		}},
		{name: "calls that differ from their last entries", most: 2000, run: func(ctx context.Context, c connections) error {
			b, err := begun(ctx, c)
			if err != nil {
				return err
			}
			_, err = auditdb.New(c.conn).FirstDifference(ctx, auditdb.FirstDifferenceParams{After: b.Seq, Last: b.Seq + 1000})
			return err
		}},
		{name: "entries that cannot follow others", most: 1000, run: func(ctx context.Context, c connections) error {
			b, err := begun(ctx, c)
			if err != nil {
				return err
			}
			_, err = auditdb.New(c.conn).FirstImpossible(ctx, auditdb.FirstImpossibleParams{After: b.Seq, Last: b.Seq + 1000})
			return err
		}},
		{name: "which entries and calls there are", most: 50, run: func(ctx context.Context, c connections) error {
			if _, err := auditdb.New(c.conn).EntryRange(ctx); err != nil {
				return err
			}
			_, err := auditdb.New(c.conn).RecordRange(ctx)
			return err
		}},
		{name: "entries that have waited for a place for long", most: 2000, run: func(ctx context.Context, c connections) error {
			b, err := begun(ctx, c)
			if err != nil {
				return err
			}
			_, err = auditdb.New(
				c.conn,
			).FirstUnlinked(
				ctx,
				auditdb.FirstUnlinkedParams{After: b.Seq, Last: b.Seq + linkedBatch, OlderThanSeconds: 60},
			)
			return err
		}},
		{name: "five thousand entries that have stayed", most: 20_000, run: func(ctx context.Context, c connections) error {
			_, err := auditdb.New(c.conn).KeptAfter(ctx, auditdb.KeptAfterParams{After: 100, MaxRows: verifyBatch})
			return err
		}},
		// The rest of an interrupted removal is read to its end, once a day.
		{
			name: "links before the begin of the audit log that should be gone",
			most: 5000,
			own:  25_000,
			run: func(ctx context.Context, c connections) error {
				b, err := begun(ctx, c)
				if err != nil {
					return err
				}
				_, err = auditdb.New(c.conn).FirstStrayLink(ctx, b.Seq)
				return err
			},
		},
		{name: "whether the entry is gone with which the audit log begins", most: 50, run: func(ctx context.Context, c connections) error {
			b, err := begun(ctx, c)
			if err != nil {
				return err
			}
			_, err = auditdb.New(c.conn).EntryLeft(ctx, b.Seq)
			return err
		}},
	}
}

// removed are the queries of one batch of a removal.
func removed() []query {
	// taken is one statement for the next places.
	taken := func(most int64, name string, run func(ctx context.Context, q *auditdb.Queries, b auditdb.BeginRow, ids []int64) error) query {
		return query{name: name, most: most, run: func(ctx context.Context, c connections) error {
			b, err := begun(ctx, c)
			if err != nil {
				return err
			}
			links, err := auditdb.New(c.conn.Conn).LinksAfter(ctx, auditdb.LinksAfterParams{After: b.Seq, MaxRows: removeBatch})
			if err != nil {
				return err
			}
			return run(ctx, auditdb.New(c.conn), b, entriesOf(links))
		}}
	}
	staying := func(ctx context.Context, q *auditdb.Queries, target int64, ids []int64) error {
		_, err := q.StayingEntries(
			ctx,
			auditdb.StayingEntriesParams{Ids: ids, Target: target, Upto: target, Whole: true, Remembered: audit.Restricted()},
		)
		return err
	}
	return []query{
		taken(
			80_000,
			"which calls stay when entries are removed",
			func(ctx context.Context, q *auditdb.Queries, b auditdb.BeginRow, ids []int64) error {
				return staying(ctx, q, b.Seq+removeBatch, ids)
			},
		),
		{name: "which changes stay when entries are removed", most: 30_000, run: func(ctx context.Context, c connections) error {
			ids, err := changes(ctx, c, removeBatch)
			if err != nil {
				return err
			}
			return staying(ctx, auditdb.New(c.conn), ids[len(ids)-1], ids)
		}},
		taken(20_000, "which entries of programs stay", func(ctx context.Context, q *auditdb.Queries, _ auditdb.BeginRow, ids []int64) error {
			_, err := q.EntriesAmong(ctx, ids)
			return err
		}),
		taken(20_000, "what has stayed of calls", func(ctx context.Context, q *auditdb.Queries, _ auditdb.BeginRow, ids []int64) error {
			_, err := q.KeptOfRecords(ctx, auditdb.KeptOfRecordsParams{Records: ids, After: 0})
			return err
		}),
		taken(
			20_000,
			"entries that are removed with what they say about people",
			func(ctx context.Context, q *auditdb.Queries, _ auditdb.BeginRow, ids []int64) error {
				if _, err := q.RemovePersonal(ctx, ids); err != nil {
					return err
				}
				_, err := q.RemoveEntries(ctx, ids)
				return err
			},
		),
		{name: "calls that are removed with their entries", most: 40_000, run: callsRemoved},
		taken(10_000, "links that are removed", func(ctx context.Context, q *auditdb.Queries, b auditdb.BeginRow, _ []int64) error {
			return q.RemoveLinks(ctx, auditdb.RemoveLinksParams{From: b.Seq, To: b.Seq + removeBatch})
		}),
		{name: "what has stayed and is removed", most: 10_000, run: keptRemoved},
	}
}

// callsRemoved removes calls without entries. Triggers delete their dependent rows, which no plan shows.
func callsRemoved(ctx context.Context, c connections) error {
	b, err := begun(ctx, c)
	if err != nil {
		return err
	}
	// Those with a proposal stay.
	var ids []int64
	for id := b.Seq + 1; id <= b.Seq+removeBatch; id++ {
		if id%10 != 1 {
			ids = append(ids, id)
		}
	}
	if _, err := auditdb.New(c.conn.Conn).RemoveEntries(ctx, ids); err != nil {
		return err
	}
	return triggering(ctx, c, func() error {
		_, err := auditdb.New(c.conn).RemoveCalls(ctx, ids)
		return err
	})
}

func keptRemoved(ctx context.Context, c connections) error {
	kept, err := auditdb.New(c.conn.Conn).KeptAfter(ctx, auditdb.KeptAfterParams{MaxRows: removeBatch})
	if err != nil {
		return err
	}
	ids := make([]int64, len(kept))
	for i, k := range kept {
		ids[i] = k.EntryID
	}
	if err := auditdb.New(c.conn).Release(ctx, ids); err != nil {
		return err
	}
	return auditdb.New(c.conn).RemoveLinksOf(ctx, auditdb.RemoveLinksOfParams{EntryIds: ids, Before: ids[len(ids)-1]})
}

func entriesOf(links []auditdb.AiAuditLink) []int64 {
	ids := make([]int64, len(links))
	for i, l := range links {
		ids[i] = l.EntryID
	}
	return ids
}

// changes are the newest entries about changes, half of which are about objects with thousands of changes.
func changes(ctx context.Context, c connections, most int) (ids []int64, err error) {
	last, err := auditdb.New(c.conn.Conn).EntryRange(ctx)
	for id := last.Last - int64(most) + 1; id <= last.Last; id++ {
		ids = append(ids, id)
	}
	return ids, err
}
