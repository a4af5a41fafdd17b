package inspector_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"countersign/api/apitest"
	"countersign/modules/inspector"
	"countersign/principal"
	"countersign/problem"
)

// nobodys says that every conversation is somebody else's.
type nobodys struct{}

func (nobodys) Readable(context.Context, principal.Principal, uuid.UUID) error {
	return problem.Errorf(problem.NotFound, "No conversation.")
}

func TestTheInspectorConforms(t *testing.T) {
	t.Parallel()
	server := apitest.New(t)
	m := inspector.New(inspector.Options{DB: server.DB, Conversations: nobodys{}, Known: func(string) bool { return false }})
	server.Mount(t, m)
	apitest.Conform(t, apitest.Subject{Server: server, Module: m, Foreign: []string{inspector.ChatRead}})
}
