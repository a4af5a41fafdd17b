package audit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"countersign/audit/auditdb"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// LogType is the object type of the audit log itself, for entries about removals.
const LogType = "audit.log"

// MinAge is the minimum age of removed entries; the tool budget, repeated requests and turns look back far less.
const MinAge = 30 * 24 * time.Hour

// removeBatch is the number of places of the chain that one transaction removes.
const removeBatch = 2000

// Removal describes how old entries are removed.
type Removal struct {
	// To is the checkpoint up to which entries are removed.
	To Checkpoint
	// MinAge is the minimum age of the newest removed entry; at least the constant MinAge.
	MinAge time.Duration
	// Batch is the number of places that one transaction removes; 2000 when zero.
	Batch int
	// Waits, if set, is called when a verification in the background has to end first, and Progress after each
	// transaction that removed something.
	Waits    func()
	Progress func(Progress)
}

// Progress is the result of a removal so far.
type Progress struct {
	// Begin is the new begin of the chain.
	Begin Head
	// Entries and Calls count removed rows, People the removed entries with personal data. Kept counts the entries that
	// remain before the begin, including those of earlier removals.
	Entries, Calls, People, Kept int64
}

// RemovableBefore returns the last checkpoint whose entries are all older than a time and not removed yet.
func (c *Chain) RemovableBefore(ctx context.Context, before time.Time) (Checkpoint, error) {
	start, list, b, err := c.checkpoints(ctx)
	if err := sound(b, err); err != nil {
		return Checkpoint{}, fmt.Errorf("look for a checkpoint: %w", err)
	}
	var to Checkpoint
	for _, p := range list {
		if p.NewestAt.Before(before) && p.Seq > start.Seq {
			to = p
		}
	}
	if to.Number == 0 {
		return to, problem.Errorf(
			problem.Conflict,
			"No checkpoint of the audit log lies before %s whose entries are not removed yet. A worker makes one at the end of each day.",
			before.UTC().Format(time.RFC3339),
		)
	}
	return to, nil
}

// broken returns the error of a command that must stop because the log is broken.
func broken(b *Break) error {
	return problem.Errorf(problem.Conflict, "The audit log is broken %s. Nothing is removed.", b)
}

// sound returns the error of a verification: a failure to verify, or the defect that it found.
func sound(b *Break, err error) error {
	if err == nil && b != nil {
		return broken(b)
	}
	return err
}

// stands returns the defect of a checkpoint that is not one of the log. Its seal covers the hash of its place, and so all
// entries before it.
func (c *Chain) stands(ctx context.Context, to Checkpoint) (*Break, error) {
	_, list, b, err := c.checkpoints(ctx)
	if err != nil || b != nil {
		return b, err
	}
	for _, p := range list {
		if p.Number == to.Number && p.Seq == to.Seq && hmac.Equal(p.seal, to.seal) {
			return nil, nil
		}
	}
	return &Break{Seq: to.Seq, What: fmt.Sprintf("checkpoint %d is not the one up to which entries are removed", to.Number)}, nil
}

// Remove deletes the entries up to a checkpoint from the database, in batches, each of which leaves a sound chain: every
// entry is verified once more before it goes. After an interruption it continues. The removal is recorded in the log
// before anything is deleted. Entries that are still needed stay: see StayingEntries in retention.sql.
func (c *Chain) Remove(ctx context.Context, r Removal) (Progress, error) {
	done, wait, err := c.beginRemoval(ctx, r)
	if err != nil {
		return done, err
	}
	if wait && !done.Begin.reaches(r.To.Head) {
		if r.Waits != nil {
			r.Waits()
		}
		if err := c.awaitVerification(ctx); err != nil {
			return done, err
		}
	}
	for !done.Begin.reaches(r.To.Head) {
		var after Progress
		err := c.db.InTx(ctx, func(ctx context.Context) error {
			after = done
			return c.removeBatch(ctx, r, &after)
		})
		if err != nil {
			return done, err
		}
		done = after
		if r.Progress != nil {
			r.Progress(done)
		}
		if ctx.Err() != nil {
			return done, ctx.Err()
		}
	}
	err = c.releaseKept(ctx, r, &done)
	return done, err
}

