-- +goose Up
-- Which process holds a turn, by the key of the lock that it has in the database as long as it lives, and with which claim: a process of the
-- version before raises the claim and leaves the rest as it is.
ALTER TABLE ai_turns ADD COLUMN held_by bigint, ADD COLUMN held_claim integer;

-- +goose StatementBegin
-- Whether a process has the advisory lock of this key. To try the lock would hide a dead process from others who try it at the same moment.
CREATE FUNCTION present(key bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT FROM pg_locks l
                   WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
                     AND l.classid = ((key >> 32) & 4294967295)::oid AND l.objid = (key & 4294967295)::oid
                     AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()));
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION present;
ALTER TABLE ai_turns DROP COLUMN held_by, DROP COLUMN held_claim;
