-- +goose Up
-- Whose text may stand in a record, as the audit log says: so that a reader can be told apart from those who wrote what
-- they read, without going through the log. It is kept by the log itself, whatever way a change takes.
CREATE TABLE ai_audit_authors (
    object_id   uuid        NOT NULL,
    object_type text        NOT NULL,
    -- A field that is replaced as a whole has one author, the last. Of everything else ('' is what a record was made with,
    -- and what no field is named for) a part may stay when somebody changes it, so all count who have written there.
    part        text        NOT NULL,
    author_kind text        NOT NULL,
    author_id   uuid        NOT NULL,
    written_at  timestamptz NOT NULL,
    PRIMARY KEY (object_id, object_type, part, author_id)
);

-- The parts of a record in which an entry says that text was written. Memberships, grants and switches hold none, and what
-- people do with their own account is text only where it is their name.
-- +goose StatementBegin
CREATE FUNCTION ai_audit_parts(action text, object_type text, fields text) RETURNS SETOF text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT '' WHERE $1 = 'created' OR $1 = 'changed' AND $3 = '[]' AND $2 NOT LIKE 'auth.%'
    UNION ALL
    SELECT f ->> 'field' FROM jsonb_array_elements($3::jsonb) f
    WHERE $1 = 'changed' AND f ->> 'field' <> 'private' AND ($2 NOT LIKE 'auth.%' OR f ->> 'field' IN ('name', 'description'))
$$;
CREATE FUNCTION ai_audit_author() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    id uuid := NEW.object_id::uuid;
BEGIN
    IF NEW.action = 'deleted' THEN
        DELETE FROM public.ai_audit_authors a WHERE a.object_id = id AND a.object_type = NEW.object_type;
        RETURN NULL;
    END IF;
    DELETE FROM public.ai_audit_authors a
    WHERE a.object_id = id AND a.object_type = NEW.object_type AND a.part IN ('name', 'description') AND a.author_id <> NEW.principal_id
      AND a.part IN (SELECT public.ai_audit_parts(NEW.action, NEW.object_type, NEW.fields));
    INSERT INTO public.ai_audit_authors AS a (object_id, object_type, part, author_kind, author_id, written_at)
    SELECT DISTINCT id, NEW.object_type, p, NEW.principal_kind, NEW.principal_id, NEW.at
    FROM public.ai_audit_parts(NEW.action, NEW.object_type, NEW.fields) p
    ON CONFLICT (object_id, object_type, part, author_id) DO UPDATE SET written_at = greatest(a.written_at, excluded.written_at);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
-- What the product does by itself is nobody's text; a conversation is read by its person alone.
CREATE TRIGGER ai_audit_author AFTER INSERT ON ai_audit_entries FOR EACH ROW
WHEN (NEW.version = 2 AND NEW.action IN ('created', 'changed', 'deleted') AND NEW.principal_kind <> 'service' AND NEW.object_type <> 'ai.conversation'
      AND NEW.object_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$')
EXECUTE FUNCTION ai_audit_author();

-- Records whose text the model was shown, and who wrote it: what has been accepted counts again when it has been changed.
ALTER TABLE ai_taints
    ADD COLUMN author_id uuid,
    ADD COLUMN objects   uuid[],
    ADD CONSTRAINT ai_taints_written CHECK ((kind = 'written') = (author_id IS NOT NULL) AND (author_id IS NULL) = (objects IS NULL)),
    DROP CONSTRAINT ai_taints_kind_check,
    ADD CONSTRAINT ai_taints_kind_check CHECK (kind IN ('tool', 'skill', 'memory', 'earlier', 'decision', 'written'));

-- +goose Down
DELETE FROM ai_taints WHERE kind = 'written';
ALTER TABLE ai_taints
    DROP CONSTRAINT ai_taints_written,
    DROP COLUMN author_id,
    DROP COLUMN objects,
    DROP CONSTRAINT ai_taints_kind_check,
    ADD CONSTRAINT ai_taints_kind_check CHECK (kind IN ('tool', 'skill', 'memory', 'earlier', 'decision'));
DROP TRIGGER ai_audit_author ON ai_audit_entries;
DROP FUNCTION ai_audit_author();
DROP FUNCTION ai_audit_parts(text, text, text);
DROP TABLE ai_audit_authors;
