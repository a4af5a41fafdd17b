-- name: Relations :many
-- What is kept about each of the objects: that it is private, and whether it is granted to nobody then, and what the subject or its
-- teams hold on it.
SELECT r.object_id, r.relation,
       (r.relation = 'private' AND NOT EXISTS (
           SELECT FROM relation_tuples g
           WHERE g.object_type = r.object_type AND g.object_id = r.object_id AND g.relation <> 'private'))::boolean AS granted_to_nobody
FROM relation_tuples r
WHERE r.object_type = @object_type AND r.object_id = ANY (@object_ids::uuid[])
  AND (r.relation = 'private' OR (r.subject_type = @subject_type AND r.subject_id = @subject_id)
       OR (r.subject_type = 'team' AND r.subject_id = ANY (@team_ids::uuid[])));

-- name: CountGrants :one
-- How many grants the subject and its teams hold; those beyond the limit are not counted.
SELECT count(*) FROM (
    SELECT FROM access_granted(@object_type, @subject_type, @subject_id, @team_ids::uuid[]) LIMIT @at_most
) counted;
