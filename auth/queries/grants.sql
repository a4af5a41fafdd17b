-- name: OwnerTeams :many
SELECT r.object_id, t.id AS team_id, t.name AS team_name
FROM relation_tuples r JOIN teams t ON t.id = r.subject_id
WHERE r.object_type = @object_type AND r.object_id = ANY(@object_ids::uuid[])
  AND r.relation = 'owner' AND r.subject_type = 'team'
ORDER BY r.object_id, lower(t.name), t.id;

-- name: ObjectTuples :many
SELECT r.relation, r.subject_type, r.subject_id, coalesce(u.name, a.name, t.name, '')::text AS subject_name
FROM relation_tuples r
LEFT JOIN users u ON r.subject_type = 'user' AND u.id = r.subject_id
LEFT JOIN applications a ON r.subject_type = 'application' AND a.id = r.subject_id
LEFT JOIN teams t ON r.subject_type = 'team' AND t.id = r.subject_id
WHERE r.object_type = @object_type AND r.object_id = @object_id
ORDER BY r.relation, r.subject_type, subject_name, r.subject_id;

-- name: LockObject :exec
-- Serializes changes to the grants of one object by an advisory lock, because this schema has no row for the object.
SELECT pg_advisory_xact_lock(hashtextextended(@object::text, 0));

-- name: InsertTuple :exec
INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id)
VALUES (@object_type, @object_id, @relation, @subject_type, @subject_id) ON CONFLICT DO NOTHING;

-- name: DeleteOwnerTeams :execrows
DELETE FROM relation_tuples
WHERE object_type = @object_type AND object_id = @object_id AND relation = 'owner' AND subject_type = 'team';

-- name: DeleteObjectTuples :execrows
DELETE FROM relation_tuples WHERE object_type = @object_type AND object_id = @object_id;

-- name: DeleteSubjectTuples :exec
DELETE FROM relation_tuples WHERE subject_type = @subject_type AND subject_id = @subject_id;

-- name: CountOwnedByTeam :one
SELECT count(*) FROM relation_tuples WHERE subject_type = 'team' AND subject_id = @team_id AND relation = 'owner';

-- name: KeepApplication :one
SELECT id FROM applications WHERE id = @id FOR KEY SHARE;
