-- +goose Up
-- Places from which checks run. Location 0 is that of the workers; a process with the role probe makes that of its own at its start.
CREATE TABLE check_locations (
    id         smallint    PRIMARY KEY CHECK (id BETWEEN 0 AND 500),
    name       text        NOT NULL CHECK (name <> ''),
    name_key   text        COLLATE "C" NOT NULL CONSTRAINT check_locations_name_key UNIQUE,
    labels     jsonb       NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(labels) = 'object'),
    created_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO check_locations (id, name, name_key) VALUES (0, 'main', 'main');

-- Claims of the shards of all locations. The version before reads and writes check_shards, where it finds no shard of another location:
-- processes of that version never claim, count or delete one. Shards have different numbers everywhere; those of locations are negative.
ALTER TABLE check_shards ADD COLUMN location smallint NOT NULL DEFAULT 0;
CREATE TABLE check_claims (
    shard      smallint NOT NULL,
    epoch      bigint   NOT NULL DEFAULT 0,
    claimed_to bigint   NOT NULL DEFAULT 0,
    settled_to bigint   NOT NULL DEFAULT 0,
    taken_at   timestamptz,
    owner      text     NOT NULL DEFAULT '',
    location   smallint NOT NULL DEFAULT 0
) PARTITION BY LIST (location);
-- +goose StatementBegin
DO $$
BEGIN
    ALTER TABLE check_claims ATTACH PARTITION check_shards FOR VALUES IN (0);
    CREATE TABLE check_location_shards PARTITION OF check_claims DEFAULT WITH (fillfactor = 20);
    ALTER TABLE check_location_shards ADD PRIMARY KEY (shard);
END
$$;
-- +goose StatementEnd

-- Probes do not count for the shares of the other shards: their heard_at lies in the past, for the version before, and seen_at is when
-- they were alive. version is null in rows of the version before.
ALTER TABLE check_workers ADD COLUMN location smallint NOT NULL DEFAULT 0, ADD COLUMN seen_at timestamptz, ADD COLUMN version text;

-- The names of the locations of a check, and from how many of them it must be down to be unhealthy: any, majority or all. Without locations it runs
-- in the main one.
ALTER TABLE health_checks ADD COLUMN locations text[], ADD COLUMN location_rule text NOT NULL DEFAULT 'majority';

-- A located target does not run: it runs from each of its locations, as a row of check_location_targets with the slots of the target and
-- results, gaps, transitions and a state under an id of its own. The state of the target follows from those.
ALTER TABLE check_targets ADD COLUMN located boolean NOT NULL DEFAULT false;
CREATE TABLE check_location_targets (
    id       integer  PRIMARY KEY DEFAULT nextval('check_targets_id_seq'),
    target   integer  NOT NULL REFERENCES check_targets ON DELETE CASCADE,
    location smallint NOT NULL REFERENCES check_locations,
    shard    smallint NOT NULL,
    since_ms bigint   NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
    gone     boolean  NOT NULL DEFAULT false,
    changed  xid8     NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT check_location_targets_once UNIQUE (target, location)
);
CREATE INDEX check_location_targets_shard ON check_location_targets (shard);
CREATE INDEX check_location_targets_changed ON check_location_targets (changed);
CREATE TRIGGER check_location_targets_notify AFTER INSERT OR UPDATE ON check_location_targets
    FOR EACH STATEMENT EXECUTE FUNCTION check_targets_notify();

-- What engines run: targets, and located ones from each of their locations. target is the row of check_targets.
CREATE VIEW check_schedule AS
SELECT t.id, t.id AS target, t.shard, t.check_id, t.system_id, t.interval_ms, t.phase_ms, t.since_ms, t.thresholds, t.scope,
       t.active AND NOT t.gone AND NOT t.located AS runs, t.changed
FROM check_targets t
UNION ALL
SELECT l.id, l.target, l.shard, t.check_id, t.system_id, t.interval_ms, t.phase_ms, greatest(t.since_ms, l.since_ms), t.thresholds, t.scope,
       t.active AND NOT t.gone AND NOT l.gone, l.changed
FROM check_location_targets l JOIN check_targets t ON t.id = l.target;

-- No shard has the number -1, also for the version before, which knows of no locations.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION check_target_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed := pg_current_xact_id();
    IF NEW.interval_ms <> OLD.interval_ms OR NEW.phase_ms <> OLD.phase_ms OR NEW.active AND NOT OLD.active OR OLD.located AND NOT NEW.located THEN
        NEW.since_ms := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
    END IF;
    IF NEW.located THEN
        NEW.shard := -1;
    END IF;
    RETURN NEW;
END $$;

-- The engines of the locations read a target again that was changed.
CREATE FUNCTION check_target_located() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE check_location_targets SET changed = pg_current_xact_id() WHERE target = NEW.id;
    RETURN NULL;
END $$;

-- States and requested runs end with what has them, which is of two tables.
CREATE FUNCTION check_target_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM check_states WHERE target = OLD.id;
    DELETE FROM check_requests WHERE target = OLD.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER check_targets_located AFTER UPDATE ON check_targets FOR EACH ROW WHEN (NEW.located OR OLD.located)
    EXECUTE FUNCTION check_target_located();
CREATE TRIGGER check_targets_deleted AFTER DELETE ON check_targets FOR EACH ROW EXECUTE FUNCTION check_target_deleted();
CREATE TRIGGER check_location_targets_deleted AFTER DELETE ON check_location_targets FOR EACH ROW EXECUTE FUNCTION check_target_deleted();
ALTER TABLE check_states DROP CONSTRAINT check_states_target_fkey;
ALTER TABLE check_requests DROP CONSTRAINT check_requests_target_fkey;

-- +goose Down
DROP TRIGGER check_targets_deleted ON check_targets;
DROP TRIGGER check_targets_located ON check_targets;
DROP VIEW check_schedule;
DELETE FROM check_states WHERE target NOT IN (SELECT id FROM check_targets);
DELETE FROM check_requests WHERE target NOT IN (SELECT id FROM check_targets);
ALTER TABLE check_states ADD CONSTRAINT check_states_target_fkey FOREIGN KEY (target) REFERENCES check_targets ON DELETE CASCADE;
ALTER TABLE check_requests ADD CONSTRAINT check_requests_target_fkey FOREIGN KEY (target) REFERENCES check_targets ON DELETE CASCADE;
DROP TABLE check_location_targets;
DROP FUNCTION check_target_deleted, check_target_located;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION check_target_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed := pg_current_xact_id();
    IF NEW.interval_ms <> OLD.interval_ms OR NEW.phase_ms <> OLD.phase_ms OR NEW.active AND NOT OLD.active THEN
        NEW.since_ms := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
UPDATE check_targets SET shard = check_target_shard(check_id, system_id, environment_id, (SELECT greatest(count(*), 1)::integer FROM check_shards))
WHERE located;
ALTER TABLE check_targets DROP COLUMN located;
ALTER TABLE health_checks DROP COLUMN location_rule, DROP COLUMN locations;
DELETE FROM check_workers WHERE location <> 0;
ALTER TABLE check_workers DROP COLUMN version, DROP COLUMN seen_at, DROP COLUMN location;
ALTER TABLE check_claims DETACH PARTITION check_shards;
DROP TABLE check_claims;
ALTER TABLE check_shards DROP COLUMN location;
DROP TABLE check_locations;