func (h Head) reaches(other Head) bool { return h.Seq >= other.Seq }

// beginRemoval checks that the entries may be removed, logs and seals the target, and reports whether a verification in
// the background may be reading them.
func (c *Chain) beginRemoval(ctx context.Context, r Removal) (done Progress, wait bool, err error) {
	to := r.To
	if err := sound(c.stands(ctx, to)); err != nil {
		return done, false, err
	}
	err = c.db.InTx(ctx, func(ctx context.Context) error {
		q := auditdb.New(c.db.Conn(ctx))
		start, err := c.lockBegin(ctx, q)
		if err != nil {
			return err
		}
		done.Begin, done.Kept = start.Head, start.kept
		if start.reaches(to.Head) {
			return nil
		}
		if start.target.Seq > to.Seq {
			return problem.Errorf(
				problem.Conflict,
				"A removal up to %d was interrupted. Repeat it with its date, or with a later one.",
				start.target.Seq,
			)
		}
		if err := c.mayRemove(ctx, q, r); err != nil {
			return err
		}
		undisturbed, err := q.Undisturbed(ctx, auditdb.UndisturbedParams{Target: to.Seq, Begun: start.target.Seq})
		if err != nil {
			return err
		}
		wait = !undisturbed
		if start.target.Seq == to.Seq {
			return nil
		}
		if err := c.recordRemoval(ctx, start, to); err != nil {
			return err
		}
		start.target, start.checkpoint, start.archive = to.Head, to.Number, nil
		if err := c.saveBegin(ctx, q, start); err != nil {
			return err
		}
		return q.MoveState(ctx)
	})
	if err != nil {
		err = fmt.Errorf("begin to remove audit entries: %w", err)
	}
	return done, wait, err
}

// mayRemove protects entries that are young, that a subscriber has not received, or that belong to a broken log.
func (c *Chain) mayRemove(ctx context.Context, q *auditdb.Queries, r Removal) error {
	state, err := q.State(ctx)
	if err != nil {
		return err
	}
	if state.Problem != nil {
		return problem.Errorf(problem.Conflict, "The audit log was found to be broken: %s. Nothing is removed.", *state.Problem)
	}
	age := max(r.MinAge, MinAge)
	old, err := q.OldEnough(ctx, auditdb.OldEnoughParams{NewestAt: r.To.NewestAt, Seconds: age.Seconds()})
	if err != nil {
		return err
	}
	if !old {
		return problem.Errorf(
			problem.Conflict,
			"The newest of these entries is of %s. Entries are removed when they are %d days old.",
			r.To.NewestAt.UTC().Format(time.RFC3339),
			int(age.Hours()/24),
		)
	}
	late, err := q.LateSubscriber(ctx, r.To.Seq)
	if err == nil {
		return problem.Errorf(
			problem.Conflict,
			"%s has been told of the calls up to %d, and the removal goes to %d. Let a worker run first.",
			late.Subscriber,
			late.Seq,
			r.To.Seq,
		)
	}
	return absent(err)
}

// recordRemoval logs a removal.
func (c *Chain) recordRemoval(ctx context.Context, start begin, to Checkpoint) error {
	return c.recordRemoved(
		ctx,
		fmt.Sprintf("Entries %d to %d of the audit log are removed", start.Seq+1, to.Seq),
		Fields{
			{Name: "first", To: digits(start.Seq + 1)},
			{Name: "last", To: digits(to.Seq)},
			{Name: "hash", To: new(hex.EncodeToString(to.Hash))},
			{Name: "checkpoint", To: digits(to.Number)},
		},
	)
}

// recordRemoved logs what the command does to the log.
func (c *Chain) recordRemoved(ctx context.Context, summary string, fields Fields) error {
	return Record(Arriving(ctx, "command-audit-remove", BySystem), c.db, Event{
		Action: Removed, Object: Ref{Type: LogType, ID: "log"}, Summary: summary, Fields: fields,
	})
}

func digits(n int64) *string { return new(strconv.FormatInt(n, 10)) }

