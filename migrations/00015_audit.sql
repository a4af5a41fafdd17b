-- +goose Up
-- The number of an audit row for its whole life: a released call gives its id back, this stays.
ALTER TABLE ai_tool_calls ADD COLUMN record bigint NOT NULL GENERATED ALWAYS AS IDENTITY;
CREATE UNIQUE INDEX ai_tool_calls_record ON ai_tool_calls (record);

-- What became of tool calls, one row for each change of status. Nothing updates or deletes here.
CREATE TABLE ai_audit_entries (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    record          bigint      NOT NULL,
    call_id         uuid        NOT NULL,
    at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    status          text        NOT NULL,
    principal_kind  text        NOT NULL,
    principal_id    uuid        NOT NULL,
    transport       text        NOT NULL,
    tool_name       text        NOT NULL,
    effect          text        NOT NULL,
    args_hash       text        NOT NULL,
    error_code      text,
    applied_by_kind text,
    applied_by_id   uuid,
    turn_id         uuid,
    step            smallint,
    call            smallint
);
CREATE INDEX ai_audit_entries_record ON ai_audit_entries (record);

-- The place of each entry in the chain. The hash covers the entry and the hash before it, with a key the database does
-- not know. There is no foreign key: what is missing is for verification to find, and to name.
CREATE TABLE ai_audit_links (
    seq      bigint  PRIMARY KEY CHECK (seq > 0),
    entry_id bigint  NOT NULL UNIQUE,
    -- Tells keys apart without saying anything about them.
    key_id   integer NOT NULL,
    hash     bytea   NOT NULL CHECK (length(hash) = 32)
);

-- How the last verification went, for people to see. It is no evidence.
CREATE TABLE ai_audit_state (
    id            boolean     PRIMARY KEY DEFAULT true CHECK (id),
    verified_seq  bigint      NOT NULL DEFAULT 0,
    verified_hash bytea       NOT NULL DEFAULT '',
    verified_at   timestamptz,
    -- When the chain was last verified from its beginning.
    whole_at      timestamptz,
    broken_seq    bigint,
    problem       text
);
INSERT INTO ai_audit_state DEFAULT VALUES;

-- How far each subscriber of events has come, and which process feeds it at the moment.
CREATE TABLE event_cursors (
    subscriber   text        PRIMARY KEY,
    seq          bigint      NOT NULL DEFAULT 0,
    holder       uuid,
    leased_until timestamptz NOT NULL DEFAULT '-infinity'
);

-- It runs as the owner of the tables, so that nobody else needs to be able to write entries.
-- +goose StatementBegin
CREATE FUNCTION ai_audit_record() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.ai_audit_entries (record, call_id, status, principal_kind, principal_id, transport, tool_name, effect,
                                         args_hash, error_code, applied_by_kind, applied_by_id, turn_id, step, call)
    VALUES (NEW.record, NEW.id, NEW.status, NEW.principal_kind, NEW.principal_id, NEW.transport, NEW.tool_name, NEW.effect,
            NEW.args_hash, NEW.error_code, NEW.applied_by_kind, NEW.applied_by_id, NEW.turn_id, NEW.step, NEW.call);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION ai_audit_record() FROM PUBLIC;

-- Calls from before this migration begin their history with how they stand.
INSERT INTO ai_audit_entries (record, call_id, status, principal_kind, principal_id, transport, tool_name, effect,
                              args_hash, error_code, applied_by_kind, applied_by_id, turn_id, step, call)
SELECT c.record, c.id, c.status, c.principal_kind, c.principal_id, c.transport, c.tool_name, c.effect,
       c.args_hash, c.error_code, c.applied_by_kind, c.applied_by_id, c.turn_id, c.step, c.call
FROM ai_tool_calls c ORDER BY c.created_at, c.record;

CREATE TRIGGER ai_audit_inserted AFTER INSERT ON ai_tool_calls FOR EACH ROW EXECUTE FUNCTION ai_audit_record();
CREATE TRIGGER ai_audit_updated AFTER UPDATE ON ai_tool_calls FOR EACH ROW
WHEN ((OLD.record, OLD.id, OLD.status, OLD.principal_kind, OLD.principal_id, OLD.transport, OLD.tool_name, OLD.effect,
       OLD.args_hash, OLD.error_code, OLD.applied_by_kind, OLD.applied_by_id, OLD.turn_id, OLD.step, OLD.call)
      IS DISTINCT FROM
      (NEW.record, NEW.id, NEW.status, NEW.principal_kind, NEW.principal_id, NEW.transport, NEW.tool_name, NEW.effect,
       NEW.args_hash, NEW.error_code, NEW.applied_by_kind, NEW.applied_by_id, NEW.turn_id, NEW.step, NEW.call))
EXECUTE FUNCTION ai_audit_record();

-- Gives a role what the processes need and no more. An administrator who makes a role of another name, or makes it
-- after this migration, calls it by hand, as the owner of the tables.
-- +goose StatementBegin
CREATE FUNCTION countersign_grant(app name) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one regclass;
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', app);
    FOR one IN SELECT c.oid FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
                                              AND pg_has_role(c.relowner, 'MEMBER') LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %I', one, app);
    END LOOP;
    -- Tables and sequences of later migrations.
    EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO %I', app);
    EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO %I', app);
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON ai_audit_entries FROM %I', app);
    EXECUTE format('REVOKE UPDATE, DELETE ON ai_audit_links FROM %I', app);
    EXECUTE format('REVOKE UPDATE, DELETE ON ai_tool_calls FROM %I', app);
    EXECUTE format('GRANT UPDATE (id, status, error_code, applied_by_kind, applied_by_id, finished_at) ON ai_tool_calls TO %I', app);
    IF to_regclass('public.goose_db_version') IS NOT NULL THEN
        EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON goose_db_version FROM %I', app);
    END IF;
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION countersign_grant(name) FROM PUBLIC;

-- Roles belong to the whole server: another installation, or one that starts at this moment, may have made it.
-- +goose StatementBegin
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'countersign_app') THEN
        BEGIN
            CREATE ROLE countersign_app NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
    END IF;
    IF NOT pg_has_role('countersign_app', 'MEMBER') THEN
        EXECUTE format('GRANT countersign_app TO %I', current_user);
    END IF;
    PERFORM countersign_grant('countersign_app');
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'The role countersign_app was not made: %. The processes will work with all rights of their login. To restrict them: CREATE ROLE countersign_app NOLOGIN; GRANT countersign_app TO %; then, as that login, SELECT countersign_grant(''countersign_app'').', SQLERRM, quote_ident(current_user);
END
$$;
-- +goose StatementEnd

-- +goose Down
-- The role stays: other databases of the server may use it.
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'countersign_app') THEN
        DROP OWNED BY countersign_app;
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'The rights of countersign_app were not taken back: %', SQLERRM;
END
$$;
-- +goose StatementEnd
DROP FUNCTION countersign_grant(name);
DROP TRIGGER ai_audit_updated ON ai_tool_calls;
DROP TRIGGER ai_audit_inserted ON ai_tool_calls;
DROP FUNCTION ai_audit_record();
DROP TABLE event_cursors;
DROP TABLE ai_audit_state;
DROP TABLE ai_audit_links;
DROP TABLE ai_audit_entries;
ALTER TABLE ai_tool_calls DROP COLUMN record;
