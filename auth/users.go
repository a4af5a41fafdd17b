package auth

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/auth/authdb"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
)

// User is a person who can sign in.
type User struct {
	ID       uuid.UUID `json:"id"`
	Email    string    `json:"email"`
	Name     string    `json:"name"`
	Disabled bool      `json:"disabled" doc:"A disabled user cannot sign in and has no sessions"`
	// MustChangePassword blocks all other requests until the person has changed their password.
	MustChangePassword bool          `json:"mustChangePassword" doc:"The person has to change their password before anything else"`
	Roles              []Named       `json:"roles" nullable:"false" doc:"Every user holds the role \"users\""`
	Teams              []Named       `json:"teams" nullable:"false"`
	Status             UserStatus    `json:"status" enum:"active,invited,disabled" doc:"invited: has no way to sign in yet, and needs a password link"`
	LastSignInAt       *time.Time    `json:"lastSignInAt,omitempty" doc:"Absent for a user who has never signed in"`
	PasswordLink       *PasswordLink `json:"passwordLink,omitempty" doc:"The link by which they can set a password, while it is good"`
	Revision           int64         `json:"revision"`
	CreatedAt          time.Time     `json:"createdAt"`
	UpdatedAt          time.Time     `json:"updatedAt"`
}

// UserStatus reports whether a user can sign in.
type UserStatus string

const (
	// Active users can sign in, Invited ones after setting a password, and Disabled ones not.
	Active   UserStatus = "active"
	Invited  UserStatus = "invited"
	Disabled UserStatus = "disabled"
)

func statusOf(r authdb.UsersRow) UserStatus {
	switch {
	case r.Disabled:
		return Disabled
	case r.HasPassword || r.Federated:
		return Active
	}
	return Invited
}

// NewUser is a user to create. RoleIDs are added to the role "users". Without a password the user needs a password
// link.
type NewUser struct {
	Email    string      `json:"email" maxLength:"254"`
	Name     string      `json:"name" minLength:"1" maxLength:"200"`
	Password string      `json:"password,omitempty" minLength:"8" maxLength:"256" doc:"Without one they choose theirs with a password link"`
	RoleIDs  []uuid.UUID `json:"roleIds,omitempty" maxItems:"100"`
	// MustChangePassword is for a password that an administrator chose.
	MustChangePassword bool `json:"mustChangePassword,omitempty" doc:"They have to change it before anything else"`
}

