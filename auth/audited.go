package auth

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/auth/authdb"
	"countersign/internal/access"
	"countersign/internal/principal"
)

// Types of objects in the audit log.
const (
	typeUser        = audit.PersonType
	typeApplication = "auth.application"
	typeRole        = "auth.role"
	typeTeam        = "auth.team"
	typeSession     = "auth.session"
)

// Types of objects in the audit log, as people read them.
var (
	auditedUser = audit.Declare(audit.Type{
		ID: typeUser, Label: "Person", Plural: "People", Kept: []string{"disabled", "mustChangePassword", "roles"},
	})
	auditedApplication = audit.Declare(audit.Type{
		ID: typeApplication, Label: "Application", Plural: "Applications", Kept: []string{"name", "disabled", "roles", "expiresAt"},
	})
	auditedRole = audit.Declare(audit.Type{ID: typeRole, Label: "Role", Plural: "Roles", Kept: []string{"name", "rules"}})
	auditedTeam = audit.Declare(audit.Type{
		ID: typeTeam, Label: "Team", Plural: "Teams", Page: "/catalog/teams/{id}", Kept: []string{"name"},
	})
	auditedSessions = audit.Declare(audit.Type{ID: typeSession, Label: "Sessions"})
)

// subjectTypes are the kinds of subjects of a grant as the audit log names them.
var subjectTypes = map[string]string{subjectUser: typeUser, subjectApplication: typeApplication, subjectTeam: typeTeam}

// Audited are the object types with a readable history, each for callers who can see the object.
func (a *Auth) Audited() []audit.Kind {
	d := a.Directory
	return []audit.Kind{
		self(audit.Ruled(auditedUser, RuleUsersManage, audit.ByUUID(d.User))),
		audit.Ruled(auditedApplication, RuleApplicationsManage, audit.ByUUID(d.Application)),
		audit.Ruled(auditedRole, RuleRolesManage, audit.ByUUID(d.Role)),
		audit.Ruled(auditedTeam, RuleTeamsRead, audit.ByUUID(d.Team)),
		{Type: auditedSessions},
	}
}

// self lets people read the history of their own account.
func self(kind audit.Kind) audit.Kind {
	see := kind.See
	kind.See = func(ctx context.Context, id string) error {
		if p := principal.FromContext(ctx); p.Kind == principal.User && id == p.ID.String() {
			return nil
		}
		return see(ctx, id)
	}
	return kind
}

func (d *Directory) record(
	ctx context.Context,
	actor principal.Principal,
	action audit.Action,
	object audit.Ref,
	summary string,
	fields audit.Fields,
) error {
	return audit.Record(ctx, d.db, audit.Event{Action: action, Object: object, Summary: summary, Fields: fields, Actor: actor})
}

// titles returns the sorted names of roles or teams for the audit log.
func titles(list []Named) []string {
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = n.Name
	}
	slices.Sort(names)
	return names
}

// recordDefaults records the rules that came with a new version of the product.
func (d *Directory) recordDefaults(ctx context.Context, fresh []string) error {
	var fields audit.Fields
	fields.Compare("rules", []string{}, fresh)
	return d.record(
		ctx,
		principal.Principal{},
		audit.Changed,
		audit.Object(typeRole, UsersRole, "users"),
		"Access rules of this version were given to every user",
		fields,
	)
}

// recordAccess records each grant that a replacement added or removed.
func (g *Grants) recordAccess(ctx context.Context, object audit.Ref, before, after Access) error {
	if before.Private != after.Private {
		var fields audit.Fields
		fields.Mention("private", true)
		summary := "Opened to everybody whose roles allow it"
		if after.Private {
			summary = "Closed to everybody without a grant"
		}
		if err := audit.Record(ctx, g.db, audit.Event{Action: audit.Changed, Object: object, Summary: summary, Fields: fields}); err != nil {
			return err
		}
	}
	for _, grant := range before.Grants {
		if !slices.Contains(after.Grants, grant) {
			if err := g.recordGrant(ctx, audit.Withdrawn, object, grant); err != nil {
				return err
			}
		}
	}
	for _, grant := range after.Grants {
		if !slices.Contains(before.Grants, grant) {
			if err := g.recordGrant(ctx, audit.Granted, object, grant); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *Grants) recordGrant(ctx context.Context, action audit.Action, object audit.Ref, grant Grant) error {
	return audit.Record(ctx, g.db, audit.Event{
		Action: action, Object: object, Summary: grantWords(action, grant.Relation),
		Subject: audit.Ref{Type: subjectTypes[grant.SubjectType], ID: grant.SubjectID.String(), Name: grant.SubjectName},
	})
}

// grantWords describes an added or removed grant for people. Rights from roles are unaffected.
func grantWords(action audit.Action, relation access.Level) string {
	to := map[access.Level]string{access.View: "see and use it", access.Edit: "change it", access.Own: "own it"}[relation]
	if to == "" {
		to = string(relation)
	}
	if action == audit.Withdrawn {
		return "Access to " + to + " was taken away"
	}
	return "Access to " + to + " was given"
}

// recordMember records a change of membership.
func (d *Directory) recordMember(ctx context.Context, action audit.Action, team authdb.Team, user uuid.UUID) error {
	people, err := d.People(ctx, []uuid.UUID{user})
	if err != nil {
		return err
	}
	summary := "A member was added"
	if action == audit.Removed {
		summary = "A member was removed"
	}
	return audit.Record(ctx, d.db, audit.Event{
		Action:  action,
		Object:  audit.Object(typeTeam, team.ID, team.Name),
		Summary: summary,
		Subject: audit.Object(typeUser, user, people[user].Name),
	})
}

// nobody is the actor of the product's own changes.
var nobody = principal.Principal{}

// record records an event about a person and their sessions.
func (s *Sessions) record(
	ctx context.Context,
	p principal.Principal,
	action audit.Action,
	summary string,
	fields audit.Fields,
	address string,
) error {
	return audit.Record(ctx, s.db, audit.Event{
		Action: action, Object: audit.Object(typeUser, p.ID, p.Name), Summary: summary, Fields: fields, Actor: p, Address: address,
	})
}

// failed records a failed attempt: a wrong password, or an account that may not sign in; account is nil for an unknown
// address. The throttle counted it before the password was checked.
func (s *Sessions) failed(ctx context.Context, account uuid.UUID, from Device) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		var known *uuid.UUID
		if account != uuid.Nil {
			known = &account
		}
		return refusals{s.db}.note(ctx, audit.SignInFailed, known, from.Address, 1)
	})
}

// endDead deletes dead sessions, in the transaction of ctx.
func (s *Sessions) endDead(ctx context.Context) (int64, error) {
	n, err := authdb.New(s.db.Conn(ctx)).DeleteDeadSessions(ctx, s.idle.Seconds())
	if err != nil {
		return 0, fmt.Errorf("delete dead sessions: %w", err)
	}
	if n == 0 {
		return 0, nil
	}
	return n, audit.Record(ctx, s.db, audit.Event{
		Action: audit.Deleted, Object: audit.Ref{Type: typeSession}, Summary: fmt.Sprintf("%d sessions that had expired were deleted", n),
	})
}
