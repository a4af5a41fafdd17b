-- name: Systems :many
-- A page in name order. @source selects the base set: 'names' are all, 'grants' those granted to a caller without the
-- rule, 'tag', 'group', 'environment', 'team' and 'search' those of a filter. The planner drops the other branches.
-- @depth bounds the base set (null: all; a search has no order). @hashed reads the caller's grants at once, when they
-- are few, instead of checking each system. @pattern is @search for LIKE.
SELECT s.*
FROM (
    (SELECT n.id, n.name_key FROM catalog_systems n
     WHERE @source::text = 'names' AND n.name_key > @after AND (@name_key::text = '' OR n.name_key = @name_key)
     ORDER BY n.name_key LIMIT sqlc.narg(depth)::bigint)
    UNION ALL
    (SELECT g.object_id, g.sort_key
     FROM access_page('catalog.system', @subject_type, @subject_id, @team_ids::uuid[], @after, sqlc.narg(depth)::bigint) g
     WHERE @source = 'grants')
    UNION ALL
    (SELECT t.system_id, t.name_key FROM catalog_system_tags t
     WHERE @source = 'tag' AND t.tag = @tag AND t.name_key > @after
     ORDER BY t.name_key LIMIT sqlc.narg(depth)::bigint)
    UNION ALL
    (SELECT m.system_id, m.name_key FROM catalog_group_systems m
     WHERE @source = 'group' AND m.group_id = sqlc.narg(group_id)::uuid AND m.name_key > @after
     ORDER BY m.name_key LIMIT sqlc.narg(depth)::bigint)
    UNION ALL
    (SELECT m.system_id, m.name_key FROM catalog_environment_systems m
     WHERE @source = 'environment' AND m.environment_id = sqlc.narg(environment_id)::uuid AND m.name_key > @after
     ORDER BY m.name_key LIMIT sqlc.narg(depth)::bigint)
    UNION ALL
    (SELECT o.object_id, o.sort_key FROM relation_tuples o
     WHERE @source = 'team' AND o.subject_type = 'team' AND o.subject_id = sqlc.narg(team_id)::uuid
       AND o.object_type = 'catalog.system' AND o.relation = 'owner' AND o.sort_key > @after
     ORDER BY o.sort_key LIMIT sqlc.narg(depth)::bigint)
    UNION ALL
    (SELECT f.id, f.name_key FROM catalog_systems f
     WHERE @source = 'search' AND f.name_key > @after
       AND ((f.name_key || E'\n' || lower(f.description)) COLLATE "C" LIKE @pattern OR f.tags @> ARRAY[@search::text]))
) c JOIN catalog_systems s ON s.id = c.id
WHERE (@source = 'grants'
       OR (@hashed::boolean AND c.id IN (SELECT r FROM access_granted('catalog.system', @subject_type, @subject_id, @team_ids::uuid[]) r))
       OR (NOT @hashed AND EXISTS (
           SELECT FROM access_opens('catalog.system', c.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))))
  AND (@search = '' OR strpos(s.name_key, @search) > 0 OR strpos(lower(s.description), @search) > 0 OR @search = ANY (s.tags))
  AND (@tag::text = '' OR @source = 'tag'
       OR EXISTS (SELECT FROM catalog_system_tags t WHERE t.tag = @tag AND t.name_key = c.name_key AND t.system_id = c.id OFFSET 0))
  AND (sqlc.narg(group_id) IS NULL OR @source = 'group'
       OR EXISTS (SELECT FROM catalog_group_systems m WHERE m.system_id = c.id AND m.group_id = sqlc.narg(group_id) OFFSET 0))
  AND (sqlc.narg(environment_id) IS NULL OR @source = 'environment'
       OR EXISTS (SELECT FROM catalog_environment_systems m
           WHERE m.system_id = c.id AND m.environment_id = sqlc.narg(environment_id) OFFSET 0))
  AND (sqlc.narg(team_id) IS NULL OR @source = 'team'
       OR EXISTS (SELECT FROM relation_tuples o WHERE o.object_type = 'catalog.system' AND o.object_id = c.id AND o.relation = 'owner'
                  AND o.subject_type = 'team' AND o.subject_id = sqlc.narg(team_id) OFFSET 0))
ORDER BY c.name_key
LIMIT @max_rows::integer;