// UserChange changes the fields that are not nil. A new password and disabling end the user's sessions.
type UserChange struct {
	Email    *string `json:"email,omitempty" maxLength:"254"`
	Name     *string `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Password *string `json:"password,omitempty" minLength:"8" maxLength:"256"`
	Disabled *bool   `json:"disabled,omitempty"`
	// MustChangePassword is for a password that an administrator chose.
	MustChangePassword *bool        `json:"mustChangePassword,omitempty" doc:"They have to change it before anything else"`
	RoleIDs            *[]uuid.UUID `json:"roleIds,omitempty" maxItems:"100" doc:"Replaces the roles"`
}

// UserFilter selects a page of users.
type UserFilter struct {
	rest.Page
	Search string     `query:"search" maxLength:"200" doc:"Parts of the name or the e-mail address"`
	Status UserStatus `query:"status" enum:"active,invited,disabled"`
	RoleID uuid.UUID  `query:"roleId" format:"uuid" doc:"Those who hold this role"`
}

// MaxTotal bounds the count of users, so that its cost does not grow with their number.
const MaxTotal = 1000

// Users lists a page of users by name, and their total; MaxTotal+1 when there are more.
func (d *Directory) Users(ctx context.Context, f UserFilter) ([]User, rest.Next, int64, error) {
	afterID, afterName, err := afterUser(f.Page)
	if err != nil {
		return nil, rest.Next{}, 0, err
	}
	words, longest := patterns(f.Search)
	p := authdb.UsersParams{Words: words, Longest: longest, Status: string(f.Status), AfterID: afterID, AfterName: afterName, Most: f.Rows()}
	// Every user holds the role "users".
	if f.RoleID != uuid.Nil && f.RoleID != UsersRole {
		p.RoleID = &f.RoleID
	}
	q := authdb.New(d.db.CustomPlans(ctx))
	total, err := q.CountUsers(
		ctx,
		authdb.CountUsersParams{Words: words, Longest: longest, RoleID: p.RoleID, Status: p.Status, Most: MaxTotal + 1},
	)
	if err != nil {
		return nil, rest.Next{}, 0, fmt.Errorf("count users: %w", err)
	}
	rows, err := q.Users(ctx, p)
	if err != nil {
		return nil, rest.Next{}, 0, fmt.Errorf("list users: %w", err)
	}
	rows, next := rest.Cut(f.Page, rows, func(r authdb.UsersRow) string { return r.ID.String() + r.SortedBy })
	users, err := d.present(ctx, rows)
	return users, next, total, err
}

// afterUser parses a cursor: the id and the sort key of the previous page's last user.
func afterUser(p rest.Page) (id *uuid.UUID, name string, err error) {
	after, err := p.After()
	if err != nil || after == "" {
		return nil, "", err
	}
	const chars = len("00000000-0000-0000-0000-000000000000")
	parsed, err := uuid.Parse(after[:min(len(after), chars)])
	if err != nil {
		return nil, "", problem.UnknownCursor()
	}
	return &parsed, after[min(len(after), chars):], nil
}

// patterns are the search words, each to match a part of the name or the address, and the longest of them.
func patterns(search string) (words []string, longest string) {
	words = []string{}
	for word := range strings.FieldsSeq(clip(search, maxEmailBytes)) {
		pattern := text.Pattern(word)
		if words = append(words, pattern); len(pattern) > len(longest) {
			longest = pattern
		}
	}
	return words, longest
}

// User returns a user.
func (d *Directory) User(ctx context.Context, id uuid.UUID) (User, error) {
	rows, err := authdb.New(d.db.Conn(ctx)).Users(ctx, authdb.UsersParams{ID: &id, Most: 1})
	if err != nil {
		return User{}, fmt.Errorf("find user: %w", err)
	}
	if len(rows) == 0 {
		return User{}, noUser(id)
	}
	users, err := d.present(ctx, rows)
	if err != nil {
		return User{}, err
	}
	return users[0], nil
}

func noUser(id uuid.UUID) error {
	return problem.Errorf(problem.NotFound, "No user has the id %s. List users to see who exists.", id)
}

func (d *Directory) present(ctx context.Context, rows []authdb.UsersRow) ([]User, error) {
	roles, err := d.roleNames(ctx)
	if err != nil {
		return nil, err
	}
	var teamIDs []uuid.UUID
	for _, r := range rows {
		teamIDs = append(teamIDs, r.TeamIds...)
	}
	teams, err := d.TeamNames(ctx, teamIDs)
	if err != nil {
		return nil, err
	}
	users := make([]User, 0, len(rows))
	for _, r := range rows {
		users = append(users, User{
			ID: r.ID, Email: r.Email, Name: r.Name, Disabled: r.Disabled, MustChangePassword: r.MustChangePassword, Revision: r.Revision,
			Roles: named(append(r.RoleIds, UsersRole), roles), Teams: named(r.TeamIds, teams),
			Status: statusOf(r), LastSignInAt: r.LastSignInAt, PasswordLink: linkOf(r), CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		})
	}
	return users, nil
}

func linkOf(r authdb.UsersRow) *PasswordLink {
	if r.LinkExpiresAt == nil {
		return nil
	}
	return &PasswordLink{Kind: LinkKind(r.LinkKind), ExpiresAt: *r.LinkExpiresAt}
}

// CreateUser adds a user.
func (d *Directory) CreateUser(ctx context.Context, actor principal.Principal, n NewUser) (User, error) {
	var v validation
	n = v.newUser(n)
	if err := v.Err(); err != nil {
		return User{}, err
	}
	hash := ""
	if n.Password != "" {
		var err error
		if hash, err = d.hasher.Hash(ctx, n.Password); err != nil {
			return User{}, err
		}
	} else {
		// The user chooses a password that nobody else knows.
		n.MustChangePassword = false
	}
	var user User
	err := d.db.InTx(ctx, func(ctx context.Context) error {
		roleIDs, err := d.grantable(ctx, actor, n.RoleIDs)
		if err != nil {
			return err
		}
		id, err := d.insertUser(ctx, n, hash, roleIDs)
		if err != nil {
			return err
		}
		if user, err = d.User(ctx, id); err != nil {
			return err
		}
		var fields audit.Fields
		fields.Compare("roles", []string{}, titles(user.Roles))
		return d.record(ctx, actor, audit.Created, audit.Object(typeUser, id, user.Name), "Account created", fields)
	})
	return user, err
}

func (d *Directory) insertUser(ctx context.Context, n NewUser, hash string, roleIDs []uuid.UUID) (uuid.UUID, error) {
	q := authdb.New(d.db.Conn(ctx))
	id := store.NewID()
	if err := q.InsertUser(ctx, authdb.InsertUserParams{
		ID: id, Email: n.Email, Name: n.Name, PasswordHash: hash, MustChangePassword: n.MustChangePassword,
	}); err != nil {
		return uuid.Nil, explainEmail(err, n.Email)
	}
	if err := q.AddUserRoles(ctx, authdb.AddUserRolesParams{UserID: id, RoleIds: roleIDs}); err != nil {
		return uuid.Nil, fmt.Errorf("give roles: %w", err)
	}
	return id, nil
}

func explainEmail(err error, email string) error {
	if store.Violates(err, "users_email") {
		return problem.Errorf(problem.Conflict, "A user with the e-mail address %s exists already. Choose another address.", email)
	}
	return fmt.Errorf("write user: %w", err)
}

// UpdateUser changes a user at the revision that the change is based on.
func (d *Directory) UpdateUser(ctx context.Context, actor principal.Principal, id uuid.UUID, c UserChange, based *int64) (User, error) {
	c, hash, err := d.checkChange(ctx, id, c)
	if err != nil {
		return User{}, err
	}
	var user User
	err = d.db.InTx(ctx, func(ctx context.Context) error {
		row, err := d.lockUser(ctx, actor, id, based)
		if err != nil {
			return err
		}
		if err := d.mayChangeSignIn(ctx, actor, id, c); err != nil {
			return err
		}
		before, err := d.User(ctx, id)
		if err != nil {
			return err
		}
		if err := d.keepDeciders(ctx, func() error {
			if err := d.writeUser(ctx, row, c, hash); err != nil || c.RoleIDs == nil {
				return err
			}
			return d.replaceUserRoles(ctx, actor, id, *c.RoleIDs)
		}); err != nil {
			return err
		}
		if c.RoleIDs != nil || c.Disabled != nil {
			if err := d.requireAdministrator(ctx); err != nil {
				return err
			}
		}
		if user, err = d.User(ctx, id); err != nil {
			return err
		}
		return d.record(
			ctx,
			actor,
			audit.Changed,
			audit.Object(typeUser, id, user.Name),
			"Account changed",
			changedFields(before, user, hash != ""),
		)
	})
	return user, err
}

// checkChange normalises a change and hashes its password, if any.
func (d *Directory) checkChange(ctx context.Context, id uuid.UUID, c UserChange) (checked UserChange, hash string, err error) {
	var live Person
	if c.Password != nil {
		people, err := d.People(ctx, []uuid.UUID{id})
		if err != nil {
			return c, "", err
		}
		live = people[id]
	}
	var v validation
	c = v.userChange(c, live.Email, live.Name)
	if err := v.Err(); err != nil || c.Password == nil {
		return c, "", err
	}
	hash, err = d.hasher.Hash(ctx, *c.Password)
	return c, hash, err
}

// mayChangeSignIn refuses changes of the password or the address, which allow signing in as the user, unless the actor
// holds everything that the user holds.
func (d *Directory) mayChangeSignIn(ctx context.Context, actor principal.Principal, id uuid.UUID, c UserChange) error {
	switch {
	case c.Password == nil && c.Email == nil:
		return nil
	case c.Password != nil && actor.Kind == principal.User && actor.ID == id:
		// A holder of a stolen session could keep the account otherwise.
		return problem.Errorf(
			problem.Forbidden,
			"You change your own password with the one that you have: under your account, or with POST /api/auth/password.",
		)
	}
	return d.withinUser(ctx, actor, id, "change how this account signs in")
}

func changedFields(before, after User, password bool) (fields audit.Fields) {
	fields.Mention("email", before.Email != after.Email)
	fields.Mention("name", before.Name != after.Name)
	fields.Mention("password", password)
	fields.Compare("disabled", before.Disabled, after.Disabled)
	fields.Compare("mustChangePassword", before.MustChangePassword, after.MustChangePassword)
	fields.Compare("roles", titles(before.Roles), titles(after.Roles))
	return fields
}

// DeleteUser removes a user with their sessions, memberships and grants. Their history stays in the audit log.
func (d *Directory) DeleteUser(ctx context.Context, actor principal.Principal, id uuid.UUID, based *int64) error {
	return d.db.InTx(ctx, func(ctx context.Context) error {
		row, err := d.lockUser(ctx, actor, id, based)
		if err != nil {
			return err
		}
		q := authdb.New(d.db.Conn(ctx))
		if err := q.DeleteSubjectTuples(ctx, authdb.DeleteSubjectTuplesParams{SubjectType: subjectUser, SubjectID: id}); err != nil {
			return fmt.Errorf("delete grants of user: %w", err)
		}
		if err := d.keepDeciders(ctx, func() error {
			if _, err := q.DeleteUser(ctx, id); err != nil {
				return fmt.Errorf("delete user: %w", err)
			}
			return nil
		}); err != nil {
			return err
		}
		if err := d.requireAdministrator(ctx); err != nil {
			return err
		}
		if err := d.removed.Notify(ctx, typeUser, id); err != nil {
			return err
		}
		return d.record(
			ctx,
			actor,
			audit.Deleted,
			audit.Object(typeUser, id, row.Name),
			"Account deleted, with its sessions, memberships and grants",
			nil,
		)
	})
}

// lockUser loads and locks a user to change, and checks the actor's rights. Changes that could remove an administrator
// are serialised, so that two concurrent ones cannot remove both.
func (d *Directory) lockUser(ctx context.Context, actor principal.Principal, id uuid.UUID, based *int64) (authdb.User, error) {
	q := authdb.New(d.db.Conn(ctx))
	if err := q.LockAdministrators(ctx, AdminRole); err != nil {
		return authdb.User{}, fmt.Errorf("lock administrators: %w", err)
	}
	row, err := q.LockUser(ctx, id)
	if store.NoRows(err) {
		return row, noUser(id)
	}
	if err != nil {
		return row, fmt.Errorf("lock user: %w", err)
	}
	rules, err := q.RulesByUser(ctx, id)
	if err != nil {
		return row, fmt.Errorf("find rules of user: %w", err)
	}
	if err := within(actor, rules, "change this account"); err != nil {
		return row, err
	}
	return row, problem.CheckRevision("user", row.Revision, based)
}

func (d *Directory) writeUser(ctx context.Context, row authdb.User, c UserChange, hash string) error {
	q := authdb.New(d.db.Conn(ctx))
	p := authdb.UpdateUserParams{
		ID:                 row.ID,
		Email:              row.Email,
		Name:               row.Name,
		Disabled:           row.Disabled,
		PasswordHash:       row.PasswordHash,
		MustChangePassword: row.MustChangePassword,
	}
	if c.Email != nil {
		p.Email = *c.Email
	}
	if c.Name != nil {
		p.Name = *c.Name
	}
	if c.Disabled != nil {
		p.Disabled = *c.Disabled
	}
	if hash != "" {
		p.PasswordHash = hash
	}
	if c.MustChangePassword != nil {
		p.MustChangePassword = *c.MustChangePassword
	}
	if err := q.UpdateUser(ctx, p); err != nil {
		return explainEmail(err, p.Email)
	}
	if p.Disabled || hash != "" {
		return d.endSignIns(ctx, row.ID)
	}
	if p.Email != row.Email {
		if _, err := q.DeletePasswordLink(ctx, row.ID); err != nil {
			return fmt.Errorf("withdraw password link: %w", err)
		}
	}
	return nil
}

// endSignIns revokes all credentials of an account: sessions, programs, known devices and password links.
func (d *Directory) endSignIns(ctx context.Context, id uuid.UUID) error {
	q := authdb.New(d.db.Conn(ctx))
	if _, err := q.DeleteSessionsByUser(ctx, authdb.DeleteSessionsByUserParams{UserID: id}); err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	if _, err := q.DeleteConsentsByUser(ctx, id); err != nil {
		return fmt.Errorf("disconnect programs: %w", err)
	}
	if err := q.ForgetDevices(ctx, id); err != nil {
		return fmt.Errorf("forget devices: %w", err)
	}
	if err := q.DeletePasswordLinksOf(ctx, id); err != nil {
		return fmt.Errorf("withdraw password links: %w", err)
	}
	return d.removed.Notify(ctx, access.SignIns, id)
}

func (d *Directory) replaceUserRoles(ctx context.Context, actor principal.Principal, id uuid.UUID, roleIDs []uuid.UUID) error {
	roleIDs, err := d.grantable(ctx, actor, roleIDs)
	if err != nil {
		return err
	}
	q := authdb.New(d.db.Conn(ctx))
	if err := q.ClearUserRoles(ctx, id); err != nil {
		return fmt.Errorf("take roles: %w", err)
	}
	if err := q.AddUserRoles(ctx, authdb.AddUserRolesParams{UserID: id, RoleIds: roleIDs}); err != nil {
		return fmt.Errorf("give roles: %w", err)
	}
	return nil
}

// requireAdministrator refuses a change that leaves no administrator.
func (d *Directory) requireAdministrator(ctx context.Context) error {
	n, err := authdb.New(d.db.Conn(ctx)).CountAdministrators(ctx, AdminRole)
	if err != nil {
		return fmt.Errorf("count administrators: %w", err)
	}
	if n == 0 {
		return problem.Errorf(problem.Conflict, "This is the last enabled administrator. Make another user an administrator first.")
	}
	return nil
}
