package api

import (
	"context"
	"sync"

	"github.com/google/uuid"

	"countersign/event/feed"
	"countersign/principal"
	"countersign/problem"
	"countersign/tool/audit"
)

const (
	// mostSights is for how many things of one sort a reader's sight is asked at once: of more they are told that anything may have changed.
	mostSights = 50
	// sightPlaces is for how many readers it is asked at a time: pages that hear of something must not keep others from working.
	sightPlaces = 4
)

// sight decides which events a reader hears. The modules say who sees a record, with the queries that they have for its history.
type sight struct {
	proposals SeenProposals
	kinds     func() map[string]audit.Kind
	places    chan struct{}
}

func newSight(proposals SeenProposals, kinds func() []audit.Kind) *sight {
	return &sight{proposals: proposals, places: make(chan struct{}, sightPlaces), kinds: sync.OnceValue(func() map[string]audit.Kind {
		all := map[string]audit.Kind{}
		for _, k := range kinds() {
			all[k.Type] = k
		}
		return all
	})}
}

// of are those of the events that p, who is the principal of ctx, may hear of.
func (s *sight) of(ctx context.Context, p principal.Principal, events []feed.Event) (seen []feed.Event, tooMany bool, err error) {
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
		if len(refs) > mostSights {
			return nil, true, nil
		}
		if err := s.ask(ctx, p, what, refs); err != nil {
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

// ask finds out which of some things p sees.
func (s *sight) ask(ctx context.Context, p principal.Principal, what string, refs map[string]bool) error {
	if what == feed.SightProposal {
		ids := make([]uuid.UUID, 0, len(refs))
		for ref := range refs {
			if id, err := uuid.Parse(ref); err == nil {
				ids = append(ids, id)
			}
		}
		seen, err := s.proposals.Seen(ctx, p, ids)
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
