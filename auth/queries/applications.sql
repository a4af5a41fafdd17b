-- name: Applications :many
SELECT id, name, disabled, expires_at, last_used_at, revision, created_at, updated_at,
       ARRAY(SELECT ar.role_id FROM application_roles ar WHERE ar.application_id = applications.id)::uuid[] AS role_ids
FROM applications
WHERE sqlc.narg(id)::uuid IS NULL OR id = sqlc.narg(id)::uuid
ORDER BY lower(name), id;

-- name: InsertApplication :exec
INSERT INTO applications (id, name, token_id, token_hash, expires_at, issuer_id)
VALUES (@id, @name, @token_id, @token_hash, sqlc.narg(expires_at), sqlc.narg(issuer_id));

-- name: LockApplication :one
SELECT * FROM applications WHERE id = @id FOR UPDATE;

-- name: UpdateApplication :exec
UPDATE applications SET name = @name, disabled = @disabled, revision = revision + 1, updated_at = now() WHERE id = @id;

-- name: ReplaceToken :exec
UPDATE applications
SET token_id = @token_id, token_hash = @token_hash, expires_at = sqlc.narg(expires_at), last_used_at = NULL,
    issuer_id = sqlc.narg(issuer_id),
    revision = revision + 1, updated_at = now()
WHERE id = @id;

-- name: DeleteApplication :execrows
DELETE FROM applications WHERE id = @id;

-- name: AddApplicationRoles :exec
INSERT INTO application_roles (application_id, role_id)
SELECT @application_id, unnest(@role_ids::uuid[]) ON CONFLICT DO NOTHING;

-- name: ClearApplicationRoles :exec
DELETE FROM application_roles WHERE application_id = @application_id;

-- name: RulesByApplication :one
SELECT ARRAY(SELECT DISTINCT rule
             FROM application_roles ar JOIN roles r ON r.id = ar.role_id CROSS JOIN unnest(r.rules) AS rule
             WHERE ar.application_id = @application_id ORDER BY rule)::text[];

-- name: InFuture :one
SELECT (@at::timestamptz > now())::boolean;
