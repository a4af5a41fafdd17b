package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/api"
	"countersign/auth"
	"countersign/chat/conversation"
	"countersign/principal"
	"countersign/worker"
)

// retentionRules are the access rules of deleting conversations for good.
func retentionRules() []principal.Rule {
	return []principal.Rule{
		{ID: api.RetentionRule, Description: "Choose when conversations are deleted for good"},
		{ID: api.PrivacyRule, Description: "Delete everything that is kept of a person's conversations, on a privacy request"},
	}
}

// buildRetention wires what deletes conversations. What else keeps something of a person is an eraser here.
func (a *App) buildRetention(p *parts) {
	p.sweeper = conversation.NewSweeper(a.db, p.engine)
	p.erasures = conversation.NewErasures(a.db, accounts{p.auth.Directory}, p.engine, api.KeptAnswers{DB: a.db}, p.memories)
}

// retentionChores bring Temporal in line with what the rows say.
func retentionChores(p *parts) []worker.Task {
	return []worker.Task{
		{Name: "schedule retention", Every: time.Minute, Do: p.sweeper.Schedule},
		{Name: "start erasures", Every: 15 * time.Second, Do: p.erasures.Drive},
	}
}

// accounts looks users up for erasures.
type accounts struct{ *auth.Directory }

// People implements conversation.People.
func (d accounts) People(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]conversation.Person, error) {
	found, err := d.Directory.People(ctx, ids)
	if err != nil {
		return nil, err
	}
	result := make(map[uuid.UUID]conversation.Person, len(found))
	for id, u := range found {
		result[id] = conversation.Person(u)
	}
	return result, nil
}
