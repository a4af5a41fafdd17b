-- name: Systems :many
-- A page in name order. @among names what a page is best chosen from: 'grants', 'group' or 'environment' when that holds
-- few systems, else '' for all of them in order. 'grants' is for callers whom no rule lets see any. OFFSET 0 keeps the database from reading
-- the whole of a large group to look a few systems up.
SELECT * FROM catalog_systems s
WHERE s.name_key > @after
  AND (@name_key::text = '' OR s.name_key = @name_key)
  AND (@search::text = '' OR strpos(s.name_key, @search) > 0 OR strpos(lower(s.description), @search) > 0 OR @search = ANY (s.tags))
  AND (@tag::text = '' OR s.tags @> ARRAY[@tag])
  AND (sqlc.narg(group_id)::uuid IS NULL
       OR EXISTS (SELECT FROM catalog_group_systems m WHERE m.system_id = s.id AND m.group_id = sqlc.narg(group_id) OFFSET 0))
  AND (sqlc.narg(environment_id)::uuid IS NULL
       OR EXISTS (SELECT FROM catalog_environment_systems m WHERE m.system_id = s.id AND m.environment_id = sqlc.narg(environment_id) OFFSET 0))
  AND (@among::text = '' OR s.id = ANY (CASE @among
       WHEN 'grants' THEN ARRAY(SELECT g FROM access_granted('catalog.system', @subject_type, @subject_id, @team_ids::uuid[]) g)
       WHEN 'group' THEN ARRAY(SELECT m.system_id FROM catalog_group_systems m WHERE m.group_id = sqlc.narg(group_id))
       ELSE ARRAY(SELECT m.system_id FROM catalog_environment_systems m WHERE m.environment_id = sqlc.narg(environment_id)) END))
  AND (@among = 'grants' OR EXISTS (SELECT FROM access_opens('catalog.system', s.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[])))
ORDER BY s.name_key
LIMIT @max_rows::integer;

-- name: System :one
SELECT * FROM catalog_systems WHERE id = $1;

-- name: LockSystem :one
SELECT * FROM catalog_systems WHERE id = $1 FOR NO KEY UPDATE;

-- name: SystemByNameKey :one
SELECT * FROM catalog_systems WHERE name_key = $1;

-- name: CreateSystem :execrows
INSERT INTO catalog_systems (id, name, name_key, description, metadata, tags) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (name_key) DO NOTHING;

-- name: UpdateSystem :execrows
UPDATE catalog_systems s
SET name = @name, name_key = @name_key, description = @description, metadata = @metadata, tags = @tags
WHERE s.id = @id
  AND (s.name, s.description, s.metadata, s.tags) IS DISTINCT FROM (@name, @description, @metadata, @tags);

-- name: BumpSystem :exec
UPDATE catalog_systems SET revision = revision + 1, updated_at = now() WHERE id = $1;

-- name: DeleteSystem :execrows
DELETE FROM catalog_systems WHERE id = $1;

-- name: ContactsOfSystems :many
SELECT * FROM catalog_contacts WHERE system_id = ANY (@system_ids::uuid[]) ORDER BY created_at, id;

-- name: CreateContact :execrows
INSERT INTO catalog_contacts (id, system_id, label, user_id, email) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (system_id, user_id, email) DO NOTHING;

-- name: DeleteContact :execrows
DELETE FROM catalog_contacts WHERE system_id = $1 AND id = $2;

-- name: LinksOfSystems :many
SELECT * FROM catalog_links WHERE system_id = ANY (@system_ids::uuid[]) ORDER BY created_at, id;

-- name: CreateLink :execrows
INSERT INTO catalog_links (id, system_id, label, url) VALUES ($1, $2, $3, $4)
ON CONFLICT (system_id, url) DO NOTHING;

-- name: DeleteLink :execrows
DELETE FROM catalog_links WHERE system_id = $1 AND id = $2;

-- name: SystemNames :many
SELECT id, name FROM catalog_systems WHERE id = ANY (@ids::uuid[]);
