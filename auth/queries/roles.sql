-- name: Roles :many
SELECT * FROM roles ORDER BY builtin DESC, lower(name), id;

-- name: RoleHolders :many
-- Counts the people and applications of each role. Every user holds the default one.
SELECT r.id,
       (CASE WHEN r.id = @default_role::uuid THEN (SELECT count(*) FROM users)
             ELSE (SELECT count(*) FROM user_roles ur WHERE ur.role_id = r.id) END)::bigint AS people,
       (SELECT count(*) FROM application_roles ar WHERE ar.role_id = r.id) AS applications
FROM roles r;

-- name: Role :one
SELECT * FROM roles WHERE id = @id;

-- name: LockRole :one
SELECT * FROM roles WHERE id = @id FOR UPDATE;

-- name: RolesByID :many
-- The lock keeps the roles, and what they grant, until the grant is committed.
SELECT id, rules FROM roles WHERE id = ANY(@ids::uuid[]) ORDER BY id FOR SHARE;

-- name: RolesByUser :many
SELECT id, name FROM roles
WHERE id = @default_role OR id IN (SELECT role_id FROM user_roles WHERE user_id = @user_id)
ORDER BY builtin DESC, lower(name);

-- name: RolesByApplication :many
SELECT r.id, r.name FROM roles r JOIN application_roles ar ON ar.role_id = r.id
WHERE ar.application_id = @application_id
ORDER BY r.builtin DESC, lower(r.name);

-- name: InsertRole :one
INSERT INTO roles (id, name, rules) VALUES (@id, @name, @rules) RETURNING *;

-- name: UpdateRole :one
UPDATE roles SET name = @name, rules = @rules, revision = revision + 1, updated_at = now() WHERE id = @id RETURNING *;

-- name: DeleteRole :execrows
DELETE FROM roles WHERE id = @id AND NOT builtin;

-- name: DeclareRules :many
-- Returns the rules that are declared for the first time.
INSERT INTO access_rules (id) SELECT unnest(@ids::text[]) ON CONFLICT DO NOTHING RETURNING id;

-- name: AddRulesToRole :exec
UPDATE roles
SET rules = ARRAY(SELECT DISTINCT rule FROM unnest(rules || @rules::text[]) AS rule ORDER BY rule),
    revision = revision + 1, updated_at = now()
WHERE id = @id;
