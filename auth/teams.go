package auth

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/auth/authdb"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Team is a group of people who own records together.
type Team struct {
	ID          uuid.UUID `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	MemberCount int64     `json:"memberCount"`
	// Members are set when a single team is read.
	Members   []Member  `json:"members,omitempty" nullable:"false" doc:"Only when one team is asked for"`
	Revision  int64     `json:"revision"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Member is a user in a team.
type Member struct {
	ID    uuid.UUID `json:"id"`
	Name  string    `json:"name"`
	Email string    `json:"email"`
}

// NewTeam is a team to create.
type NewTeam struct {
	Name        string `json:"name" minLength:"1" maxLength:"200"`
	Description string `json:"description,omitempty" maxLength:"2000"`
}

// TeamChange changes the fields that are not nil.
type TeamChange struct {
	Name        *string `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Description *string `json:"description,omitempty" maxLength:"2000"`
}

// Teams lists every team by name.
func (d *Directory) Teams(ctx context.Context) ([]Team, error) {
	rows, err := authdb.New(d.db.Conn(ctx)).Teams(ctx)
	if err != nil {
		return nil, fmt.Errorf("list teams: %w", err)
	}
	teams := make([]Team, 0, len(rows))
	for _, r := range rows {
		teams = append(teams, Team{
			ID: r.ID, Name: r.Name, Description: r.Description, MemberCount: r.MemberCount,
			Revision: r.Revision, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		})
	}
	return teams, nil
}

// Team returns a team with its members.
func (d *Directory) Team(ctx context.Context, id uuid.UUID) (Team, error) {
	row, err := authdb.New(d.db.Conn(ctx)).Team(ctx, id)
	if store.NoRows(err) {
		return Team{}, noTeam(id)
	}
	if err != nil {
		return Team{}, fmt.Errorf("find team: %w", err)
	}
	return d.withMembers(ctx, row)
}

func noTeam(id uuid.UUID) error {
	return problem.Errorf(problem.NotFound, "No team has the id %s. List teams to see what exists.", id)
}

func (d *Directory) withMembers(ctx context.Context, row authdb.Team) (Team, error) {
	rows, err := authdb.New(d.db.Conn(ctx)).TeamMembers(ctx, row.ID)
	if err != nil {
		return Team{}, fmt.Errorf("list team members: %w", err)
	}
	members := make([]Member, 0, len(rows))
	for _, r := range rows {
		members = append(members, Member(r))
	}
	return Team{
		ID: row.ID, Name: row.Name, Description: row.Description, MemberCount: int64(len(members)), Members: members,
		Revision: row.Revision, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}, nil
}

// CreateTeam adds a team without members.
func (d *Directory) CreateTeam(ctx context.Context, n NewTeam) (Team, error) {
	var v validation
	name, description := v.name("name", n.Name), v.text("description", n.Description)
	if err := v.Err(); err != nil {
		return Team{}, err
	}
	return store.InTx(ctx, d.db, func(ctx context.Context) (Team, error) {
		row, err := authdb.New(d.db.Conn(ctx)).InsertTeam(ctx, authdb.InsertTeamParams{ID: store.NewID(), Name: name, Description: description})
		if err != nil {
			return Team{}, explainTeam(err, name)
		}
		if err := d.record(
			ctx,
			principal.FromContext(ctx),
			audit.Created,
			audit.Object(typeTeam, row.ID, row.Name),
			"Team created",
			nil,
		); err != nil {
			return Team{}, err
		}
		return d.withMembers(ctx, row)
	})
}

func explainTeam(err error, name string) error {
	if store.Violates(err, "teams_name") {
		return problem.Errorf(problem.Conflict, "A team with the name %q exists already. Choose another name.", name)
	}
	return fmt.Errorf("write team: %w", err)
}

// UpdateTeam changes a team at the revision that the change is based on.
func (d *Directory) UpdateTeam(ctx context.Context, id uuid.UUID, c TeamChange, based *int64) (Team, error) {
	var team Team
	err := d.db.InTx(ctx, func(ctx context.Context) error {
		row, err := d.lockTeam(ctx, id, based)
		if err != nil {
			return err
		}
		before := row
		var v validation
		if c.Name != nil {
			row.Name = v.name("name", *c.Name)
		}
		if c.Description != nil {
			row.Description = v.text("description", *c.Description)
		}
		if err := v.Err(); err != nil {
			return err
		}
		row, err = authdb.New(d.db.Conn(ctx)).UpdateTeam(ctx, authdb.UpdateTeamParams{ID: id, Name: row.Name, Description: row.Description})
		if err != nil {
			return explainTeam(err, row.Name)
		}
		var fields audit.Fields
		fields.Compare("name", before.Name, row.Name)
		fields.Mention("description", before.Description != row.Description)
		if err := d.record(
			ctx,
			principal.FromContext(ctx),
			audit.Changed,
			audit.Object(typeTeam, id, row.Name),
			"Team changed",
			fields,
		); err != nil {
			return err
		}
		team, err = d.withMembers(ctx, row)
		return err
	})
	return team, err
}

// DeleteTeam removes a team with its memberships and its viewer and editor grants. A team with owned records cannot be
// deleted, as they would silently lose their owner.
func (d *Directory) DeleteTeam(ctx context.Context, id uuid.UUID, based *int64) error {
	return d.db.InTx(ctx, func(ctx context.Context) error {
		row, err := d.lockTeam(ctx, id, based)
		if err != nil {
			return err
		}
		q := authdb.New(d.db.Conn(ctx))
		owned, err := q.CountOwnedByTeam(ctx, id)
		if err != nil {
			return fmt.Errorf("count what team owns: %w", err)
		}
		if owned > 0 {
			return problem.Errorf(problem.Conflict, "The team %s owns %d objects. Give them to another team first.", row.Name, owned)
		}
		if err := q.DeleteSubjectTuples(ctx, authdb.DeleteSubjectTuplesParams{SubjectType: subjectTeam, SubjectID: id}); err != nil {
			return fmt.Errorf("delete grants of team: %w", err)
		}
		if _, err := q.DeleteTeam(ctx, id); err != nil {
			return fmt.Errorf("delete team: %w", err)
		}
		if err := d.removed.Notify(ctx, typeTeam, id); err != nil {
			return err
		}
		return d.record(
			ctx,
			principal.FromContext(ctx),
			audit.Deleted,
			audit.Object(typeTeam, id, row.Name),
			"Team deleted, with its memberships and grants",
			nil,
		)
	})
}

func (d *Directory) lockTeam(ctx context.Context, id uuid.UUID, based *int64) (authdb.Team, error) {
	row, err := authdb.New(d.db.Conn(ctx)).LockTeam(ctx, id)
	if store.NoRows(err) {
		return row, noTeam(id)
	}
	if err != nil {
		return row, fmt.Errorf("lock team: %w", err)
	}
	return row, problem.CheckRevision("team", row.Revision, based)
}

// AddMember adds a user to a team at the revision that the change is based on, and reports whether this call did.
func (d *Directory) AddMember(ctx context.Context, teamID, userID uuid.UUID, based *int64) (bool, error) {
	added := false
	err := d.db.InTx(ctx, func(ctx context.Context) error {
		team, err := d.lockTeam(ctx, teamID, based)
		if err != nil {
			return err
		}
		if err := d.mayAdd(ctx, teamID); err != nil {
			return err
		}
		q := authdb.New(d.db.Conn(ctx))
		if _, err := q.KeepUser(ctx, userID); store.NoRows(err) {
			return noUser(userID)
		} else if err != nil {
			return fmt.Errorf("find user: %w", err)
		}
		n, err := q.AddTeamMember(ctx, authdb.AddTeamMemberParams{TeamID: teamID, UserID: userID})
		if err != nil {
			return fmt.Errorf("add team member: %w", err)
		}
		if added = n > 0; !added {
			return nil
		}
		if err := q.TouchTeam(ctx, teamID); err != nil {
			return fmt.Errorf("raise revision of team: %w", err)
		}
		return d.recordMember(ctx, audit.Added, team, userID)
	})
	return added, err
}

// RemoveMember removes a user from a team at the revision that the change is based on, and reports whether this call
// did.
func (d *Directory) RemoveMember(ctx context.Context, teamID, userID uuid.UUID, based *int64) (bool, error) {
	return store.InTx(ctx, d.db, func(ctx context.Context) (bool, error) {
		q := authdb.New(d.db.Conn(ctx))
		// Every change of members locks the team first.
		team, err := d.lockTeam(ctx, teamID, based)
		if problem.Is(err, problem.NotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		n, err := q.RemoveTeamMember(ctx, authdb.RemoveTeamMemberParams{TeamID: teamID, UserID: userID})
		if err != nil {
			return false, fmt.Errorf("remove team member: %w", err)
		}
		if n == 0 {
			return false, nil
		}
		if err := q.TouchTeam(ctx, teamID); err != nil {
			return false, fmt.Errorf("raise revision of team: %w", err)
		}
		return true, d.recordMember(ctx, audit.Removed, team, userID)
	})
}
