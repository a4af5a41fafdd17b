package agent

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"countersign/access"
	"countersign/modules/agent/agentdb"
	"countersign/principal"
	"countersign/problem"
	"countersign/tool/audit"
)

// Validate says what would keep a revision from being frozen. It compiles every tool anew, and runs and stores nothing.
func (s *service) Validate(ctx context.Context, agent, rev string) (Verdict, error) {
	c, err := s.open(ctx, agent, rev)
	if err != nil {
		return Verdict{}, err
	}
	j := judge{service: s}
	if err := j.judge(ctx, &c); err != nil {
		return Verdict{}, err
	}
	return j.verdict(c), nil
}

// freezes is how often a freeze begins anew when the draft was written meanwhile.
const freezes = 3

// Freeze seals a draft: every tool is compiled anew, loaded, and its examples run, and the whole is hashed. One that is sealed
// answers its hash again, whatever it is based on, for who has lost the first answer. A freeze that takes too long stops and says how
// far it came; the next one goes on from there. No transaction is open while tools are compiled and run.
func (s *service) Freeze(ctx context.Context, t Target) (Frozen, int64, error) {
	work, cancel := context.WithTimeoutCause(ctx, cmp.Or(s.FreezeTime, freezeTime), errFreezeTime)
	defer cancel()
	for range freezes {
		head, err := s.peek(ctx, t, access.Own)
		if err != nil {
			return Frozen{}, 0, err
		}
		if State(head.State) != Draft {
			return frozenBefore(State(head.State), head.BundleSha256), head.Revision, nil
		}
		if err := atRevision(head.Number, head.Revision, t.Based); err != nil {
			return Frozen{}, 0, err
		}
		c, err := s.load(ctx, head.ID)
		if err != nil {
			return Frozen{}, 0, err
		}
		found, err := s.trials(ctx, c)
		if err != nil {
			return Frozen{}, 0, err
		}
		j := judge{service: s, trials: found}
		err = j.judge(work, &c)
		if err == nil {
			err = j.try(work, c)
		}
		verdict := j.verdict(c)
		switch {
		// Whatever was being done when its time ended has failed of that.
		case err != nil && !outOfTime(work):
			return Frozen{}, 0, err
		case !verdict.OK:
			return Frozen{}, 0, freezeFailed(verdict)
		case err != nil:
			return Frozen{}, 0, found.unfinished(ctx)
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

// seal stores what was compiled and closes the draft, unless it was written since c was read, which again reports.
func (s *service) seal(ctx context.Context, t Target, c content) (frozen Frozen, revision int64, again bool, err error) {
	files, err := c.files()
	if err != nil {
		return frozen, 0, false, err
	}
	frozen = Frozen{OK: true, State: Ready, BundleSHA256: hash(files)}
	err = s.DB.InTx(ctx, func(ctx context.Context) error {
		agent, row, err := s.held(ctx, t, access.Own)
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
			return atRevision(row.Number, row.Revision, t.Based)
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
			return fmt.Errorf("seal a draft: %w", orGone(err))
		}
		if err := q.BumpRevision(ctx, row.ID); err != nil {
			return fmt.Errorf("raise the revision of a draft: %w", err)
		}
		revision++
		if err := s.bump(ctx, agent.ID); err != nil {
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