// lockBegin reads the begin of the chain under a lock: removals are serialised to the end of the transaction, even when
// there is no row to lock.
func (c *Chain) lockBegin(ctx context.Context, q *auditdb.Queries) (begin, error) {
	if err := q.LockRemovals(ctx); err != nil {
		return begin{}, err
	}
	row, err := q.LockBegin(ctx)
	if store.NoRows(err) {
		return begin{}, nil
	}
	if err != nil {
		return begin{}, err
	}
	start, b := c.opened(auditdb.BeginRow(row))
	if b != nil {
		return begin{}, broken(b)
	}
	return start, nil
}

func (c *Chain) saveBegin(ctx context.Context, q *auditdb.Queries, b begin) error {
	var err error
	if b.at, err = q.Now(ctx); err != nil {
		return err
	}
	return q.SaveBegin(ctx, auditdb.SaveBeginParams{
		Seq:        b.Seq,
		Hash:       orEmpty(b.Hash),
		TargetSeq:  b.target.Seq,
		TargetHash: b.target.Hash,
		Checkpoint: b.checkpoint,
		Archive:    orEmpty(b.archive),
		Kept:       b.kept,
		KeptHash:   orEmpty(b.keptHash),
		At:         b.at,
		KeyID:      c.keyID,
		Seal:       c.sealOfBegin(b),
	})
}

func orEmpty(b []byte) []byte { return append([]byte{}, b...) }

// verificationTime bounds the wait for a verification in the background, which takes a minute or two.
const verificationTime = 10 * time.Minute

// awaitVerification waits for the end of a verification in the background. The next one begins after the removed
// entries, which are logged by now.
func (c *Chain) awaitVerification(ctx context.Context) error {
	q := auditdb.New(c.db.Conn(ctx))
	since, err := q.Now(ctx)
	if err != nil {
		return fmt.Errorf("wait for the verification in the background: %w", err)
	}
	tooLong := time.NewTimer(verificationTime)
	defer tooLong.Stop()
	look := time.NewTicker(250 * time.Millisecond)
	defer look.Stop()
	for {
		ended, err := q.VerificationEnded(ctx, since)
		if err != nil {
			return fmt.Errorf("wait for the verification in the background: %w", err)
		}
		if ended {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tooLong.C:
			return problem.Errorf(
				problem.Unavailable,
				"The verification of the audit log in the background has not ended for %d minutes. Look at the log of the "+
					"workers, and repeat the command.",
				int(verificationTime.Minutes()),
			)
		case <-look.C:
		}
	}
}

// removeBatch removes the next places of the chain and verifies each once more: an entry that was changed stays, and the
// removal ends.
func (c *Chain) removeBatch(ctx context.Context, r Removal, done *Progress) error {
	q := auditdb.New(c.db.Conn(ctx))
	start, err := c.lockBegin(ctx, q)
	if err != nil {
		return err
	}
	if start.target.Seq < r.To.Seq {
		return problem.Errorf(problem.Conflict, "Another removal has begun, up to %d. Repeat this one when it has ended.", start.target.Seq)
	}
	size := min(int64(cmp.Or(r.Batch, removeBatch)), r.To.Seq-start.Seq)
	if size <= 0 {
		done.Begin = start.Head
		return nil
	}
	var places []auditdb.AiAuditEntry
	var befores []Head
	report, _, err := c.visitLinks(ctx, start.Head, int(size), func(before Head, e auditdb.AiAuditEntry) {
		places, befores = append(places, e), append(befores, before)
	})
	if err != nil {
		return fmt.Errorf("read audit entries: %w", err)
	}
	if report.Break == nil && int64(len(places)) < size {
		report.Break = &Break{Seq: report.Head.Seq + 1, What: "the link is missing"}
	}
	if report.Break == nil && report.Head.Seq == r.To.Seq && !bytes.Equal(report.Head.Hash, r.To.Hash) {
		report.Break = &Break{Seq: report.Head.Seq, What: "the link is not the one of the checkpoint"}
	}
	if report.Break != nil {
		return broken(report.Break)
	}
	stays, err := c.staying(ctx, q, places, auditdb.StayingEntriesParams{Target: start.target.Seq, Upto: report.Head.Seq, Whole: true})
	if err != nil {
		return err
	}
	next := start
	next.Head = report.Head
	if err := c.keep(ctx, q, &next, places, befores, stays); err != nil {
		return err
	}
	if err := c.take(ctx, q, places, stays, done); err != nil {
		return err
	}
	if err := q.RemoveLinks(ctx, auditdb.RemoveLinksParams{From: start.Seq, To: next.Seq}); err != nil {
		return fmt.Errorf("remove audit links: %w", err)
	}
	done.Begin, done.Kept = next.Head, next.kept
	return c.saveBegin(ctx, q, next)
}

