-- +goose Up
-- Beside tool calls (version 1) the audit log keeps changes and sign-ins (version 2). Neither has the columns of the other.
ALTER TABLE ai_audit_entries
    ALTER COLUMN record DROP NOT NULL,
    ALTER COLUMN call_id DROP NOT NULL,
    ALTER COLUMN status DROP NOT NULL,
    ALTER COLUMN tool_name DROP NOT NULL,
    ALTER COLUMN effect DROP NOT NULL,
    ALTER COLUMN args_hash DROP NOT NULL,
    ADD COLUMN version       smallint NOT NULL DEFAULT 1,
    ADD COLUMN action        text,
    ADD COLUMN object_type   text,
    ADD COLUMN object_id     text,
    ADD COLUMN object_name   text,
    ADD COLUMN subject_type  text,
    ADD COLUMN subject_id    text,
    ADD COLUMN subject_name  text,
    ADD COLUMN summary       text,
    ADD COLUMN fields        text,
    ADD COLUMN operation     text,
    ADD COLUMN session_id    uuid,
    ADD COLUMN proposal_id   uuid,
    -- Whose the personal part is, and the hash that ties it to the entry.
    ADD COLUMN person_id     uuid,
    ADD COLUMN personal_hash bytea;
-- What was written before keeps its form: its rows are not looked at again.
ALTER TABLE ai_audit_entries ADD CONSTRAINT ai_audit_entries_form CHECK (CASE version
    WHEN 1 THEN num_nonnulls(record, call_id, status, tool_name, effect, args_hash) = 6
            AND num_nonnulls(action, object_type, object_id, object_name, subject_type, subject_id, subject_name, summary, fields,
                             operation, session_id, proposal_id, person_id, personal_hash) = 0
    WHEN 2 THEN num_nonnulls(action, object_type, object_id, object_name, summary, fields, operation) = 7
            AND num_nonnulls(record, call_id, status, tool_name, effect, args_hash, error_code, step, call) = 0
    ELSE false END) NOT VALID;

-- Each filter of the list of changes has its index, in the order of the list.
CREATE INDEX ai_audit_changes ON ai_audit_entries (at, id) WHERE version = 2;
CREATE INDEX ai_audit_changes_object ON ai_audit_entries (object_type, object_id, at, id) WHERE version = 2;
CREATE INDEX ai_audit_changes_subject ON ai_audit_entries (subject_type, subject_id, at, id) WHERE version = 2 AND subject_id IS NOT NULL;
CREATE INDEX ai_audit_changes_action ON ai_audit_entries (action, at, id) WHERE version = 2;
CREATE INDEX ai_audit_changes_principal ON ai_audit_entries (principal_id, at, id) WHERE version = 2;
CREATE INDEX ai_audit_changes_applier ON ai_audit_entries (applied_by_id, at, id) WHERE version = 2 AND applied_by_id IS NOT NULL;
CREATE INDEX ai_audit_changes_proposal ON ai_audit_entries (proposal_id, at, id) WHERE version = 2 AND proposal_id IS NOT NULL;

-- What an entry says about a person: a name, a network address. It lies apart, so that it can be erased, and the entry
-- keeps only the hash of it with a salt that goes with it.
CREATE TABLE ai_audit_personal (
    entry_id  bigint PRIMARY KEY,
    person_id uuid,
    salt      bytea  NOT NULL,
    data      text   NOT NULL
);
CREATE INDEX ai_audit_personal_person ON ai_audit_personal (person_id) WHERE person_id IS NOT NULL;

-- It runs as the owner of the tables: the processes add entries by it and by changing tool calls, and in no other way.
-- +goose StatementBegin
CREATE FUNCTION ai_audit_change(action text, object_type text, object_id text, object_name text, subject_type text, subject_id text,
    subject_name text, summary text, fields text, operation text, principal_kind text, principal_id uuid, session_id uuid,
    transport text, applied_by_kind text, applied_by_id uuid, turn_id uuid, proposal_id uuid, person_id uuid, personal text)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    salt  bytea;
    hash  bytea;
    entry bigint;
