-- +goose Up
-- When a target ceased to run from a location: its runs from there stay, and are shown, until the retention ends.
ALTER TABLE check_location_targets ADD COLUMN left_ms bigint;
-- +goose StatementBegin
CREATE FUNCTION check_location_left() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT NEW.gone THEN
        NEW.left_ms := NULL;
    ELSIF NOT OLD.gone THEN
        NEW.left_ms := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER check_location_targets_left BEFORE UPDATE OF gone ON check_location_targets
    FOR EACH ROW EXECUTE FUNCTION check_location_left();

-- +goose Down
DROP TRIGGER check_location_targets_left ON check_location_targets;
DROP FUNCTION check_location_left;
ALTER TABLE check_location_targets DROP COLUMN left_ms;
