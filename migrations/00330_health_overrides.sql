-- +goose Up
-- Why systems are worse than their checks say: each row is one reason, of a record (key) of a module (source).
CREATE TABLE check_overrides (
    system_id uuid     NOT NULL REFERENCES catalog_systems (id) ON DELETE CASCADE,
    source    text     NOT NULL,
    key       uuid     NOT NULL,
    status    smallint NOT NULL CHECK (status IN (2, 3)),
    reason    text     NOT NULL,
    since_ms  bigint   NOT NULL,
    PRIMARY KEY (system_id, source, key)
);
CREATE INDEX check_overrides_key ON check_overrides (source, key);
-- The source of the override that determines the state; empty when a target does.
ALTER TABLE check_system_states ADD COLUMN source text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE check_system_states DROP COLUMN source;
DROP TABLE check_overrides;
