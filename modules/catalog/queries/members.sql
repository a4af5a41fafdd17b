-- name: LockMembers :exec
-- A change of membership touches several records. The lock serializes such changes and so prevents deadlocks.
SELECT pg_advisory_xact_lock(hashtextextended('catalog members', 0));

-- name: GroupsOfSystems :many
-- Visibility is checked once per group, however many of the systems it has.
WITH members AS MATERIALIZED (
    SELECT m.system_id, m.group_id FROM catalog_group_systems m WHERE m.system_id = ANY (@system_ids::uuid[])
), seen AS MATERIALIZED (
    SELECT g.id, g.name, g.name_key FROM catalog_groups g
    WHERE g.id IN (SELECT group_id FROM members)
      AND EXISTS (SELECT FROM access_opens('catalog.group', g.id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
)
SELECT m.system_id, s.id, s.name FROM members m JOIN seen s ON s.id = m.group_id ORDER BY s.name_key;

-- name: SystemsOfGroups :many
SELECT m.group_id, array_agg(m.system_id ORDER BY m.name_key)::uuid[] AS system_ids
FROM catalog_group_systems m
WHERE m.group_id = ANY (@group_ids::uuid[])
  AND EXISTS (SELECT FROM access_opens('catalog.system', m.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
GROUP BY m.group_id;

-- name: AddToGroup :execrows
INSERT INTO catalog_group_systems (group_id, system_id) VALUES ($1, $2) ON CONFLICT DO NOTHING;

-- name: RemoveFromGroup :execrows
DELETE FROM catalog_group_systems WHERE group_id = $1 AND system_id = $2;

-- name: BumpGroupsOfSystem :exec
UPDATE catalog_groups g SET revision = g.revision + 1, updated_at = now()
FROM catalog_group_systems m WHERE m.group_id = g.id AND m.system_id = $1;

-- name: EnvironmentsOfSystems :many
SELECT m.system_id, e.id, e.name
FROM catalog_environment_systems m JOIN catalog_environments e ON e.id = m.environment_id
WHERE m.system_id = ANY (@system_ids::uuid[])
ORDER BY e.name_key;

-- name: SystemsOfEnvironments :many
SELECT m.environment_id, array_agg(m.system_id ORDER BY m.name_key)::uuid[] AS system_ids
FROM catalog_environment_systems m
WHERE m.environment_id = ANY (@environment_ids::uuid[])
  AND EXISTS (SELECT FROM access_opens('catalog.system', m.system_id, @by_rule, @subject_type, @subject_id, @team_ids::uuid[]))
GROUP BY m.environment_id;

-- name: AddToEnvironments :many
INSERT INTO catalog_environment_systems (environment_id, system_id)
SELECT unnest(@environment_ids::uuid[]), @system_id::uuid
ON CONFLICT DO NOTHING RETURNING environment_id;

-- name: RemoveFromOtherEnvironments :many
DELETE FROM catalog_environment_systems WHERE system_id = @system_id AND NOT environment_id = ANY (@environment_ids::uuid[])
RETURNING environment_id;

-- name: BumpSystemsOfEnvironment :exec
UPDATE catalog_systems s SET revision = s.revision + 1, updated_at = now()
FROM catalog_environment_systems m WHERE m.system_id = s.id AND m.environment_id = $1;

-- name: CountMembers :one
-- Counts the systems of a group, an environment, a team or a tag, up to the limit.
SELECT count(*) FROM (
    SELECT FROM catalog_group_systems WHERE group_id = sqlc.narg(group_id)::uuid
    UNION ALL
    SELECT FROM catalog_environment_systems WHERE environment_id = sqlc.narg(environment_id)::uuid
    UNION ALL
    SELECT FROM catalog_system_tags WHERE tag = sqlc.narg(tag)::text
    UNION ALL
    SELECT FROM relation_tuples WHERE subject_type = 'team' AND subject_id = sqlc.narg(team_id)::uuid AND object_type = 'catalog.system'
    LIMIT @at_most
) counted;

-- name: SystemsInEnvironment :many
SELECT system_id FROM catalog_environment_systems WHERE environment_id = $1 ORDER BY system_id;

-- name: DescribedSystems :many
SELECT id, name, metadata FROM catalog_systems WHERE id = ANY (@system_ids::uuid[]);

-- name: DescribedEnvironments :many
SELECT m.system_id, e.id, e.name, e.fields
FROM catalog_environment_systems m JOIN catalog_environments e ON e.id = m.environment_id
WHERE m.system_id = ANY (@system_ids::uuid[])
ORDER BY e.name_key;
