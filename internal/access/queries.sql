-- name: Relations :many
-- Reads for each object whether it is private, whether it is then granted to no one, and the levels of the subject and
-- its teams on it.
SELECT r.object_id, r.relation,
       (r.relation = 'private' AND NOT EXISTS (
           SELECT FROM relation_tuples g
           WHERE g.object_type = r.object_type AND g.object_id = r.object_id AND g.relation <> 'private'))::boolean AS granted_to_nobody
FROM relation_tuples r
WHERE r.object_type = @object_type AND r.object_id = ANY (@object_ids::uuid[])
  AND (r.relation = 'private' OR (r.subject_type = @subject_type AND r.subject_id = @subject_id)
       OR (r.subject_type = 'team' AND r.subject_id = ANY (@team_ids::uuid[])));

-- name: CountGrants :one
-- Counts the grants of the subject and its teams, up to the limit.
SELECT count(*) FROM (
    SELECT FROM access_granted(@object_type, @subject_type, @subject_id, @team_ids::uuid[]) LIMIT @at_most
) counted;
