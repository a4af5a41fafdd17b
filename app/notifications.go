package app

import (
	"context"

	"github.com/google/uuid"

	"countersign/app/module"
	"countersign/auth"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/catalog"
	"countersign/modules/notification"
)

// buildNotifications constructs the channels of people and the sender of what modules tell them.
func (a *App) buildNotifications(p *parts) error {
	guard, err := a.guard()
	if err != nil {
		return err
	}
	a.notifications = notification.New(notification.Options{
		DB: a.db, Log: a.log, Ledger: p.notices, Events: p.events.outbox, Sealer: p.keys, URL: a.config.URL,
		People: notifiedPeople{people{p.auth.Directory}, p.auth.Authenticator}, Systems: notifiedSystems{p.catalog},
		Offers: notifiedOffers{p.list},
		Client: guard.Client(notification.SendTimeout), Dial: guard.DialContext,
	})
	a.listener.Subscribe(notice.Channel, a.notifications.Subscription())
	return nil
}

// notifiedPeople finds people and their rights.
type notifiedPeople struct {
	people
	authenticator *auth.Authenticator
}

// Person implements notification.People.
func (n notifiedPeople) Person(ctx context.Context, id uuid.UUID) (principal.Principal, error) {
	found, err := n.authenticator.Person(ctx, id)
	if problem.Is(err, problem.NotFound) {
		return principal.Principal{}, nil
	}
	return found, err
}

// notifiedSystems reads the catalog.
type notifiedSystems struct{ *catalog.Module }

// GroupsOf implements notification.Systems.
func (n notifiedSystems) GroupsOf(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID][]uuid.UUID, error) {
	_, of, err := n.Module.GroupsOf(ctx, ids)
	return of, err
}

// notifiedOffers is what the modules offer to notifications.
type notifiedOffers struct{ *module.List }
