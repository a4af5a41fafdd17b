package proposal

import (
	"context"
	"encoding/json"
	"fmt"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/proposal/proposaldb"
)

// executeRebased retries a change whose target has a new revision after an earlier change of the same plan. It repeats
// the dry run: if the diff is exactly the one that the person saw, it makes the change against the new revision.
// Deletions are never retried, as they have no diff to compare.
func (a *attempt) executeRebased(ctx context.Context, p proposaldb.AiProposal, refusal error) (json.RawMessage, error) {
	if p.Effect != string(tool.Mutate) || len(p.Diff) == 0 {
		return nil, refusal
	}
	who, t, err := a.loadDecider(ctx, p)
	if err != nil {
		return nil, err
	}
	fresh, err := t.DryRun(ctx, a.Callers.Caller(who, turnOf(p)), p.Payload)
	if err != nil {
		if problem.CodeOf(err) == problem.Internal {
			return nil, err
		}
		return nil, refusal
	}
	same, err := sameDiff(p.Diff, fresh.Diff)
	if err != nil {
		return nil, err
	}
	if !same || fresh.Revision == p.Revision {
		return nil, refusal
	}
	// The revision is stored first, so a retry after a crash sends the same request and gets the first outcome.
	p.Revision = fresh.Revision
	if p.Seal, err = a.Seals.of(p); err != nil {
		return nil, err
	}
	n, err := a.queries(ctx).Rebase(ctx, proposaldb.RebaseParams{ID: p.ID, Revision: p.Revision, Seal: p.Seal, Attempt: p.ApplyAttempts})
	if err != nil {
		return nil, fmt.Errorf("rebase proposal: %w", err)
	}
	if n == 0 {
		return nil, errOvertaken
	}
	return a.execute(ctx, p)
}

func sameDiff(stored json.RawMessage, fresh []tool.Change) (bool, error) {
	before, err := tool.Canonical(stored)
	if err != nil {
		return false, err
	}
	now, err := tool.Canonical(fresh)
	return string(before) == string(now), err
}
