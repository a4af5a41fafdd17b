package proposal

import (
	"context"
	"sync"

	"countersign/internal/problem"
	"countersign/tool"
)

// unreadEffects replaces effects that could not be read.
const unreadEffects = "What else happens by it could not be read just now. Open it again before you decide."

// countEffects recomputes the effects of open proposals in the current state, as far as the reader can see them; the
// stored effects were counted for the proposer, who alone sees them. It makes requests: never call it in a transaction.
func (r *reader) countEffects(ctx context.Context, cards ...*Card) error {
	var running sync.WaitGroup
	places := make(chan struct{}, maxParallelReads)
	for _, c := range cards {
		t, ok := r.toolOf(*c)
		if !ok || c.Status != Proposed || t.Impact.Cascade != tool.CascadeOthers {
			continue
		}
		places <- struct{}{}
		running.Go(func() {
			defer func() { <-places }()
			fresh, err := t.DryRun(tool.Carry(ctx, t.Name), r.Callers.Caller(r.p, c.ProposalID), c.Payload)
			switch {
			case err == nil:
				c.Effects = fresh.Effects
			case ctx.Err() == nil:
				if problem.CodeOf(err) == problem.Internal {
					r.Log.Warn("Effects of a proposal not read", "proposal", c.ProposalID, "error", err)
				}
				c.Effects = []string{unreadEffects}
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}
