-- name: LesserAuthors :many
-- Who has written in these records and does not hold all that the reader holds: every rule, every team, and each grant on a
-- single object at its level, by a grant or, on what is not private, by a rule. Who is gone or disabled holds nothing.
WITH written AS MATERIALIZED (
    SELECT a.object_id, a.object_type, a.author_kind, a.author_id, max(a.written_at) AS written_at
    FROM ai_audit_authors a
    WHERE a.object_id = ANY(@object_ids::uuid[]) AND NOT (a.author_kind = @reader_kind::text AND a.author_id = @reader_id::uuid)
    GROUP BY a.object_id, a.object_type, a.author_kind, a.author_id
), authors AS MATERIALIZED (
    SELECT w.author_kind, w.author_id, coalesce(u.name, p.name, '')::text AS name,
           coalesce(NOT u.disabled, NOT p.disabled AND (p.expires_at IS NULL OR p.expires_at > now()), false) AS acts,
           ARRAY(SELECT unnest(r.rules) FROM roles r
                 WHERE u.id IS NOT NULL AND (r.id = @default_role::uuid OR r.id IN (SELECT ur.role_id FROM user_roles ur WHERE ur.user_id = u.id))
                    OR p.id IS NOT NULL AND r.id IN (SELECT ar.role_id FROM application_roles ar WHERE ar.application_id = p.id))::text[] AS rules,
           ARRAY(SELECT tm.team_id FROM team_members tm WHERE tm.user_id = u.id)::uuid[] AS team_ids
    FROM (SELECT DISTINCT d.author_kind, d.author_id FROM written d) w
    LEFT JOIN users u ON w.author_kind = 'user' AND u.id = w.author_id
    LEFT JOIN applications p ON w.author_kind = 'application' AND p.id = w.author_id
), lesser AS MATERIALIZED (
    SELECT h.author_kind, h.author_id, h.name FROM authors h
    WHERE NOT (h.acts AND ('*' = ANY(h.rules) OR h.rules @> @reader_rules::text[] AND h.team_ids @> @reader_team_ids::uuid[] AND NOT EXISTS (
        SELECT FROM relation_tuples g
        WHERE g.relation <> 'private'
          AND (g.subject_type = @reader_kind AND g.subject_id = @reader_id OR g.subject_type = 'team' AND g.subject_id = ANY(@reader_team_ids))
          AND NOT EXISTS (
              SELECT FROM relation_tuples m
              WHERE m.object_type = g.object_type AND m.object_id = g.object_id
                AND array_position(ARRAY['viewer', 'editor', 'owner'], m.relation) >= array_position(ARRAY['viewer', 'editor', 'owner'], g.relation)
                AND (m.subject_type = h.author_kind AND m.subject_id = h.author_id OR m.subject_type = 'team' AND m.subject_id = ANY(h.team_ids)))
          AND NOT ((g.object_type || '.manage' = ANY(h.rules) OR g.relation = 'viewer' AND g.object_type || '.read' = ANY(h.rules))
              AND NOT EXISTS (
                  SELECT FROM relation_tuples p
                  WHERE p.object_type = g.object_type AND p.object_id = g.object_id AND p.relation = 'private')))))
)
SELECT w.object_id, w.object_type, w.author_id, l.name, w.written_at::timestamptz AS written_at
FROM written w JOIN lesser l USING (author_kind, author_id)
ORDER BY l.name, w.author_id, w.written_at DESC, w.object_id;
