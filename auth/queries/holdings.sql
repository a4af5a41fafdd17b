-- name: GrantsBeyond :one
-- Counts the grants that a subject holds, by itself or by its teams, at a level that the actor lacks: neither by a
-- grant nor, on objects that are not private, by a rule that opens all objects of the type.
SELECT count(*) FROM relation_tuples h
WHERE h.relation <> 'private'
  AND (h.subject_type = @subject_type AND h.subject_id = @subject_id OR h.subject_type = 'team' AND h.subject_id = ANY(@team_ids::uuid[]))
  AND NOT EXISTS (
      SELECT 1 FROM relation_tuples m
      WHERE m.object_type = h.object_type AND m.object_id = h.object_id
        AND array_position(ARRAY['viewer', 'editor', 'owner'], m.relation) >= array_position(ARRAY['viewer', 'editor', 'owner'], h.relation)
        AND (m.subject_type = @actor_type AND m.subject_id = @actor_id
            OR m.subject_type = 'team' AND m.subject_id = ANY(@actor_team_ids::uuid[])))
  AND NOT ((h.object_type = ANY(@managed::text[]) OR h.relation = 'viewer' AND h.object_type = ANY(@read::text[]))
      AND NOT EXISTS (
          SELECT 1 FROM relation_tuples p
          WHERE p.object_type = h.object_type AND p.object_id = h.object_id AND p.relation = 'private'));

-- name: TeamsOfUser :many
SELECT team_id FROM team_members WHERE user_id = @user_id;

-- name: LevelsOn :many
-- Relations of the actor on an object, and whether it is private.
SELECT relation FROM relation_tuples
WHERE object_type = @object_type AND object_id = @object_id
  AND (relation = 'private' OR subject_type = @actor_type AND subject_id = @actor_id
      OR subject_type = 'team' AND subject_id = ANY(@actor_team_ids::uuid[]));
