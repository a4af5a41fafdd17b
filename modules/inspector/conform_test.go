package inspector_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/inspector"
	"countersign/tool/spend"
)

// nobodys says that every conversation is somebody else's.
type nobodys struct{}

func (nobodys) Readable(context.Context, principal.Principal, uuid.UUID) error {
	return problem.Errorf(problem.NotFound, "No conversation.")
}

// nothing knows no teams and no connections.
type nothing struct{}

func (nothing) TeamNames(context.Context, []uuid.UUID) (map[uuid.UUID]string, error) { return nil, nil }

func (nothing) IsApplication(context.Context, uuid.UUID) (bool, error) { return false, nil }

func (nothing) Connections(context.Context) ([]inspector.Connection, error) { return nil, nil }

// mounted is an inspector of conversations, all of which are somebody else's.
func mounted(t *testing.T) (*apitest.Server, *inspector.Module) {
	t.Helper()
	server := apitest.New(t)
	m := inspector.New(inspector.Options{
		DB:            server.DB,
		Conversations: nobodys{},
		Known:         func(string) bool { return false },
		Spend:         spend.New(server.DB),
		Teams:         nothing{},
		Connections:   nothing{},
	})
	server.Mount(t, m)
	return server, m
}

func TestTheInspectorConforms(t *testing.T) {
	t.Parallel()
	server, m := mounted(t)
	apitest.Conform(t, apitest.Subject{
		Server: server, Module: m, Foreign: []string{inspector.ChatRead},
		Unpaged: map[string]string{everybodys: "thirteen series at most", own: "thirteen series at most"},
	})
}
