package auth

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/auth/authdb"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Role is a named set of access rules. The built-in role "admin" holds "*", every rule, and cannot be changed; the
// rules of the built-in role "users", which every user holds, can be.
type Role struct {
	ID        uuid.UUID `json:"id"`
	Name      string    `json:"name"`
	Builtin   bool      `json:"builtin" doc:"A built-in role cannot be renamed or deleted"`
	Rules     []string  `json:"rules" nullable:"false"`
	Revision  int64     `json:"revision"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// NewRole is a role to create.
type NewRole struct {
	Name  string   `json:"name" minLength:"1" maxLength:"200"`
	Rules []string `json:"rules" nullable:"false" maxItems:"500"`
}

// RoleChange changes the fields that are not nil.
type RoleChange struct {
	Name  *string   `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Rules *[]string `json:"rules,omitempty" maxItems:"500" doc:"Replaces the rules"`
}

// AccessRules lists every rule that a role can hold.
func (d *Directory) AccessRules() []Rule { return d.rules.All() }

// SyncRules adds new default rules to the role "users". A rule that an administrator removed is not added again. Every
// process calls it at start, before it serves.
func (d *Directory) SyncRules(ctx context.Context) error {
	return d.db.InTx(ctx, func(ctx context.Context) error {
		q := authdb.New(d.db.Conn(ctx))
		fresh, err := q.DeclareRules(ctx, d.rules.ids())
		if err != nil {
			return fmt.Errorf("declare access rules: %w", err)
		}
		defaults := d.rules.defaults()
		fresh = slices.DeleteFunc(fresh, func(id string) bool { return !defaults[id] })
		if len(fresh) == 0 {
			return nil
		}
		if err := q.AddRulesToRole(ctx, authdb.AddRulesToRoleParams{ID: UsersRole, Rules: fresh}); err != nil {
			return fmt.Errorf("add default access rules: %w", err)
		}
		return d.recordDefaults(ctx, fresh)
	})
}

// ListedRole is a role with the number of its holders.
type ListedRole struct {
	Role
	People       int64 `json:"people" doc:"How many users hold it, disabled ones included"`
	Applications int64 `json:"applications" doc:"How many applications hold it"`
}

// Roles lists every role, the built-in ones first.
func (d *Directory) Roles(ctx context.Context) ([]ListedRole, error) {
	q := authdb.New(d.db.Conn(ctx))
	rows, err := q.Roles(ctx)
	if err != nil {
		return nil, fmt.Errorf("list roles: %w", err)
	}
	counts, err := q.RoleHolders(ctx, UsersRole)
	if err != nil {
		return nil, fmt.Errorf("count holders of roles: %w", err)
	}
	held := make(map[uuid.UUID]authdb.RoleHoldersRow, len(counts))
	for _, c := range counts {
		held[c.ID] = c
	}
	roles := make([]ListedRole, 0, len(rows))
	for _, r := range rows {
		roles = append(roles, ListedRole{Role: Role(r), People: held[r.ID].People, Applications: held[r.ID].Applications})
	}
	return roles, nil
}

// Role returns a role.
func (d *Directory) Role(ctx context.Context, id uuid.UUID) (Role, error) {
	row, err := authdb.New(d.db.Conn(ctx)).Role(ctx, id)
	if store.NoRows(err) {
		return Role{}, noRole(id)
	}
	if err != nil {
		return Role{}, fmt.Errorf("find role: %w", err)
	}
	return Role(row), nil
}

func noRole(id uuid.UUID) error {
	return problem.Errorf(problem.NotFound, "No role has the id %s. List roles to see what exists.", id)
}

// CreateRole adds a role.
func (d *Directory) CreateRole(ctx context.Context, actor principal.Principal, n NewRole) (Role, error) {
	var v validation
	name := v.name("name", n.Name)
	rules := d.checkRules(&v, n.Rules, nil)
	if err := v.Err(); err != nil {
		return Role{}, err
	}
	if err := within(actor, rules, "create this role"); err != nil {
		return Role{}, err
	}
	return store.InTx(ctx, d.db, func(ctx context.Context) (Role, error) {
		row, err := authdb.New(d.db.Conn(ctx)).InsertRole(ctx, authdb.InsertRoleParams{ID: store.NewID(), Name: name, Rules: rules})
		if err != nil {
			return Role{}, explainRole(err, name)
		}
		var fields audit.Fields
		fields.Compare("rules", []string{}, row.Rules)
		return Role(row), d.record(ctx, actor, audit.Created, audit.Object(typeRole, row.ID, row.Name), "Role created", fields)
	})
}

