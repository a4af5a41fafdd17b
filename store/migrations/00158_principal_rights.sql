-- +goose Up
-- What somebody may do: the rules of their roles, their teams, and the highest relation of grants on any object of each type, as in
-- "catalog.system editor". It is one statement without rights of its own, so that the database puts it in the place of its use. Ids of
-- users are not those of applications: each has only roles and teams of its kind.
-- +goose StatementBegin
CREATE FUNCTION principal_rights(kind text, principal uuid, default_role uuid, object_types text[])
RETURNS TABLE (rules text[], team_ids uuid[], grants text[]) LANGUAGE sql STABLE AS $$
SELECT ARRAY(SELECT DISTINCT rule
             FROM roles r CROSS JOIN unnest(r.rules) AS rule
             WHERE r.id IN (SELECT $3
                            UNION ALL SELECT ur.role_id FROM user_roles ur WHERE ur.user_id = $2
                            UNION ALL SELECT ar.role_id FROM application_roles ar WHERE ar.application_id = $2)
             ORDER BY rule),
       ARRAY(SELECT tm.team_id FROM team_members tm WHERE tm.user_id = $2 ORDER BY tm.team_id),
       ARRAY(SELECT t.object_type || ' ' || h.relation
             FROM unnest($4) AS t(object_type)
             CROSS JOIN LATERAL (
                 SELECT l.relation FROM (VALUES (1, 'owner'), (2, 'editor'), (3, 'viewer')) AS l(place, relation)
                 WHERE EXISTS (SELECT FROM relation_tuples r
                               WHERE r.subject_type = $1 AND r.subject_id = $2 AND r.object_type = t.object_type AND r.relation = l.relation)
                    OR EXISTS (SELECT FROM team_members tm JOIN relation_tuples r ON r.subject_id = tm.team_id
                               WHERE tm.user_id = $2 AND r.subject_type = 'team' AND r.object_type = t.object_type AND r.relation = l.relation)
                 ORDER BY l.place LIMIT 1) h)
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION principal_rights(text, uuid, uuid, text[]);
