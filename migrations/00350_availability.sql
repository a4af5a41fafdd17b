-- +goose Up
-- Availability is computed from the times of check_transitions and check_gaps. began_ms is the slot of the first run of the streak
-- that changed the status, NULL where it is at_ms or, in rows of earlier versions, unknown. idle marks that the target does not run
-- from then on, so that it counts for nothing.
ALTER TABLE check_transitions ADD COLUMN began_ms bigint, ADD COLUMN idle boolean NOT NULL DEFAULT false;

-- The slots of the first failed and of the first errored run of the current streaks, 0 without one.
ALTER TABLE check_states ADD COLUMN failing_ms bigint NOT NULL DEFAULT 0, ADD COLUMN erring_ms bigint NOT NULL DEFAULT 0;

-- made_ms is when the target was planned first, NULL in rows of earlier versions; resumed_ms when it became active again, and
-- forgot its state.
ALTER TABLE check_targets ADD COLUMN made_ms bigint, ADD COLUMN resumed_ms bigint NOT NULL DEFAULT 0;
ALTER TABLE check_targets ALTER COLUMN made_ms SET DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint;

-- Measured time and downtime of the days before cells_to, packed. Writers of older history lower cells_to.
ALTER TABLE check_boards ADD COLUMN cells bytea NOT NULL DEFAULT '', ADD COLUMN cells_to integer NOT NULL DEFAULT 0;

-- +goose StatementBegin
CREATE FUNCTION check_target_idled() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    now_ms bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
BEGIN
    IF NEW.active THEN
        NEW.resumed_ms := now_ms;
    END IF;
    -- The state of a target that stops is deleted afterwards.
    INSERT INTO check_transitions (system_id, target, at_ms, before, after, reason, idle)
    SELECT NEW.system_id, NEW.id, now_ms,
        CASE WHEN NEW.active THEN 0 ELSE coalesce((SELECT s.status FROM check_states s WHERE s.target = NEW.id), 0) END, 0,
        CASE WHEN NEW.active THEN 'It runs again' ELSE 'It was paused or switched off' END, NOT NEW.active;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER check_targets_idled BEFORE UPDATE ON check_targets FOR EACH ROW WHEN (NEW.active <> OLD.active)
    EXECUTE FUNCTION check_target_idled();

-- Pauses that began under earlier versions are known from now on.
INSERT INTO check_transitions (system_id, target, at_ms, before, after, reason, idle)
SELECT t.system_id, t.id, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, 0, 0, 'It was paused or switched off', true
FROM check_targets t WHERE NOT t.active AND NOT t.gone;

-- +goose Down
DROP TRIGGER check_targets_idled ON check_targets;
DROP FUNCTION check_target_idled;
ALTER TABLE check_boards DROP COLUMN cells, DROP COLUMN cells_to;
ALTER TABLE check_targets DROP COLUMN made_ms, DROP COLUMN resumed_ms;
ALTER TABLE check_states DROP COLUMN failing_ms, DROP COLUMN erring_ms;
ALTER TABLE check_transitions DROP COLUMN began_ms, DROP COLUMN idle;