// checkRules sorts rules and rejects undeclared ones, unless the role has them already.
func (d *Directory) checkRules(v *validation, rules, kept []string) []string {
	rules = slices.Clone(rules)
	slices.Sort(rules)
	rules = slices.Compact(rules)
	for _, rule := range d.rules.unknown(rules) {
		if !slices.Contains(kept, rule) {
			v.Report("rules", "names %q, which is not an access rule that a role can hold", clip(rule, 100))
		}
	}
	if rules == nil {
		rules = []string{}
	}
	return rules
}

func explainRole(err error, name string) error {
	if store.Violates(err, "roles_name") {
		return problem.Errorf(problem.Conflict, "A role with the name %q exists already. Choose another name.", name)
	}
	return fmt.Errorf("write role: %w", err)
}

// UpdateRole changes a role at the revision that the change is based on. It takes effect with its holders' next
// requests.
func (d *Directory) UpdateRole(ctx context.Context, actor principal.Principal, id uuid.UUID, c RoleChange, based *int64) (Role, error) {
	var role Role
	err := d.db.InTx(ctx, func(ctx context.Context) error {
		row, err := d.lockRole(ctx, actor, id, based)
		if err != nil {
			return err
		}
		if row.ID == AdminRole || row.Builtin && c.Name != nil && *c.Name != row.Name {
			return problem.Errorf(problem.Conflict, "The built-in role %q cannot be changed like that. Create a role of your own.", row.Name)
		}
		var v validation
		name, rules := row.Name, row.Rules
		if c.Name != nil {
			name = v.name("name", *c.Name)
		}
		if c.Rules != nil {
			rules = d.checkRules(&v, *c.Rules, row.Rules)
		}
		if err := v.Err(); err != nil {
			return err
		}
		if err := within(actor, rules, "change the role like that"); err != nil {
			return err
		}
		var fields audit.Fields
		fields.Compare("name", row.Name, name)
		fields.Compare("rules", row.Rules, rules)
		if err := d.keepDeciders(ctx, func() error {
			if row, err = authdb.New(d.db.Conn(ctx)).UpdateRole(ctx,
				authdb.UpdateRoleParams{ID: id, Name: name, Rules: rules}); err != nil {
				return explainRole(err, name)
			}
			return nil
		}); err != nil {
			return err
		}
		role = Role(row)
		return d.record(ctx, actor, audit.Changed, audit.Object(typeRole, id, name), "Role changed", fields)
	})
	return role, err
}

// DeleteRole removes a role and revokes it from its holders.
func (d *Directory) DeleteRole(ctx context.Context, actor principal.Principal, id uuid.UUID, based *int64) error {
	return d.db.InTx(ctx, func(ctx context.Context) error {
		row, err := d.lockRole(ctx, actor, id, based)
		if err != nil {
			return err
		}
		if row.Builtin {
			return problem.Errorf(problem.Conflict, "The role %q is built in and cannot be deleted.", row.Name)
		}
		if err := d.keepDeciders(ctx, func() error {
			if _, err := authdb.New(d.db.Conn(ctx)).DeleteRole(ctx, id); err != nil {
				return fmt.Errorf("delete role: %w", err)
			}
			return nil
		}); err != nil {
			return err
		}
		if err := d.removed.Notify(ctx, typeRole, id); err != nil {
			return err
		}
		return d.record(
			ctx,
			actor,
			audit.Deleted,
			audit.Object(typeRole, id, row.Name),
			"Role deleted, and taken from everybody who held it",
			nil,
		)
	})
}

func (d *Directory) lockRole(ctx context.Context, actor principal.Principal, id uuid.UUID, based *int64) (authdb.Role, error) {
	q := authdb.New(d.db.Conn(ctx))
	if err := q.LockAdministrators(ctx, AdminRole); err != nil {
		return authdb.Role{}, fmt.Errorf("lock administrators: %w", err)
	}
	row, err := q.LockRole(ctx, id)
	if store.NoRows(err) {
		return row, noRole(id)
	}
	if err != nil {
		return row, fmt.Errorf("lock role: %w", err)
	}
	needed := row.Rules
	if row.ID == UsersRole {
		// Every user holds this role, so a change affects users with more rights, too.
		needed = []string{principal.Admin}
	}
	if err := within(actor, needed, "change this role"); err != nil {
		return row, err
	}
	return row, problem.CheckRevision("role", row.Revision, based)
}