BEGIN
    IF $20 IS NOT NULL THEN
        salt := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
        hash := sha256(salt || convert_to($20, 'UTF8'));
    END IF;
    INSERT INTO public.ai_audit_entries (version, action, object_type, object_id, object_name, subject_type, subject_id, subject_name,
                                         summary, fields, operation, principal_kind, principal_id, session_id, transport,
                                         applied_by_kind, applied_by_id, turn_id, proposal_id, person_id, personal_hash)
    VALUES (2, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, hash)
    RETURNING id INTO entry;
    IF $20 IS NOT NULL THEN
        INSERT INTO public.ai_audit_personal (entry_id, person_id, salt, data) VALUES (entry, $19, salt, $20);
    END IF;
    RETURN entry;
END
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION ai_audit_change(text, text, text, text, text, text, text, text, text, text, text, uuid, uuid, text, text, uuid, uuid, uuid, uuid, text) FROM PUBLIC;

-- Refused sign-ins and tokens of one source: the first becomes an entry at once, those that follow are counted here and
-- become one entry when the window is over.
CREATE TABLE auth_refusals (
    bucket     bytea       PRIMARY KEY,
    kind       text        NOT NULL,
    account_id uuid,
    address    text        NOT NULL,
    since      timestamptz NOT NULL DEFAULT now(),
    more       bigint      NOT NULL DEFAULT 0
);
CREATE INDEX auth_refusals_since ON auth_refusals (since);

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
    EXECUTE format('REVOKE UPDATE, DELETE ON ai_tool_calls FROM %I', app);
    EXECUTE format('GRANT UPDATE (id, status, error_code, applied_by_kind, applied_by_id, finished_at) ON ai_tool_calls TO %I', app);
    EXECUTE format('GRANT EXECUTE ON FUNCTION ai_audit_change(text, text, text, text, text, text, text, text, text, text, text, uuid, uuid, text, text, uuid, uuid, uuid, uuid, text) TO %I', app);
    IF to_regclass('public.goose_db_version') IS NOT NULL THEN
        EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON goose_db_version FROM %I', app);
    END IF;
END
$$;
-- +goose StatementEnd
-- Each role that links entries today adds some from now on, whatever its name.
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
DROP TABLE auth_refusals;
DROP FUNCTION ai_audit_change(text, text, text, text, text, text, text, text, text, text, text, uuid, uuid, text, text, uuid, uuid, uuid, uuid, text);
DROP TABLE ai_audit_personal;
-- The chain ends where the first change stands in it: without that entry, what follows cannot be verified.
DELETE FROM ai_audit_links l WHERE l.seq >= (SELECT min(m.seq) FROM ai_audit_links m JOIN ai_audit_entries e ON e.id = m.entry_id WHERE e.version = 2);
UPDATE ai_audit_state SET verified_seq = 0, verified_hash = '', verified_at = NULL, whole_at = NULL, broken_seq = NULL, problem = NULL;
DELETE FROM ai_audit_entries WHERE version = 2;
ALTER TABLE ai_audit_entries DROP CONSTRAINT ai_audit_entries_form;
ALTER TABLE ai_audit_entries
    DROP COLUMN version, DROP COLUMN action, DROP COLUMN object_type, DROP COLUMN object_id, DROP COLUMN object_name,
    DROP COLUMN subject_type, DROP COLUMN subject_id, DROP COLUMN subject_name, DROP COLUMN summary, DROP COLUMN fields,
    DROP COLUMN operation, DROP COLUMN session_id, DROP COLUMN proposal_id, DROP COLUMN person_id, DROP COLUMN personal_hash,
    ALTER COLUMN record SET NOT NULL, ALTER COLUMN call_id SET NOT NULL, ALTER COLUMN status SET NOT NULL,
    ALTER COLUMN tool_name SET NOT NULL, ALTER COLUMN effect SET NOT NULL, ALTER COLUMN args_hash SET NOT NULL;
