package api

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/event/feed"
	"countersign/internal/principal"
	"countersign/internal/problem"
)

const (
	// maxVisibilityChecks bounds the records of one kind that are checked for a reader at once: beyond it the client
	// gets a reset and reloads.
	maxVisibilityChecks = 50
	// visibilityConcurrency bounds the readers whose visibility is checked concurrently: pages that follow changes must
	// not slow down others.
	visibilityConcurrency = 4
)

// visibility filters events by what a reader can see. Modules check their records with the same queries as for their
// history.
type visibility struct {
	proposals VisibleProposals
	kinds     func() map[string]audit.Kind
	places    chan struct{}
}

func newVisibility(proposals VisibleProposals, kinds func() []audit.Kind) *visibility {
	return &visibility{
		proposals: proposals,
		places:    make(chan struct{}, visibilityConcurrency),
		kinds: sync.OnceValue(func() map[string]audit.Kind {
			all := map[string]audit.Kind{}
			for _, k := range kinds() {
				if k.See != nil {
					all[k.ID] = k
				}
			}
			return all
		}),
	}
}

// filter returns the events that p, the principal of ctx, can see.
func (s *visibility) filter(ctx context.Context, p principal.Principal, events []feed.Event) (seen []feed.Event, tooMany bool, err error) {
	asked := map[string]map[string]bool{}
	for _, e := range events {
		if e.Person == p.ID || e.Sight == "" || e.Sight == feed.SightRule {
			continue
		}
		if asked[e.Sight] == nil {
			asked[e.Sight] = map[string]bool{}
		}
		asked[e.Sight][e.SightRef] = false
	}
	if len(asked) > 0 {
		select {
		case s.places <- struct{}{}:
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
		defer func() { <-s.places }()
	}
	for what, refs := range asked {
		if len(refs) > maxVisibilityChecks {
			return nil, true, nil
		}
		if err := s.check(ctx, p, what, refs); err != nil {
			return nil, false, err
		}
	}
	for _, e := range events {
		switch {
		case e.Person == p.ID,
			e.Sight == feed.SightRule && (p.Has(e.SightRef+".read") || p.Has(e.SightRef+".manage")),
			asked[e.Sight][e.SightRef]:
			seen = append(seen, e)
		}
	}
	return seen, false, nil
}

// check finds out which of some records p can see.
func (s *visibility) check(ctx context.Context, p principal.Principal, what string, refs map[string]bool) error {
	if what == feed.SightProposal {
		ids := make([]uuid.UUID, 0, len(refs))
		for ref := range refs {
			if id, err := uuid.Parse(ref); err == nil {
				ids = append(ids, id)
			}
		}
		seen, err := s.proposals.Visible(ctx, p, ids)
		if err != nil {
			return err
		}
		for id := range seen {
			refs[id.String()] = true
		}
		return nil
	}
	kind, known := s.kinds()[what]
	if !known {
		return nil
	}
	for ref := range refs {
		err := kind.See(ctx, ref)
		if err != nil && problem.CodeOf(err) != problem.NotFound && problem.CodeOf(err) != problem.Forbidden {
			return err
		}
		refs[ref] = err == nil
	}
	return nil
}
