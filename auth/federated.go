package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/auth/authdb"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/text"
)

// FederatedLogin signs in a user whom the identity provider has authenticated. The first sign-in creates an account
// without a password, or links an existing one; each sign-in synchronises the roles of groups.
func (s *Sessions) FederatedLogin(ctx context.Context, i Identity, from Device) (SignedIn, error) {
	if !s.federation.admits(i.Groups) {
		return SignedIn{}, s.revokeFederated(ctx, i)
	}
	var in SignedIn
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		if err := authdb.New(s.db.Conn(ctx)).LockIdentity(ctx, "countersign.identity."+i.Issuer+"\x1f"+i.Subject); err != nil {
			return fmt.Errorf("lock identity: %w", err)
		}
		user, err := s.accountOf(ctx, i)
		if err != nil {
			return err
		}
		if user.Disabled {
			return refusedSignIn(whyDisabled, "This account is disabled. Ask an administrator to enable it.")
		}
		if err := s.syncGroupRoles(ctx, user, i.Groups); err != nil {
			return err
		}
		if err := authdb.New(s.db.Conn(ctx)).SeeIdentity(ctx, authdb.SeeIdentityParams{Issuer: i.Issuer, Subject: i.Subject}); err != nil {
			return fmt.Errorf("note sign-in of identity: %w", err)
		}
		var id uuid.UUID
		if in.Token, id, err = s.start(ctx, user, from); err != nil {
			return err
		}
		if in.Principal, _, err = s.authenticator.bySession(ctx, &id, nil, signIn); err != nil {
			return err
		}
		return s.record(ctx, in.Principal, audit.SignedIn, "Signed in at the identity provider", nil, from.Address)
	})
	if err == nil {
		s.log.Info("Signed in at the identity provider", "user", in.Principal.ID, "session", in.Principal.SessionID, "address", from.Address)
	}
	return in, err
}

// requireRecentSignIn refuses a program that acts for a user of the identity provider who has not signed in there for
// the lifetime of a session: the provider may have disabled them since. It runs when the last use is recorded, so once
// a minute, and again while it refuses.
func (a *Authenticator) requireRecentSignIn(ctx context.Context, p principal.Principal) error {
	expired, err := authdb.New(a.db.Conn(ctx)).SignInExpired(ctx, authdb.SignInExpiredParams{ID: p.ID, Seconds: a.provider.Seconds()})
	if err != nil && !store.NoRows(err) {
		return fmt.Errorf("find last sign-in at the identity provider: %w", err)
	}
	if err != nil || expired {
		return problem.Errorf(
			problem.Unauthorized,
			"The person behind this token has not signed in for a while. The token works again once they have signed in to the app.",
		)
	}
	return nil
}

// revokeFederated refuses a user without any of the required groups, and removes what earlier groups gave: roles,
// sessions, and programs that act for them.
func (s *Sessions) revokeFederated(ctx context.Context, i Identity) error {
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		q := authdb.New(s.db.Conn(ctx))
		row, err := q.UserByIdentity(ctx, authdb.UserByIdentityParams{Issuer: i.Issuer, Subject: i.Subject})
		if store.NoRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("find identity: %w", err)
		}
		user := authdb.UserForLoginRow(row)
		if err := s.syncGroupRoles(ctx, user, nil); err != nil {
			return err
		}
		if _, err := q.LockUser(ctx, user.ID); err != nil {
			return fmt.Errorf("lock user: %w", err)
		}
		sessions, err := q.DeleteSessionsByUser(ctx, authdb.DeleteSessionsByUserParams{UserID: user.ID})
		if err != nil {
			return fmt.Errorf("end sessions: %w", err)
		}
		programs, err := q.DeleteConsentsByUser(ctx, user.ID)
		if err != nil {
			return fmt.Errorf("disconnect programs: %w", err)
		}
		if err := s.removed.Notify(ctx, access.SignIns, user.ID); err != nil {
			return err
		}
		if sessions+programs == 0 {
			return nil
		}
		return audit.Record(ctx, s.db, audit.Event{
			Action: audit.SignedOut, Object: audit.Object(typeUser, user.ID, user.Name), Actor: principal.Principal{Kind: principal.Service},
			Summary: "Signed out everywhere, with programs disconnected: in none of the groups that may sign in",
		})
	})
	if err != nil {
		return err
	}
	return refusedSignIn(whyGroup, "You are in none of the groups that may sign in. Ask an administrator.")
}

