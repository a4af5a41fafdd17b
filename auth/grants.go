package auth

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/auth/authdb"
	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Kinds of subjects of a grant.
const (
	subjectUser        = "user"
	subjectApplication = "application"
	subjectTeam        = "team"
	subjectPublic      = "public"
)

// Grants are the relations of people, applications and teams to single objects, in addition to the rules of roles.
// Package access decides the resulting rights. Object types look like "catalog.system"; modules update the grants of an
// object with SetOwner and Remove.
type Grants struct {
	db      *store.DB
	objects map[string]Objects
	removed access.OnRemoved
}

// Owner is a team that owns an object.
type Owner struct {
	TeamID   uuid.UUID `json:"teamId"`
	TeamName string    `json:"teamName"`
}

// Grant is the relation of a subject to an object.
type Grant struct {
	SubjectType string       `json:"subjectType" enum:"user,application,team"`
	SubjectID   uuid.UUID    `json:"subjectId"`
	SubjectName string       `json:"subjectName,omitempty" readOnly:"true"`
	Relation    access.Level `json:"relation" enum:"viewer,editor,owner" doc:"owner includes editor, editor includes viewer"`
}

// Access lists the grants on an object.
type Access struct {
	Private bool    `json:"private" doc:"Closed to everybody without a grant, whatever their roles"`
	Grants  []Grant `json:"grants" nullable:"false" maxItems:"500"`
}

// revision is a hash of the grants: they have no counter of their own, and their object's revision also rises with
// unrelated changes.
func (a Access) revision() int64 {
	lines := make([]string, len(a.Grants))
	for i, g := range a.Grants {
		lines[i] = fmt.Sprintf("%s %s %s", g.SubjectType, g.SubjectID, g.Relation)
	}
	slices.Sort(lines)
	sum := sha256.Sum256(fmt.Appendf(nil, "%t\n%s", a.Private, strings.Join(lines, "\n")))
	return int64(binary.BigEndian.Uint64(sum[:])>>12) + 1 // 52 bits
}

// exists reports whether the object surely exists: its grants are deleted with it.
func (a Access) exists() bool { return a.Private || len(a.Grants) > 0 }

// owned refuses private access without an owner: a person, an application or a team.
func (a Access) owned() error {
	if !a.Private || slices.ContainsFunc(a.Grants, func(g Grant) bool { return g.Relation == access.Own }) {
		return nil
	}
	return access.Ownerless()
}

// Owners returns the owning teams of each object.
func (g *Grants) Owners(ctx context.Context, objectType string, ids []uuid.UUID) (map[uuid.UUID][]Owner, error) {
	rows, err := authdb.New(g.db.Conn(ctx)).OwnerTeams(ctx, authdb.OwnerTeamsParams{ObjectType: objectType, ObjectIds: ids})
	if err != nil {
		return nil, fmt.Errorf("find owners: %w", err)
	}
	owners := make(map[uuid.UUID][]Owner, len(ids))
	for _, r := range rows {
		owners[r.ObjectID] = append(owners[r.ObjectID], Owner{TeamID: r.TeamID, TeamName: r.TeamName})
	}
	return owners, nil
}

// SetOwner makes a team the only owning team of an object; uuid.Nil removes the owner, which is a Conflict for a
// private object without another owner. An unknown team is Invalid. The caller has locked the object.
func (g *Grants) SetOwner(ctx context.Context, objectType string, id, teamID uuid.UUID) error {
	return g.db.InTx(ctx, func(ctx context.Context) error {
		q := authdb.New(g.db.Conn(ctx))
		if err := g.lock(ctx, q, objectType, id); err != nil {
			return err
		}
		if _, err := q.DeleteOwnerTeams(ctx, authdb.DeleteOwnerTeamsParams{ObjectType: objectType, ObjectID: id}); err != nil {
			return fmt.Errorf("take owner: %w", err)
		}
		if teamID == uuid.Nil {
			left, err := g.Access(ctx, objectType, id)
			if err != nil {
				return err
			}
			return left.owned()
		}
		return g.insert(ctx, q, objectType, id, Grant{SubjectType: subjectTeam, SubjectID: teamID, Relation: access.Own}, "teamId")
	})
}

// Remove deletes all grants of an object, and what modules store about it; a module calls it in the transaction that
// deletes the object.
func (g *Grants) Remove(ctx context.Context, objectType string, id uuid.UUID) error {
	if err := g.removed.Notify(ctx, objectType, id); err != nil {
		return err
	}
	return g.clear(ctx, objectType, id)
}

// clear deletes all grants of an object.
func (g *Grants) clear(ctx context.Context, objectType string, id uuid.UUID) error {
	_, err := authdb.New(g.db.Conn(ctx)).DeleteObjectTuples(ctx, authdb.DeleteObjectTuplesParams{ObjectType: objectType, ObjectID: id})
	if err != nil {
		return fmt.Errorf("delete grants: %w", err)
	}
	return nil
}

