-- +goose Up
-- Who sees a record, as a predicate for the queries of all modules: EXISTS (SELECT FROM access_opens(...)). by_rule says
-- that the caller's roles open every record of the type that is not private; grants to the caller, who is a user or an
-- application, and to the caller's teams open single ones. Both functions are inlined into the query that calls them.
CREATE FUNCTION access_opens(object_type text, object_id uuid, by_rule boolean, subject_type text, subject_id uuid, team_ids uuid[])
RETURNS SETOF integer LANGUAGE sql STABLE AS $$
    SELECT 1 WHERE $3 AND NOT EXISTS (
        SELECT FROM relation_tuples r WHERE r.object_type = $1 AND r.object_id = $2 AND r.relation = 'private')
    UNION ALL
    SELECT 1 FROM relation_tuples r
    WHERE r.object_type = $1 AND r.object_id = $2
      AND ((r.subject_type = $4 AND r.subject_id = $5) OR (r.subject_type = 'team' AND r.subject_id = ANY ($6)))
$$;

-- The records of a type that grants open, for callers who hold few. One that is granted twice comes twice. Each half is
-- read from its index as far as it is asked for.
CREATE FUNCTION access_granted(object_type text, subject_type text, subject_id uuid, team_ids uuid[])
RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
    SELECT r.object_id FROM relation_tuples r
    WHERE r.object_type = $1 AND r.subject_type = $2 AND r.subject_id = $3
    UNION ALL
    SELECT r.object_id FROM relation_tuples r
    WHERE r.object_type = $1 AND r.subject_type = 'team' AND r.subject_id = ANY ($4)
$$;

-- With the object in it, what grants open is read from the index alone.
CREATE INDEX relation_tuples_subject_object ON relation_tuples (subject_type, subject_id, object_type, object_id);

-- A page of memories is read in its order, newest first, until it is full.
CREATE INDEX ai_memory_newest ON ai_memory (updated_at DESC, id DESC);

-- The index before goes last: that alone keeps readers out, of processes of the version before too, and does not last.
DROP INDEX relation_tuples_subject;
ALTER INDEX relation_tuples_subject_object RENAME TO relation_tuples_subject;

-- +goose Down
DROP INDEX ai_memory_newest;
CREATE INDEX relation_tuples_subject_before ON relation_tuples (subject_type, subject_id, object_type);
DROP INDEX relation_tuples_subject;
ALTER INDEX relation_tuples_subject_before RENAME TO relation_tuples_subject;
DROP FUNCTION access_granted, access_opens;
