-- name: Groups :many
-- @few says that grants open few groups to the caller, and no rule any: the page is chosen from those.
SELECT * FROM catalog_groups g
WHERE g.name_key > @after
  AND (@name_key::text = '' OR g.name_key = @name_key)
  AND (NOT @few::boolean OR g.id = ANY (ARRAY(SELECT o FROM access_granted('catalog.group', @subject_type, @subject_id, @team_ids::uuid[]) o)))
  AND (@few OR EXISTS (SELECT FROM access_opens('catalog.group', g.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[])))
ORDER BY g.name_key
LIMIT @max_rows::integer;

-- name: Group :one
SELECT * FROM catalog_groups WHERE id = $1;

-- name: LockGroup :one
SELECT * FROM catalog_groups WHERE id = $1 FOR NO KEY UPDATE;

-- name: GroupByNameKey :one
SELECT * FROM catalog_groups WHERE name_key = $1;

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
