package auth

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/auth/authdb"
	"countersign/auth/password"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Directory manages users, roles, applications and teams. Callers have been checked for the operation's rule; Directory
// prevents privilege escalation beyond that:
//
// Nobody can grant a rule that they do not hold, or change an account, application or role with more rights than their
// own; otherwise the right to manage users would be the right to become an administrator. And the last enabled
// administrator stays one: such a change is refused with Conflict, even among concurrent ones.
type Directory struct {
	db     *store.DB
	rules  *Registry
	hasher *password.Hasher
	// deciders are the rules of two-person decisions; see BindDeciders.
	deciders func(ctx context.Context) ([][]string, error)
	removed  access.OnRemoved
}

// Named is a referenced record with its name.
type Named struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// within refuses rules beyond the actor's own.
func within(actor principal.Principal, rules []string, action string) error {
	missing := actor.Missing(rules...)
	if len(missing) == 0 {
		return nil
	}
	e := problem.Errorf(problem.Forbidden, "You cannot %s: it holds access rules that you do not hold. Ask an administrator.", action)
	e.MissingRules = missing
	return e
}

// grantable checks that the roles exist and grant nothing beyond the actor's own rules. It locks them until the
// transaction ends, so that they cannot gain rules meanwhile.
func (d *Directory) grantable(ctx context.Context, actor principal.Principal, ids []uuid.UUID) ([]uuid.UUID, error) {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id uuid.UUID) bool { return id == UsersRole })
	store.SortIDs(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return nil, nil
	}
	roles, err := authdb.New(d.db.Conn(ctx)).RolesByID(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("find roles: %w", err)
	}
	for _, id := range ids {
		if !slices.ContainsFunc(roles, func(r authdb.RolesByIDRow) bool { return r.ID == id }) {
			return nil, problem.InvalidInput(fmt.Sprintf("No role has the id %s. List roles to see what exists.", id),
				problem.Issue{Path: "roleIds", Message: "names a role that does not exist"})
		}
	}
	for _, role := range roles {
		if err := within(actor, role.Rules, "give this role"); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// roleNames resolves role ids; there are few roles.
func (d *Directory) roleNames(ctx context.Context) (map[uuid.UUID]string, error) {
	rows, err := authdb.New(d.db.Conn(ctx)).Roles(ctx)
	if err != nil {
		return nil, fmt.Errorf("list roles: %w", err)
	}
	names := make(map[uuid.UUID]string, len(rows))
	for _, r := range rows {
		names[r.ID] = r.Name
	}
	return names, nil
}

// TeamNames resolves team ids. Deleted teams are missing.
func (d *Directory) TeamNames(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	rows, err := authdb.New(d.db.Conn(ctx)).TeamNames(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("find teams: %w", err)
	}
	names := make(map[uuid.UUID]string, len(rows))
	for _, r := range rows {
		names[r.ID] = r.Name
	}
	return names, nil
}

// named pairs ids with names, sorted by name; ids without a name were deleted meanwhile.
func named(ids []uuid.UUID, names map[uuid.UUID]string) []Named {
	all := make([]Named, 0, len(ids))
	for _, id := range ids {
		if name, ok := names[id]; ok {
			all = append(all, Named{ID: id, Name: name})
		}
	}
	slices.SortFunc(all, func(a, b Named) int {
		if a.Name != b.Name {
			return slices.Compare([]byte(a.Name), []byte(b.Name))
		}
		return slices.Compare(a.ID[:], b.ID[:])
	})
	return all
}

// Memberships returns the teams and roles of a principal.
func (d *Directory) Memberships(ctx context.Context, p principal.Principal) (teams, roles []Named, err error) {
	names, err := d.TeamNames(ctx, p.TeamIDs)
	if err != nil {
		return nil, nil, err
	}
	teams, roles = named(p.TeamIDs, names), []Named{}
	q := authdb.New(d.db.Conn(ctx))
	if p.Kind == principal.Application {
		rows, err := q.RolesByApplication(ctx, p.ID)
		if err != nil {
			return nil, nil, fmt.Errorf("find roles: %w", err)
		}
		for _, r := range rows {
			roles = append(roles, Named(r))
		}
		return teams, roles, nil
	}
	rows, err := q.RolesByUser(ctx, authdb.RolesByUserParams{UserID: p.ID, DefaultRole: UsersRole})
	if err != nil {
		return nil, nil, fmt.Errorf("find roles: %w", err)
	}
	for _, r := range rows {
		roles = append(roles, Named(r))
	}
	return teams, roles, nil
}
