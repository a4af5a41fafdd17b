-- +goose Up
-- What is private and granted to nobody was seen by nobody, so that nobody could take it over. It is opened to administrators: among their
-- teams is the nil id, which is the id of no team. A process of the version before does not give it,
-- and sees what it saw.
CREATE OR REPLACE FUNCTION access_opens(object_type text, object_id uuid, by_rule boolean, subject_type text, subject_id uuid, team_ids uuid[])
RETURNS SETOF integer LANGUAGE sql STABLE AS $$
    SELECT 1 WHERE $3 AND NOT EXISTS (
        SELECT FROM relation_tuples r WHERE r.object_type = $1 AND r.object_id = $2 AND r.relation = 'private')
    UNION ALL
    SELECT 1 FROM relation_tuples r
    WHERE r.object_type = $1 AND r.object_id = $2
      AND ((r.subject_type = $4 AND r.subject_id = $5) OR (r.subject_type = 'team' AND r.subject_id = ANY ($6)))
    UNION ALL
    SELECT 1 WHERE $3 AND '00000000-0000-0000-0000-000000000000' = ANY ($6) AND NOT EXISTS (
        SELECT FROM relation_tuples r WHERE r.object_type = $1 AND r.object_id = $2 AND r.relation <> 'private')
$$;

-- +goose Down
CREATE OR REPLACE FUNCTION access_opens(object_type text, object_id uuid, by_rule boolean, subject_type text, subject_id uuid, team_ids uuid[])
RETURNS SETOF integer LANGUAGE sql STABLE AS $$
    SELECT 1 WHERE $3 AND NOT EXISTS (
        SELECT FROM relation_tuples r WHERE r.object_type = $1 AND r.object_id = $2 AND r.relation = 'private')
    UNION ALL
    SELECT 1 FROM relation_tuples r
    WHERE r.object_type = $1 AND r.object_id = $2
      AND ((r.subject_type = $4 AND r.subject_id = $5) OR (r.subject_type = 'team' AND r.subject_id = ANY ($6)))
$$;
