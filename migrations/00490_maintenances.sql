-- +goose Up
CREATE TABLE maintenances (
    id                     uuid        PRIMARY KEY,
    title                  text        NOT NULL CHECK (title <> ''),
    description            text        NOT NULL,
    status                 text        NOT NULL CHECK (status IN ('scheduled', 'in_progress', 'completed', 'cancelled')),
    suppress_notifications boolean     NOT NULL,
    zone                   text        NOT NULL,
    -- A recurrence rule of RFC 5545; empty for a maintenance that happens once.
    rule                   text        NOT NULL,
    first_start            timestamptz NOT NULL,
    first_end              timestamptz NOT NULL,
    -- The occurrence in progress, else the next one, else the last one. It is the one that the rule has at original.
    original               timestamptz NOT NULL,
    starts_at              timestamptz NOT NULL,
    ends_at                timestamptz NOT NULL,
    -- Whether another occurrence follows it.
    has_more               boolean     NOT NULL,
    -- Occurrences of the rule that begin before are over or never were.
    since                  timestamptz NOT NULL,
    ended_early            boolean     NOT NULL DEFAULT false,
    extended               boolean     NOT NULL DEFAULT false,
    over_at                timestamptz,
    -- The next moment at which the status changes by itself.
    next_edge              timestamptz GENERATED ALWAYS AS
                               (CASE status WHEN 'scheduled' THEN starts_at WHEN 'in_progress' THEN ends_at END) STORED,
    -- The workflow of the maintenance knows the plan when told reaches plan.
    plan                   bigint      NOT NULL DEFAULT 1,
    told                   bigint      NOT NULL DEFAULT 0,
    -- The title and the description as a search compares them.
    folded                 text        NOT NULL,
    revision               bigint      NOT NULL DEFAULT 1,
    created_at             timestamptz NOT NULL DEFAULT now(),
    updated_at             timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT maintenances_first CHECK (first_start < first_end),
    CONSTRAINT maintenances_span CHECK (starts_at < ends_at),
    CONSTRAINT maintenances_over CHECK ((status IN ('completed', 'cancelled')) = (over_at IS NOT NULL))
);
CREATE INDEX maintenances_edges ON maintenances (next_edge) WHERE next_edge IS NOT NULL;
CREATE INDEX maintenances_changed ON maintenances (id) WHERE told < plan;
CREATE INDEX maintenances_newest ON maintenances (starts_at DESC, id DESC);
CREATE INDEX maintenances_search ON maintenances USING gin ((folded COLLATE "C") gin_trgm_ops) WITH (fastupdate = off);

-- Occurrences that have begun, and those that were moved or cancelled, by the moment that the rule has for them.
CREATE TABLE maintenance_occurrences (
    maintenance_id uuid        NOT NULL REFERENCES maintenances (id) ON DELETE CASCADE,
    original       timestamptz NOT NULL,
    starts_at      timestamptz NOT NULL,
    ends_at        timestamptz NOT NULL,
    state          text        NOT NULL CHECK (state IN ('moved', 'cancelled', 'in_progress', 'completed')),
    ended_early    boolean     NOT NULL DEFAULT false,
    extended       boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (maintenance_id, original),
    CONSTRAINT maintenance_occurrences_span CHECK (starts_at <= ends_at)
);
CREATE INDEX maintenance_occurrences_span ON maintenance_occurrences (starts_at, ends_at);

-- The systems of a maintenance. A deleted system leaves by the module's own delete, which notes it in the audit log.
CREATE TABLE maintenance_systems (
    maintenance_id uuid NOT NULL REFERENCES maintenances (id) ON DELETE CASCADE,
    system_id      uuid NOT NULL,
    PRIMARY KEY (maintenance_id, system_id)
);
CREATE INDEX maintenance_systems_system ON maintenance_systems (system_id);

-- The calendar feed of a person: whoever has the token reads what the person may see then.
CREATE TABLE maintenance_feeds (
    user_id    uuid        PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    token_hash bytea       NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The status of a maintenance at a moment, also before its row has followed the clock.
-- +goose StatementBegin
CREATE FUNCTION maintenance_status(status text, starts_at timestamptz, ends_at timestamptz, has_more boolean, at timestamptz)
RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN status NOT IN ('scheduled', 'in_progress') THEN status
        WHEN at >= ends_at THEN CASE WHEN has_more THEN 'scheduled' ELSE 'completed' END
        WHEN at >= starts_at THEN 'in_progress'
        ELSE status
    END
$$;
-- +goose StatementEnd

CREATE TRIGGER feed_record AFTER INSERT OR UPDATE OR DELETE ON maintenances FOR EACH ROW
EXECUTE FUNCTION feed_record('maintenance.maintenance', 'maintenance.maintenance');

-- +goose Down
DROP TABLE maintenance_feeds;
DROP TABLE maintenance_systems;
DROP TABLE maintenance_occurrences;
DROP TABLE maintenances;
DROP FUNCTION maintenance_status(text, timestamptz, timestamptz, boolean, timestamptz);
