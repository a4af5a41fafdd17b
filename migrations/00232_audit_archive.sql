-- +goose Up
-- Places of the chain up to which it was found sound, from one checkpoint to the next. The seal covers the row and the seal of the checkpoint
-- before it, with a key that the database does not know.
CREATE TABLE ai_audit_checkpoints (
    number    bigint      PRIMARY KEY CHECK (number > 0),
    seq       bigint      NOT NULL UNIQUE,
    hash      bytea       NOT NULL CHECK (length(hash) = 32),
    -- No entry up to here is newer.
    newest_at timestamptz NOT NULL,
    at        timestamptz NOT NULL,
    key_id    integer     NOT NULL,
    seal      bytea       NOT NULL CHECK (length(seal) = 32)
);

-- Where the chain begins since entries were archived and removed; no row while it begins with its first one. All of it is sealed.
CREATE TABLE ai_audit_begin (
    id          boolean     PRIMARY KEY DEFAULT true CHECK (id),
    -- Of what stands up to here, only ai_audit_kept is left.
    seq         bigint      NOT NULL,
    hash        bytea       NOT NULL,
    -- The checkpoint that a removal goes to, and the SHA-256 of the file in which everything up to it stands.
    target_seq  bigint      NOT NULL,
    target_hash bytea       NOT NULL,
    checkpoint  bigint      NOT NULL,
    archive     bytea       NOT NULL,
    -- How many entries have stayed, and a hash over them.
    kept        bigint      NOT NULL DEFAULT 0,
    kept_hash   bytea       NOT NULL DEFAULT '',
    at          timestamptz NOT NULL,
    key_id      integer     NOT NULL,
    seal        bytea       NOT NULL CHECK (length(seal) = 32)
);

-- Entries before the begin of the chain that something still needs, each with the hash before it, as the link before it is gone.
CREATE TABLE ai_audit_kept (
    seq      bigint PRIMARY KEY,
    entry_id bigint NOT NULL UNIQUE,
    before   bytea  NOT NULL
);

ALTER TABLE ai_audit_state
    -- How many checkpoints there are, and when what came after the newest one was last verified with its calls.
    ADD COLUMN checkpoints bigint NOT NULL DEFAULT 0,
    ADD COLUMN recent_at   timestamptz;

-- Processes of the version before begin to verify the whole at 0, and would miss what was removed. They go on where a verification has
-- stopped, and none has stopped before the place to which entries are being removed.
-- +goose StatementBegin
CREATE FUNCTION ai_audit_state_begins() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    b public.ai_audit_begin;
BEGIN
    SELECT * INTO b FROM public.ai_audit_begin;
    IF FOUND AND NEW.verified_seq < b.target_seq THEN
        NEW.verified_seq := b.target_seq;
        NEW.verified_hash := b.target_hash;
    END IF;
    IF FOUND AND NOT NEW.pass_linked AND NEW.pass_seq < b.target_seq THEN
        NEW.pass_seq := b.target_seq;
        NEW.pass_hash := b.target_hash;
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER ai_audit_state_begins BEFORE UPDATE ON ai_audit_state FOR EACH ROW EXECUTE FUNCTION ai_audit_state_begins();

-- Gives a role what the processes need and no more, as before, and what this migration adds.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION countersign_grant(app name) RETURNS void LANGUAGE plpgsql AS $$
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
    EXECUTE format('REVOKE INSERT, UPDATE ON ai_audit_personal FROM %I', app);
    EXECUTE format('REVOKE UPDATE, DELETE ON ai_audit_links FROM %I', app);
    EXECUTE format('REVOKE UPDATE, DELETE ON ai_audit_checkpoints FROM %I', app);
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON ai_audit_begin FROM %I', app);
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON ai_audit_kept FROM %I', app);
    EXECUTE format('REVOKE UPDATE, DELETE ON ai_tool_calls FROM %I', app);
    EXECUTE format('GRANT UPDATE (id, status, error_code, applied_by_kind, applied_by_id, finished_at) ON ai_tool_calls TO %I', app);
    EXECUTE format('GRANT EXECUTE ON FUNCTION ai_audit_change(text, text, text, text, text, text, text, text, text, text, text, uuid, uuid, text, text, uuid, uuid, uuid, uuid, text) TO %I', app);
    IF to_regclass('public.goose_db_version') IS NOT NULL THEN
        EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON goose_db_version FROM %I', app);
    END IF;
END
$$;
-- +goose StatementEnd
-- Each role that links entries today, whatever its name.
-- +goose StatementBegin
DO $$
DECLARE
    app name;
BEGIN
    FOR app IN SELECT DISTINCT r.rolname FROM pg_class c, aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
               WHERE c.oid = 'ai_audit_links'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner LOOP
        PERFORM countersign_grant(app);
    END LOOP;
END
$$;
-- +goose StatementEnd

-- +goose Down
-- What was removed stays so, and nothing else knows where the chain begins since.
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT FROM ai_audit_begin) THEN
        RAISE EXCEPTION 'entries of the audit log were archived and removed: the version before cannot know where the chain begins';
    END IF;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION countersign_grant(app name) RETURNS void LANGUAGE plpgsql AS $$
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
    EXECUTE format('REVOKE INSERT, UPDATE ON ai_audit_personal FROM %I', app);
    EXECUTE format('REVOKE UPDATE, DELETE ON ai_audit_links FROM %I', app);
    EXECUTE format('REVOKE UPDATE, DELETE ON ai_tool_calls FROM %I', app);
    EXECUTE format('GRANT UPDATE (id, status, error_code, applied_by_kind, applied_by_id, finished_at) ON ai_tool_calls TO %I', app);
    EXECUTE format('GRANT EXECUTE ON FUNCTION ai_audit_change(text, text, text, text, text, text, text, text, text, text, text, uuid, uuid, text, text, uuid, uuid, uuid, uuid, text) TO %I', app);
    IF to_regclass('public.goose_db_version') IS NOT NULL THEN
        EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON goose_db_version FROM %I', app);
    END IF;
END
$$;
-- +goose StatementEnd
DROP TRIGGER ai_audit_state_begins ON ai_audit_state;
DROP FUNCTION ai_audit_state_begins();
ALTER TABLE ai_audit_state DROP COLUMN checkpoints, DROP COLUMN recent_at;
DROP TABLE ai_audit_kept;
DROP TABLE ai_audit_begin;
DROP TABLE ai_audit_checkpoints;
