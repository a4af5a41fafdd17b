package auth

import (
	"context"
	"embed"
	"encoding/json"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/tool"
)

//go:embed tool_*.md
var texts embed.FS

// Where the API has the records that the tools are about.
var (
	usersAPI = tool.Collection[User]{Kind: access.Kind{Noun: "user", Plural: "users"}, Path: "/api/users"}
	rolesAPI = tool.Collection[Role]{Kind: access.Kind{Noun: "role", Plural: "roles"}, Path: "/api/roles"}
	teamsAPI = tool.Collection[Team]{Path: "/api/teams"}
)

const grantsPath = "/api/grants"

// Tools are those changes of people, roles and grants by which one person could make themselves a second one: an account
// or a password of their own making, or rights for an account that they have. While any policy asks for a second person,
// they need one too; and those that take the same away as others. No model is offered them.
func (a *Auth) Tools() []tool.Tool {
	return []tool.Tool{
		a.createUserTool(), a.updateUserTool(), a.updateRoleTool(), addTeamMemberTool(), setGrantsTool(), deleteGrantsTool(),
		deleteUserTool(), deleteRoleTool(),
	}
}

// guarded is the definition of such a change. gives reports whether an input gives anybody anything; nil is always.
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

// taking is the definition of a change that no model is offered and that gives nobody anything.
func taking(d tool.Definition) tool.Definition {
	d.Access.Hidden, d.Policy.Rehearsed = true, true
	return d
}

// passesFor reports that by such a change a program could sign in as a person, and decide as one about what asks for a
// person. signs reports whether an input opens a way to sign in; nil is always.
func passesFor[In any](signs func(in In) bool) func(input json.RawMessage, kept []string) bool {
	return func(input json.RawMessage, kept []string) bool {
		var in In
		return len(kept) > 0 && (signs == nil || json.Unmarshal(input, &in) != nil || signs(in))
	}
}

// read is a record as the caller reads it, with its ETag.
func read[T any](ctx context.Context, c tool.Caller, path string) (record T, etag string, err error) {
	etag, err = c.Client.Get(ctx, path, &record)
	return record, etag, err
}

// done is what remains of an answer.
type done struct {
	ID uuid.UUID `json:"id"`
}

// rolesOf are what roles are called.
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

// nameSet is a set of names in a diff: each is a key, so that adding one does not move the others.
func nameSet(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, name := range list {
		set[name] = true
	}
	return set
}
