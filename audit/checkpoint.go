package audit

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"strconv"
	"time"

	"countersign/audit/auditdb"
	"countersign/internal/store"
)

// Checkpoint is a verified place of the chain, at which a later verification can begin. Its seal covers it and the seal
// before it, so an attacker with write access to the database can neither make, change nor remove one.
type Checkpoint struct {
	// Number counts checkpoints from 1, without gaps; 0 is no checkpoint.
	Number int64
	Head
	// NewestAt is the time of the newest entry up to the checkpoint, At the time when it was made.
	NewestAt, At time.Time

	seal []byte
}

func (p Checkpoint) String() string {
	return fmt.Sprintf("checkpoint %d at %d of %s", p.Number, p.Seq, p.At.UTC().Format(time.RFC3339))
}

// checkpointEvery bounds how many entries lie between two checkpoints.
const checkpointEvery = 100_000

// sealOf returns an HMAC under the key for seals.
func (c *Chain) sealOf(x *encoder) []byte {
	mac := hmac.New(sha256.New, c.sealKey)
	_, _ = mac.Write(x.b)
	return mac.Sum(nil)
}

func (x *encoder) number(n int64) { x.field(strconv.FormatInt(n, 10)) }

func (x *encoder) time(t time.Time) { x.number(t.UnixMicro()) }

func (x *encoder) head(h Head) {
	x.number(h.Seq)
	x.field(string(h.Hash))
}

// sealOfCheckpoint returns the seal of a checkpoint after the one with the given seal.
func (c *Chain) sealOfCheckpoint(p Checkpoint, before []byte) []byte {
	x := &encoder{}
	x.field("countersign audit checkpoint 1")
	x.number(p.Number)
	x.head(p.Head)
	x.time(p.NewestAt)
	x.time(p.At)
	x.field(string(before))
	return c.sealOf(x)
}

// checkpoints reads and verifies the begin of the chain and all checkpoints, with the links that they stand for; a few
// hundred a year. It reads from one snapshot, because a concurrent removal deletes links of checkpoints.
func (c *Chain) checkpoints(ctx context.Context) (start begin, list []Checkpoint, b *Break, err error) {
	b, err = c.inSnapshot(ctx, func(ctx context.Context, now begin) (b *Break, err error) {
		start = now
		list, b, err = c.checkpointsSince(ctx, now)
		return b, err
	})
	return start, list, b, err
}

func (c *Chain) checkpointsSince(ctx context.Context, start begin) ([]Checkpoint, *Break, error) {
	q := auditdb.New(c.db.Conn(ctx))
	state, err := q.State(ctx)
	if err != nil {
		return nil, nil, err
	}
	rows, err := q.Checkpoints(ctx)
	if err != nil {
		return nil, nil, err
	}
	list := make([]Checkpoint, 0, len(rows))
	var last Checkpoint
	for _, r := range rows {
		p := Checkpoint{Number: r.Number, Head: Head{Seq: r.Seq, Hash: r.Hash}, NewestAt: r.NewestAt, At: r.At, seal: r.Seal}
		switch {
		case p.Number != last.Number+1:
			return nil, &Break{Seq: p.Seq, What: fmt.Sprintf("checkpoint %d is missing; the next one is %d", last.Number+1, p.Number)}, nil
		case r.KeyID != c.keyID:
			return nil, &Break{Seq: p.Seq, What: fmt.Sprintf("checkpoint %d was sealed with another keyset", p.Number)}, nil
		case !hmac.Equal(p.seal, c.sealOfCheckpoint(p, last.seal)):
			return nil, &Break{Seq: p.Seq, What: fmt.Sprintf("the seal does not fit checkpoint %d: it was changed, or forged", p.Number)}, nil
		}
		list, last = append(list, p), p
	}
	if last.Number < state.Checkpoints {
		return nil, &Break{What: fmt.Sprintf("checkpoint %d is missing; there were %d", last.Number+1, state.Checkpoints)}, nil
	}
	stray, err := q.FirstStrayCheckpoint(ctx, start.Seq)
	switch {
	case store.NoRows(err):
		return list, nil, nil
	case err != nil:
		return nil, nil, err
	}
	return nil, &Break{
		Seq:  stray.Seq,
		What: fmt.Sprintf("the link is missing, or not the one that checkpoint %d was made of", stray.Number),
	}, nil
}

