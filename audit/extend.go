package audit

import (
	"context"
	"fmt"
	"time"

	"countersign/audit/auditdb"
	"countersign/internal/store"
)

const (
	// batch bounds what one transaction links.
	batch = 2000
	// sweepBack is how far below the highest linked entry a sweep searches for entries that were committed late.
	sweepBack = 200_000
	// gapBack and gapAge bound how long the extender remembers a gap in the numbers of entries.
	gapBack    = 10_000
	gapAge     = time.Minute
	sweepEvery = 10 * time.Minute
)

// Extender appends new entries to a chain. It remembers where it was, so a process has one; several on one database at the
// same time are safe and waste work.
//
// Numbers of entries are given before their transactions commit, so an entry can turn up below one that is linked
// already. The extender remembers such gaps for a while. Its sweeps find what it has not seen itself: after a start,
// after another process has worked, and now and then.
type Extender struct {
	chain *Chain
	// known reports that high and gaps are current; until then a sweep continues from swept entry to entry.
	known    bool
	sweeping bool
	from     int64
	seq      int64
	high     int64
	gaps     map[int64]time.Time
	swept    time.Time
}

// NewExtender makes the extender of a process.
func (c *Chain) NewExtender() *Extender { return &Extender{chain: c} }

// Extend links new entries and returns their number.
func (x *Extender) Extend(ctx context.Context) (int, error) {
	total := 0
	for {
		n, more, err := x.once(ctx)
		if err != nil {
			x.known, x.sweeping = false, false
			return total, fmt.Errorf("extend audit chain: %w", err)
		}
		total += n
		if !more {
			return total, nil
		}
	}
}

func (x *Extender) once(ctx context.Context) (linked int, more bool, err error) {
	if x.known && time.Since(x.swept) > sweepEvery {
		x.known = false
	}
	if x.known {
		x.forget()
		some, err := auditdb.New(x.chain.db.Conn(ctx)).HasNewEntries(ctx, auditdb.HasNewEntriesParams{High: x.high, Gaps: x.missing()})
		if err != nil || !some {
			return 0, false, err
		}
	}
	// A rollback undoes the rows but not the extender's memory; Extend then resets it.
	err = x.chain.db.InTx(ctx, func(ctx context.Context) error {
		linked, more, err = x.link(ctx, auditdb.New(x.chain.db.Conn(ctx)))
		return err
	})
	return linked, more, err
}

func (x *Extender) link(ctx context.Context, q *auditdb.Queries) (int, bool, error) {
	alone, err := q.TryChainLock(ctx)
	if err != nil || !alone {
		return 0, false, err
	}
	last, err := q.LastLink(ctx)
	if err != nil && !store.NoRows(err) {
		return 0, false, err
	}
	if last.Seq != x.seq {
		x.known, x.sweeping = false, false
	}
	entries, err := x.entries(ctx, q)
	if err != nil {
		return 0, false, err
	}
	if err := x.append(ctx, q, last, entries); err != nil {
		return 0, false, err
	}
	x.seq = last.Seq + int64(len(entries))
	more := len(entries) == batch
	if x.known {
		x.note(entries)
	} else if !more {
		err = x.start(ctx, q)
	}
	return len(entries), more, err
}

func (x *Extender) entries(ctx context.Context, q *auditdb.Queries) ([]auditdb.AiAuditEntry, error) {
	if x.known {
		return q.NewEntries(ctx, auditdb.NewEntriesParams{High: x.high, Gaps: x.missing(), MaxRows: batch})
	}
	if !x.sweeping {
		high, err := q.HighestEntry(ctx)
		if err != nil {
			return nil, err
		}
		x.sweeping, x.from = true, high-sweepBack
	}
	entries, err := q.UnlinkedEntries(ctx, auditdb.UnlinkedEntriesParams{After: x.from, MaxRows: batch})
	if len(entries) > 0 {
		x.from = entries[len(entries)-1].ID
	}
	return entries, err
}

func (x *Extender) append(ctx context.Context, q *auditdb.Queries, last auditdb.AiAuditLink, entries []auditdb.AiAuditEntry) error {
	if len(entries) == 0 {
		return nil
	}
	p := auditdb.InsertLinksParams{KeyID: x.chain.keyID}
	hash := last.Hash
	for i, e := range entries {
		hash = x.chain.next(hash, e)
		p.Seqs, p.EntryIds, p.Hashes = append(p.Seqs, last.Seq+1+int64(i)), append(p.EntryIds, e.ID), append(p.Hashes, hash)
	}
	return q.InsertLinks(ctx, p)
}

// start remembers, after a sweep, which numbers may still be committed.
func (x *Extender) start(ctx context.Context, q *auditdb.Queries) error {
	high, err := q.HighestEntry(ctx)
	if err != nil {
		return err
	}
	numbers, err := q.UnlinkedNumbers(ctx, auditdb.UnlinkedNumbersParams{First: max(1, high-gapBack), Last: high})
	if err != nil {
		return err
	}
	x.known, x.sweeping, x.high, x.swept = true, false, high, time.Now()
	x.gaps = make(map[int64]time.Time, len(numbers))
	for _, n := range numbers {
		x.gaps[n] = x.swept
	}
	return nil
}

// note remembers the gaps between the numbers of the entries.
func (x *Extender) note(entries []auditdb.AiAuditEntry) {
	for _, e := range entries {
		delete(x.gaps, e.ID)
		for n := max(x.high+1, e.ID-gapBack); n < e.ID; n++ {
			x.gaps[n] = time.Now()
		}
		x.high = max(x.high, e.ID)
	}
}

func (x *Extender) forget() {
	for n, since := range x.gaps {
		if time.Since(since) > gapAge {
			delete(x.gaps, n)
		}
	}
}

func (x *Extender) missing() []int64 {
	numbers := make([]int64, 0, len(x.gaps))
	for n := range x.gaps {
		numbers = append(numbers, n)
	}
	return numbers
}
