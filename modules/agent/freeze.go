package agent

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/agent/agentdb"
)

// Validate reports what would keep a revision from being frozen. It recompiles every tool, and runs and stores
// nothing.
func (s *service) Validate(ctx context.Context, agent, rev string) (Verdict, error) {
	c, err := s.readBundle(ctx, agent, rev)
	if err != nil {
		return Verdict{}, err
	}
	j := verifier{service: s}
	if err := j.verify(ctx, &c); err != nil {
		return Verdict{}, err
	}
	return j.verdict(c), nil
}

// maxFreezeAttempts is the number of attempts when the draft is written meanwhile.
const maxFreezeAttempts = 3

// Freeze seals a draft: it recompiles and loads every tool, runs the examples and hashes the bundle. A sealed
// revision returns its hash again, whatever the request is based on (idempotency). A freeze that exceeds its time
// returns its progress, from which the next one continues. No transaction is open while tools are compiled and run.
func (s *service) Freeze(ctx context.Context, t Target) (Frozen, int64, error) {
	work, cancel := context.WithTimeoutCause(ctx, cmp.Or(s.FreezeTime, freezeTime), errFreezeTime)
	defer cancel()
	for range maxFreezeAttempts {
		head, err := s.precheck(ctx, t, access.Own)
		if err != nil {
			return Frozen{}, 0, err
		}
		if State(head.State) != Draft {
			return frozenBefore(State(head.State), head.BundleSha256), head.Revision, nil
		}
		if err := checkRevision(head.Number, head.Revision, t.Based); err != nil {
			return Frozen{}, 0, err
		}
		c, err := s.load(ctx, head.ID)
		if err != nil {
			return Frozen{}, 0, err
		}
		found, err := s.newFreezeCache(ctx, c)
		if err != nil {
			return Frozen{}, 0, err
		}
		j := verifier{service: s, cache: found}
		err = j.verify(work, &c)
		if err == nil {
			err = j.runSmoke(work, c)
		}
		verdict := j.verdict(c)
		switch {
		// Any other failure after the deadline is caused by it.
		case err != nil && !isOutOfTime(work):
			return Frozen{}, 0, err
		case !verdict.OK:
			return Frozen{}, 0, freezeFailed(verdict)
		case err != nil:
			return Frozen{}, 0, found.saveProgress(ctx)
		}
		frozen, revision, again, err := s.seal(ctx, t, c)
		if err != nil || !again {
			frozen.Warnings = verdict.Warnings
			return frozen, revision, err
		}
	}
	return Frozen{}, 0, problem.Errorf(problem.Busy, "The draft is being written by others. Freeze it when they are done.")
}

func frozenBefore(state State, sha256 *string) Frozen {
	f := Frozen{OK: true, State: state, Idempotent: true, Warnings: []Finding{}}
	if sha256 != nil {
		f.BundleSHA256 = *sha256
	}
	return f
}

// seal stores the compiled tools and closes the draft. again reports that the draft was written since c was read.
func (s *service) seal(ctx context.Context, t Target, c content) (frozen Frozen, revision int64, again bool, err error) {
	files, err := c.files()
	if err != nil {
		return frozen, 0, false, err
	}
	frozen = Frozen{OK: true, State: Ready, BundleSHA256: hash(files)}
	err = s.DB.InTx(ctx, func(ctx context.Context) error {
		agent, row, err := s.lockRevision(ctx, t, access.Own)
		if err != nil {
			return err
		}
		revision = row.Revision
		switch {
		case row.ID != c.id:
			return missingRevision(t.Rev)
		case State(row.State) != Draft:
			frozen = frozenBefore(State(row.State), row.BundleSha256)
			return nil
		case row.Revision != c.revision:
			again = true
			return checkRevision(row.Number, row.Revision, t.Based)
		}
		q := s.queries(ctx)
		for _, tool := range c.tools {
			if _, err := q.PutTool(ctx, putParams(row.ID, tool)); err != nil {
				return fmt.Errorf("write a compiled tool: %w", err)
			}
		}
		if err := q.ForgetTrials(ctx, row.ID); err != nil {
			return fmt.Errorf("forget trials: %w", err)
		}
		if n, err := q.Seal(ctx, agentdb.SealParams{ID: row.ID, Sha256: &frozen.BundleSHA256}); err != nil || n == 0 {
			return fmt.Errorf("seal a draft: %w", orMissing(err))
		}
		if err := q.BumpRevision(ctx, row.ID); err != nil {
			return fmt.Errorf("raise the revision of a draft: %w", err)
		}
		revision++
		if err := s.bumpRevision(ctx, agent.ID); err != nil {
			return err
		}
		var fields audit.Fields
		fields.Compare("ready", "", strconv.Itoa(int(row.Number)))
		if err := s.record(ctx, audit.Changed, agent, "Draft frozen", fields); err != nil {
			return err
		}
		return permitSecrets(principal.FromContext(ctx), "freeze a revision that names secrets", len(row.Secrets) > 0)
	})
	return frozen, revision, again, err
}
