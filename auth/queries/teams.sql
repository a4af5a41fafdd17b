-- name: Teams :many
SELECT t.*, (SELECT count(*) FROM team_members m WHERE m.team_id = t.id) AS member_count
FROM teams t ORDER BY lower(t.name), t.id;

-- name: Team :one
SELECT * FROM teams WHERE id = @id;

-- name: TeamNames :many
SELECT id, name FROM teams WHERE id = ANY(@ids::uuid[]) ORDER BY lower(name), id;

-- name: TeamMembers :many
SELECT u.id, u.name, u.email FROM team_members m JOIN users u ON u.id = m.user_id
WHERE m.team_id = @team_id ORDER BY lower(u.name), u.id;

-- name: InsertTeam :one
INSERT INTO teams (id, name, description) VALUES (@id, @name, @description) RETURNING *;

-- name: LockTeam :one
SELECT * FROM teams WHERE id = @id FOR UPDATE;

-- name: TouchTeam :exec
-- A change of members raises the revision, so that concurrent changes of the team are refused.
UPDATE teams SET revision = revision + 1, updated_at = now() WHERE id = @id;

-- name: KeepTeam :one
-- The lock keeps the team from being deleted until the grant is committed.
SELECT id FROM teams WHERE id = @id FOR KEY SHARE;

-- name: UpdateTeam :one
UPDATE teams SET name = @name, description = @description, revision = revision + 1, updated_at = now()
WHERE id = @id RETURNING *;

-- name: DeleteTeam :execrows
DELETE FROM teams WHERE id = @id;

-- name: AddTeamMember :execrows
INSERT INTO team_members (team_id, user_id) VALUES (@team_id, @user_id) ON CONFLICT DO NOTHING;

-- name: RemoveTeamMember :execrows
DELETE FROM team_members WHERE team_id = @team_id AND user_id = @user_id;

-- name: KeepUser :one
SELECT id FROM users WHERE id = @id FOR KEY SHARE;
