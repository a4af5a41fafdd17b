-- +goose Up
-- Failures that make whoever goes on wait longer and longer, such as wrong passwords: one row a bucket, whose name is a
-- SHA-256, as people type passwords into the wrong field. An attempt counts as failed from before it is judged.
CREATE TABLE throttled_failures (
    bucket     bytea       PRIMARY KEY CHECK (length(bucket) = 32),
    failures   integer     NOT NULL DEFAULT 1,
    last_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When they are forgotten.
    kept_until timestamptz NOT NULL
);
-- How many seconds so many failures make wait after the last one: none up to free of them, then first, and twice as long
-- with each further one, up to most.
CREATE FUNCTION throttle_wait(failures integer, free integer, first double precision, most double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN $1 < $2 THEN 0 ELSE least($4, $3 * power(2, least($1 - $2, 30))) END
$$;
CREATE INDEX throttled_failures_kept_until ON throttled_failures (kept_until);
CREATE INDEX throttled_failures_last_at ON throttled_failures (last_at);

-- What one principal has open at this moment, such as streams and probes. A place whose process has died is free again
-- once held_until is over.
CREATE TABLE held_places (
    id         uuid        PRIMARY KEY,
    kind       text        NOT NULL,
    principal  text        NOT NULL,
    held_until timestamptz NOT NULL
);
CREATE INDEX held_places_principal ON held_places (principal, kind);
CREATE INDEX held_places_held_until ON held_places (held_until);

-- The turns that a principal has running.
CREATE INDEX ai_turns_running ON ai_turns (principal_id) WHERE status IN ('pending', 'running');

-- Devices on which somebody has signed in: their own failures count apart from those of everybody else. The token is in
-- a cookie, here is its SHA-256.
CREATE TABLE known_devices (
    user_id      uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    token_hash   bytea       NOT NULL CHECK (length(token_hash) = 32),
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (token_hash, user_id)
);
CREATE INDEX known_devices_user ON known_devices (user_id, last_used_at);
CREATE INDEX known_devices_last_used_at ON known_devices (last_used_at);

-- The table login_attempts is not used any more. Processes of the version before may still run beside this one, so a later
-- migration drops it.

-- +goose Down
DROP TABLE known_devices, held_places, throttled_failures;
DROP FUNCTION throttle_wait;
DROP INDEX ai_turns_running;
