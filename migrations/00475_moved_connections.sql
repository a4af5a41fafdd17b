-- +goose Up
-- provider_revision is the revision since which requests go to the same server in the same way: content that it has refused
-- stays withheld until then.
ALTER TABLE ai_connections ADD COLUMN provider_revision bigint NOT NULL DEFAULT 0;
UPDATE ai_connections SET provider_revision = revision;

-- A trigger notes it, and takes the headers of a connection that moves to another server away: versions before 00420 and
-- before this one serve meanwhile and know neither. Versions that know the headers have asked for them again.
-- +goose StatementBegin
CREATE FUNCTION ai_connection_moved() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.base_url <> OLD.base_url THEN
        IF lower(substring(NEW.base_url FROM '^[^:]*://[^/?#]*')) IS DISTINCT FROM
            lower(substring(OLD.base_url FROM '^[^:]*://[^/?#]*')) AND NEW.headers_sealed = OLD.headers_sealed THEN
            NEW.headers_sealed := NULL;
            NEW.header_names := '{}';
        END IF;
        IF NEW.figures = OLD.figures THEN
            NEW.figures := '{}';
        END IF;
    END IF;
    -- A new seal of the same key keeps the revision.
    IF NEW.revision <> OLD.revision AND (NEW.base_url, NEW.api_key_sealed, NEW.headers_sealed, NEW.extra_body)
        IS DISTINCT FROM (OLD.base_url, OLD.api_key_sealed, OLD.headers_sealed, OLD.extra_body) THEN
        NEW.provider_revision := NEW.revision;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER ai_connections_moved BEFORE UPDATE ON ai_connections FOR EACH ROW EXECUTE FUNCTION ai_connection_moved();

-- +goose Down
DROP TRIGGER ai_connections_moved ON ai_connections;
DROP FUNCTION ai_connection_moved();
ALTER TABLE ai_connections DROP COLUMN provider_revision;