// accountOf finds or creates the account of an identity, in the transaction of ctx.
func (s *Sessions) accountOf(ctx context.Context, i Identity) (authdb.UserForLoginRow, error) {
	q := authdb.New(s.db.Conn(ctx))
	row, err := q.UserByIdentity(ctx, authdb.UserByIdentityParams{Issuer: i.Issuer, Subject: i.Subject})
	if err == nil {
		return authdb.UserForLoginRow(row), nil
	}
	if !store.NoRows(err) {
		return authdb.UserForLoginRow{}, fmt.Errorf("find identity: %w", err)
	}
	var v validation
	email := v.email(i.Email)
	if v.Err() != nil || i.Verified != nil && !*i.Verified {
		return authdb.UserForLoginRow{}, refusedSignIn(
			whyEmail,
			"The identity provider does not say that an e-mail address is yours. Ask an administrator.",
		)
	}
	user, err := q.UserForLogin(ctx, email)
	switch {
	case store.NoRows(err):
		user, err = s.firstSignIn(ctx, email, i.Name)
	case err == nil:
		err = s.linkAccount(ctx, user, i)
	}
	if err != nil {
		return user, err
	}
	if err := q.InsertIdentity(ctx, authdb.InsertIdentityParams{Issuer: i.Issuer, Subject: i.Subject, UserID: user.ID}); err != nil {
		return user, fmt.Errorf("keep identity: %w", err)
	}
	return user, nil
}

// linkAccount links an identity to an existing account: only if configured, and if the provider has verified the
// address. Otherwise an unverified address would allow an account takeover.
func (s *Sessions) linkAccount(ctx context.Context, user authdb.UserForLoginRow, i Identity) error {
	taken := refusedSignIn(whyTaken, "An account with your e-mail address exists here. Sign in with its password, or ask an administrator.")
	if !s.federation.LinkByEmail || i.Verified == nil || !*i.Verified {
		return taken
	}
	other, err := authdb.New(s.db.Conn(ctx)).HasIdentity(ctx, authdb.HasIdentityParams{UserID: user.ID, Issuer: i.Issuer})
	if err != nil {
		return fmt.Errorf("find identity of account: %w", err)
	}
	if other {
		return taken
	}
	return s.record(
		ctx,
		principal.Principal{ID: user.ID, Name: user.Name},
		audit.Changed,
		"The account was linked with one at the identity provider",
		nil,
		"",
	)
}

// firstSignIn creates an account without a password.
func (s *Sessions) firstSignIn(ctx context.Context, email, name string) (authdb.UserForLoginRow, error) {
	if name = text.Shown(name, maxNameChars); name == "" {
		name = email
	}
	user := authdb.UserForLoginRow{ID: store.NewID(), Name: name, Email: email}
	if err := authdb.New(s.db.Conn(ctx)).InsertUser(ctx, authdb.InsertUserParams{ID: user.ID, Email: email, Name: name}); err != nil {
		return user, explainEmail(err, email)
	}
	return user, audit.Record(ctx, s.db, audit.Event{
		Action:  audit.Created,
		Object:  audit.Object(typeUser, user.ID, name),
		Summary: "Account made at the first sign-in at the identity provider",
		Actor:   principal.Principal{Kind: principal.Service},
	})
}