// newestOf returns the last checkpoint, zero when there is none.
func newestOf(list []Checkpoint) Checkpoint {
	if len(list) == 0 {
		return Checkpoint{}
	}
	return list[len(list)-1]
}

func sameDay(a, b time.Time) bool {
	return a.UTC().Truncate(24 * time.Hour).Equal(b.UTC().Truncate(24 * time.Hour))
}

// addCheckpoints adds the checkpoints that are due up to end, the end of a sound chain: one at the end of each day in
// UTC, by the times of entries, and one after every so many entries. It reads the links in between again, because the
// stored progress of the verification is not protected.
func (c *Chain) addCheckpoints(ctx context.Context, end Head, every int) (*Break, error) {
	_, list, b, err := c.checkpoints(ctx)
	if err != nil || b != nil {
		return b, err
	}
	last := newestOf(list)
	due, err := c.checkpointIsDue(ctx, last, end, every)
	if err != nil || !due {
		return nil, err
	}
	// A checkpoint is never behind the begin of the chain: entries are removed up to one.
	found, newest, from := []Checkpoint{}, last.NewestAt, last
	report, _, err := c.visitLinks(
		ctx,
		last.Head,
		int(min(end.Seq-last.Seq, int64(max(2*every, standardSlice)))),
		func(before Head, e auditdb.AiAuditEntry) {
			if before.Seq > from.Seq && (before.Seq-from.Seq >= int64(every) || e.At.After(newest) && !sameDay(e.At, newest)) {
				from = Checkpoint{Number: from.Number + 1, Head: before, NewestAt: newest}
				found = append(found, from)
			}
			if e.At.After(newest) {
				newest = e.At
			}
		},
	)
	if err != nil || report.Break != nil {
		return report.Break, err
	}
	return nil, c.insertCheckpoints(ctx, last, found)
}

// checkpointIsDue compares the first entry after a checkpoint with the last one.
func (c *Chain) checkpointIsDue(ctx context.Context, last Checkpoint, end Head, every int) (bool, error) {
	if end.Seq-last.Seq < 2 {
		return false, nil
	}
	if end.Seq-last.Seq > int64(every) {
		return true, nil
	}
	q := auditdb.New(c.db.Conn(ctx))
	first, err := q.TimeOfPlace(ctx, last.Seq+1)
	if err != nil {
		return false, absent(err)
	}
	if last.NewestAt.After(first) {
		first = last.NewestAt
	}
	latest, err := q.TimeOfPlace(ctx, end.Seq)
	return err == nil && latest.After(first) && !sameDay(first, latest), absent(err)
}

// absent returns err unless it is pgx.ErrNoRows: the verification reports missing rows.
func absent(err error) error {
	if store.NoRows(err) {
		return nil
	}
	return err
}

func (c *Chain) insertCheckpoints(ctx context.Context, last Checkpoint, found []Checkpoint) error {
	if len(found) == 0 {
		return nil
	}
	return c.db.InTx(ctx, func(ctx context.Context) error {
		q := auditdb.New(c.db.Conn(ctx))
		now, err := q.Now(ctx)
		if err != nil {
			return err
		}
		before := last.seal
		for _, p := range found {
			p.At = now
			p.seal = c.sealOfCheckpoint(p, before)
			n, err := q.InsertCheckpoint(ctx, auditdb.InsertCheckpointParams{
				Number: p.Number, Seq: p.Seq, Hash: p.Hash, NewestAt: p.NewestAt, At: p.At, KeyID: c.keyID, Seal: p.seal,
			})
			if err != nil || n == 0 {
				// Another process added it first and continues from there.
				return err
			}
			before, last = p.seal, p
		}
		return q.CountCheckpoints(ctx, last.Number)
	})
}
