package mcpserver

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/problem"
)

// Types lists the object types that can have grants.
func (*Module) Types() []string { return []string{ObjectType} }

// SharedByOwners reports that managers and owners of servers grant access to their tools. It implements auth.Shared.
func (*Module) SharedByOwners(objectType string) bool { return objectType == ObjectType }

// See returns problem.NotFound unless the server exists and the caller may see it.
func (m *Module) See(ctx context.Context, objectType string, id uuid.UUID) error {
	if objectType != ObjectType {
		return notGrantable(objectType)
	}
	_, err := m.servers.See(ctx, id)
	return err
}

// Touch locks a server whose grants change, raises its revision and returns its name; problem.NotFound when it does
// not exist.
func (m *Module) Touch(ctx context.Context, objectType string, id uuid.UUID) (string, error) {
	if objectType != ObjectType {
		return "", notGrantable(objectType)
	}
	head, err := m.servers.Touch(ctx, id)
	return head.Name, err
}

func notGrantable(objectType string) error {
	return problem.Errorf(problem.NotFound, "There are no objects of the type %s to grant access to.", objectType)
}
