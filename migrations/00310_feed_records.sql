-- +goose NO TRANSACTION
-- +goose Up
-- For a table whose rows are records, declared with the table: what changes in a row is told to those who may see the record of the type
-- TG_ARGV[0], and its end, of which nobody could say any more who saw it, to those who hold the rule TG_ARGV[1] + '.read' or '.manage'.
-- For records with grants, feed_gone tells of the end.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION feed_record() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO public.feed_events (sight, sight_ref, kind, type, ref) VALUES ('rule', TG_ARGV[1], 'record', TG_ARGV[0], OLD.id::text);
    ELSE
        INSERT INTO public.feed_events (sight, sight_ref, kind, type, ref)
        VALUES (TG_ARGV[0], NEW.id::text, 'record', TG_ARGV[0], NEW.id::text);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER feed_record AFTER INSERT OR UPDATE OR DELETE ON ai_skill FOR EACH ROW
EXECUTE FUNCTION feed_record('ai.skill', 'ai.skill');
CREATE OR REPLACE TRIGGER feed_change AFTER INSERT ON ai_audit_entries FOR EACH ROW
WHEN (NEW.version = 2 AND NEW.object_type IN ('catalog.system', 'catalog.group', 'catalog.environment', 'auth.team', 'ai.memory')
      AND NEW.object_id <> '' AND NEW.action <> 'ran') EXECUTE FUNCTION feed_change();

-- +goose Down
CREATE OR REPLACE TRIGGER feed_change AFTER INSERT ON ai_audit_entries FOR EACH ROW
WHEN (NEW.version = 2 AND NEW.object_type IN ('catalog.system', 'catalog.group', 'catalog.environment', 'auth.team', 'ai.memory', 'ai.skill')
      AND NEW.object_id <> '' AND NEW.action <> 'ran') EXECUTE FUNCTION feed_change();
DROP TRIGGER IF EXISTS feed_record ON ai_skill;
DROP FUNCTION IF EXISTS feed_record();