-- name: CountSystems :one
-- Counts the systems of all pages of Systems, up to @at_most, from the same @source.
SELECT count(*) FROM (
SELECT FROM (
    (SELECT n.id, n.name_key FROM catalog_systems n WHERE @source::text = 'names' ORDER BY n.name_key LIMIT sqlc.narg(depth)::bigint)
    UNION ALL
    (SELECT g.object_id, g.sort_key
        FROM access_page('catalog.system', @subject_type, @subject_id, @team_ids::uuid[], '', sqlc.narg(depth)::bigint) g
     WHERE @source = 'grants')
    UNION ALL
    (SELECT t.system_id, t.name_key FROM catalog_system_tags t WHERE @source = 'tag' AND t.tag = @tag
     ORDER BY t.name_key LIMIT sqlc.narg(depth)::bigint)
    UNION ALL
    (SELECT m.system_id, m.name_key FROM catalog_group_systems m WHERE @source = 'group' AND m.group_id = sqlc.narg(group_id)::uuid
     ORDER BY m.name_key LIMIT sqlc.narg(depth)::bigint)
    UNION ALL
    (SELECT m.system_id, m.name_key FROM catalog_environment_systems m
     WHERE @source = 'environment' AND m.environment_id = sqlc.narg(environment_id)::uuid
     ORDER BY m.name_key LIMIT sqlc.narg(depth)::bigint)
    UNION ALL
    (SELECT o.object_id, o.sort_key FROM relation_tuples o
     WHERE @source = 'team' AND o.subject_type = 'team' AND o.subject_id = sqlc.narg(team_id)::uuid
       AND o.object_type = 'catalog.system' AND o.relation = 'owner' AND o.sort_key > ''
     ORDER BY o.sort_key LIMIT sqlc.narg(depth)::bigint)
    UNION ALL
    (SELECT f.id, f.name_key FROM catalog_systems f
     WHERE @source = 'search'
       AND ((f.name_key || E'\n' || lower(f.description)) COLLATE "C" LIKE @pattern OR f.tags @> ARRAY[@search::text]))
) c
WHERE (@source = 'grants'
       OR (@hashed::boolean AND c.id IN (SELECT r FROM access_granted('catalog.system', @subject_type, @subject_id, @team_ids::uuid[]) r))
       OR (NOT @hashed AND EXISTS (
           SELECT FROM access_opens('catalog.system', c.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))))
  AND (@search = '' OR @source = 'search'
       OR EXISTS (SELECT FROM catalog_systems s WHERE s.id = c.id
                  AND (strpos(s.name_key, @search) > 0 OR strpos(lower(s.description), @search) > 0 OR @search = ANY (s.tags)) OFFSET 0))
  AND (@tag::text = '' OR @source = 'tag'
       OR EXISTS (SELECT FROM catalog_system_tags t WHERE t.tag = @tag AND t.name_key = c.name_key AND t.system_id = c.id OFFSET 0))
  AND (sqlc.narg(group_id) IS NULL OR @source = 'group'
       OR EXISTS (SELECT FROM catalog_group_systems m WHERE m.system_id = c.id AND m.group_id = sqlc.narg(group_id) OFFSET 0))
  AND (sqlc.narg(environment_id) IS NULL OR @source = 'environment'
       OR EXISTS (SELECT FROM catalog_environment_systems m
           WHERE m.system_id = c.id AND m.environment_id = sqlc.narg(environment_id) OFFSET 0))
  AND (sqlc.narg(team_id) IS NULL OR @source = 'team'
       OR EXISTS (SELECT FROM relation_tuples o WHERE o.object_type = 'catalog.system' AND o.object_id = c.id AND o.relation = 'owner'
                  AND o.subject_type = 'team' AND o.subject_id = sqlc.narg(team_id) OFFSET 0))
LIMIT @at_most::integer
) counted;

