package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/auth/authdb"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Setting a password or issuing a token allows acting as the account, and adding a member or granting access hands out
// rights. To prevent privilege escalation the actor must hold everything involved: rules, grants and memberships.

// subject is a holder of grants.
type subject struct {
	kind  string
	id    uuid.UUID
	teams []uuid.UUID
}

// withinGrants refuses grants beyond the actor's own.
func withinGrants(ctx context.Context, db *store.DB, actor principal.Principal, of subject, action string) error {
	if actor.Has(principal.Admin) {
		return nil
	}
	read, managed := openedTypes(actor)
	beyond, err := authdb.New(db.Conn(ctx)).GrantsBeyond(ctx, authdb.GrantsBeyondParams{
		SubjectType: of.kind, SubjectID: of.id, TeamIds: of.teams, Read: read, Managed: managed,
		ActorType: string(actor.Kind), ActorID: actor.ID, ActorTeamIds: actor.TeamIDs,
	})
	if err != nil {
		return fmt.Errorf("compare grants: %w", err)
	}
	if beyond > 0 {
		return problem.Errorf(
			problem.Forbidden,
			"You cannot %s: it holds access to single objects that you do not hold. Ask an administrator.",
			action,
		)
	}
	return nil
}

// openedTypes returns the object types that a principal's rules open: rules are named after types.
func openedTypes(p principal.Principal) (read, managed []string) {
	read, managed = []string{}, []string{}
	for _, rule := range p.Rules {
		if objectType, ok := strings.CutSuffix(rule, ".manage"); ok {
			managed = append(managed, objectType)
		}
		if objectType, ok := strings.CutSuffix(rule, ".read"); ok {
			read = append(read, objectType)
		}
	}
	return read, managed
}

// withinUser refuses an actor who lacks anything that a user holds; rules are compared elsewhere. Membership counts
// itself: it opens the records that a team shares.
func (d *Directory) withinUser(ctx context.Context, actor principal.Principal, id uuid.UUID, action string) error {
	if actor.Has(principal.Admin) || actor.Kind == principal.User && actor.ID == id {
		return nil
	}
	teams, err := authdb.New(d.db.Conn(ctx)).TeamsOfUser(ctx, id)
	if err != nil {
		return fmt.Errorf("find teams of user: %w", err)
	}
	for _, team := range teams {
		if !slices.Contains(actor.TeamIDs, team) {
			return problem.Errorf(problem.Forbidden, "You cannot %s: it is in a team that you are not in. Ask an administrator.", action)
		}
	}
	return withinGrants(ctx, d.db, actor, subject{subjectUser, id, teams}, action)
}

// Holds refuses an actor who lacks anything that an account (user or application) holds. A deleted account holds
// nothing, and the actor's own is never refused.
func (d *Directory) Holds(ctx context.Context, actor principal.Principal, id uuid.UUID, action string) error {
	if actor.Has(principal.Admin) || actor.ID == id {
		return nil
	}
	q := authdb.New(d.db.Conn(ctx))
	rules, err := q.RulesByUser(ctx, id)
	if err != nil {
		return fmt.Errorf("find rules of user: %w", err)
	}
	ofApplication, err := q.RulesByApplication(ctx, id)
	if err != nil {
		return fmt.Errorf("find rules of application: %w", err)
	}
	if err := within(actor, slices.Concat(rules, ofApplication), action); err != nil {
		return err
	}
	if err := d.withinUser(ctx, actor, id, action); err != nil {
		return err
	}
	return withinGrants(ctx, d.db, actor, subject{kind: subjectApplication, id: id}, action)
}

// mayAdd refuses an actor who lacks what membership of a team gives.
func (d *Directory) mayAdd(ctx context.Context, teamID uuid.UUID) error {
	actor := principal.FromContext(ctx)
	if actor.IsZero() || slices.Contains(actor.TeamIDs, teamID) {
		return nil // the product itself, or a member
	}
	return withinGrants(ctx, d.db, actor, subject{subjectTeam, teamID, []uuid.UUID{teamID}}, "add a member to this team")
}

// mayReplace refuses an actor who would open an object beyond their own access: new grants above their own level, or a
// private object made public.
func (g *Grants) mayReplace(ctx context.Context, objectType string, id uuid.UUID, before, after Access) error {
	actor := principal.FromContext(ctx)
	if actor.IsZero() || actor.Has(principal.Admin) {
		return nil
	}
	have, err := g.levelOn(ctx, actor, objectType, id)
	if err != nil {
		return err
	}
	refusal := problem.Errorf(
		problem.Forbidden,
		"You cannot give more access to this object than you have yourself. Ask its owner or an administrator.",
	)
	if before.Private && !after.Private && !have.Includes(access.Own) {
		return refusal
	}
	for _, grant := range after.Grants {
		kept := slices.ContainsFunc(before.Grants, func(b Grant) bool {
			return b.SubjectType == grant.SubjectType && b.SubjectID == grant.SubjectID && b.Relation.Includes(grant.Relation)
		})
		if !kept && !have.Includes(grant.Relation) {
			return refusal
		}
	}
	return nil
}

// levelOn is a principal's level on an object, by rules and grants. Administrators are not passed.
func (g *Grants) levelOn(ctx context.Context, p principal.Principal, objectType string, id uuid.UUID) (access.Level, error) {
	relations, err := authdb.New(g.db.Conn(ctx)).LevelsOn(ctx, authdb.LevelsOnParams{
		ObjectType: objectType, ObjectID: id, ActorType: string(p.Kind), ActorID: p.ID, ActorTeamIds: p.TeamIDs,
	})
	if err != nil {
		return access.None, fmt.Errorf("look up grants: %w", err)
	}
	have := access.None
	if read, managed := openedTypes(p); !slices.Contains(relations, access.Private) {
		switch {
		case slices.Contains(managed, objectType):
			have = access.Own
		case slices.Contains(read, objectType):
			have = access.View
		}
	}
	for _, relation := range relations {
		if level := access.Level(relation); relation != access.Private && level.Includes(have) {
			have = level
		}
	}
	return have, nil
}

// ApplicationRules returns the access rules of an application as they are now.
func (d *Directory) ApplicationRules(ctx context.Context, id uuid.UUID) ([]string, error) {
	rules, err := authdb.New(d.db.Conn(ctx)).RulesByApplication(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("find rules of application: %w", err)
	}
	return rules, nil
}