// syncGroupRoles adds and removes the roles of groups. The last administrator stays one.
func (s *Sessions) syncGroupRoles(ctx context.Context, user authdb.UserForLoginRow, groups []string) error {
	if len(s.federation.Roles) == 0 {
		return nil
	}
	q := authdb.New(s.db.Conn(ctx))
	if err := q.LockAdministrators(ctx, AdminRole); err != nil {
		return fmt.Errorf("lock administrators: %w", err)
	}
	names := make([]string, 0, len(s.federation.Roles))
	for _, name := range s.federation.Roles {
		names = append(names, strings.ToLower(name))
	}
	roles, err := q.RolesByName(ctx, names)
	if err != nil {
		return fmt.Errorf("find roles of groups: %w", err)
	}
	mapped, held, administrator := []uuid.UUID{}, []uuid.UUID{}, ""
	for _, role := range roles {
		if role.ID == AdminRole {
			administrator = role.Name
		}
		// Every user holds this role.
		if role.ID == UsersRole {
			continue
		}
		mapped = append(mapped, role.ID)
		if slices.ContainsFunc(groups, func(g string) bool { return strings.EqualFold(s.federation.Roles[g], role.Name) }) {
			held = append(held, role.ID)
		}
	}
	before, err := s.rolesOf(ctx, user.ID)
	if err != nil {
		return err
	}
	if _, err := q.TakeRoles(ctx, authdb.TakeRolesParams{UserID: user.ID, Mapped: mapped, Held: held}); err != nil {
		return fmt.Errorf("take roles: %w", err)
	}
	if err := q.AddUserRoles(ctx, authdb.AddUserRolesParams{UserID: user.ID, RoleIds: held}); err != nil {
		return fmt.Errorf("give roles: %w", err)
	}
	if left, err := q.CountAdministrators(ctx, AdminRole); err != nil {
		return fmt.Errorf("count administrators: %w", err)
	} else if left == 0 && administrator != "" && slices.Contains(before, administrator) {
		s.log.Warn("The last administrator stays one, whatever their groups", "user", user.ID)
		if err := q.AddUserRoles(ctx, authdb.AddUserRolesParams{UserID: user.ID, RoleIds: []uuid.UUID{AdminRole}}); err != nil {
			return fmt.Errorf("give role back: %w", err)
		}
	}
	after, err := s.rolesOf(ctx, user.ID)
	if err != nil || slices.Equal(before, after) {
		return err
	}
	var fields audit.Fields
	fields.Compare("roles", before, after)
	return audit.Record(ctx, s.db, audit.Event{
		Action:  audit.Changed,
		Object:  audit.Object(typeUser, user.ID, user.Name),
		Summary: "Roles follow the groups at the identity provider",
		Fields:  fields,
		Actor:   principal.Principal{Kind: principal.Service},
	})
}

// rolesOf returns the sorted names of a user's roles.
func (s *Sessions) rolesOf(ctx context.Context, id uuid.UUID) ([]string, error) {
	rows, err := authdb.New(s.db.Conn(ctx)).RolesByUser(ctx, authdb.RolesByUserParams{DefaultRole: UsersRole, UserID: id})
	if err != nil {
		return nil, fmt.Errorf("find roles: %w", err)
	}
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.Name
	}
	slices.Sort(names)
	return names, nil
}

// federate completes a sign-in after the redirect back from the provider; kept is the cookie of the attempt.
func (s *Sessions) federate(ctx context.Context, kept string, o Origin, answer map[string][]string) (SignedIn, string, error) {
	now, err := s.db.Now(ctx)
	if err != nil {
		return SignedIn{}, "/", err
	}
	attempt, ok := s.attempts.open(kept, now)
	if !ok {
		return SignedIn{}, "/", Stale()
	}
	from := s.device(o)
	i, err := s.federation.Provider.Finish(ctx, attempt, answer, now)
	if err == nil {
		var in SignedIn
		if in, err = s.FederatedLogin(ctx, i, from); err == nil {
			return in, localPath(attempt.Next), nil
		}
	}
	if whyOf(err) != "" {
		s.log.Warn("Sign-in at the identity provider failed", "address", from.Address, "why", whyOf(err), "error", err)
		if wait, limitErr := s.signInThrottle.federatedFailure(ctx, from.Address); limitErr != nil {
			return SignedIn{}, "/", limitErr
		} else if wait > 0 {
			return SignedIn{}, "/", refusedSignIn(whyWait, "Too many sign-ins from your address came to nothing. Wait a minute and try again.")
		}
		if err := s.failed(ctx, uuid.Nil, from); err != nil {
			return SignedIn{}, "/", err
		}
	}
	return SignedIn{}, localPath(attempt.Next), err
}

// notFederated is the refusal without a configured identity provider.
func notFederated() error {
	return problem.Errorf(problem.NotFound, "No identity provider is set up. Sign in with a password.")
}