-- name: SimilarSystems :many
-- Systems whose names have, for each word of a search, a similar word (typo tolerance, see catalog_slips). @source is
-- 'grants' for a caller with few grants, and 'slips' for others: the index finds at most @depth (null: all). Visibility
-- is checked by few grants (@hashed) or by access_opens. 'members' selects the few of the group, environment, team or
-- tag in @members. @words are the search words that are too short for typo tolerance.
SELECT s.* FROM (
    (SELECT f.id FROM catalog_systems f
     WHERE @source::text = 'slips' AND catalog_slips(f.name_key) && @first::text[]
       AND (cardinality(@second::text[]) = 0 OR catalog_slips(f.name_key) && @second)
       AND (cardinality(@third::text[]) = 0 OR catalog_slips(f.name_key) && @third)
       AND NOT EXISTS (SELECT FROM unnest(@words::text[]) w WHERE strpos(f.name_key, w) = 0)
     LIMIT sqlc.narg(depth)::bigint)
    UNION ALL
    (SELECT g.object_id
     FROM access_page('catalog.system', @subject_type, @subject_id, @team_ids::uuid[], '', NULL) g
     JOIN catalog_systems f ON f.id = g.object_id
     WHERE @source = 'grants' AND catalog_slips(f.name_key) && @first
       AND (cardinality(@second) = 0 OR catalog_slips(f.name_key) && @second)
       AND (cardinality(@third) = 0 OR catalog_slips(f.name_key) && @third)
       AND NOT EXISTS (SELECT FROM unnest(@words) w WHERE strpos(f.name_key, w) = 0))
    UNION ALL
    (SELECT f.id FROM (
        SELECT m.system_id FROM catalog_group_systems m WHERE @members::text = 'group' AND m.group_id = sqlc.narg(group_id)::uuid
        UNION ALL
        SELECT m.system_id FROM catalog_environment_systems m
        WHERE @members = 'environment' AND m.environment_id = sqlc.narg(environment_id)::uuid
        UNION ALL
        SELECT m.system_id FROM catalog_system_tags m WHERE @members = 'tag' AND m.tag = @tag::text
        UNION ALL
        SELECT m.object_id FROM relation_tuples m
        WHERE @members = 'team' AND m.object_type = 'catalog.system' AND m.relation = 'owner'
          AND m.subject_type = 'team' AND m.subject_id = sqlc.narg(team_id)::uuid
     ) m JOIN catalog_systems f ON f.id = m.system_id
     WHERE @source = 'members' AND catalog_slips(f.name_key) && @first
       AND (cardinality(@second) = 0 OR catalog_slips(f.name_key) && @second)
       AND (cardinality(@third) = 0 OR catalog_slips(f.name_key) && @third)
       AND NOT EXISTS (SELECT FROM unnest(@words) w WHERE strpos(f.name_key, w) = 0))
) c JOIN catalog_systems s ON s.id = c.id
WHERE (@source = 'grants'
       OR (@hashed::boolean AND c.id IN (SELECT r FROM access_granted('catalog.system', @subject_type, @subject_id, @team_ids::uuid[]) r))
       OR (NOT @hashed AND EXISTS (
           SELECT FROM access_opens('catalog.system', c.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))))
  AND (@tag::text = '' OR s.tags @> ARRAY[@tag])
  AND (sqlc.narg(group_id)::uuid IS NULL
       OR EXISTS (SELECT FROM catalog_group_systems m WHERE m.system_id = s.id AND m.group_id = sqlc.narg(group_id) OFFSET 0))
  AND (sqlc.narg(environment_id)::uuid IS NULL
       OR EXISTS (SELECT FROM catalog_environment_systems m
           WHERE m.system_id = s.id AND m.environment_id = sqlc.narg(environment_id) OFFSET 0))
  AND (sqlc.narg(team_id)::uuid IS NULL
       OR EXISTS (SELECT FROM relation_tuples o WHERE o.object_type = 'catalog.system' AND o.object_id = s.id AND o.relation = 'owner'
                  AND o.subject_type = 'team' AND o.subject_id = sqlc.narg(team_id) OFFSET 0))
ORDER BY s.name_key
LIMIT @max_rows::integer;

-- name: System :one
SELECT * FROM catalog_systems WHERE id = $1;

-- name: LockSystem :one
SELECT * FROM catalog_systems WHERE id = $1 FOR NO KEY UPDATE;

-- name: KeepSystems :many
-- A deletion locks a system first, and waits.
SELECT id FROM catalog_systems WHERE id = ANY (@ids::uuid[]) ORDER BY id FOR SHARE;

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
INSERT INTO catalog_contacts (id, system_id, label, user_id, email, kind) VALUES ($1, $2, $3, $4, $5, $6)
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
