package app

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"countersign/chat/conversation"
	"countersign/modules/inspector"
	"countersign/principal"
	"countersign/tool"
)

// readable speaks the types of package inspector.
type readable struct{ *conversation.Service }

// Readable implements inspector.Conversations.
func (r readable) Readable(ctx context.Context, p principal.Principal, id uuid.UUID) error {
	_, err := r.Get(ctx, p, id)
	return err
}

func (a *App) inspector(p *parts, conversations *conversation.Service) *inspector.Module {
	return inspector.New(inspector.Options{
		DB: a.db, Conversations: readable{conversations}, Names: names{p.auth.Directory},
		Known: func(name string) bool {
			return slices.ContainsFunc(p.registry.All(), func(t tool.Tool) bool { return t.Name == name })
		},
	})
}
