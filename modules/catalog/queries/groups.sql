-- name: Groups :many
SELECT * FROM catalog_groups g
WHERE g.name_key > @after
  AND (@name_key::text = '' OR g.name_key = @name_key)
  AND ((@every::boolean AND NOT g.id = ANY (@hidden::uuid[])) OR g.id = ANY (@granted::uuid[]))
ORDER BY g.name_key
LIMIT @max_rows::integer;

-- name: Group :one
SELECT * FROM catalog_groups WHERE id = $1;

-- name: LockGroup :one
SELECT * FROM catalog_groups WHERE id = $1 FOR NO KEY UPDATE;

-- name: GroupByNameKey :one
SELECT id, name FROM catalog_groups WHERE name_key = $1;

-- name: CreateGroup :execrows
INSERT INTO catalog_groups (id, name, name_key, description, metadata) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (name_key) DO NOTHING;

-- name: UpdateGroup :execrows
UPDATE catalog_groups g
SET name = @name, name_key = @name_key, description = @description, metadata = @metadata
WHERE g.id = @id AND (g.name, g.description, g.metadata) IS DISTINCT FROM (@name, @description, @metadata);

-- name: BumpGroup :exec
UPDATE catalog_groups SET revision = revision + 1, updated_at = now() WHERE id = $1;

-- name: DeleteGroup :execrows
DELETE FROM catalog_groups WHERE id = $1;
