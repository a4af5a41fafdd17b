-- name: Environments :many
SELECT * FROM catalog_environments e
WHERE e.name_key > @after AND (@name_key::text = '' OR e.name_key = @name_key)
ORDER BY e.name_key
LIMIT @max_rows::integer;

-- name: Environment :one
SELECT * FROM catalog_environments WHERE id = $1;

-- name: LockEnvironment :one
SELECT * FROM catalog_environments WHERE id = $1 FOR NO KEY UPDATE;

-- name: EnvironmentByNameKey :one
SELECT * FROM catalog_environments WHERE name_key = $1;

-- name: KnownEnvironments :many
SELECT id FROM catalog_environments WHERE id = ANY (@ids::uuid[]);

-- name: CreateEnvironment :execrows
INSERT INTO catalog_environments (id, name, name_key, description, fields) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (name_key) DO NOTHING;

-- name: UpdateEnvironment :execrows
UPDATE catalog_environments e
SET name = @name, name_key = @name_key, description = @description, fields = @fields
WHERE e.id = @id AND (e.name, e.description, e.fields) IS DISTINCT FROM (@name, @description, @fields);

-- name: BumpEnvironment :exec
UPDATE catalog_environments SET revision = revision + 1, updated_at = now() WHERE id = $1;

-- name: DeleteEnvironment :execrows
DELETE FROM catalog_environments WHERE id = $1;