// staying returns the ids of entries that are still needed when everything up to p.Target is removed, p.Upto being the
// end of this batch. p.Whole keeps later entries of a call whose earlier entry was kept: the row of a call must match
// its last entry.
func (c *Chain) staying(
	ctx context.Context,
	q *auditdb.Queries,
	entries []auditdb.AiAuditEntry,
	p auditdb.StayingEntriesParams,
) (map[int64]bool, error) {
	p.Remembered = Restricted()
	for _, e := range entries {
		p.Ids = append(p.Ids, e.ID)
	}
	found, err := q.StayingEntries(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("look which audit entries stay: %w", err)
	}
	stays := make(map[int64]bool, len(found))
	for _, id := range found {
		stays[id] = true
	}
	return stays, c.stayingNotes(ctx, q, entries, stays)
}

// stayingNotes adds the programs of kept changes. A program has the higher number, but its place in the chain can be
// lower when the change was committed late.
func (c *Chain) stayingNotes(ctx context.Context, q *auditdb.Queries, entries []auditdb.AiAuditEntry, stays map[int64]bool) error {
	of, here := map[int64]int64{}, make(map[int64]bool, len(entries))
	var others []int64
	for _, e := range entries {
		here[e.ID] = true
		if e.Version != changeForm || store.Value(e.ObjectType) != "audit.entry" {
			continue
		}
		if id, err := strconv.ParseInt(store.Value(e.ObjectID), 10, 64); err == nil {
			of[e.ID], others = id, append(others, id)
		}
	}
	found, err := q.EntriesAmong(ctx, others)
	if err != nil {
		return fmt.Errorf("look which audit entries stay: %w", err)
	}
	there := make(map[int64]bool, len(found))
	for _, id := range found {
		there[id] = true
	}
	for note, id := range of {
		if stays[id] || there[id] && !here[id] {
			stays[note] = true
		}
	}
	return nil
}

// keep stores the entries that stay, each with the hash before it.
func (c *Chain) keep(
	ctx context.Context,
	q *auditdb.Queries,
	next *begin,
	places []auditdb.AiAuditEntry,
	befores []Head,
	stays map[int64]bool,
) error {
	var p auditdb.KeepParams
	for i, e := range places {
		if !stays[e.ID] {
			continue
		}
		hash := next.Hash
		if i+1 < len(befores) {
			hash = befores[i+1].Hash
		}
		seq := befores[i].Seq + 1
		p.Seqs, p.EntryIds, p.Befores = append(p.Seqs, seq), append(p.EntryIds, e.ID), append(p.Befores, orEmpty(befores[i].Hash))
		c.stay(next, seq, befores[i].Hash, hash)
	}
	if len(p.Seqs) == 0 {
		return nil
	}
	if err := q.Keep(ctx, p); err != nil {
		return fmt.Errorf("keep audit entries: %w", err)
	}
	return nil
}

// take removes the entries that do not stay, their personal data, and the calls without entries.
func (c *Chain) take(ctx context.Context, q *auditdb.Queries, entries []auditdb.AiAuditEntry, stays map[int64]bool, done *Progress) error {
	var ids, records []int64
	for _, e := range entries {
		if stays[e.ID] {
			continue
		}
		ids = append(ids, e.ID)
		if e.Record != nil {
			records = append(records, *e.Record)
		}
	}
	people, err := q.RemovePersonal(ctx, ids)
	if err != nil {
		return fmt.Errorf("remove what audit entries say about people: %w", err)
	}
	gone, err := q.RemoveEntries(ctx, ids)
	if err != nil {
		return fmt.Errorf("remove audit entries: %w", err)
	}
	calls, err := q.RemoveCalls(ctx, records)
	if err != nil {
		return fmt.Errorf("remove tool calls: %w", err)
	}
	done.Entries, done.Calls, done.People = done.Entries+gone, done.Calls+calls, done.People+people
	return nil
}
