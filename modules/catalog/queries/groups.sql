-- name: Groups :many
-- A page in name order, of all groups or, with @by_grants, of those that grants open to a caller without the rule.
SELECT g.*
FROM (
    (SELECT n.id, n.name_key FROM catalog_groups n
     WHERE NOT @by_grants::boolean AND n.name_key > @after AND (@name_key::text = '' OR n.name_key = @name_key)
     ORDER BY n.name_key)
    UNION ALL
    (SELECT o.object_id, o.sort_key
     FROM access_page('catalog.group', @subject_type, @subject_id, @team_ids::uuid[], @after, @max_rows::integer) o
     WHERE @by_grants)
) c JOIN catalog_groups g ON g.id = c.id
WHERE @by_grants OR EXISTS (SELECT FROM access_opens('catalog.group', c.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
ORDER BY c.name_key
LIMIT @max_rows;

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
