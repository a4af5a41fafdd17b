package auth

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/auth/authdb"
	"countersign/auth/credential"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Application is a program with an API token of its own.
type Application struct {
	ID         uuid.UUID  `json:"id"`
	Name       string     `json:"name"`
	Disabled   bool       `json:"disabled"`
	Roles      []Named    `json:"roles" nullable:"false"`
	ExpiresAt  *time.Time `json:"expiresAt,omitempty" doc:"When the token expires; never when absent"`
	LastUsedAt *time.Time `json:"lastUsedAt,omitempty" doc:"Renewed at most once a minute"`
	Revision   int64      `json:"revision"`
	CreatedAt  time.Time  `json:"createdAt"`
	UpdatedAt  time.Time  `json:"updatedAt"`
}

// NewApplication is an application to create.
type NewApplication struct {
	Name      string      `json:"name" minLength:"1" maxLength:"200"`
	RoleIDs   []uuid.UUID `json:"roleIds,omitempty" maxItems:"100"`
	ExpiresAt *time.Time  `json:"expiresAt,omitempty" doc:"When the token expires; never when absent"`
}

// ApplicationChange changes the fields that are not nil.
type ApplicationChange struct {
	Name     *string      `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Disabled *bool        `json:"disabled,omitempty"`
	RoleIDs  *[]uuid.UUID `json:"roleIds,omitempty" maxItems:"100" doc:"Replaces the roles"`
}

// TokenReplacement sets the expiry of a new token.
type TokenReplacement struct {
	ExpiresAt *time.Time `json:"expiresAt,omitempty" doc:"When the new token expires; never when absent"`
}

// Applications lists every application by name.
func (d *Directory) Applications(ctx context.Context) ([]Application, error) {
	return d.findApplications(ctx, nil)
}

// Application finds one application.
func (d *Directory) Application(ctx context.Context, id uuid.UUID) (Application, error) {
	found, err := d.findApplications(ctx, &id)
	if err != nil {
		return Application{}, err
	}
	if len(found) == 0 {
		return Application{}, noApplication(id)
	}
	return found[0], nil
}

func noApplication(id uuid.UUID) error {
	return problem.Errorf(problem.NotFound, "No application has the id %s. List applications to see what exists.", id)
}

func (d *Directory) findApplications(ctx context.Context, id *uuid.UUID) ([]Application, error) {
	rows, err := authdb.New(d.db.Conn(ctx)).Applications(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("list applications: %w", err)
	}
	roles, err := d.roleNames(ctx)
	if err != nil {
		return nil, err
	}
	found := make([]Application, 0, len(rows))
	for _, r := range rows {
		found = append(found, Application{
			ID: r.ID, Name: r.Name, Disabled: r.Disabled, Roles: named(r.RoleIds, roles), ExpiresAt: r.ExpiresAt,
			LastUsedAt: r.LastUsedAt, Revision: r.Revision, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		})
	}
	return found, nil
}

// CreateApplication adds an application and returns its token, which is shown only once.
func (d *Directory) CreateApplication(
	ctx context.Context,
	actor principal.Principal,
	n NewApplication,
) (a Application, token string, err error) {
	var v validation
	n.Name = v.name("name", n.Name)
	if err := v.Err(); err != nil {
		return Application{}, "", err
	}
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		q := authdb.New(d.db.Conn(ctx))
		if err := d.checkExpiry(ctx, q, n.ExpiresAt); err != nil {
			return err
		}
		roleIDs, err := d.grantable(ctx, actor, n.RoleIDs)
		if err != nil {
			return err
		}
		text, hash := credential.New()
		id := store.NewID()
		err = q.InsertApplication(
			ctx,
			authdb.InsertApplicationParams{
				ID:        id,
				Name:      n.Name,
				TokenID:   uuid.New(),
				TokenHash: hash,
				ExpiresAt: n.ExpiresAt,
				IssuerID:  issuer(actor),
			},
		)
		if err != nil {
			return explainApplication(err, n.Name)
		}
		if err := q.AddApplicationRoles(ctx, authdb.AddApplicationRolesParams{ApplicationID: id, RoleIds: roleIDs}); err != nil {
			return fmt.Errorf("give roles: %w", err)
		}
		token = TokenPrefix + text
		if a, err = d.Application(ctx, id); err != nil {
			return err
		}
		var fields audit.Fields
		fields.Compare("roles", []string{}, titles(a.Roles))
		fields.Compare("expiresAt", (*time.Time)(nil), a.ExpiresAt)
		return d.record(ctx, actor, audit.Created, audit.Object(typeApplication, id, a.Name), "Application created, with an API token", fields)
	})
	return a, token, err
}

func (d *Directory) checkExpiry(ctx context.Context, q *authdb.Queries, at *time.Time) error {
	if at == nil {
		return nil
	}
	future, err := q.InFuture(ctx, *at)
	if err != nil {
		return fmt.Errorf("check expiry: %w", err)
	}
	if !future {
		return problem.InvalidInput("The expiry must be in the future.", problem.Issue{Path: "expiresAt", Message: "must be in the future"})
	}
	return nil
}

func explainApplication(err error, name string) error {
	if store.Violates(err, "applications_name") {
		return problem.Errorf(problem.Conflict, "An application with the name %q exists already. Choose another name.", name)
	}
	return fmt.Errorf("write application: %w", err)
}

// UpdateApplication changes an application at the revision that the change is based on.
func (d *Directory) UpdateApplication(
	ctx context.Context,
	actor principal.Principal,
	id uuid.UUID,
	c ApplicationChange,
	based *int64,
) (Application, error) {
	var v validation
	if c.Name != nil {
		*c.Name = v.name("name", *c.Name)
	}
	if err := v.Err(); err != nil {
		return Application{}, err
	}
	var application Application
	err := d.db.InTx(ctx, func(ctx context.Context) error {
		row, err := d.lockApplication(ctx, actor, id, based)
		if err != nil {
			return err
		}
		before, err := d.Application(ctx, id)
		if err != nil {
			return err
		}
		q := authdb.New(d.db.Conn(ctx))
		p := authdb.UpdateApplicationParams{ID: id, Name: row.Name, Disabled: row.Disabled}
		if c.Name != nil {
			p.Name = *c.Name
		}
		if c.Disabled != nil {
			p.Disabled = *c.Disabled
		}
		if err := q.UpdateApplication(ctx, p); err != nil {
			return explainApplication(err, p.Name)
		}
		if c.RoleIDs != nil {
			roleIDs, err := d.grantable(ctx, actor, *c.RoleIDs)
			if err != nil {
				return err
			}
			if err := q.ClearApplicationRoles(ctx, id); err != nil {
				return fmt.Errorf("take roles: %w", err)
			}
			if err := q.AddApplicationRoles(ctx, authdb.AddApplicationRolesParams{ApplicationID: id, RoleIds: roleIDs}); err != nil {
				return fmt.Errorf("give roles: %w", err)
			}
		}
		if application, err = d.Application(ctx, id); err != nil {
			return err
		}
		var fields audit.Fields
		fields.Compare("name", before.Name, application.Name)
		fields.Compare("disabled", before.Disabled, application.Disabled)
		fields.Compare("roles", titles(before.Roles), titles(application.Roles))
		return d.record(ctx, actor, audit.Changed, audit.Object(typeApplication, id, application.Name), "Application changed", fields)
	})
	return application, err
}

// ReplaceToken creates a token with a new expiry and revokes the old one, with every credential derived from it.
func (d *Directory) ReplaceToken(
	ctx context.Context,
	actor principal.Principal,
	id uuid.UUID,
	r TokenReplacement,
	based *int64,
) (a Application, token string, err error) {
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := d.lockApplication(ctx, actor, id, based); err != nil {
			return err
		}
		if err := withinGrants(ctx, d.db, actor, subject{kind: subjectApplication, id: id}, "replace this token"); err != nil {
			return err
		}
		q := authdb.New(d.db.Conn(ctx))
		if err := d.checkExpiry(ctx, q, r.ExpiresAt); err != nil {
			return err
		}
		text, hash := credential.New()
		if err := q.ReplaceToken(
			ctx,
			authdb.ReplaceTokenParams{ID: id, TokenID: uuid.New(), TokenHash: hash, ExpiresAt: r.ExpiresAt, IssuerID: issuer(actor)},
		); err != nil {
			return fmt.Errorf("replace token: %w", err)
		}
		token = TokenPrefix + text
		if a, err = d.Application(ctx, id); err != nil {
			return err
		}
		var fields audit.Fields
		fields.Mention("token", true)
		return d.record(
			ctx,
			actor,
			audit.Changed,
			audit.Object(typeApplication, id, a.Name),
			"The API token was replaced, and the one before revoked",
			fields,
		)
	})
	return a, token, err
}

// DeleteApplication removes an application with its token and grants. Its history stays in the audit log.
func (d *Directory) DeleteApplication(ctx context.Context, actor principal.Principal, id uuid.UUID, based *int64) error {
	return d.db.InTx(ctx, func(ctx context.Context) error {
		row, err := d.lockApplication(ctx, actor, id, based)
		if err != nil {
			return err
		}
		q := authdb.New(d.db.Conn(ctx))
		if err := q.DeleteSubjectTuples(ctx, authdb.DeleteSubjectTuplesParams{SubjectType: subjectApplication, SubjectID: id}); err != nil {
			return fmt.Errorf("delete grants of application: %w", err)
		}
		if _, err := q.DeleteApplication(ctx, id); err != nil {
			return fmt.Errorf("delete application: %w", err)
		}
		if err := d.removed.Notify(ctx, typeApplication, id); err != nil {
			return err
		}
		return d.record(
			ctx,
			actor,
			audit.Deleted,
			audit.Object(typeApplication, id, row.Name),
			"Application deleted, with its token and grants",
			nil,
		)
	})
}

// issuer is the person who creates a token, or who issued the token of the creating application.
func issuer(actor principal.Principal) *uuid.UUID {
	if actor.Kind == principal.Application {
		return actor.IssuerID
	}
	return &actor.ID
}

func (d *Directory) lockApplication(
	ctx context.Context,
	actor principal.Principal,
	id uuid.UUID,
	based *int64,
) (authdb.Application, error) {
	q := authdb.New(d.db.Conn(ctx))
	row, err := q.LockApplication(ctx, id)
	if store.NoRows(err) {
		return row, noApplication(id)
	}
	if err != nil {
		return row, fmt.Errorf("lock application: %w", err)
	}
	rules, err := q.RulesByApplication(ctx, id)
	if err != nil {
		return row, fmt.Errorf("find rules of application: %w", err)
	}
	if err := within(actor, rules, "change this application"); err != nil {
		return row, err
	}
	return row, problem.CheckRevision("application", row.Revision, based)
}
