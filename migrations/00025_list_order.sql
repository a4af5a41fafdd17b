-- +goose NO TRANSACTION
-- +goose Up
-- Pages of lists are read in their order from an index, also where grants, tags and members choose what is on them: each of
-- these has the key by which its record is sorted. Triggers keep it, whichever version of the product writes. Each step may
-- be repeated, and none keeps writers out for longer than a moment.
ALTER TABLE relation_tuples ADD COLUMN IF NOT EXISTS sort_key text COLLATE "C";
ALTER TABLE catalog_group_systems ADD COLUMN IF NOT EXISTS name_key text COLLATE "C";
ALTER TABLE catalog_environment_systems ADD COLUMN IF NOT EXISTS name_key text COLLATE "C";
CREATE TABLE IF NOT EXISTS catalog_system_tags (
    tag       text COLLATE "C" NOT NULL,
    name_key  text COLLATE "C" NOT NULL,
    system_id uuid NOT NULL REFERENCES catalog_systems ON DELETE CASCADE,
    PRIMARY KEY (tag, name_key, system_id)
);
CREATE INDEX IF NOT EXISTS catalog_system_tags_system ON catalog_system_tags (system_id);

-- A new grant takes the key of its record, and waits for one who is changing that key. A kind of record with grants adds
-- its table here and a trigger access_renamed; without them its grants have no key and choose no pages.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION access_named() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    CASE NEW.object_type
        WHEN 'catalog.system' THEN SELECT name_key INTO NEW.sort_key FROM catalog_systems WHERE id = NEW.object_id FOR KEY SHARE;
        WHEN 'catalog.group' THEN SELECT name_key INTO NEW.sort_key FROM catalog_groups WHERE id = NEW.object_id FOR KEY SHARE;
        ELSE NULL;
    END CASE;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

-- The grants on a record follow its name. Its argument is the object type.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION access_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        UPDATE relation_tuples SET sort_key = NULL WHERE object_type = TG_ARGV[0] AND object_id = OLD.id;
    ELSIF TG_OP = 'INSERT' OR NEW.name_key <> OLD.name_key THEN
        UPDATE relation_tuples SET sort_key = NEW.name_key WHERE object_type = TG_ARGV[0] AND object_id = NEW.id;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION catalog_member_named() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT name_key INTO NEW.name_key FROM catalog_systems WHERE id = NEW.system_id FOR KEY SHARE;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION catalog_system_listed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF NEW.name_key = OLD.name_key AND NEW.tags = OLD.tags THEN
            RETURN NULL;
        END IF;
        IF NEW.name_key <> OLD.name_key THEN
            UPDATE catalog_group_systems SET name_key = NEW.name_key WHERE system_id = NEW.id;
            UPDATE catalog_environment_systems SET name_key = NEW.name_key WHERE system_id = NEW.id;
        END IF;
        DELETE FROM catalog_system_tags WHERE system_id = NEW.id;
    END IF;
    INSERT INTO catalog_system_tags (tag, name_key, system_id)
    SELECT DISTINCT t, NEW.name_key, NEW.id FROM unnest(NEW.tags) t WHERE t IS NOT NULL;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE OR REPLACE TRIGGER access_named BEFORE INSERT ON relation_tuples FOR EACH ROW EXECUTE FUNCTION access_named();
CREATE OR REPLACE TRIGGER access_renamed AFTER INSERT OR DELETE OR UPDATE OF name_key ON catalog_systems
    FOR EACH ROW EXECUTE FUNCTION access_renamed('catalog.system');
CREATE OR REPLACE TRIGGER access_renamed AFTER INSERT OR DELETE OR UPDATE OF name_key ON catalog_groups
    FOR EACH ROW EXECUTE FUNCTION access_renamed('catalog.group');
CREATE OR REPLACE TRIGGER catalog_member_named BEFORE INSERT ON catalog_group_systems
    FOR EACH ROW EXECUTE FUNCTION catalog_member_named();
CREATE OR REPLACE TRIGGER catalog_member_named BEFORE INSERT ON catalog_environment_systems
    FOR EACH ROW EXECUTE FUNCTION catalog_member_named();
CREATE OR REPLACE TRIGGER catalog_system_listed AFTER INSERT OR UPDATE OF name_key, tags ON catalog_systems
    FOR EACH ROW EXECUTE FUNCTION catalog_system_listed();