// TeamExists reports whether there is such a team.
func (g *Grants) TeamExists(ctx context.Context, id uuid.UUID) (bool, error) {
	_, err := authdb.New(g.db.Conn(ctx)).Team(ctx, id)
	if store.NoRows(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find team: %w", err)
	}
	return true, nil
}

var objectTypePattern = regexp.MustCompile(`^[a-z]+\.[a-z_]+$`)

// Access returns the grants of an object.
func (g *Grants) Access(ctx context.Context, objectType string, id uuid.UUID) (Access, error) {
	if err := checkObjectType(objectType); err != nil {
		return Access{}, err
	}
	rows, err := authdb.New(g.db.Conn(ctx)).ObjectTuples(ctx, authdb.ObjectTuplesParams{ObjectType: objectType, ObjectID: id})
	if err != nil {
		return Access{}, fmt.Errorf("list grants: %w", err)
	}
	shown := Access{Grants: []Grant{}}
	for _, r := range rows {
		if r.Relation == access.Private {
			shown.Private = true
			continue
		}
		shown.Grants = append(
			shown.Grants,
			Grant{SubjectType: r.SubjectType, SubjectID: r.SubjectID, SubjectName: r.SubjectName, Relation: access.Level(r.Relation)},
		)
	}
	return shown, nil
}

// SetAccess replaces all grants of an object, for its module. The API uses replace, which asks the module whether the
// object exists.
func (g *Grants) SetAccess(ctx context.Context, objectType string, id uuid.UUID, wanted Access) (Access, error) {
	if err := checkObjectType(objectType); err != nil {
		return Access{}, err
	}
	var after Access
	err := g.db.InTx(ctx, func(ctx context.Context) error {
		q := authdb.New(g.db.Conn(ctx))
		if err := g.lock(ctx, q, objectType, id); err != nil {
			return err
		}
		if err := g.clear(ctx, objectType, id); err != nil {
			return err
		}
		for i, grant := range wanted.Grants {
			if !slices.Contains([]access.Level{access.View, access.Edit, access.Own}, grant.Relation) {
				return problem.InvalidInput(
					"A relation must be viewer, editor or owner.",
					problem.Issue{Path: fmt.Sprintf("grants[%d].relation", i), Message: "is not a relation"},
				)
			}
			if err := g.insert(ctx, q, objectType, id, grant, fmt.Sprintf("grants[%d].subjectId", i)); err != nil {
				return err
			}
		}
		if wanted.Private {
			err := q.InsertTuple(
				ctx,
				authdb.InsertTupleParams{ObjectType: objectType, ObjectID: id, Relation: access.Private, SubjectType: subjectPublic},
			)
			if err != nil {
				return fmt.Errorf("close object: %w", err)
			}
		}
		var err error
		after, err = g.Access(ctx, objectType, id)
		return err
	})
	return after, err
}

func checkObjectType(objectType string) error {
	if len(objectType) > 100 || !objectTypePattern.MatchString(objectType) {
		return problem.InvalidInput(
			"The object type must look like catalog.system.",
			problem.Issue{Path: "objectType", Message: "is not an object type"},
		)
	}
	return nil
}

func (g *Grants) lock(ctx context.Context, q *authdb.Queries, objectType string, id uuid.UUID) error {
	if err := q.LockObject(ctx, objectType+"/"+id.String()); err != nil {
		return fmt.Errorf("lock grants: %w", err)
	}
	return nil
}

// insert adds a grant and locks its subject against deletion until the transaction ends.
func (g *Grants) insert(ctx context.Context, q *authdb.Queries, objectType string, id uuid.UUID, grant Grant, path string) error {
	keep := map[string]func(context.Context, uuid.UUID) (uuid.UUID, error){
		subjectTeam: q.KeepTeam, subjectUser: q.KeepUser, subjectApplication: q.KeepApplication,
	}[grant.SubjectType]
	if keep == nil {
		return problem.InvalidInput(
			"A grant is for a user, an application or a team.",
			problem.Issue{Path: path, Message: "has no such kind of subject"},
		)
	}
	if _, err := keep(ctx, grant.SubjectID); store.NoRows(err) {
		return problem.InvalidInput(fmt.Sprintf("No %s has the id %s. List them to see what exists.", grant.SubjectType, grant.SubjectID),
			problem.Issue{Path: path, Message: "does not exist"})
	} else if err != nil {
		return fmt.Errorf("find %s: %w", grant.SubjectType, err)
	}
	err := q.InsertTuple(ctx, authdb.InsertTupleParams{
		ObjectType: objectType, ObjectID: id, Relation: string(grant.Relation), SubjectType: grant.SubjectType, SubjectID: grant.SubjectID,
	})
	if err != nil {
		return fmt.Errorf("insert grant: %w", err)
	}
	return nil
}
