package app

import (
	"bytes"
	"context"
	"slices"

	"github.com/google/uuid"

	"countersign/auth"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/modules/catalog"
	"countersign/modules/notification"
	"countersign/tool/proposal"
)

// buildNotifications constructs the channels of people and the sender of what modules tell them.
func (a *App) buildNotifications(p *parts) (*notification.Module, error) {
	guard, err := a.guard()
	if err != nil {
		return nil, err
	}
	return notification.New(notification.Options{
		DB: a.db, Log: a.log, Ledger: p.notices, Events: p.events.outbox, Sealer: p.keys, URL: a.config.URL,
		People: notifiedPeople{people{p.auth.Directory}, p.auth.Authenticator}, Systems: notifiedSystems{p.catalog, p.auth.Directory},
		Policies: notifiedPolicies{p}, Offers: p.list,
		Client: guard.Client(notification.SendTimeout), Dial: guard.DialContext,
	}), nil
}

// notifiedPeople finds people and their rights.
type notifiedPeople struct {
	people
	authenticator *auth.Authenticator
}

// Readers implements notification.People.
func (n notifiedPeople) Readers(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]principal.Principal, error) {
	return n.authenticator.People(ctx, ids)
}

// notifiedSystems reads the catalog.
type notifiedSystems struct {
	*catalog.Module
	directory *auth.Directory
}

// GroupsOf implements notification.Systems.
func (n notifiedSystems) GroupsOf(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID][]uuid.UUID, error) {
	_, of, err := n.Module.GroupsOf(ctx, ids)
	return of, err
}

// Seers implements notification.Systems. It reads those who may see a system page by page, until it has looked for all of the
// people: for most notices that is the first system.
func (n notifiedSystems) Seers(ctx context.Context, rule string, systems, people []uuid.UUID) ([]uuid.UUID, error) {
	left := slices.Clone(people)
	store.SortIDs(left)
	var found []uuid.UUID
	for _, id := range systems {
		wanted := auth.Wanted{Rules: []string{rule}, Object: &auth.Object{Kind: n.Sight(ctx).Kind, ID: id, Level: access.View}}
		for after := uuid.Nil; len(left) > 0; {
			page, err := n.directory.Holding(ctx, wanted, after, auth.MaxHolders)
			if err != nil {
				return nil, err
			}
			holders := make(map[uuid.UUID]bool, len(page.People))
			for _, p := range page.People {
				holders[p] = true
			}
			left = slices.DeleteFunc(left, func(p uuid.UUID) bool {
				if holders[p] {
					found = append(found, p)
				}
				return holders[p]
			})
			after = page.Next
			if after == uuid.Nil || len(left) == 0 || bytes.Compare(left[len(left)-1][:], after[:]) <= 0 {
				break
			}
		}
	}
	return found, nil
}

// notifiedPolicies reads escalation policies, whose module is constructed later.
type notifiedPolicies struct{ parts *parts }

// PolicyTeam implements notification.Policies.
func (n notifiedPolicies) PolicyTeam(ctx context.Context, id uuid.UUID) (*uuid.UUID, error) {
	return n.parts.onCall.PolicyTeam(ctx, id)
}

// proposalDeciders finds people by their rights.
type proposalDeciders struct{ directory *auth.Directory }

// Deciders implements api.Deciders.
func (d proposalDeciders) Deciders(ctx context.Context, sets []proposal.Holders, most int) ([]uuid.UUID, error) {
	var found []uuid.UUID
	for _, set := range sets {
		wanted := auth.Wanted{Rules: set.Rules}
		if set.ID != uuid.Nil {
			wanted.Object = &auth.Object{Kind: set.Kind, ID: set.ID, Level: set.Level}
		}
		for after := uuid.Nil; len(found) < most; {
			page, err := d.directory.Holding(ctx, wanted, after, auth.MaxHolders)
			if err != nil {
				return nil, err
			}
			for _, id := range page.People {
				if !slices.Contains(found, id) {
					found = append(found, id)
				}
			}
			if after = page.Next; after == uuid.Nil {
				break
			}
		}
	}
	return found[:min(len(found), most)], nil
}
