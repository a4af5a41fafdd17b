-- +goose Up
-- One process of the installation holds the lease and does the chores. The clock is that of the database.
CREATE TABLE leases (
    name         text        PRIMARY KEY,
    holder       text        NOT NULL,
    -- Rises with every holder, so that one who has lost the lease can tell.
    term         bigint      NOT NULL DEFAULT 1,
    since        timestamptz NOT NULL DEFAULT clock_timestamp(),
    leased_until timestamptz NOT NULL
);

-- When each chore last began, so that the next holder goes on and does not begin anew.
CREATE TABLE chore_runs (
    name     text        PRIMARY KEY,
    began_at timestamptz NOT NULL
);

-- The columns holder and leased_until of event_cursors are not used any more. Processes of the version before may still
-- run beside this one, so a later migration drops them.

-- +goose Down
DROP TABLE chore_runs;
DROP TABLE leases;
