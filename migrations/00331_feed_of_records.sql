-- +goose NO TRANSACTION
-- +goose Up
-- Systems, groups, environments, teams and memories declare with their table what pages read again, as skills do; nothing reads the audit
-- log for it any more. The end of records with grants and of memories is told by the triggers feed_gone. Each change of a part raises the
-- revision of its record, in the version before too, which runs beside this one and calls none of these functions.
CREATE OR REPLACE TRIGGER feed_record AFTER INSERT OR UPDATE ON catalog_systems FOR EACH ROW
EXECUTE FUNCTION feed_record('catalog.system', 'catalog.system');
CREATE OR REPLACE TRIGGER feed_record AFTER INSERT OR UPDATE ON catalog_groups FOR EACH ROW
EXECUTE FUNCTION feed_record('catalog.group', 'catalog.group');
CREATE OR REPLACE TRIGGER feed_record AFTER INSERT OR UPDATE ON catalog_environments FOR EACH ROW
EXECUTE FUNCTION feed_record('catalog.environment', 'catalog.environment');
CREATE OR REPLACE TRIGGER feed_record AFTER INSERT OR UPDATE ON ai_memory FOR EACH ROW
EXECUTE FUNCTION feed_record('ai.memory', 'ai.memory');
CREATE OR REPLACE TRIGGER feed_record AFTER INSERT OR UPDATE OR DELETE ON teams FOR EACH ROW
EXECUTE FUNCTION feed_record('auth.team', 'auth.teams');
DROP TRIGGER IF EXISTS feed_change ON ai_audit_entries;
DROP FUNCTION IF EXISTS feed_change();

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION feed_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.action <> 'deleted' THEN
        INSERT INTO public.feed_events (sight, sight_ref, kind, type, ref)
        VALUES (NEW.object_type, NEW.object_id, 'record', NEW.object_type, NEW.object_id);
    ELSIF NEW.object_type IN ('ai.skill', 'auth.team') THEN
        INSERT INTO public.feed_events (sight, sight_ref, kind, type, ref)
        VALUES ('rule', CASE NEW.object_type WHEN 'auth.team' THEN 'auth.teams' ELSE NEW.object_type END, 'record', NEW.object_type, NEW.object_id);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER feed_change AFTER INSERT ON ai_audit_entries FOR EACH ROW
WHEN (NEW.version = 2 AND NEW.object_type IN ('catalog.system', 'catalog.group', 'catalog.environment', 'auth.team', 'ai.memory')
      AND NEW.object_id <> '' AND NEW.action <> 'ran') EXECUTE FUNCTION feed_change();
DROP TRIGGER IF EXISTS feed_record ON teams;
DROP TRIGGER IF EXISTS feed_record ON ai_memory;
DROP TRIGGER IF EXISTS feed_record ON catalog_environments;
DROP TRIGGER IF EXISTS feed_record ON catalog_groups;
DROP TRIGGER IF EXISTS feed_record ON catalog_systems;
