package app

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"countersign/auth"
	"countersign/chat/conversation"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/connection"
	"countersign/modules/inspector"
	"countersign/tool"
	"countersign/tool/spend"
)

// readable adapts conversations to package inspector.
type readable struct{ *conversation.Service }

// Readable implements inspector.Conversations.
func (r readable) Readable(ctx context.Context, p principal.Principal, id uuid.UUID) error {
	_, err := r.Get(ctx, p, id)
	return err
}

// crowd adapts the directory to package inspector.
type crowd struct{ *auth.Directory }

// IsApplication implements inspector.Teams.
func (c crowd) IsApplication(ctx context.Context, id uuid.UUID) (bool, error) {
	_, err := c.Application(ctx, id)
	if problem.Is(err, problem.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// caps adapts connections to package inspector.
type caps struct{ *connection.Module }

// Connections implements inspector.Connections.
func (c caps) Connections(ctx context.Context) ([]inspector.Connection, error) {
	all, err := c.List(ctx)
	if err != nil {
		return nil, err
	}
	found := make([]inspector.Connection, len(all))
	for i, one := range all {
		found[i] = inspector.Connection{ID: one.ID, Name: one.Name, Cap: one.Cap(), Enabled: one.Enabled}
	}
	return found, nil
}

func (a *App) inspector(p *parts, conversations *conversation.Service) *inspector.Module {
	return inspector.New(inspector.Options{
		DB: a.db, Conversations: readable{conversations}, Names: names{p.auth.Directory},
		Spend: spend.New(a.db), Teams: crowd{p.auth.Directory}, Connections: caps{p.connections.Module},
		Known: func(name string) bool {
			return slices.ContainsFunc(p.registry.All(), func(t tool.Tool) bool { return t.Name == name })
		},
	})
}
