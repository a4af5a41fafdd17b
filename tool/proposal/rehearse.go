package proposal

import (
	"context"

	"countersign/audit"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/proposal/proposaldb"
)

// rehearse makes the change of an open proposal as the reader, in a transaction that is rolled back, where only its
// operation knows the required rights (Policy.Rehearsed): otherwise a decision without those rights would use up
// another person's proposal. It makes requests: never call it in a transaction that locks the target.
func (r *reader) rehearse(ctx context.Context, c Card, row proposaldb.AiProposal) error {
	t, err := r.decidable(c)
	if err != nil || !t.Policy.Rehearsed || c.Status != Proposed || r.isProposer(c) || !r.canSee(c) || r.verifySeal(row) != nil {
		return nil //nolint:nilerr // what the reader may not decide about is said where they do
	}
	err = r.DB.DryRun(ctx, func(ctx context.Context) error {
		_, err := t.Run(audit.Applying(tool.Carry(ctx, t.Name), originOf(row)), r.Callers.Caller(r.p, c.ProposalID), c.Payload)
		return err
	})
	switch problem.CodeOf(err) {
	case problem.Forbidden:
		r.refused[c.ProposalID] = err
	case problem.Internal:
		return err
	}
	return nil
}
