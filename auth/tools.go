package auth

import (
	"context"
	"embed"
	"encoding/json"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

//go:embed tool_*.md
var texts embed.FS

// API paths of the tools' records.
var (
	usersAPI = kit.Collection[User]{Kind: access.Kind{Noun: "user", Plural: "users"}, Path: "/api/users"}
	rolesAPI = kit.Collection[Role]{Kind: access.Kind{Noun: "role", Plural: "roles"}, Path: "/api/roles"}
	teamsAPI = kit.Collection[Team]{Path: "/api/teams"}
)

const grantsPath = "/api/grants"

// Tools are changes of people, roles and grants by which one person could act as two: an account or password of their
// making, or more rights for one of their accounts. While any policy needs a second person, so do they, and so do the
// opposite changes. Models cannot call them.
func (a *Auth) Tools() []tool.Tool {
	return []tool.Tool{
		a.createUserTool(), a.updateUserTool(), a.updateRoleTool(), addTeamMemberTool(), setGrantsTool(), deleteGrantsTool(),
		deleteUserTool(), deleteRoleTool(),
	}
}

// guarded defines such a change. gives reports whether an input adds rights; nil means always.
func guarded[In any](d tool.Definition, gives func(in In) bool) tool.Definition {
	d = taking(d)
	d.Policy.NeedsSecond = func(input json.RawMessage, asking []string) bool {
		if len(asking) == 0 || gives == nil {
			return len(asking) > 0
		}
		var in In
		return json.Unmarshal(input, &in) != nil || gives(in)
	}
	return d
}

// taking defines a change that models cannot call and that adds no rights.
func taking(d tool.Definition) tool.Definition {
	d.Access.Hidden, d.Policy.Rehearsed = true, true
	return d
}

// passesFor marks changes by which a program could sign in as a person and decide for them. signs reports whether an
// input opens a way to sign in; nil means always.
func passesFor[In any](signs func(in In) bool) func(input json.RawMessage, kept []string) bool {
	return func(input json.RawMessage, kept []string) bool {
		var in In
		return len(kept) > 0 && (signs == nil || json.Unmarshal(input, &in) != nil || signs(in))
	}
}

// read reads a record as the caller, with its ETag.
func read[T any](ctx context.Context, c tool.Caller, path string) (record T, etag string, err error) {
	etag, err = c.Client.Get(ctx, path, &record)
	return record, etag, err
}

// done is the decoded response of a deletion.
type done struct {
	ID uuid.UUID `json:"id"`
}

// rolesOf returns the names of roles.
func rolesOf(ctx context.Context, c tool.Caller, ids []uuid.UUID) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var list struct {
		Roles []Named `json:"roles"`
	}
	if _, err := c.Client.Get(ctx, rolesAPI.Path, &list); err != nil {
		return nil, err
	}
	called := map[uuid.UUID]string{}
	for _, role := range list.Roles {
		called[role.ID] = role.Name
	}
	names := make([]string, 0, len(ids))
	for _, id := range ids {
		name, ok := called[id]
		if !ok {
			name = id.String()
		}
		names = append(names, name)
	}
	return names, nil
}

// nameSet is a set of names in a diff: names are keys, so that an added one does not move the others.
func nameSet(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, name := range list {
		set[name] = true
	}
	return set
}