-- What is there already, a thousand records at a time. Nobody renames those of a batch before it is committed.
-- +goose StatementBegin
DO $$
DECLARE
    done  uuid := '00000000-0000-0000-0000-000000000000';
    batch uuid[];
BEGIN
    LOOP
        SELECT array_agg(b.id ORDER BY b.id) INTO batch
        FROM (SELECT id FROM catalog_systems WHERE id > done ORDER BY id LIMIT 1000 FOR SHARE) b;
        EXIT WHEN batch IS NULL;
        done := batch[array_upper(batch, 1)];
        UPDATE relation_tuples r SET sort_key = s.name_key FROM catalog_systems s
        WHERE s.id = ANY (batch) AND r.object_type = 'catalog.system' AND r.object_id = s.id AND r.sort_key IS DISTINCT FROM s.name_key;
        UPDATE catalog_group_systems m SET name_key = s.name_key FROM catalog_systems s
        WHERE s.id = ANY (batch) AND m.system_id = s.id AND m.name_key IS DISTINCT FROM s.name_key;
        UPDATE catalog_environment_systems m SET name_key = s.name_key FROM catalog_systems s
        WHERE s.id = ANY (batch) AND m.system_id = s.id AND m.name_key IS DISTINCT FROM s.name_key;
        INSERT INTO catalog_system_tags (tag, name_key, system_id)
        SELECT DISTINCT t, s.name_key, s.id FROM catalog_systems s, unnest(s.tags) t WHERE s.id = ANY (batch) AND t IS NOT NULL
        ON CONFLICT DO NOTHING;
        COMMIT;
    END LOOP;
    done := '00000000-0000-0000-0000-000000000000';
    LOOP
        SELECT array_agg(b.id ORDER BY b.id) INTO batch
        FROM (SELECT id FROM catalog_groups WHERE id > done ORDER BY id LIMIT 1000 FOR SHARE) b;
        EXIT WHEN batch IS NULL;
        done := batch[array_upper(batch, 1)];
        UPDATE relation_tuples r SET sort_key = g.name_key FROM catalog_groups g
        WHERE g.id = ANY (batch) AND r.object_type = 'catalog.group' AND r.object_id = g.id AND r.sort_key IS DISTINCT FROM g.name_key;
        COMMIT;
    END LOOP;
END
$$;
-- +goose StatementEnd

-- The first of a caller's grants on records of a type, in the order of the records, as many as depth says (null: all). One
-- that is granted twice comes once. Each subject's are read from the index no further than that.
CREATE OR REPLACE FUNCTION access_page(object_type text, subject_type text, subject_id uuid, team_ids uuid[], after text, depth bigint)
RETURNS TABLE (object_id uuid, sort_key text) LANGUAGE sql STABLE AS $$
    SELECT DISTINCT g.object_id, g.sort_key
    FROM (SELECT $2 AS subject_type, $3 AS subject_id UNION ALL SELECT 'team', unnest($4)) x
    CROSS JOIN LATERAL (
        SELECT DISTINCT r.sort_key, r.object_id FROM relation_tuples r
        WHERE r.subject_type = x.subject_type AND r.subject_id = x.subject_id AND r.object_type = $1 AND r.sort_key > $5
        ORDER BY r.sort_key, r.object_id LIMIT $6) g
    ORDER BY g.sort_key, g.object_id LIMIT $6
$$;

-- +goose Down
DROP FUNCTION access_page;
DROP TRIGGER catalog_system_listed ON catalog_systems;
DROP TRIGGER catalog_member_named ON catalog_environment_systems;
DROP TRIGGER catalog_member_named ON catalog_group_systems;
DROP TRIGGER access_renamed ON catalog_groups;
DROP TRIGGER access_renamed ON catalog_systems;
DROP TRIGGER access_named ON relation_tuples;
DROP FUNCTION catalog_system_listed, catalog_member_named, access_renamed, access_named;
DROP TABLE catalog_system_tags;
ALTER TABLE catalog_environment_systems DROP COLUMN name_key;
ALTER TABLE catalog_group_systems DROP COLUMN name_key;
ALTER TABLE relation_tuples DROP COLUMN sort_key;
